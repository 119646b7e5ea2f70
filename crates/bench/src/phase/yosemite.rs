//! Yosemite with clouds: its frames, and its true field from a MATLAB file.

use super::Scene;
use crate::{BenchError, Session};
use std::path::Path;
use veloxel_core::{Flow, Grid, Mask, Warnings};
use veloxel_io::{IoError, Strictness, read_image};

/// The frame that the true field belongs to.
const CENTRE: usize = 9;
/// Offset of the samples: the header, and the fixed tags of one matrix of three dimensions with this name.
const FIRST_SAMPLE: usize = 0xd0;

/// Five frames, the true field of the third (pixels, down is positive), and the land: the sky has no true motion;
/// none without the data folder.
pub(crate) fn yosemite(session: &Session<'_>) -> Result<Option<Scene>, BenchError> {
    let Some(folder) = session.data("flow/yosemite-clouds") else { return Ok(None) };
    let frames = (CENTRE - 2..=CENTRE + 2)
        .map(|t| read_image(&folder.join(format!("yos{t}.tif")), Strictness::Lenient, &mut Warnings::new()))
        .collect::<Result<Vec<_>, _>>()?;
    let truth = truth(&folder.join("correct_flow.mat"), frames[0].grid())?;
    // The sky is said to move by exactly (2, 0).
    let sky = |i: usize| truth.vector_vox(i)[..2] == [2.0, 0.0];
    let [nx, ny, _] = truth.grid().size();
    let land = Mask::from_fn(Grid::image(nx, ny)?, |[x, y, _]| !sky(y * nx + x));
    Ok(Some(Scene { name: "Yosemite, no sky", frames, truth, mask: Some(land) }))
}

/// The one matrix of the file: ny × nx × 2 doubles, big-endian, columns first, v upwards.
fn truth(path: &Path, grid: &Grid) -> Result<Flow, BenchError> {
    let bytes = std::fs::read(path).map_err(|source| IoError::Open { path: path.to_owned(), source })?;
    let [nx, ny, _] = grid.size();
    let expected = FIRST_SAMPLE + 16 * nx * ny;
    if !bytes.starts_with(b"MATLAB 5.0") || bytes.len() < expected {
        return Err(IoError::Malformed {
            what: "true field".to_owned(),
            expected: format!("a MATLAB 5 file of {nx} × {ny} × 2 doubles"),
            got: format!("{} bytes", bytes.len()),
            path: path.to_owned(),
        }
        .into());
    }
    let samples = bytes[FIRST_SAMPLE..expected].as_chunks::<8>().0;
    let component = |c: usize, sign: f64| -> Vec<f32> {
        let at = |i: usize| f64::from_be_bytes(samples[(c * nx + i % nx) * ny + i / nx]);
        (0..nx * ny).map(|i| (sign * at(i)) as f32).collect()
    };
    Ok(Flow::new(grid.clone(), vec![component(0, 1.0), component(1, -1.0)])?)
}
