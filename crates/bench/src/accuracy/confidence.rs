//! Whether the confidence ranks errors: the area between its sparsification curve and the oracle's, over that of a random order.

use crate::accuracy::volume_preservation::mouse;
use crate::{BenchError, Figure, Session};
use std::path::PathBuf;
use veloxel_core::{Control, Dimension, Flow, Mask, Warnings};
use veloxel_io::{Strictness, read_flow, read_image};
use veloxel_measure::sparsification;
use veloxel_motion::{Clg, ClgParams, ClgPreset, DenseFlow, InverseConsistent, Pair, PairMethod};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{cases, isotropic_grid};

const PRESETS: [(ClgPreset, &str); 2] = [(ClgPreset::Accurate, "accurate"), (ClgPreset::Fast, "fast")];

/// Pairs of pictures with a true field: a name; then, below the data folder, the fixed and the moving picture and the field.
const PICTURES: [[&str; 4]; 7] = [
    [
        "RubberWhale",
        "flow/middlebury-2frame/RubberWhale/frame10.png",
        "flow/middlebury-2frame/RubberWhale/frame11.png",
        "flow/middlebury-2frame/RubberWhale/flow10.flo",
    ],
    [
        "Grove2",
        "flow/middlebury-2frame/Grove2/frame10.png",
        "flow/middlebury-2frame/Grove2/frame11.png",
        "flow/middlebury-2frame/Grove2/flow10.flo",
    ],
    [
        "Urban2",
        "flow/middlebury-2frame/Urban2/frame10.png",
        "flow/middlebury-2frame/Urban2/frame11.png",
        "flow/middlebury-2frame/Urban2/flow10.flo",
    ],
    [
        "Dimetrodon",
        "flow/middlebury-2frame/Dimetrodon/frame10.png",
        "flow/middlebury-2frame/Dimetrodon/frame11.png",
        "flow/middlebury-2frame/Dimetrodon/flow10.flo",
    ],
    [
        "alley_1",
        "flow/sintel/alley_1/frame_0002.png",
        "flow/sintel/alley_1/frame_0003.png",
        "flow/sintel/alley_1/gt/frame_0002.flo",
    ],
    [
        "cave_2, final",
        "flow/sintel/cave_2/final/frame_0002.png",
        "flow/sintel/cave_2/final/frame_0003.png",
        "flow/sintel/cave_2/gt/frame_0002.flo",
    ],
    [
        "KITTI",
        "flow/kitti-sample/frame1.png",
        "flow/kitti-sample/frame2.png",
        "flow/kitti-sample/flow_gt.png",
    ],
];

/// The pictures whose `accurate` confidence the quick form measures; that of `fast` it measures of all.
const QUICK: [&str; 2] = ["RubberWhale", "Urban2"];

/// `confidence`: pictures in one direction and in both; noisy phantoms of 64³ and the mouse ventricle.
pub(crate) fn confidence(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = pictures(session)?;
    figures.extend(volumes(session)?);
    Ok(figures)
}

fn pictures(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for (preset, preset_name) in PRESETS {
        let (mut one, mut both) = (Vec::new(), Vec::new());
        for [name, files @ ..] in PICTURES {
            if session.is_quick && preset == ClgPreset::Accurate && !QUICK.contains(&name) {
                continue;
            }
            let Some([fixed, moving, truth]) = paths(session, files) else { continue };
            let mut warnings = Warnings::new();
            let mut image = |path: PathBuf| read_image(&path, Strictness::Lenient, &mut warnings);
            let (fixed, moving) = (image(fixed)?, image(moving)?);
            let truth = read_flow(&truth, Strictness::Lenient, &mut warnings)?;
            let params = ClgParams::preset(preset, Dimension::Two);
            let method = || Clg::new(fixed.grid(), params.clone(), session.device);
            let pair = Pair::new(&fixed, &moving);
            let found = [method()?.run(&pair)?, InverseConsistent::new(method()?).run(&pair)?];
            for ((found, ratios), direction) in
                found.iter().zip([&mut one, &mut both]).zip(["", ", both directions"])
            {
                let ratio = over_random(found, &truth, None)?;
                ratios.push(ratio);
                figures.push(Figure::new(format!("{name}: {preset_name}{direction}"), ratio, ""));
            }
        }
        if one.len() < PICTURES.len() {
            continue;
        }
        let worst = one.iter().copied().fold(0.0, f64::max);
        figures.extend([
            Figure::new(format!("mean: {preset_name}"), mean(&one), "").at_most(0.25),
            Figure::new(format!("worst: {preset_name}"), worst, "").at_most(0.5),
            Figure::new(format!("mean: {preset_name}, both directions"), mean(&both), "").at_most(0.22),
        ]);
    }
    Ok(figures)
}

/// The paths of all three files; none where one is missing.
fn paths(session: &Session<'_>, files: [&str; 3]) -> Option<[PathBuf; 3]> {
    let [fixed, moving, truth] = files.map(|file| session.data(file));
    Some([fixed?, moving?, truth?])
}

fn volumes(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let grid = isotropic_grid(Dimension::Three, 64)?;
    let noisy = cases().into_iter().filter(|case| case.noise != Noise::None).map(|case| case.build(&grid));
    let (mut figures, mut ratios) = (Vec::new(), PRESETS.map(|_| Vec::new()));
    for phantom in noisy.chain(mouse(session)?) {
        for (nth, (preset, preset_name)) in PRESETS.into_iter().enumerate() {
            let params = ClgParams::preset(preset, Dimension::Three);
            let pair = Pair::new(&phantom.fixed, &phantom.moving);
            let found = Clg::new(phantom.grid(), params, session.device)?.run(&pair)?;
            let ratio = over_random(&found, &phantom.truth, Some(&phantom.interior))?;
            figures.push(Figure::new(format!("{}: {preset_name}", phantom.name), ratio, ""));
            ratios[nth].push(ratio);
        }
    }
    let means = PRESETS.into_iter().zip(&ratios);
    figures.extend(means.map(|((_, name), ratios)| {
        Figure::new(format!("mean of volumes: {name}"), mean(ratios), "").at_most(0.5)
    }));
    Ok(figures)
}

/// The mean of some ratios.
fn mean(ratios: &[f64]) -> f64 {
    ratios.iter().sum::<f64>() / ratios.len() as f64
}

/// The area between the sparsification curve and the oracle's over that of a random order: 0 if the confidence knows the
/// errors, 1 if it is no better than chance.
pub(crate) fn over_random(found: &DenseFlow, truth: &Flow, within: Option<&Mask>) -> Result<f64, BenchError> {
    let measured = sparsification(&found.flow, truth, &found.confidence, within, &Control::default())?;
    let ratio = measured.ause.zip(measured.ause_uninformed).map(|(area, uninformed)| area / uninformed);
    Ok(ratio.unwrap_or(f64::NAN))
}
