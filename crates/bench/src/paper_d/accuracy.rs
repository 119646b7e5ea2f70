//! Tables 1, 4, 5 and 6: errors of the engine's results.

use super::paper;
use super::pictures::Pictures;
use super::published::{FLOW, FlowRow, ORIENTATION_DEG, PHASE_DEG, PLACE_PX, PLATFORMS, STEREO};
use crate::experiments::{Comparison, Row};
use crate::phase::Scene;
use crate::phase::features::{circle, circle_errors};
use crate::phase::flow::scenes;
use crate::phase::stereo::pairs;
use crate::phase::twin::{SIMPLIFICATIONS, TAU_L};
use crate::phase::yosemite::yosemite;
use crate::{BenchError, Session};
use veloxel_core::Dimension;
use veloxel_gpu::Device;
use veloxel_measure::FlowError;
use veloxel_motion::{PhaseParameters, PhasePreset, phase_features};

/// A threshold that every velocity passes: the mean squared error of wrapped phases is below π².
const PASSES_ALL: f32 = 10.0;
/// The sequences that the pictures of Figures 6 and 7 show.
const SHOWN_PAIR: &str = "cones";
const SHOWN_SCENE: &str = "RubberWhale";

/// The cost of each simplification of the FPGA; none without Yosemite.
pub(super) fn table_1(session: &Session<'_>) -> Result<Option<Comparison>, BenchError> {
    let Some(scene) = yosemite(session)? else { return Ok(None) };
    let error = |parameters: &PhaseParameters| -> Result<FlowError, BenchError> {
        scene.error(&scene.flow(parameters, session.device)?.flow)
    };
    let mut rows = Vec::new();
    for simplification in SIMPLIFICATIONS {
        let (name, published) = (simplification.name, &simplification.published);
        let found = error(&simplification.parameters(TAU_L))?;
        let all = error(&simplification.parameters(PASSES_ALL))?;
        let row = |what: &str, unit, ours, theirs| {
            Row::new(format!("{name}: {what}"), unit, vec![Some(ours)]).beside([Some(theirs)])
        };
        rows.extend([
            row("angular error", "°", found.angular_deg.mean, published.mean_deg),
            row("its deviation", "°", found.angular_deg.sd, published.sd_deg),
            row("density", "%", 100.0 * found.density, published.density),
            row("below 5°", "%", 100.0 * all.angle_below_5_deg, published.below_5_deg),
        ]);
    }
    Ok(Some(Comparison {
        title: "Accuracy lost by the simplifications of the FPGA (Table 1)".to_owned(),
        place: "Table 1",
        note: format!(
            "Yosemite without sky, preset paper without medians, τ_l = {TAU_L}: the paper does not give its own; with this one the original's density is the paper's. Below 5°: with a threshold that all pass."
        ),
        measured: vec!["model".to_owned()],
        published: &["MATLAB model"],
        rows,
    }))
}

/// Local features on a circle from edge to line.
pub(super) fn table_4(device: &Device, pictures: &mut Pictures) -> Result<Comparison, BenchError> {
    let of_presets = [paper(), PhaseParameters::preset(PhasePreset::Hardware, Dimension::Two)]
        .map(|parameters| circle_errors(&parameters, device));
    let [paper_errors, hardware] = of_presets;
    let (paper_errors, hardware) = (paper_errors?, hardware?);
    let mut rows = Vec::new();
    let mut add = |what: &str, unit, values: [&[f32]; 2], published: [[f64; 3]; 2]| {
        let column = |value: fn(&[f32]) -> f64| values.map(|values| Some(value(values))).to_vec();
        let theirs = published.map(|row| row.map(Some));
        rows.push(Row::new(what, unit, column(mean_absolute)).beside(theirs[0]));
        rows.push(Row::new(format!("{what}, deviation"), unit, column(deviation)).beside(theirs[1]));
    };
    add("localisation", "px", [&paper_errors.place_px, &hardware.place_px], PLACE_PX);
    add("orientation", "°", [&paper_errors.orientation_deg, &hardware.orientation_deg], ORIENTATION_DEG);
    add("phase", "°", [&paper_errors.phase_deg, &hardware.phase_deg], PHASE_DEG);
    let image = circle()?.image();
    pictures.features(&image, &phase_features(&image, &paper(), device)?.levels[0])?;
    Ok(Comparison {
        title: "Local features (Table 4, Figure 5)".to_owned(),
        place: "Table 4",
        note: "500 points of a circle on which an edge becomes a line: mean absolute errors, and the deviation of the signed ones; the paper does not define its deviation, and its 69° of the FPGA are no deviation of absolute errors.".to_owned(),
        measured: ["preset paper", "preset hardware"].map(str::to_owned).to_vec(),
        published: PLATFORMS,
        rows,
    })
}

