//! The cost of a session: many small pairs through one, over bare calls of the method that it keeps.

use crate::{BenchError, Figure, Session};
use std::time::Instant;
use veloxel::pipelines::{MethodChoice, PairRequest, pair};
use veloxel_core::{Grid, Volume};
use veloxel_motion::{Clg, ClgParams, ClgPreset, Pair, PairMethod};

/// Pixels along each axis.
const SIDE: usize = 64;
/// Number of pairs; a method allocates its memory in the first one, and the results of the first are given back in the second.
const PAIRS: usize = 1000;

/// The bench `session`: [`PAIRS`] pairs of 64² both ways, one after the other.
pub(crate) fn sessions(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let device = session.device;
    let grid = Grid::image(SIDE, SIDE)?;
    let image = |shift: f32| {
        Volume::from_fn(grid.clone(), move |[x, y, _]| {
            let (x, y) = (x as f32 - shift, y as f32);
            (0.41 * x).sin() * (0.37 * y + 0.2 * x).cos() + (0.13 * y).sin()
        })
    };
    let (fixed, moving) = (image(0.0), image(0.6));
    let params = ClgParams::preset(ClgPreset::Accurate, grid.dimension());
    let (one_shot, pipeline) = (veloxel::Session::on(device.clone()), veloxel::Session::on(device.clone()));
    let (mut bare, images) = (Clg::new(&grid, params.clone(), device)?, Pair::new(&fixed, &moving));
    let method = MethodChoice::default();
    let request = PairRequest::new(&fixed, &moving, &method);
    let mut times_ms: [Vec<f64>; 3] = Default::default();
    let mut allocated_before = 0;
    for nth in 0..PAIRS {
        if nth == 2 {
            allocated_before = device.memory_stats().allocations;
        }
        let begin = Instant::now();
        bare.run(&images)?;
        let after_bare = Instant::now();
        veloxel::clg(&images, &params, &one_shot)?;
        let after_one_shot = Instant::now();
        pair(&request, &pipeline)?;
        let spans = [after_bare - begin, after_one_shot - after_bare, after_one_shot.elapsed()];
        if nth > 0 {
            times_ms.iter_mut().zip(spans).for_each(|(times, span)| times.push(span.as_secs_f64() * 1e3));
        }
    }
    let allocated = device.memory_stats().allocations - allocated_before;
    let [bare_ms, one_shot_ms, pair_ms] = times_ms.map(median);
    let allocations = Figure::new("allocations on the device after the second pair", allocated as f64, "");
    Ok(vec![
        Figure::new("64², a bare call", bare_ms, "ms"),
        Figure::new("64², the method through a session, over that", one_shot_ms / bare_ms, "").at_most(1.05),
        Figure::new("64², the pipeline through a session, over that", pair_ms / bare_ms, "").at_most(1.05),
        // On a processor results are given away in the memory that they were computed in.
        if device.is_gpu() { allocations.at_most(0.0) } else { allocations },
    ])
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}
