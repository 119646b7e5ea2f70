use super::*;
use crate::clg::Clg;
use crate::clg::parameters::{ClgParams, ClgPreset};
use crate::finite_elements::parameters::{FiniteElementsParams, FiniteElementsPreset};
use crate::method::dense::DenseMethod;
use crate::method::pair::ImagePair;
use crate::method::pending_account::MethodAccount;
use crate::method::pending_flow::{FoundFlow, PendingFlow};
use crate::method::resident::ResidentFlow;
use veloxel_core::{Dimension, Grid, Volume};
use veloxel_gpu::Device;

/// Shifts of a pattern along x, by frame.
const BEAT: [f64; 6] = [0.0, 0.8, 1.5, 1.9, 1.2, 0.5];

fn frames(shifts: &[f64]) -> Vec<Volume<f32>> {
    let grid = Grid::image(40, 36).expect("a grid of constants should be possible");
    let frame = |&s: &f64| {
        Volume::from_fn(grid.clone(), move |[x, y, _]| {
            let (x, y) = (x as f64 - s, y as f64);
            ((0.35 * x).sin() * (0.3 * y + 0.1 * x).cos() + 0.5 * (0.2 * y - 0.5 * x).sin()) as f32
        })
    };
    shifts.iter().map(frame).collect()
}

fn given(frames: &[Volume<f32>]) -> SequenceFrames<'_> {
    SequenceFrames::new(frames)
}

fn track(frames: &[Volume<f32>], plan: CyclePlan) -> Cycle {
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Two);
    let device = Device::cpu(1).expect("a processor should be there");
    let mut method = Clg::new(frames[0].grid(), params, &device).expect("the preset should open");
    track_cycle(&mut method, given(frames), plan).expect("the cycle should run")
}

fn middle(flow: &Flow) -> [f64; 2] {
    let [u, v, _] = flow.vector_vox(flow.grid().index([12, 4, 0])).map(f64::from);
    [u, v]
}

#[test]
fn every_estimate_from_every_start_is_the_shift_between_frames() {
    let frames = frames(&BEAT);
    for estimate in
        [CycleEstimate::Forward, CycleEstimate::Backward, CycleEstimate::Blended, CycleEstimate::Reference]
    {
        for start in [0, 3] {
            let cycle = track(&frames, CyclePlan { start, estimate, ..CyclePlan::default() });
            assert!(cycle.periodicity.is_periodic, "{:?}", cycle.periodicity);
            for (t, frame) in cycle.frames.iter().enumerate() {
                let expected = BEAT[t] - BEAT[start];
                for flow in [&frame.flow, &frame.forward, &frame.backward] {
                    let [u, v] = middle(flow);
                    assert!(
                        (u - expected).abs() < 0.1 && v.abs() < 0.1,
                        "{start} → {t}: ({u}, {v}) for {expected}"
                    );
                }
                assert_eq!(frame.jacobian.share_folded, 0.0);
            }
            assert!(cycle.drift_vox.iter().all(|d| d.is_some_and(|d| d < 0.15)), "{:?}", cycle.drift_vox);
        }
    }
}

#[test]
fn half_a_beat_is_not_periodic_and_is_followed_both_ways_from_its_middle() {
    let frames = frames(&BEAT[..4]);
    let plan = CyclePlan { start: 1, ..CyclePlan::default() };
    let cycle = track(&frames, plan);
    assert!(!cycle.periodicity.is_periodic, "{:?}", cycle.periodicity);
    assert_eq!(cycle.drift_vox, [None; 2]);
    for (t, frame) in cycle.frames.iter().enumerate() {
        assert!((middle(&frame.flow)[0] - BEAT[t] + BEAT[1]).abs() < 0.1, "{t}");
        assert_eq!(frame.forward, frame.backward);
    }
    let asked = track(&frames, CyclePlan { periodic: PeriodicChoice::Yes, ..plan });
    assert!(asked.periodicity.is_periodic && asked.periodicity.sentence().contains("as asked for"));
}

#[test]
fn a_start_that_is_no_frame_is_refused() {
    let frames = frames(&BEAT);
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Two);
    let device = Device::cpu(1).expect("a processor should be there");
    let mut method = Clg::new(frames[0].grid(), params, &device).expect("the preset should open");
    let plan = CyclePlan { start: 6, ..CyclePlan::default() };
    let refused = track_cycle(&mut method, given(&frames), plan).expect_err("six frames end at 5");
    assert!(refused.to_string().contains("from 0 to 5, got 6"), "{refused}");
}

