//! Table 6: angular errors of flow at their densities.

use super::super::Figure;
use super::super::data::data;
use super::presets;
use super::yosemite::yosemite;
use crate::BenchError;
use veloxel_core::{Flow, Mask, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_io::{Strictness, read_flow, read_image};
use veloxel_motion::{PhaseParameters, phase_flow};
use veloxel_report::metrics::flow_error;

/// Frames with a true field.
pub(super) struct Scene {
    name: &'static str,
    pub frames: Vec<Volume<f32>>,
    truth: Flow,
    mask: Option<Mask>,
}

/// The scenes that the data folder holds.
pub(super) fn scenes() -> Result<Vec<Scene>, BenchError> {
    let mut scenes = Vec::new();
    if let Ok(folder) = data("flow/middlebury-allframes-gray/RubberWhale") {
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
    if data("flow/yosemite-clouds").is_ok() {
        let (frames, truth, land) = yosemite()?;
        scenes.push(Scene { name: "Yosemite, no sky", frames, truth, mask: Some(land) });
    }
    Ok(scenes)
}

/// What the paper reaches: scene, τ_l, angular error at most, density at least (its CPU column).
const BARS: [(&str, f32, f64, f64); 3] = [
    ("RubberWhale", 0.5, 6.03, 0.99),
    ("RubberWhale", 0.05, 3.85, 0.87),
    ("Yosemite, no sky", 0.5, 2.7, 0.97),
];

pub(super) fn table_6(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for scene in scenes()? {
        for (preset, parameters) in presets() {
            for tau_l in [0.5, 0.05] {
                let parameters = PhaseParameters { tau_l, ..parameters.clone() };
                let frames: Vec<&Volume<f32>> = scene.frames.iter().collect();
                let found = phase_flow(&frames, &parameters, device)?;
                let error = flow_error(&found.flow, &scene.truth, scene.mask.as_ref())?;
                let bar = BARS.iter().find(|b| b.0 == scene.name && b.1 == tau_l && preset == "accurate");
                let what = format!("{}, {preset}, τ_l {tau_l}", scene.name);
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
