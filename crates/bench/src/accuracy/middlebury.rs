//! Middlebury's two-frame pairs with ground truth: one parameter set for all.

use crate::{BenchError, Figure, Session};
use std::path::{Path, PathBuf};
use std::time::Instant;
use veloxel_core::{Control, Dimension, Flow, Volume, Warnings};
use veloxel_io::{Strictness, read_flow, read_image};
use veloxel_measure::flow_error;
use veloxel_motion::{Clg, ClgParams, ClgPreset, Pair, PairMethod};

pub(crate) const PAIRS: [&str; 4] = ["RubberWhale", "Grove2", "Urban2", "Dimetrodon"];

/// `middlebury`: mean end-point error and time a pair, presets `accurate` and `fast`.
pub(crate) fn middlebury(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let (mut figures, mut times) = (Vec::new(), Vec::new());
    for (preset, name, most_error, most_s) in
        [(ClgPreset::Accurate, "accurate", 0.187, 1.5), (ClgPreset::Fast, "fast", 0.33, 0.25)]
    {
        let (mut error_sum, mut slowest_s) = (0.0, 0.0f64);
        for pair_name in PAIRS {
            let Some(folder) = folder(session, pair_name) else { return Ok(figures) };
            let mut warnings = Warnings::new();
            let [fixed, moving] = images(&folder)?;
            let truth = read_flow(&folder.join("flow10.flo"), Strictness::Lenient, &mut warnings)?;
            let params = ClgParams::preset(preset, Dimension::Two);
            let pair = Pair::new(&fixed, &moving);
            let start = Instant::now();
            let output = Clg::new(fixed.grid(), params, session.device)?.run(&pair)?;
            let time_s = start.elapsed().as_secs_f64();
            let error = flow_error(&output.flow, &truth, None, &Control::default())?.end_point_vox.mean;
            error_sum += error;
            slowest_s = slowest_s.max(time_s);
            figures.push(Figure::new(format!("{pair_name}: {name}"), error, "px"));
            times.push(Figure::new(format!("{pair_name}: {name}"), time_s, "s"));
        }
        let mean = error_sum / PAIRS.len() as f64;
        figures.push(Figure::new(format!("mean: {name}"), mean, "px").at_most(most_error));
        times.push(Figure::new(format!("slowest pair: {name}"), slowest_s, "s").at_most(most_s));
    }
    if !session.is_quick {
        figures.extend(times);
    }
    Ok(figures)
}

pub(crate) fn folder(session: &Session<'_>, pair: &str) -> Option<PathBuf> {
    session.data(&format!("flow/middlebury-2frame/{pair}"))
}

pub(crate) fn images(folder: &Path) -> Result<[Volume<f32>; 2], BenchError> {
    let mut warnings = Warnings::new();
    let mut image = |file: &str| read_image(&folder.join(file), Strictness::Lenient, &mut warnings);
    Ok([image("frame10.png")?, image("frame11.png")?])
}

/// A pair's name, its fixed and its moving image.
pub(crate) type NamedPair = (&'static str, [Volume<f32>; 2]);

/// The pairs' names and images; none without the data folder.
pub(crate) fn pairs(session: &Session<'_>) -> Result<Vec<NamedPair>, BenchError> {
    let there = PAIRS.into_iter().filter_map(|pair| Some((pair, folder(session, pair)?)));
    there.map(|(pair, folder)| Ok((pair, images(&folder)?))).collect()
}

/// The true field of a pair; none without the data folder.
pub(crate) fn truth(session: &Session<'_>, pair: &str) -> Result<Option<Flow>, BenchError> {
    let Some(folder) = folder(session, pair) else { return Ok(None) };
    Ok(Some(read_flow(&folder.join("flow10.flo"), Strictness::Lenient, &mut Warnings::new())?))
}
