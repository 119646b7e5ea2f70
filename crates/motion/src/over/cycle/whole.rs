//! Time as a coordinate of the lattice: one smooth motion of all frames together, the paper's future work.
//!
//! *Paper*: B. Li, A. A. Young, B. R. Cowan, GPU accelerated non-rigid registration for the evaluation of cardiac function,
//! MICCAI 2008; section 5.
//!
//! *Energy*: `Σ_t Σ_X (I_s(X) − I_t(X + u(X, t)))²` and the Sobolev term of the finite elements, whose lattice has time for its
//! third axis, with `α_t |∂u/∂t|² + β_t |∂²u/∂t²|²`; in a cycle the last element in time ends at the first node.
//! Levenberg-Marquardt and its conjugate gradients solve for all frames at once. What the start frame itself moves by, which
//! its own difference keeps near 0, is taken off every frame.
//!
//! *Cost*: the memory of one pair for every frame.
//! *Evidence*: `whole_motion_of_a_cycle_is_found` in `tests`; `docs/algorithms/cycle.md`.
//! *Limits*: pictures. Every frame is compared with the start frame alone: what changes its look on the way is lost.

use super::{Cycle, CycleFrame, CyclePlan, Periodicity, periodicity};
use crate::error::{MotionError, Result};
use crate::finite_elements::FiniteElements;
use crate::finite_elements::parameters::{ElementCover, FiniteElementsParams};
use crate::method::pair::{Pair, PairMethod};
use crate::method::pending_flow::determinant_of;
use crate::method::resident::{ResidentFlow, ResidentMask};
use crate::over::sequence::{SequenceFrames, of_frame, require_frames};
use crate::steps::frame::Frame;
use veloxel_core::{Dimension, Flow, Grid, Mask, Volume};
use veloxel_gpu::Device;

/// Estimates one smooth motion from a start frame to every other one; [`CyclePlan::estimate`] does not count.
///
/// # Errors
/// As [`track_cycle`](super::track_cycle); [`MotionError::NotAPicture`] for volumes.
pub fn track_whole(
    params: &FiniteElementsParams,
    frames: SequenceFrames<'_>,
    plan: CyclePlan,
    device: &Device,
) -> Result<Cycle> {
    require_frames(&frames, plan.start)?;
    let grid = frames.frames[plan.start].grid();
    if grid.dimension() == Dimension::Three {
        let (what, [x, y, z]) =
            ("a frame that is followed with time as a coordinate".to_owned(), grid.size());
        return Err(MotionError::NotAPicture { what, got: format!("{x} × {y} × {z}") });
    }
    device.scope(|| {
        let upload = |frame| Frame::upload(device, frame);
        let upload_mask =
            |mask: Option<&Mask>| mask.map(|mask| ResidentMask::upload(device, mask)).transpose();
        let resident = frames.frames.iter().map(upload).collect::<Result<Vec<_>, _>>()?;
        let mask = upload_mask(frames.mask(plan.start))?;
        let periodicity = periodicity::decide(device, &resident, mask.as_ref(), plan.periodic)?;
        drop(resident);
        let moved = together(params, &frames, plan.start, periodicity, device)?;
        let measured = upload_mask(frames.measured(plan.start))?;
        let cycle_frame = |flow: Flow| -> Result<CycleFrame> {
            let resident = ResidentFlow::upload(device, &flow)?;
            let jacobian = determinant_of(device, &resident, measured.as_ref())?.report;
            let (forward, backward, jacobian) = (flow.clone(), flow.clone(), jacobian.get(device)?);
            Ok(CycleFrame { flow, forward, backward, reference: None, jacobian })
        };
        let frames = moved.into_iter().map(cycle_frame).collect::<Result<_, _>>()?;
        Ok(Cycle { frames, periodicity, drift_vox: [None, None] })
    })
}

/// The motion of every frame on the start frame's grid.
fn together(
    params: &FiniteElementsParams,
    given: &SequenceFrames<'_>,
    start: usize,
    periodicity: Periodicity,
    device: &Device,
) -> Result<Vec<Flow>> {
    let (frames, mask) = (given.frames, given.mask(start));
    let weight = of_frame(given.weights, start);
    let (grid, count) = (frames[start].grid(), frames.len());
    let [nx, ny, _] = grid.size();
    let [sx, sy, _] = grid.spacing_mm();
    // Frames lie above each other, in units of their own.
    let above = Grid::volume(nx, ny, count)?.with_spacing_mm([sx, sy, sx.min(sy)])?;
    let all = |of: &dyn Fn(usize) -> Vec<f32>| Volume::new(above.clone(), (0..count).flat_map(of).collect());
    let fixed = all(&|_| frames[start].data().to_vec())?;
    let moving = all(&|t| frames[t].data().to_vec())?;
    let masks = mask.map(|mask| Volume::new(above.clone(), mask.data().repeat(count))).transpose()?;
    let cover = if periodicity.is_periodic { ElementCover::Cycle } else { ElementCover::Time };
    let mut method = FiniteElements::new(&above, FiniteElementsParams { cover, ..params.clone() }, device)?;
    let weights = weight.map(|w| Volume::new(above.clone(), w.data().repeat(count))).transpose()?;
    let pair = Pair { mask: masks.as_ref(), weight: weights.as_ref(), ..Pair::new(&fixed, &moving) };
    let found = method.run(&pair)?.flow;
    let plane = nx * ny;
    let of = |t: usize, c: usize| -> Vec<f32> {
        let own = found.component_vox(c);
        let still = &own[start * plane..(start + 1) * plane];
        own[t * plane..(t + 1) * plane].iter().zip(still).map(|(d, still)| d - still).collect()
    };
    (0..count).map(|t| Ok(Flow::new(grid.clone(), vec![of(t, 0), of(t, 1)])?)).collect()
}
