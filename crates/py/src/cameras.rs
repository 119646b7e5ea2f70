//! What is known of two cameras, and the points that they see.

use crate::error::{InputError, exception};
use crate::fields::flow::told;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use crate::settings::chosen;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use veloxel::io::{self, CloudPoint, Reading};
use veloxel::pipelines::CloudRequest;
use veloxel::{Camera, Hint, Lens, RectifiedView, Result, StereoRig, VeloxelError, Volume, Warnings};

/// A camera: the matrix `[[fx, 0, cx], [0, fy, cy], [0, 0, 1]]`, pixels, the coefficients of its lens, and the lens' model.
#[derive(FromPyObject)]
pub struct CameraIn([[f64; 3]; 3], Vec<f64>, String);

impl CameraIn {
    fn camera(&self) -> PyResult<Camera> {
        let Self(matrix, coefficients, model) = self;
        let [[fx, skew, cx], [below, fy, cy], last] = *matrix;
        if [skew, below] != [0.0; 2] || last != [0.0, 0.0, 1.0] {
            let text = "a camera's matrix is [[fx, 0, cx], [0, fy, cy], [0, 0, 1]]";
            return Err(InputError::new_err(format!("{text}, not {matrix:?}")));
        }
        let lens = match chosen("lens", model, [("radtan", true), ("equidistant", false)])? {
            true => Lens::radial_tangential(coefficients),
            false => Lens::equidistant(coefficients),
        };
        let lens = lens.map_err(|error| exception(&error))?;
        let camera = Camera { focal_px: [fx, fy], centre_px: [cx, cy], lens, size_px: None };
        camera.checked().map_err(|error| exception(&error))
    }
}

/// What is known of the cameras of a pair, as Python has it.
#[expect(clippy::large_enum_variant, reason = "one of them lives for a call")]
#[derive(FromPyObject)]
pub enum CamerasIn {
    /// Left and right camera, the rotation from the left one's frame to the right one's, and the translation, metres.
    Rig(CameraIn, CameraIn, [[f64; 3]; 3], [f64; 3]),
    /// Focal length and baseline of pictures that are rectified already, and their centre.
    Rectified(f64, f64, Option<[f64; 2]>),
    /// Files, and the distance of the cameras where they have another unit.
    Files(Vec<PathBuf>, Option<f64>),
}

/// What is known of the cameras of a pair.
pub enum Cameras {
    Rig(Box<StereoRig>),
    Rectified(f64, f64, Option<[f64; 2]>),
    Files(Vec<PathBuf>, Option<f64>),
}

impl CamerasIn {
    /// The cameras, checked.
    ///
    /// # Errors
    /// [`InputError`] for numbers that are no camera's.
    pub fn cameras(self) -> PyResult<Cameras> {
        Ok(match self {
            Self::Rig(left, right, right_from_left, translation_m) => {
                let (left, right) = (left.camera()?, right.camera()?);
                let rig = StereoRig { left, right, right_from_left, translation_m };
                let rig = rig.checked().map_err(|error| exception(&error))?;
                if !rig.is_left_first() {
                    let text = "the second camera stands to the left of the first: exchange the cameras and their pictures";
                    return Err(InputError::new_err(text));
                }
                Cameras::Rig(Box::new(rig))
            }
            Self::Rectified(focal_px, baseline_m, centre) => Cameras::Rectified(focal_px, baseline_m, centre),
            Self::Files(files, baseline_m) => Cameras::Files(files, baseline_m),
        })
    }
}

impl Cameras {
    /// The rig by which pictures are rectified; none of pictures that are rectified already.
    pub fn rig(&self, reading: &Reading, warnings: &mut Warnings) -> Result<Option<StereoRig>> {
        let (files, baseline_m) = match self {
            Self::Rig(rig) => return Ok(Some(**rig)),
            Self::Rectified(..) => return Ok(None),
            Self::Files(files, baseline_m) => (files, baseline_m),
        };
        let mut said = Warnings::new();
        let rig = io::read_calibration(files, reading, &mut said)?;
        // Where the unit is told there is nothing to say about it.
        let is_told = baseline_m.is_some();
        said.iter()
            .filter(|warning| !(is_told && warning.hint == Some(Hint::Baseline)))
            .for_each(|warning| warnings.add(warning.clone()));
        Ok(Some(match *baseline_m {
            Some(baseline_m) => rig.with_baseline_m(baseline_m).checked()?,
            None => rig,
        }))
    }

    /// The view of pictures that are rectified already.
    pub fn view(&self, size_px: [usize; 2]) -> Result<Option<RectifiedView>> {
        Ok(match self {
            Self::Rectified(focal_px, baseline_m, centre_px) => {
                Some(RectifiedView::new(*focal_px, *baseline_m, *centre_px, size_px)?)
            }
            Self::Rig(_) | Self::Files(..) => None,
        })
    }
}

