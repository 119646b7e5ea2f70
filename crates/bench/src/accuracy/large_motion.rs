//! Motion larger than a pyramid follows, with matches and without: pictures with true fields, and a lung that breathes.

use crate::accuracy::breathing::{BreathingPair, breathing_lung};
use crate::accuracy::confidence::over_random;
use crate::accuracy::true_fields::TrueField;
use crate::{BenchError, Figure, Session};
use std::time::Instant;
use veloxel_core::{Control, Flow, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_io::{Strictness, read_image};
use veloxel_measure::flow_error;
use veloxel_motion::{Clg, ClgParams, ClgPreset, DenseFlow, Frame, ImagePair, Matched, Pair, PairMethod};

/// The required results of a pair with matches.
#[derive(Clone, Copy)]
enum Bars {
    /// Mean error, px, and share of errors above 3 px and 5 %.
    Outliers(f64, f64),
    /// Mean error, px.
    Error(f64),
    /// The error without matches, within 2 %.
    Kept,
}

/// A pair of pictures with a true field, and its occluded pixels if they are known.
struct Scene {
    /// Its name in the table of true fields.
    name: &'static str,
    /// Mask of hidden pixels below the data folder, and the least F-score.
    hidden: Option<(&'static str, f64)>,
    bars: Bars,
}

impl Scene {
    const fn of(name: &'static str, bars: Bars) -> Self {
        Self { name, hidden: None, bars }
    }

    const fn with_hidden(self, mask: &'static str, least: f64) -> Self {
        Self { hidden: Some((mask, least)), ..self }
    }
}

/// Hidden pixels of Sintel's scenes.
const HIDDEN_OF_CAVE: &str = "flow/sintel/cave_2/gt/occlusions/frame_0002.png";
const HIDDEN_OF_ALLEY: &str = "flow/sintel/alley_1/gt/occlusions/frame_0002.png";

const SCENES: [Scene; 8] = [
    Scene::of("KITTI", Bars::Outliers(8.5, 0.34)),
    Scene::of("cave_2, clean", Bars::Error(1.0)).with_hidden(HIDDEN_OF_CAVE, 0.64),
    Scene::of("cave_2, final", Bars::Error(1.12)).with_hidden(HIDDEN_OF_CAVE, 0.0),
    Scene::of("alley_1", Bars::Kept).with_hidden(HIDDEN_OF_ALLEY, 0.45),
    Scene::of("RubberWhale", Bars::Kept),
    Scene::of("Grove2", Bars::Kept),
    Scene::of("Urban2", Bars::Kept),
    Scene::of("Dimetrodon", Bars::Kept),
];

/// The pair whose time on a GPU has a bar, and which shorter presets must follow too.
const TIMED: &str = "KITTI";
const SHORTER: [ClgPreset; 2] = [ClgPreset::Fast, ClgPreset::Realtime];
/// Number of runs, of which the best counts.
const RESIDENT_RUNS: usize = 8;

/// `large-motion`: mean errors, outliers, occlusions and confidences with matches and without; the breathing lung.
pub(crate) fn large_motion(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for scene in SCENES {
        figures.extend(pictures(session, &scene)?);
    }
    figures.extend(lung(session)?);
    Ok(figures)
}

/// The flow without matches and with them, and the seconds that the latter took.
fn both(device: &Device, pair: &Pair<'_>) -> Result<([DenseFlow; 2], f64), BenchError> {
    let params = ClgParams::preset(ClgPreset::Accurate, pair.fixed.grid().dimension());
    let method = || Clg::new(pair.fixed.grid(), params.clone(), device);
    let without = method()?.run(pair)?;
    let start = Instant::now();
    let with = Matched::new(method()?).run(pair)?;
    Ok(([without, with], start.elapsed().as_secs_f64()))
}

fn pictures(session: &Session<'_>, scene: &Scene) -> Result<Vec<Figure>, BenchError> {
    let Some(TrueField { fixed, moving, truth }) = TrueField::read(session, scene.name)? else {
        return Ok(Vec::new());
    };
    let mut warnings = Warnings::new();
    let (found, time_s) = both(session.device, &Pair::new(&fixed, &moving))?;
    let [without, with] =
        [&found[0], &found[1]].map(|found| flow_error(&found.flow, &truth, None, &Control::default()));
    let (without, with) = (without?, with?);
    let figure = |what: &str, value: f64, unit| Figure::new(format!("{}: {what}", scene.name), value, unit);
    let error = figure("with matches", with.end_point_vox.mean, "px");
    let outliers = figure("outliers with matches", with.fl_all, "");
    let (error, outliers) = match scene.bars {
        Bars::Outliers(most, share) => (error.at_most(most), outliers.at_most(share)),
        Bars::Error(most) => (error.at_most(most), outliers),
        Bars::Kept => (error.at_most(1.02 * without.end_point_vox.mean), outliers),
    };
    let [ause_without, ause_with] = [&found[0], &found[1]].map(|found| over_random(found, &truth, None));
    let ause_without = ause_without?;
    let mut figures = vec![
        figure("without matches", without.end_point_vox.mean, "px"),
        error,
        figure("outliers without matches", without.fl_all, ""),
        outliers,
        figure("confidence without matches", ause_without, ""),
        figure("confidence with matches", ause_with?, "").at_most(ause_without),
    ];
    if let Some((path, least)) = scene.hidden
        && let Some(path) = session.data(path)
    {
        let truth = read_image(&path, Strictness::Lenient, &mut warnings)?;
        figures.extend(
            f_score(&found[1], &truth).map(|score| figure("hidden pixels", score, "").at_least(least)),
        );
    }
    if !session.is_quick {
        figures.push(figure("time with matches", time_s, "s"));
    }
    if !session.is_quick && session.device.is_gpu() {
        let time_ms = resident_ms(session.device, [&fixed, &moving], ClgPreset::Accurate)?;
        figures.push(figure("images and flow on the device, with matches", time_ms, "ms"));
    }
    if scene.name == TIMED {
        for preset in SHORTER {
            figures.extend(shorter(session, [&fixed, &moving], &truth, preset)?);
        }
    }
    Ok(figures)
}

/// Runs a shorter preset with matches: error, outliers, and the time on a GPU.
fn shorter(
    session: &Session<'_>,
    images: [&Volume<f32>; 2],
    truth: &Flow,
    preset: ClgPreset,
) -> Result<Vec<Figure>, BenchError> {
    let (device, grid) = (session.device, images[0].grid());
    let params = ClgParams::preset(preset, grid.dimension());
    let mut method = Matched::new(Clg::new(grid, params, device)?);
    let found = method.run(&Pair::new(images[0], images[1]))?;
    let error = flow_error(&found.flow, truth, None, &Control::default())?;
    let figure = |what: &str, value: f64, unit| {
        Figure::new(format!("{TIMED}, {}: {what}", preset.name()), value, unit)
    };
    let mut figures = vec![
        figure("with matches", error.end_point_vox.mean, "px"),
        figure("outliers with matches", error.fl_all, ""),
    ];
    if !session.is_quick && device.is_gpu() {
        let time_ms = resident_ms(device, images, preset)?;
        figures.push(figure("images and flow on the device, with matches", time_ms, "ms"));
    }
    let bars = [8.5, 0.34, 15.0];
    let held =
        |(figure, most): (Figure, f64)| if preset == ClgPreset::Fast { figure.at_most(most) } else { figure };
    Ok(figures.into_iter().zip(bars).map(held).collect())
}

/// The best of a few runs whose images and results stay on the device.
fn resident_ms(device: &Device, images: [&Volume<f32>; 2], preset: ClgPreset) -> Result<f64, BenchError> {
    let params = ClgParams::preset(preset, images[0].grid().dimension());
    let mut method = Matched::new(Clg::new(images[0].grid(), params, device)?);
    let (fixed, moving) = (Frame::upload(device, images[0])?, Frame::upload(device, images[1])?);
    let mut best_ms = f64::INFINITY;
    for _ in 0..RESIDENT_RUNS {
        let start = Instant::now();
        method.estimate(ImagePair::new(&fixed, &moving))?.wait()?;
        best_ms = best_ms.min(1e3 * start.elapsed().as_secs_f64());
    }
    Ok(best_ms)
}

/// The F-score of the occlusions that were found.
fn f_score(found: &DenseFlow, truth: &Volume<f32>) -> Option<f64> {
    let (mut both, mut said, mut hidden) = (0.0, 0.0, 0.0);
    for (&o, &t) in found.occlusion.as_ref()?.data().iter().zip(truth.data()) {
        let (o, t) = (f64::from(u8::from(o > 0.5)), f64::from(u8::from(t > 0.0)));
        (both, said, hidden) = (both + o * t, said + o, hidden + t);
    }
    Some(2.0 * both / (said + hidden))
}

fn lung(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let Some(BreathingPair { fixed, moving, truth, lung }) = breathing_lung(session)? else {
        return Ok(Vec::new());
    };
    let (found, time_s) = both(session.device, &Pair::new(&fixed, &moving))?;
    let error = |found: &DenseFlow| flow_error(&found.flow, &truth, lung.as_ref(), &Control::default());
    let mut figures = vec![
        Figure::new("breathing lung: without matches", error(&found[0])?.end_point_vox.mean, "voxel"),
        Figure::new("breathing lung: with matches", error(&found[1])?.end_point_vox.mean, "voxel")
            .at_most(0.6),
    ];
    if !session.is_quick {
        figures.push(Figure::new("breathing lung: time with matches", time_s, "s"));
    }
    Ok(figures)
}
