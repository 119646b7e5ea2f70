//! Changes of light, to which phase should not respond.

use super::flow::scenes;
use super::speed::texture;
use crate::{BenchError, Figure, Session};
use veloxel_core::{Flow, Grid, Volume};
use veloxel_motion::{PhaseParameters, phase_flow};

/// A change of a frame's intensities, from the value and the share of the distance from the middle to the corner.
type Light = (&'static str, fn(f32, f32) -> f32);

const LIGHTS: [Light; 5] = [
    ("gain 0.5", |v, _| 0.5 * v),
    ("gain 2", |v, _| 2.0 * v),
    ("30 darker", |v, _| v - 30.0),
    ("30 brighter", |v, _| v + 30.0),
    ("vignetting to one half", |v, r| v * (1.0 - 0.5 * r * r)),
];
/// Greatest mean change of the flow, pixels.
const MOST_PX: f64 = 0.02;

/// Compares the flow under each light with the flow without it.
pub(super) fn contrast(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let (name, frames) = match scenes(session)?.into_iter().find(|scene| scene.name == "RubberWhale") {
        Some(scene) => (scene.name, scene.frames),
        None => ("texture", (0..5).map(|t| moving_texture(t as f32)).collect::<Result<_, _>>()?),
    };
    let run = |frames: &[Volume<f32>]| {
        let each: Vec<&Volume<f32>> = frames.iter().collect();
        phase_flow(&each, &PhaseParameters::default(), session.device)
    };
    let plain = run(&frames)?.flow;
    let mut figures = Vec::new();
    for (light, change) in LIGHTS {
        let lit: Vec<Volume<f32>> = frames.iter().map(|frame| under(frame, change)).collect();
        let change_px = mean_distance(&plain, &run(&lit)?.flow);
        figures
            .push(Figure::new(format!("{name} under {light}: flow moves"), change_px, "px").at_most(MOST_PX));
    }
    Ok(figures)
}

fn moving_texture(t: f32) -> Result<Volume<f32>, BenchError> {
    Ok(Volume::from_fn(Grid::image(320, 256)?, |[x, y, _]| texture(x as f32 - 0.7 * t, y as f32 + 0.4 * t)))
}

fn under(frame: &Volume<f32>, change: fn(f32, f32) -> f32) -> Volume<f32> {
    let [nx, ny, _] = frame.grid().size();
    let middle = [0.5 * (nx as f32 - 1.0), 0.5 * (ny as f32 - 1.0)];
    let corner = middle[0].hypot(middle[1]);
    let mut lit = frame.clone();
    for (i, v) in lit.data_mut().iter_mut().enumerate() {
        let (dx, dy) = ((i % nx) as f32 - middle[0], (i / nx) as f32 - middle[1]);
        *v = change(*v, dx.hypot(dy) / corner);
    }
    lit
}

/// Mean length of the difference where both are known, pixels.
fn mean_distance(a: &Flow, b: &Flow) -> f64 {
    let both: Vec<usize> = (0..a.grid().len()).filter(|&i| a.is_valid(i) && b.is_valid(i)).collect();
    let distance = |&i: &usize| {
        let (a, b) = (a.vector_vox(i), b.vector_vox(i));
        f64::from(a[0] - b[0]).hypot(f64::from(a[1] - b[1]))
    };
    both.iter().map(distance).sum::<f64>() / both.len().max(1) as f64
}
