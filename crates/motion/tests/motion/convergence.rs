//! Error over iterations: no preset gets worse the longer it runs. Figures of larger pairs are in docs/status/methods.md.

#![allow(clippy::print_stdout, reason = "the figures of a passing test are worth reading")]

use crate::measure::{cpu, mean_error_vox};
use serde_json::json;
use veloxel_core::{Dimension, Grid, WarningKind};
use veloxel_motion::{
    AnyMethod, DenseDraft, DenseFlow, DenseMethodEntry, FlowExtras, METHODS, MethodOpening, Pair, TakenImages,
};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};
use veloxel_phantoms::{
    CentredFrame, HeartParams, HeartPhantom, Noise, Phantom, Sinusoid, SmoothTexture, SpeckleTexture,
};

/// Numbers of iterations R that every run of the tests looks at.
const RUNS: [usize; 4] = [1, 4, 12, 40];
/// The largest one.
const MOST_RUNS: usize = 40;
const DIMENSIONS: [Dimension; 2] = [Dimension::Two, Dimension::Three];

/// A preset of a method.
type Preset = (&'static str, &'static str);

const CLG_PAPER: Preset = ("clg", "paper");
/// The one that follows its paper to the letter and diverges.
const LITERAL: Preset = ("clg", "paper-literal");
/// Methods of the table that a test below runs.
const GUARDED: [&str; 5] = ["clg", "lucas-kanade", "block-matching", "fe", "symmetric"];

/// What the settings that count iterations are called; CLG's are those of `--warps`.
fn counted(method: &str) -> &'static [&'static str] {
    match method {
        "clg" => &["warps", "finest_warps", "matched_warps"],
        "lucas-kanade" => &["iterations", "finest_iterations"],
        "block-matching" => &["searches"],
        "symmetric" => &["warps", "finest_warps"],
        _ => &["steps"],
    }
}

/// A method's preset, and nothing else set.
fn draft((method, preset): Preset) -> DenseDraft {
    let mut draft = DenseDraft::named(method).expect("a method");
    draft.set_preset(preset).expect("a preset");
    draft
}

/// A preset with exactly so many iterations a level.
fn draft_of(preset: Preset, runs: usize) -> DenseDraft {
    let (method, mut draft) = (preset.0, draft(preset));
    let counts = counted(method).iter().map(|name| (*name, runs));
    let tolerances = ["warp_tol", "refine_mismatch"].map(|name| (name, 0));
    for (name, value) in counts.chain(tolerances.into_iter().filter(|_| method == "clg")) {
        draft.set(name, json!(value), "").expect("a count");
    }
    draft
}

/// A preset's estimate after exactly so many iterations a level.
fn estimate(preset: Preset, runs: usize, phantom: &Phantom) -> DenseFlow {
    let draft = draft_of(preset, runs);
    let opening = MethodOpening {
        grid: phantom.grid(),
        image: phantom.grid(),
        frames: 2,
        white: 1.0,
        draft: &draft,
        device: &cpu(1),
    };
    let AnyMethod::Pair(mut method) = opening.open().expect("a method").method else {
        unreachable!("a method of pairs")
    };
    let pair = Pair::new(&phantom.fixed, &phantom.moving);
    method.run_with(&pair, FlowExtras::default()).expect("the estimate should succeed")
}

/// Kinds of phantom.
const KINDS: usize = 6;

/// The phantom of a kind.
fn phantom(grid: &Grid, kind: usize, noise: Noise) -> Phantom {
    use MotionKind::{Affine, BeatingShell, Shift};
    let frame = CentredFrame::new(grid);
    let amplitude_mm = [1.0, 1.0, if grid.dimension() == Dimension::Two { 0.0 } else { 1.0 }];
    let wave = Sinusoid { amplitude_mm, wavelength_mm: 1.6 * frame.half_extent_mm() };
    let case = |motion, texture| Case { motion, texture, noise }.build(grid);
    match kind {
        0 => case(Shift, TextureKind::Smooth),
        1 => case(Affine, TextureKind::Smooth),
        2 => case(BeatingShell, TextureKind::Smooth),
        3 => Phantom::new(grid, &wave, &SmoothTexture::new(&frame, 2), noise).named("sinusoid".to_owned()),
        4 => case(Shift, TextureKind::Speckle),
        _ => Phantom::new(grid, &wave, &SpeckleTexture::new(&frame, 2), noise).named("speckle".to_owned()),
    }
}

