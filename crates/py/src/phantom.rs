//! Images whose motion is known exactly.

use crate::error::InputError;
use crate::fields::field::Field;
use crate::frames::outlines::{OutlineOut, outlines_of};
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use veloxel::pipelines::{
    PHANTOMS, PhantomContent, PhantomPart, PhantomRequest, PhantomSettings, TextureKind,
};

/// The settings of a phantom, as a dictionary; the size is in the order x, y, z.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    size: Vec<usize>,
    texture: Option<String>,
    noise: Option<f64>,
    seed: Option<u64>,
}

/// A part of a phantom: its name, what it is in a word, and its content.
type Part = (String, &'static str, Py<PyAny>);

/// The names of all phantoms, and what each of them shows.
#[pyfunction]
pub fn phantoms() -> Vec<(&'static str, &'static str)> {
    PHANTOMS.iter().map(|phantom| (phantom.name, phantom.summary)).collect()
}

/// The parts of a phantom.
#[pyfunction]
pub fn phantom(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    name: &str,
    wanted: Wanted,
) -> PyResult<Vec<Part>> {
    let Wanted { size, texture, noise: noise_sd, seed } = wanted;
    let texture = texture.as_deref().map(texture_of).transpose()?;
    let settings = PhantomSettings { size, texture, noise_sd, seed };
    let parts = session.get().lend(|library| {
        run(py, library, None, |library| {
            let mut parts = Vec::new();
            let request = PhantomRequest { name, settings: &settings };
            veloxel::pipelines::phantom(&request, library, &mut |part| {
                parts.push(part);
                Ok(())
            })?;
            Ok(parts)
        })
    })?;
    parts.into_iter().map(|part| content(py, part)).collect()
}

fn texture_of(word: &str) -> PyResult<TextureKind> {
    Ok(match word {
        "smooth" => TextureKind::Smooth,
        "speckle" => TextureKind::Speckle,
        "wall" => TextureKind::Wall,
        _ => {
            let all = "\"smooth\", \"speckle\" or \"wall\"";
            return Err(InputError::new_err(format!("texture is {all}, not {word:?}")));
        }
    })
}

fn content(py: Python<'_>, PhantomPart { name, content }: PhantomPart) -> PyResult<Part> {
    let (kind, object) = match content {
        PhantomContent::Image(image) => ("image", Image::of(image).into_py_any(py)?),
        PhantomContent::Labels(labels) => {
            ("labels", Image::of(labels.map(|&label| label as f32)).into_py_any(py)?)
        }
        PhantomContent::Flow(flow) => ("field", Field { flow }.into_py_any(py)?),
        PhantomContent::Sequence(sequence) => {
            let frames: Vec<Image> = sequence.into_frames().into_iter().map(Image::of).collect();
            ("sequence", frames.into_py_any(py)?)
        }
        PhantomContent::Contours { outlines, frame_interval_ms, .. } => {
            let outlines: Vec<OutlineOut> = outlines_of(&outlines);
            ("contours", (outlines, frame_interval_ms).into_py_any(py)?)
        }
    };
    Ok((name, kind, object))
}