/// Stereo; none without pairs.
pub(super) fn table_5(
    session: &Session<'_>,
    pictures: &mut Pictures,
) -> Result<Option<Comparison>, BenchError> {
    let unchecked = PhaseParameters { stereo_check_px: 0.0, ..paper() };
    let ways = [paper(), unchecked, PhaseParameters::preset(PhasePreset::Accurate, Dimension::Two)];
    let mut rows = Vec::new();
    for pair in pairs(session)? {
        let mut measured = Vec::new();
        let mut disparities = Vec::new();
        for parameters in &ways {
            let (found, error) = pair.measured(parameters, session.device)?;
            disparities.push(found.disparity_px);
            measured.push([
                error.absolute_px.mean,
                error.absolute_px.sd,
                100.0 * error.density,
                100.0 * (1.0 - error.bad_measured.bad_0_5),
            ]);
        }
        if pair.name == SHOWN_PAIR {
            pictures.stereo(&pair, [&disparities[1], &disparities[0]]);
        }
        let published = STEREO.iter().find(|row| row.name == pair.name).map(|row| row.platforms);
        let names = ["mean absolute error", "its deviation", "density", "below 0.5 px"];
        for (nth, (name, unit)) in names.into_iter().zip(["px", "px", "%", "%"]).enumerate() {
            let ours = measured.iter().map(|values| Some(values[nth])).collect();
            let theirs = published.iter().flatten().map(|values| Some(values[nth]));
            rows.push(Row::new(format!("{}: {name}", pair.name), unit, ours).beside(theirs));
        }
    }
    Ok((!rows.is_empty()).then(|| Comparison {
        title: "Stereo (Table 5, Figure 6)".to_owned(),
        place: "Table 5",
        note: "Errors over the pixels that are known; density: their share of those with a true disparity. The paper does not say whether its table is with the check of left and right by each other, which its Figure 6 shows.".to_owned(),
        measured: ["preset paper", "preset paper without check", "preset accurate"].map(str::to_owned).to_vec(),
        published: PLATFORMS,
        rows,
    }))
}

/// Optical flow; none without scenes.
pub(super) fn table_6(
    session: &Session<'_>,
    pictures: &mut Pictures,
) -> Result<Option<Comparison>, BenchError> {
    let presets = [PhasePreset::Paper, PhasePreset::Accurate, PhasePreset::Hardware]
        .map(|preset| PhaseParameters::preset(preset, Dimension::Two));
    let mut rows = Vec::new();
    for scene in scenes(session)? {
        let Some(published) = FLOW.iter().find(|row| row.scene == scene.name) else { continue };
        rows.extend(flow_rows(&scene, published, &presets, session.device)?);
        if scene.name == SHOWN_SCENE {
            let found = [0.5, 0.05].map(|tau_l| {
                scene.flow(&PhaseParameters { tau_l, ..paper() }, session.device).map(|found| found.flow)
            });
            let [medium, high] = found;
            pictures.flow(&scene, [&medium?, &high?]);
        }
    }
    Ok((!rows.is_empty()).then(|| Comparison {
        title: "Optical flow (Table 6, Figure 7)".to_owned(),
        place: "Table 6",
        note: "Five frames (hardware: three); Yosemite without its sky. The density of preset hardware falls less than the FPGA's: the paper says that its circuit rounds and compares otherwise than its own model (section 6.2.2), and does not say how. Errors over the pixels that are known; below 5°: their share with a threshold that all pass.".to_owned(),
        measured: ["preset paper", "preset accurate", "preset hardware"].map(str::to_owned).to_vec(),
        published: PLATFORMS,
        rows,
    }))
}

fn flow_rows(
    scene: &Scene,
    published: &FlowRow,
    presets: &[PhaseParameters],
    device: &Device,
) -> Result<Vec<Row>, BenchError> {
    let name = published.name;
    let errors = |tau_l: f32| -> Result<Vec<FlowError>, BenchError> {
        let error = |parameters: &PhaseParameters| {
            scene.error(&scene.flow(&PhaseParameters { tau_l, ..parameters.clone() }, device)?.flow)
        };
        presets.iter().map(error).collect()
    };
    let mut rows = Vec::new();
    for (tau_l, theirs) in [(0.5, published.medium.map(Some)), (0.05, published.high)] {
        let ours = errors(tau_l)?;
        let mut add = |nth: usize, what: &str, unit, value: fn(&FlowError) -> f64| {
            let measured = ours.iter().map(|error| Some(value(error))).collect();
            let row = Row::new(format!("{name}, τ_l {tau_l}: {what}"), unit, measured);
            rows.push(row.beside(theirs.map(|values| values.map(|values| values[nth]))));
        };
        add(0, "angular error", "°", |error| error.angular_deg.mean);
        add(1, "its deviation", "°", |error| error.angular_deg.sd);
        add(2, "density", "%", |error| 100.0 * error.density);
    }
    let shares = errors(PASSES_ALL)?.iter().map(|error| Some(100.0 * error.angle_below_5_deg)).collect();
    rows.push(Row::new(format!("{name}: below 5°"), "%", shares).beside(published.below_5_deg.map(Some)));
    Ok(rows)
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count().max(1);
    values.sum::<f64>() / count as f64
}

fn mean_absolute(values: &[f32]) -> f64 {
    mean(values.iter().map(|v| f64::from(v.abs())))
}

/// The standard deviation of signed errors.
fn deviation(values: &[f32]) -> f64 {
    let middle = mean(values.iter().copied().map(f64::from));
    mean(values.iter().map(|&v| (f64::from(v) - middle).powi(2))).sqrt()
}
