//! Phase-based optical flow: two, three or five frames in (`f32`, 2-D), a displacement in pixels a frame with a confidence
//! for every vector out.
//!
//! *Paper*: Pauwels et al. 2012 (see [`super::features`]), section 5, eq. 12-16; after T. Gautama, M. Van Hulle, "A
//! phase-based approach to the estimation of the optical flow field using spatial filtering", IEEE TNN 13 (2002).
//!
//! *Notation*
//!
//! | paper | code | unit |
//! |---|---|---|
//! | ψ_q | `slope` | radians a frame |
//! | τ_l | `tau_l` | radians², mean squared error of the line through the phases |
//! | v | the flow | pixels of the level a frame |
//!
//! *Where we differ*: velocities are weighed by their fit, and the median is 5×5 on coarse levels (`paper`: alike and 3×3);
//! a level that finds nothing passes the coarser estimate on; two frames have no line, so the field back from the second
//! checks them. *Cost*: a pyramid a frame; two launches a level. *Evidence*: `tests/phase_flow.rs`; docs/status/accuracy.md
//! (Table 6). *Limits*: motion up to about a pixel of the coarsest level a frame in five frames, two in two; constant velocity
//! over the frames is assumed, and `tau_l` says how strictly.

use super::check::Checked;
use super::footprint::footprint;
use super::parameters::{PhaseParameters, Unknown, Warping, Weighing};
use super::plan::{GaborPyramid, PhasePlan, PhaseWanted, Pictured, picture_size};
use super::report::PhaseReport;
use super::twin::{round_estimate, warped_level};
use crate::MotionError;
use crate::footprint::Footprint;
use crate::frame::Frame;
use crate::local_window::LocalWindow;
use crate::method::{DenseMethod, Window, WindowMethod};
use crate::pending_flow::{DenseFlow, Extras, Found, MethodAccount, PendingFlow};
use crate::resident::ResidentFlow;
use veloxel_core::{DiagnosticCell, DiagnosticTable, Flow, Grid, MethodDiagnostics, Volume};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::CopyPart;
use veloxel_kernels::image::valid_median::{Planes, ValidMedian};
use veloxel_kernels::phase::forward_backward_check::Matches;
use veloxel_kernels::phase::phase_flow::{self as kernel, Constraints, Place, Sampling};

/// Flow, confidence and shares of one frame of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseFlowFields {
    /// Of the centre frame (of two: the first), towards the next one; NaN where unknown.
    pub flow: Flow,
    /// How many orientations count, and how well lines fit their phases: 0 to 1.
    pub confidence: Volume<f32>,
    /// How the run went.
    pub report: PhaseReport,
}

/// The method, opened for pictures of one grid.
#[derive(Debug)]
pub struct PhaseFlow {
    pub(super) plan: PhasePlan,
    grid: Grid,
}

impl PhaseFlow {
    /// Plans the pyramid for a grid.
    ///
    /// # Errors
    /// [`MotionError::NotAPicture`]; [`MotionError::Parameter`] if a parameter lies outside its range.
    pub fn new(grid: &Grid, parameters: &PhaseParameters, device: &Device) -> Result<Self, MotionError> {
        let wanted = PhaseWanted { flow: true, stereo: false, features: false };
        let plan = PhasePlan::new(picture_size("frame 0", grid)?, wanted, parameters, device)?;
        Ok(Self { plan, grid: grid.clone() })
    }

    /// The levels used, as reports show them: coarsest first.
    fn diagnostics(&self) -> MethodDiagnostics {
        let sizes = &self.plan.levels.sizes()[..self.plan.flow_levels];
        let scaled = || sizes.iter().enumerate().rev().map(|(l, &[nx, ny])| ([nx, ny, 1], 1u32 << l));
        let level = |(size, scale)| serde_json::json!({ "size": size, "spacing_vox": [scale, scale, 1] });
        let row =
            |(size, scale)| vec![DiagnosticCell::Size(size), DiagnosticCell::Text(format!("1/{scale}"))];
        let mut json = serde_json::Map::new();
        json.insert("levels".to_owned(), scaled().map(level).collect());
        let table = DiagnosticTable { head: vec!["Level", "scale"], rows: scaled().map(row).collect() };
        MethodDiagnostics { json, table: Some(table), ..MethodDiagnostics::default() }
    }
}

impl DenseMethod for PhaseFlow {
    fn grid(&self) -> &Grid {
        &self.grid
    }
    fn device(&self) -> &Device {
        &self.plan.device
    }
    fn footprint(&self) -> Option<Footprint> {
        Some(footprint(&self.plan))
    }
}