/// Says of every frame that it moves by so much along x until the next one, and back until the one before.
#[derive(Debug)]
struct Steady {
    grid: Grid,
    device: Device,
    step_vox: f32,
}

impl DenseMethod for Steady {
    fn grid(&self) -> &Grid {
        &self.grid
    }
    fn device(&self) -> &Device {
        &self.device
    }
}

impl PairMethod for Steady {
    fn estimate(&mut self, pair: ImagePair<'_>) -> Result<PendingFlow, MotionError> {
        let (device, n) = (&self.device, self.grid.len());
        // The samples of frame t are t.
        let [fixed, moving] = [&pair.fixed, &pair.moving].map(|f| f.frame().samples().host()[0]);
        let is_onwards = [1.0, -4.0].contains(&(moving - fixed));
        let step = if is_onwards { self.step_vox } else { -self.step_vox };
        let components_vox = vec![device.upload(vec![step; n])?, device.upload(vec![0.0; n])?];
        let flow = ResidentFlow { grid: self.grid.clone(), components_vox };
        let account = Box::new(MethodAccount::default());
        PendingFlow::new(
            device,
            FoundFlow { flow, confidence: device.upload(vec![1.0; n])?, inverse: None, account },
            None,
        )
    }
}

fn steady(periodic: PeriodicChoice) -> Cycle {
    let grid = Grid::image(24, 8).expect("a grid of constants should be possible");
    let device = Device::cpu(1).expect("a processor should be there");
    let frames: Vec<_> = (0..5).map(|t| Volume::from_fn(grid.clone(), |_| t as f32)).collect();
    let mut method = Steady { grid, device, step_vox: 0.25 };
    let plan = CyclePlan { start: 1, periodic, ..CyclePlan::default() };
    track_cycle(&mut method, given(&frames), plan).expect("the cycle should run")
}

#[test]
fn steady_motion_adds_up_where_nothing_comes_around() {
    for (t, frame) in steady(PeriodicChoice::No).frames.iter().enumerate() {
        assert_eq!(middle(&frame.flow), [0.25 * (t as f64 - 1.0), 0.0], "frame {t}");
    }
}

#[test]
fn the_blend_takes_a_steady_drift_out_of_what_comes_around() {
    let cycle = steady(PeriodicChoice::Yes);
    // Paths that leave the grid keep the vector that they had.
    assert!(
        cycle.drift_vox.iter().all(|d| d.is_some_and(|d| (1.2..=1.25).contains(&d))),
        "{:?}",
        cycle.drift_vox
    );
    for (t, frame) in cycle.frames.iter().enumerate() {
        let steps = (t + 4) % 5;
        let backward = if steps == 0 { 0.0 } else { 0.25 * (steps as f64 - 5.0) };
        assert_eq!(middle(&frame.forward)[0], 0.25 * steps as f64);
        assert_eq!(middle(&frame.backward)[0], backward);
        assert!(middle(&frame.flow)[0].abs() < 1e-6, "frame {t}: {:?}", middle(&frame.flow));
    }
}

#[test]
fn whole_motion_of_a_cycle_is_found() {
    let device = Device::cpu(1).expect("a processor should be there");
    let params = FiniteElementsParams {
        // Small pictures say little against smoothness.
        time_beta: 0.0,
        beta: 0.01,
        ..FiniteElementsParams::preset(FiniteElementsPreset::Accurate, Dimension::Two)
    };
    // A beat that elements of time can follow.
    let shifts: Vec<f64> =
        (0..12).map(|t| 1.2 * (1.0 - (std::f64::consts::TAU * f64::from(t) / 12.0).cos())).collect();
    let frames = frames(&shifts);
    for (start, periodic) in [(0, PeriodicChoice::Auto), (5, PeriodicChoice::No)] {
        let plan = CyclePlan { start, periodic, estimate: CycleEstimate::Whole };
        let cycle = track_whole(&params, given(&frames), plan, &device).expect("it should run");
        assert_eq!(cycle.periodicity.is_periodic, periodic == PeriodicChoice::Auto);
        for (t, frame) in cycle.frames.iter().enumerate() {
            let ([u, v], expected) = (middle(&frame.flow), shifts[t] - shifts[start]);
            assert!((u - expected).abs() < 0.1 && v.abs() < 0.1, "{start} → {t}: ({u}, {v}) for {expected}");
            assert_eq!(frame.jacobian.share_folded, 0.0);
        }
        assert!(cycle.frames[start].flow.planar_vox().iter().all(|d| *d == 0.0));
    }
}

