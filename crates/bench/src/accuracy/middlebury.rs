//! Middlebury's two-frame pairs with ground truth: one parameter set for all.

use crate::scores::{Score, scored};
use crate::{BenchError, Figure, Session};
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Volume, Warnings};
use veloxel_io::{Strictness, read_flow, read_image};

pub(crate) const PAIRS: [&str; 4] = ["RubberWhale", "Grove2", "Urban2", "Dimetrodon"];

/// `middlebury`: mean end-point error and time a pair, presets `accurate` and `fast`.
pub(crate) fn middlebury(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let (mut figures, mut times) = (Vec::new(), Vec::new());
    for (name, most_error, most_s) in [("accurate", 0.187, 1.5), ("fast", 0.33, 0.25)] {
        let scores = scored(session, "middlebury", |_| true, &[name])?;
        if scores.len() < PAIRS.len() {
            return Ok(figures);
        }
        let mut slowest_s = 0.0f64;
        for Score { item, error, time_s, .. } in &scores {
            let time_s = time_s.unwrap_or_default();
            slowest_s = slowest_s.max(time_s);
            figures.push(Figure::new(format!("{item}: {name}"), *error, "px"));
            times.push(Figure::new(format!("{item}: {name}"), time_s, "s"));
        }
        let mean = scores.iter().map(|score| score.error).sum::<f64>() / scores.len() as f64;
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