/// Cameras of rectified pictures: focal length, baseline and centre.
pub type ViewOut = (f64, f64, [f64; 2]);

/// Positions row by row, red, green and blue row by row, and confidences.
type Cloud<'py> = (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<f32>>);

/// What points are made of, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Seen<'py> {
    disparity: Bound<'py, Image>,
    confidence: Bound<'py, Image>,
    left: Bound<'py, Image>,
    /// Red, green and blue of the left picture, 0 to 255.
    colours: Option<[Bound<'py, Image>; 3]>,
    view: ViewOut,
}

impl Seen<'_> {
    fn points(&self, session: &Bound<'_, Session>) -> PyResult<Vec<CloudPoint>> {
        let (focal_px, baseline_m, centre_px) = self.view;
        let grid = self.disparity.get().volume.grid().clone();
        let [width, height, _] = grid.size();
        let view = RectifiedView::new(focal_px, baseline_m, Some(centre_px), [width, height])
            .map_err(|error| exception(&error))?;
        let [disparity_px, confidence, left] =
            [&self.disparity, &self.confidence, &self.left].map(|image| &image.get().volume);
        let colours =
            self.colours.as_ref().map(|colours| colours.each_ref().map(|own| own.get().volume.clone()));
        // Colours come as arrays, without the place of the picture.
        let placed = |own: Volume<f32>| Volume::new(grid.clone(), own.into_data());
        let colours = match colours
            .map(|[r, g, b]| Ok::<_, veloxel::CoreError>([placed(r)?, placed(g)?, placed(b)?]))
        {
            Some(colours) => Some(colours.map_err(|error| exception(&error))?),
            None => None,
        };
        session.get().lend(|library| {
            run(session.py(), library, None, |library| {
                let (left, colours) = (left.into(), colours.as_ref());
                let request = CloudRequest { disparity_px, confidence, left, colours, view };
                veloxel::pipelines::point_cloud(&request, library)
            })
        })
    }
}

/// The points that a disparity shows.
#[pyfunction]
pub fn point_cloud<'py>(
    py: Python<'py>,
    session: &Bound<'py, Session>,
    seen: Seen<'py>,
) -> PyResult<Cloud<'py>> {
    let points = seen.points(session)?;
    Ok((
        PyArray1::from_vec(py, points.iter().flat_map(|point| point.at_m).collect()),
        PyArray1::from_vec(py, points.iter().flat_map(|point| point.rgb).collect()),
        PyArray1::from_vec(py, points.iter().map(|point| point.confidence).collect()),
    ))
}

/// Writes the points that a disparity shows, as PLY.
#[pyfunction]
pub fn write_cloud(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    seen: Seen<'_>,
    path: PathBuf,
) -> PyResult<()> {
    let points = seen.points(session)?;
    session.get().lend(|library| {
        run(py, library, None, |library| {
            let frame = "rectified left camera, x right, y down, z forward";
            Ok(io::write_cloud(library.files().target(&path), frame, &points)?)
        })
    })
}

/// Reads the calibration of two cameras: matrices and lenses as words and numbers, the rotation, the translation in metres, and warnings.
#[pyfunction]
pub fn read_cameras(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    files: Vec<PathBuf>,
) -> PyResult<(RigOut, Py<PyList>)> {
    let (rig, warnings) = session.get().lend(|library| {
        run(py, library, None, |library| {
            let mut warnings = Warnings::new();
            let reading = library.reading(io::ReadOptions::default());
            let rig = io::read_calibration(&files, &reading, &mut warnings)?;
            Ok::<_, VeloxelError>((rig, warnings))
        })
    })?;
    let cameras = [rig.left, rig.right].map(of_camera);
    let [left, right] = cameras;
    Ok(((left, right, rig.right_from_left, rig.translation_m), told(py, warnings.urgent())?.unbind()))
}

/// A camera as [`CameraIn`] has it.
type CameraOut = ([[f64; 3]; 3], Vec<f64>, &'static str);
/// Two cameras as [`CamerasIn::Rig`] has them.
type RigOut = (CameraOut, CameraOut, [[f64; 3]; 3], [f64; 3]);

fn of_camera(camera: Camera) -> CameraOut {
    let Camera { focal_px: [fx, fy], centre_px: [cx, cy], lens, .. } = camera;
    let (coefficients, model) = match lens {
        Lens::Ideal => (Vec::new(), "radtan"),
        Lens::RadialTangential { coefficients, .. } => {
            // Thin prisms and tilts are rare.
            let has_more = coefficients[8..].iter().any(|&k| k != 0.0);
            (coefficients[..if has_more { 14 } else { 8 }].to_vec(), "radtan")
        }
        Lens::Equidistant { coefficients, .. } => (coefficients.to_vec(), "equidistant"),
    };
    ([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]], coefficients, model)
}