const WALL: f64 = 14.0;

/// Blood in a dark wall, as a right ventricle; its free wall at `wall` along x, and a bright strip beside it where it has moved.
fn ventricle(wall: f64) -> Volume<f32> {
    let ramp = |beyond: f64| (beyond + 0.5).clamp(0.0, 1.0);
    let at = |[x, y, _]: [usize; 3]| {
        let (x, y) = (x as f64, y as f64);
        let (middle, half) = (0.5 * (wall + 58.0), 0.5 * (58.0 - wall));
        let within = |margin: f64| {
            let radius = ((x - middle) / (half + margin)).powi(4) + ((y - 40.0) / (28.0 + margin)).powi(4);
            ramp((1.0 - radius.powf(0.25)) * half.min(28.0))
        };
        let moved = f64::from(u8::from(wall > WALL));
        let strip = 0.25 + moved * 0.65 * ramp(x - wall + 13.0) * ramp(wall - 5.0 - x);
        let (outer, inner) = (within(3.0), within(0.0));
        let walled = strip * (1.0 - outer) + 0.05 * outer;
        let blood = 0.9 + 0.05 * (0.7 * y + 0.3 * x).sin();
        (walled * (1.0 - inner) + blood * inner) as f32
    };
    Volume::from_fn(Grid::image(72, 80).expect("a grid of constants should be possible"), at)
}

fn between_ventricles(outlined: Option<Outlined<'_>>) -> Flow {
    let frames = [WALL, 24.0].map(ventricle);
    let params = ClgParams::preset(ClgPreset::Apart, Dimension::Two);
    let device = Device::cpu(1).expect("a processor should be there");
    let mut method = Clg::new(frames[0].grid(), params, &device).expect("the preset should open");
    let cine = CineFrames { frames: given(&frames), outlined };
    let plan =
        CyclePlan { periodic: PeriodicChoice::No, estimate: CycleEstimate::Forward, ..CyclePlan::default() };
    let cycles = track_cycles(&mut method, &[cine], plan).expect("the cycle should run");
    cycles[0].frames[1].flow.clone()
}

/// Mean distance from the exact motion along x of the free wall, pixels.
fn error_of_the_wall(flow: &Flow) -> f64 {
    let along = |y: usize| f64::from(flow.vector_vox(flow.grid().index([14, y, 0]))[0]);
    (24..=56).map(|y| (along(y) - 10.0).abs()).sum::<f64>() / 33.0
}

#[test]
fn a_thin_wall_that_moves_far_is_followed_where_its_outline_is_known() {
    let within = ventricle(WALL).map(|v| !(0.15..=0.6).contains(v));
    let rest = between_ventricles(None);
    let known = between_ventricles(Some(Outlined { within: &within, farthest_vox: 20.0 }));
    let [rest, known] = [&rest, &known].map(error_of_the_wall);
    assert!(known < 0.5 && rest > 5.0, "{known} pixels with the outline, {rest} without");
}

#[test]
fn starts_that_fit_no_better_or_lead_too_far_are_not_taken() {
    let frames = frames(&BEAT[..2]);
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Two);
    let device = Device::cpu(1).expect("a processor should be there");
    let mut method = Clg::new(frames[0].grid(), params, &device).expect("the preset should open");
    let plan = CyclePlan { periodic: PeriodicChoice::No, ..CyclePlan::default() };
    let rest = track(&frames, plan).frames.remove(1).flow;
    // Nothing contracts, and the shift between the frames is farther than anything may move.
    for within in [frames[0].map(|_| true), frames[0].map(|_| false)] {
        let outlined = Some(Outlined { within: &within, farthest_vox: 0.4 });
        let cine = CineFrames { frames: given(&frames), outlined };
        let mut cycles = track_cycles(&mut method, &[cine], plan).expect("the cycle should run");
        let flow = cycles.remove(0).frames.remove(1).flow;
        assert!(flow == rest, "another start was taken");
    }
}
