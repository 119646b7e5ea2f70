//! Fields and disparities as pictures, the command's own.

use crate::error::InputError;
use crate::fields::field::Field;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use numpy::PyArray1;
use pyo3::prelude::*;
use veloxel::report::{
    DisparityDrawing, FieldDrawing, FieldPicture, MapPicture, PictureGround, PictureKey, PlaneChoice,
};
use veloxel::{VeloxelError, Volume};

/// How something is drawn, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Drawing<'py> {
    /// An image on the grid of what is drawn: it says which plane shows most.
    image: Option<Bound<'py, Image>>,
    /// Whether it is drawn below.
    overlay: bool,
    plane: Option<String>,
    scale: Option<f64>,
    key: bool,
}

impl Drawing<'_> {
    fn ground(&self) -> PictureGround {
        if self.overlay && self.image.is_some() { PictureGround::Image } else { PictureGround::White }
    }

    fn key(&self) -> PictureKey {
        if self.key { PictureKey::Wheel } else { PictureKey::LeftOut }
    }

    /// The image; where there is none, one of the same grid that is not drawn.
    fn image(&self, like: &Volume<f32>) -> Volume<f32> {
        self.image.as_ref().map_or_else(|| like.clone(), |image| image.get().volume.clone())
    }
}

/// Red, green and blue row by row, height and width.
type Picture<'py> = (Bound<'py, PyArray1<u8>>, usize, usize);

fn picture(py: Python<'_>, picture: MapPicture) -> Picture<'_> {
    let MapPicture { width, height, rgb } = picture;
    (PyArray1::from_vec(py, rgb), height, width)
}

/// A field in the colours of the wheel; the plane in words, the length with full colour, and its unit.
#[pyfunction]
pub fn field_picture<'py>(
    py: Python<'py>,
    session: &Bound<'py, Session>,
    field: &Bound<'py, Field>,
    drawing: Drawing<'py>,
) -> PyResult<(Picture<'py>, String, f64, &'static str)> {
    let plane = drawing.plane.as_deref().map(str::parse::<PlaneChoice>).transpose();
    let plane = plane.map_err(|text| InputError::new_err(format!("plane: {text}")))?.unwrap_or_default();
    let flow = &field.get().flow;
    // Without an image the plane is one in which much moves along x.
    let image = drawing.image(&flow.component_volume(0));
    let how = FieldDrawing { plane, scale: drawing.scale, ground: drawing.ground(), key: drawing.key() };
    let found = session.get().lend(|library| {
        run(py, library, None, |library| {
            how.draw(flow, &image, library.control()).map_err(VeloxelError::from)
        })
    })?;
    let FieldPicture { picture: drawn, plane, scale, unit } = found;
    Ok((picture(py, drawn), plane, scale, unit))
}

/// A disparity in colours, near is light.
#[pyfunction]
pub fn disparity_picture<'py>(
    py: Python<'py>,
    session: &Bound<'py, Session>,
    disparity: &Bound<'py, Image>,
    drawing: Drawing<'py>,
) -> PyResult<Picture<'py>> {
    let disparity_px = &disparity.get().volume;
    let image = drawing.image(disparity_px);
    let how = DisparityDrawing { scale_px: drawing.scale, ground: drawing.ground(), key: drawing.key() };
    let drawn = session.get().lend(|library| {
        run(py, library, None, |library| {
            how.draw(disparity_px, &image, library.control()).map_err(VeloxelError::from)
        })
    })?;
    Ok(picture(py, drawn))
}