impl WindowMethod for PhaseFlow {
    fn window(&self) -> Window {
        let frames = self.plan.parameters.frames;
        Window { frames: frames.count(), centre: frames.centre() }
    }

    fn estimate(&mut self, frames: &[&Frame]) -> Result<PendingFlow, MotionError> {
        let plan = &self.plan;
        self.window().require(frames.len())?;
        self.grid.require_same(frames[0].grid(), "the grid this method was opened for, and the frames'")?;
        for (t, frame) in frames.iter().enumerate() {
            frame.require_finite(&format!("frame {t}"), None)?;
            frames[0].grid().require_same(frame.grid(), &format!("frames 0 and {t}"))?;
        }
        let pyramids =
            frames.iter().map(|f| GaborPyramid::of_frame(plan, f)).collect::<Result<Vec<_>, _>>()?;
        let mut fields = FlowFields::new(plan)?;
        fields.find(plan, &pyramids.iter().collect::<Vec<_>>())?;
        let account = MethodAccount { diagnostics: self.diagnostics(), ..MethodAccount::default() };
        let (components_vox, confidence) = fields.split(plan)?;
        let flow = ResidentFlow { grid: self.grid.clone(), components_vox };
        PendingFlow::new(&plan.device, Found { flow, confidence, account: Box::new(account) }, None)
    }

    fn local(&mut self) -> Option<&mut dyn LocalWindow> {
        Some(self)
    }
}

/// One-shot form: frames in the order of time in, as many as the parameters say; the flow of the centre frame out.
///
/// # Errors
/// As [`phase_features`](super::phase_features); [`MotionError::Input`] if the frames differ in size;
/// [`MotionError::Sequence`] for another number of frames.
pub fn phase_flow(
    frames: &[&Volume<f32>],
    parameters: &PhaseParameters,
    device: &Device,
) -> Result<DenseFlow, MotionError> {
    let Some(first) = frames.first() else {
        return Err(MotionError::Sequence { reason: "frames are needed, none was given".to_owned() });
    };
    PhaseFlow::new(first.grid(), parameters, device)?.run(frames, None, Extras::default())
}

/// Which velocities count.
fn constraints(parameters: &PhaseParameters) -> Constraints {
    Constraints {
        tau_l: parameters.tau_l,
        min_orientations: parameters.min_orientations,
        weighing: match parameters.weighing {
            Weighing::Alike => kernel::Weighing::Alike,
            Weighing::ByFit => kernel::Weighing::ByFit,
        },
    }
}

/// One direction's fields, a level each.
#[derive(Debug)]
struct Direction {
    /// As the kernel finds them, and after the median.
    raw: Vec<Buffer>,
    filtered: Vec<Buffer>,
    confidence: Vec<Buffer>,
}

/// Flow in the memory of a device.
#[derive(Debug)]
pub(crate) struct FlowFields {
    forward: Direction,
    /// Of two frames: from the second to the first; and what the check leaves.
    back: Option<(Direction, Checked)>,
}

impl Direction {
    fn new(plan: &PhasePlan) -> Result<Self, MotionError> {
        let levels = plan.flow_levels;
        Ok(Self {
            raw: plan.buffers(levels, 2)?,
            filtered: plan.buffers(levels, 2)?,
            confidence: plan.buffers(levels, 1)?,
        })
    }

    /// From the coarsest level down, or from the estimate of the level above that.
    fn find(
        &mut self,
        plan: &PhasePlan,
        frames: &[&GaborPyramid],
        start: Option<&Buffer>,
    ) -> Result<(), MotionError> {
        let parameters = &plan.parameters;
        let constraints = constraints(parameters);
        let centre = parameters.frames.centre() as f32;
        let timed: Vec<(Pictured<'_>, f32)> =
            frames.iter().enumerate().map(|(t, f)| (f.lend(), t as f32 - centre)).collect();
        for level in (0..plan.flow_levels).rev() {
            let (finer, coarser) = self.filtered.split_at_mut(level + 1);
            let coarser = coarser.first().or(start);
            let warped = match coarser {
                Some(coarser) if parameters.warping == Warping::Images => {
                    Some(warped_level(plan, level, &timed, coarser)?)
                }
                _ => None,
            };
            let (place, phases): (_, Vec<&Buffer<u16>>) = match &warped {
                Some(warped) => {
                    let place = Place { levels: &warped.levels, level: 0, sampling: Sampling::InPlace };
                    (place, warped.phases.iter().collect())
                }
                None => {
                    let place = Place { levels: &plan.levels, level, sampling: Sampling::Displaced };
                    (place, frames.iter().map(|f| &f.phases).collect())
                }
            };
            let estimate = kernel::PhaseFlow {
                place,
                constraints,
                frames: &phases,
                coarser,
                out: &mut self.raw[level],
                confidence: &mut self.confidence[level],
            };
            estimate.run(&plan.device)?;
            // The finest level's own estimate or none: nothing checks what the coarser one would say here.
            let is_coarse = !plan.is_finest(level);
            let fill = coarser.filter(|_| is_coarse && parameters.unknown == Unknown::PassThrough);
            let planes = Planes { size: plan.levels.size(level), count: 2 };
            let median = ValidMedian {
                planes,
                window: plan.window(level),
                estimates: &self.raw[level],
                coarser: fill,
                out: &mut finer[level],
                confidence: Some(&mut self.confidence[level]),
            };
            median.run(&plan.device)?;
            round_estimate(plan, &mut finer[level])?;
        }
        Ok(())
    }
}

impl FlowFields {
    pub fn new(plan: &PhasePlan) -> Result<Self, MotionError> {
        let back = match plan.parameters.is_checked() {
            false => None,
            true => Some((Direction::new(plan)?, Checked::new(plan, 2)?)),
        };
        Ok(Self { forward: Direction::new(plan)?, back })
    }

