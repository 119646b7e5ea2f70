//! Table 6: angular errors of flow at their densities.

use super::yosemite::yosemite;
use super::{Scene, presets};
use crate::{BenchError, Figure, Session};
use veloxel_core::Warnings;
use veloxel_io::{Strictness, read_flow, read_image};
use veloxel_motion::PhaseParameters;

/// The scenes that the data folder holds.
pub(crate) fn scenes(session: &Session<'_>) -> Result<Vec<Scene>, BenchError> {
    let mut scenes = Vec::new();
    if let Some(folder) = session.data("flow/middlebury-allframes-gray/RubberWhale") {
        let frames = (8..=12)
            .map(|t| {
                read_image(
                    &folder.join(format!("frame{t:02}.png")),
                    Strictness::Lenient,
                    &mut Warnings::new(),
                )
            })
            .collect::<Result<Vec<_>, _>>()?;
        let truth = read_flow(&folder.join("flow10.flo"), Strictness::Lenient, &mut Warnings::new())?;
        scenes.push(Scene { name: "RubberWhale", frames, truth, mask: None });
    }
    scenes.extend(yosemite(session)?);
    Ok(scenes)
}

/// The paper's results (its CPU column): scene, τ_l, greatest angular error, least density.
const BARS: [(&str, f32, f64, f64); 3] = [
    ("RubberWhale", 0.5, 6.03, 0.99),
    ("RubberWhale", 0.05, 3.85, 0.87),
    ("Yosemite, no sky", 0.5, 2.7, 0.97),
];

pub(super) fn table_6(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for scene in scenes(session)? {
        for (preset, parameters) in presets() {
            for tau_l in [0.5, 0.05] {
                let parameters = PhaseParameters { tau_l, ..parameters.clone() };
                let error = scene.error(&scene.flow(&parameters, session.device)?.flow)?;
                let bar = BARS.iter().find(|b| b.0 == scene.name && b.1 == tau_l && preset == "accurate");
                let what = format!("{}, τ_l {tau_l}, {preset}", scene.name);
                let angle = Figure::new(format!("{what}: angular error"), error.angular_deg.mean, "°");
                let spread = Figure::new(format!("{what}: its deviation"), error.angular_deg.sd, "°");
                let density = Figure::new(format!("{what}: density"), 100.0 * error.density, "%");
                match bar {
                    Some(&(.., most, least)) => {
                        figures.extend([angle.at_most(most), spread, density.at_least(100.0 * least)]);
                    }
                    None => figures.extend([angle, spread, density]),
                }
            }
        }
    }
    Ok(figures)
}