/// The phantom of a kind at 20 dB: with noise of a tenth of the image's standard deviation.
fn noisy_phantom(grid: &Grid, kind: usize) -> Phantom {
    let exact = phantom(grid, kind, Noise::None);
    let samples = exact.fixed.data();
    let mean = samples.iter().sum::<f32>() / samples.len() as f32;
    let variance = samples.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / samples.len() as f32;
    phantom(grid, kind, Noise::Gaussian { sd: f64::from(0.1 * variance.sqrt()), seed: 11 })
}

/// The presets of a method, the literal one left out, and those that differ from an earlier one in numbers of iterations alone.
fn distinct_presets(method: &DenseMethodEntry, dimension: Dimension) -> Vec<Preset> {
    let presets = method.parameters.presets.iter().map(|preset| (method.parameters.method, preset.name));
    let (mut distinct, mut values) = (Vec::new(), Vec::new());
    for preset in presets.filter(|preset| *preset != LITERAL) {
        let own = draft_of(preset, 1).values(dimension).expect("values");
        if !values.contains(&own) {
            distinct.push(preset);
            values.push(own);
        }
    }
    distinct
}

/// Whether the increment alone is regularised, so that noise gets in with every iteration.
fn is_fluid(preset: Preset, dimension: Dimension) -> bool {
    let regularised = draft(preset).values(dimension).expect("values").get("regularise").cloned();
    preset.0 == "symmetric" || regularised == Some(json!("increment"))
}

/// By how much the error rises at most above what is allowed after its least value so far.
fn excess(preset: Preset, phantom: &Phantom, is_noisy: bool, runs: &[usize]) -> f64 {
    let (factor, summand) = match (is_noisy, is_fluid(preset, phantom.grid().dimension())) {
        (false, _) => (1.05, 0.01),
        (true, false) => (1.05, 0.02),
        (true, true) => (1.25, 0.05),
    };
    let errors: Vec<f64> =
        runs.iter().map(|&runs| mean_error_vox(&estimate(preset, runs, phantom).flow, phantom)).collect();
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for &error in &errors {
        most = if error.is_nan() { f64::INFINITY } else { most.max(error - factor * least - summand) };
        least = least.min(error);
    }
    let noise = if is_noisy { "20 dB" } else { "no noise" };
    let shown = errors.iter().map(|error| format!("{error:.3}")).collect::<Vec<_>>().join(" ");
    println!("{preset:?}, {}, {noise}: {shown}, {most:+.3}", phantom.name);
    most
}

/// Which noisy phantoms a test runs; without noise it runs all.
#[derive(Clone, Copy, PartialEq)]
enum Noisy {
    /// Affine motion, the shell, and bent motion of speckle.
    Half,
    /// The others, and nothing without noise.
    OtherHalf,
}

impl Noisy {
    fn has(self, kind: usize) -> bool {
        [1, 2, 5].contains(&kind) == (self == Self::Half)
    }
}

/// What the presets of a method are run on.
struct Trial<'a> {
    method: &'a str,
    dimension: Dimension,
    /// Voxels along each axis.
    size: usize,
    noisy: Noisy,
    /// Numbers of iterations, ascending.
    runs: &'a [usize],
}

impl<'a> Trial<'a> {
    /// The numbers of iterations and the phantoms of quick tests.
    fn quick(method: &'a str, dimension: Dimension) -> Self {
        let size = if dimension == Dimension::Two { 40 } else { 20 };
        Self { method, dimension, size, noisy: Noisy::Half, runs: &RUNS }
    }

    /// Sentences on the presets whose errors rise, the literal one left out.
    fn rises(&self) -> Vec<String> {
        let Self { method: name, dimension, size, noisy, runs } = *self;
        let grid = isotropic_grid(dimension, size).expect("the size should be possible");
        let method = METHODS.iter().find(|method| method.parameters.method == name).expect("a method");
        let mut rises = Vec::new();
        for is_noisy in [false, true].into_iter().filter(|is_noisy| *is_noisy || noisy == Noisy::Half) {
            let kinds = 0..KINDS;
            let phantoms: Vec<Phantom> = if is_noisy {
                kinds.filter(|kind| noisy.has(*kind)).map(|kind| noisy_phantom(&grid, kind)).collect()
            } else {
                kinds.map(|kind| phantom(&grid, kind, Noise::None)).collect()
            };
            for preset in distinct_presets(method, dimension) {
                let excess = phantoms.iter().map(|phantom| excess(preset, phantom, is_noisy, runs));
                let most = excess.fold(f64::NEG_INFINITY, f64::max);
                if most > 0.0 {
                    rises.push(format!("{preset:?}, {dimension:?}, noise {is_noisy}: {most:.3} too much"));
                }
            }
        }
        rises
    }
}

