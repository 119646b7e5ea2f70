//! End-point errors on the phantoms, in the interior, preset `accurate`.

use crate::scores::{Half, scored};
use crate::{BenchError, Figure, Session};

/// Mean end-point error (voxels) of smooth motion without noise: the promise of the product, which tests hold as well.
const SMOOTH_ERROR_VOX: f64 = 0.02;

/// `phantoms`: 96² and 64³ of the textures that presets were chosen on; the bar holds for smooth motion without noise.
pub(crate) fn phantoms(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for (set, axes) in [("phantoms-2d", "2-D"), ("phantoms-3d", "3-D")] {
        for score in scored(session, set, |row| row.half == Half::Tuned, &["accurate"])? {
            let figure = Figure::new(format!("{}: {axes}", score.item), score.error, "voxels");
            let held = score.item.ends_with(", smooth");
            figures.push(if held { figure.at_most(SMOOTH_ERROR_VOX) } else { figure });
        }
    }
    Ok(figures)
}