    pub fn find(&mut self, plan: &PhasePlan, frames: &[&GaborPyramid]) -> Result<(), MotionError> {
        self.find_from(plan, frames, None)
    }

    /// The same from estimates of the level above the coarsest, a direction each; what is not the finest level is not checked.
    pub fn find_from(
        &mut self,
        plan: &PhasePlan,
        frames: &[&GaborPyramid],
        starts: Option<&[Buffer]>,
    ) -> Result<(), MotionError> {
        let start = |direction: usize| starts.map(|starts| &starts[direction]);
        self.forward.find(plan, frames, start(0))?;
        if let Some((back, checked)) = &mut self.back {
            back.find(plan, &[frames[1], frames[0]], start(1))?;
            if !plan.is_finest(0) {
                return Ok(());
            }
            let matches = Matches::Flow { forward: &self.forward.filtered[0], backward: &back.filtered[0] };
            checked.find(plan, plan.parameters.flow_check_px, matches, &self.forward.confidence[0])?;
        }
        Ok(())
    }

    /// The estimates of every level, finest first, a direction each.
    pub fn levels(&self) -> Vec<&[Buffer]> {
        let back = self.back.as_ref().map(|(back, _)| &back.filtered[..]);
        std::iter::once(&self.forward.filtered[..]).chain(back).collect()
    }

    /// Flow, both components, and confidence.
    pub fn found(&self) -> [&Buffer; 2] {
        match &self.back {
            Some((_, checked)) => checked.found(),
            None => [&self.forward.filtered[0], &self.forward.confidence[0]],
        }
    }

    /// Both components and the confidence, each in memory of its own.
    fn split(&self, plan: &PhasePlan) -> Result<(Field, Buffer), MotionError> {
        let ([flow, confidence], n) = (self.found(), plan.levels.pixels(0));
        let part = |from: &Buffer, first: usize| -> Result<Buffer, MotionError> {
            let mut out = plan.device.scratch(n)?;
            CopyPart { from, first, to: &mut out }.run(&plan.device)?;
            Ok(out)
        };
        Ok((vec![part(flow, 0)?, part(flow, n)?], part(confidence, 0)?))
    }

    /// Gives the flow away; the next one is found in `other`.
    pub fn take(&mut self, other: Buffer) -> Buffer {
        let flow =
            self.back.as_mut().map_or(&mut self.forward.filtered[0], |(_, checked)| checked.estimate_mut());
        std::mem::replace(flow, other)
    }

    /// Gives the confidence away, likewise.
    pub fn take_confidence(&mut self, other: Buffer) -> Buffer {
        let confidence = self
            .back
            .as_mut()
            .map_or(&mut self.forward.confidence[0], |(_, checked)| checked.confidence_mut());
        std::mem::replace(confidence, other)
    }

    pub fn fetch(&self, plan: &PhasePlan, grid: &Grid) -> Result<PhaseFlowFields, MotionError> {
        let [flow, confidence] = self.found();
        let n = grid.len();
        let [x, y, confidence] = plan.fetch([(flow, 0..n), (flow, n..2 * n), (confidence, 0..n)])?;
        let sizes = &plan.levels.sizes()[..plan.flow_levels];
        let report = PhaseReport::new(sizes, &x, Some(&confidence));
        Ok(PhaseFlowFields {
            flow: Flow::new(grid.clone(), vec![x, y])?,
            confidence: Volume::new(grid.clone(), confidence)?,
            report,
        })
    }
}