/// Fails where the error of a preset rises.
fn hold<'a>(trials: impl IntoIterator<Item = Trial<'a>>) {
    let rises: Vec<String> = trials.into_iter().flat_map(|trial| trial.rises()).collect();
    assert!(rises.is_empty(), "the error rises: {rises:#?}");
}

/// A trial of each method in each dimension.
fn of_all<'a>(trial: impl Fn(&'static str, Dimension) -> Trial<'a>) -> Vec<Trial<'a>> {
    GUARDED.iter().flat_map(|name| DIMENSIONS.map(|dimension| trial(name, dimension))).collect()
}

#[test]
fn every_method_of_pairs_is_guarded() {
    let pairs = METHODS.iter().filter(|method| method.takes == TakenImages::Pairs);
    let names: Vec<_> = pairs.map(|method| method.parameters.method).collect();
    assert_eq!(names.len(), GUARDED.len(), "{names:?}");
    assert!(names.iter().all(|name| GUARDED.contains(name)), "{names:?}");
}

#[test]
fn clg_gets_no_worse_in_pictures() {
    hold([Trial::quick("clg", Dimension::Two)]);
}

#[test]
fn clg_gets_no_worse_in_volumes() {
    hold([Trial::quick("clg", Dimension::Three)]);
}

#[test]
fn lucas_kanade_gets_no_worse() {
    hold(DIMENSIONS.map(|dimension| Trial::quick("lucas-kanade", dimension)));
}

#[test]
fn block_matching_gets_no_worse() {
    hold(DIMENSIONS.map(|dimension| Trial::quick("block-matching", dimension)));
}

#[test]
fn finite_elements_get_no_worse() {
    hold(DIMENSIONS.map(|dimension| Trial::quick("fe", dimension)));
}

#[test]
fn symmetric_registration_gets_no_worse() {
    hold(DIMENSIONS.map(|dimension| Trial::quick("symmetric", dimension)));
}

#[test]
#[ignore = "slow: the other noisy phantoms of every method"]
fn other_noisy_phantoms_get_no_worse() {
    hold(of_all(|name, dimension| Trial { noisy: Noisy::OtherHalf, ..Trial::quick(name, dimension) }));
}

/// Looks at every number of iterations of every method in a dimension.
fn hold_after_every_number(dimension: Dimension, size: usize) {
    let runs: Vec<usize> = (1..=MOST_RUNS).collect();
    for noisy in [Noisy::Half, Noisy::OtherHalf] {
        hold(GUARDED.map(|name| Trial { size, noisy, runs: &runs, ..Trial::quick(name, dimension) }));
    }
}

#[test]
#[ignore = "slow: every number of iterations"]
fn no_number_of_iterations_is_worse_than_fewer_in_pictures() {
    hold_after_every_number(Dimension::Two, 48);
}

#[test]
#[ignore = "slow: every number of iterations"]
fn no_number_of_iterations_is_worse_than_fewer_in_volumes() {
    hold_after_every_number(Dimension::Three, 20);
}

#[test]
fn the_literal_preset_diverges_on_speckle_and_says_why() {
    let grid = isotropic_grid(Dimension::Three, 20).expect("possible");
    let speckle = phantom(&grid, KINDS - 1, Noise::None);
    let [one, twenty] = [1, 20].map(|runs| estimate(LITERAL, runs, &speckle));
    let [first, last] = [&one, &twenty].map(|found| mean_error_vox(&found.flow, &speckle));
    assert!(last > 2.0 * first, "{first} after one warp, {last} after twenty");
    let said = twenty.statistics.warnings.iter().find(|warning| warning.kind == WarningKind::Convergence);
    let said = &said.expect("a warning").message;
    assert!(said.contains("half a voxel") && said.contains("preset paper"), "{said}");
    let paper = estimate(CLG_PAPER, 20, &speckle);
    assert!(paper.statistics.warnings.iter().all(|warning| warning.kind != WarningKind::Convergence));
}

#[test]
fn the_heart_of_the_demonstration_is_followed_as_in_the_paper() {
    let heart = HeartPhantom::new(HeartParams::default()).expect("a heart");
    let mut phantom = heart.pair(0, heart.end_systole());
    phantom.interior = phantom.muscle.clone().expect("muscle");
    let error = mean_error_vox(&estimate(CLG_PAPER, 20, &phantom).flow, &phantom);
    println!("muscle, end-diastole to end-systole: {error:.3} voxel of 2.36");
    assert!(error <= 0.35, "{error} voxel");
}
