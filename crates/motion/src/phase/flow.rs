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
//! checks them. *Cost*: a pyramid a frame; two launches a level. *Evidence*: `tests/motion/phase/motion.rs`; docs/status/accuracy.md
//! (Table 6). *Limits*: motion up to about a pixel of the coarsest level a frame in five frames, two in two; constant velocity
//! over the frames is assumed, and `tau_l` says how strictly.

use super::estimates::{Estimates, Estimating};
use super::parameters::{PhaseParameters, VelocityWeighing};
use super::plan::{GaborPyramid, PhasePlan, PhaseWanted, picture_size};
use super::report::PhaseReport;
use crate::error::{MotionError, Result};
use crate::method::dense::DenseMethod;
use crate::method::footprint::Footprint;
use crate::method::local_window::LocalWindow;
use crate::method::pending_account::MethodAccount;
use crate::method::pending_flow::{DenseFlow, FlowExtras, FoundFlow, PendingFlow};
use crate::method::window::{FrameWindow, WindowMethod};
use crate::steps::buffers::copied_run;
use crate::steps::frame::Frame;
use veloxel_core::{DiagnosticCell, DiagnosticTable, Flow, Grid, MethodDiagnostics, Volume};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::phase::flow_roughness::FlowRoughness;
use veloxel_kernels::phase::phase_flow::{self as kernel, Constraints};

/// Flow, confidence and shares of one frame of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseFlowFields {
    /// Flow of the centre frame (of two frames, of the first), towards the next one; NaN where unknown.
    pub flow: Flow,
    /// How many orientations count, how well lines fit their phases, and how rough the flow is: 0 to 1.
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
    pub fn new(grid: &Grid, parameters: &PhaseParameters, device: &Device) -> Result<Self> {
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
        Some(self.plan.footprint())
    }
}

impl WindowMethod for PhaseFlow {
    fn window(&self) -> FrameWindow {
        let frames = self.plan.parameters.frames;
        FrameWindow { frames: frames.count(), centre: frames.centre() }
    }

    fn estimate(&mut self, frames: &[&Frame]) -> Result<PendingFlow> {
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
        fields.find(plan, &pyramids.iter().collect::<Vec<_>>(), None)?;
        let account = MethodAccount { diagnostics: self.diagnostics(), ..MethodAccount::default() };
        let (components_vox, confidence) = fields.split(plan)?;
        PendingFlow::new(&plan.device, FoundFlow::new(&self.grid, components_vox, confidence, account), None)
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
) -> Result<DenseFlow> {
    let Some(first) = frames.first() else {
        return Err(MotionError::Sequence { reason: "frames are needed, none was given".to_owned() });
    };
    PhaseFlow::new(first.grid(), parameters, device)?.run(frames, None, FlowExtras::default())
}

/// Which velocities count.
fn constraints(parameters: &PhaseParameters) -> Constraints {
    Constraints {
        tau_l: parameters.tau_l,
        min_orientations: parameters.min_orientations,
        weighing: match parameters.weighing {
            VelocityWeighing::Alike => kernel::PhaseWeighing::Alike,
            VelocityWeighing::ByFit => kernel::PhaseWeighing::ByFit,
        },
    }
}

/// Flow in the memory of a device.
#[derive(Debug)]
pub(crate) struct FlowFields {
    /// Checked by what follows.
    pub forward: Estimates,
    /// Flow from the second frame to the first, if there are two frames.
    back: Option<Estimates>,
}

/// Estimates one direction, from the coarsest level down, or from the estimate of the level above that.
fn find_direction(
    fields: &mut Estimates,
    plan: &PhasePlan,
    frames: &[&GaborPyramid],
    start: Option<&Buffer>,
) -> Result<()> {
    let constraints = constraints(&plan.parameters);
    let centre = plan.parameters.frames.centre() as f32;
    let timed: Vec<_> = frames.iter().enumerate().map(|(t, frame)| (*frame, t as f32 - centre)).collect();
    // The finest level's own estimate or none: nothing checks what the coarser one would say there.
    let is_filled = |level: usize| !plan.is_finest(level);
    fields.find(plan, &timed, start, is_filled, |Estimating { place, phases, coarser, out, confidence }| {
        kernel::PhaseFlow { place, constraints, frames: &phases, coarser, out, confidence }.run(&plan.device)
    })
}

impl FlowFields {
    pub fn new(plan: &PhasePlan) -> Result<Self> {
        let direction = || Estimates::new(plan, plan.flow_levels, 2, 1);
        let forward = direction()?;
        Ok(match plan.parameters.is_checked() {
            false => Self { forward, back: None },
            true => Self { forward: forward.checked(plan, 2)?, back: Some(direction()?) },
        })
    }

    /// From starts, where there are some: estimates of the level above the coarsest, a direction each; what is not the finest level
    /// is not checked.
    pub fn find(
        &mut self,
        plan: &PhasePlan,
        frames: &[&GaborPyramid],
        starts: Option<&[Buffer]>,
    ) -> Result<()> {
        let start = |direction: usize| starts.map(|starts| &starts[direction]);
        find_direction(&mut self.forward, plan, frames, start(0))?;
        if let Some(back) = &mut self.back {
            find_direction(back, plan, &[frames[1], frames[0]], start(1))?;
            if plan.is_finest(0) {
                self.forward.check(plan, plan.parameters.flow_check_px, Some(back))?;
            }
        }
        if plan.is_finest(0) {
            let size = plan.levels.size(0);
            let (flow, confidence) = self.forward.found_mut();
            FlowRoughness { size, flow, confidence }.run(&plan.device)?;
        }
        Ok(())
    }

    /// The estimates of every level, finest first, a direction each.
    pub fn levels(&self) -> Vec<&[Buffer]> {
        std::iter::once(&self.forward).chain(&self.back).map(|direction| &direction.filtered[..]).collect()
    }

    /// Both components and the confidence, each in memory of its own.
    fn split(&self, plan: &PhasePlan) -> Result<(Field, Buffer)> {
        let ([flow, confidence], n) = (self.forward.found(), plan.levels.pixels(0));
        let part = |from: &Buffer, nth: usize| copied_run(&plan.device, from, nth, n);
        Ok((vec![part(flow, 0)?, part(flow, 1)?], part(confidence, 0)?))
    }

    /// The flow, all samples along x and then all along y, and its confidence, on the host.
    pub fn read(&self, plan: &PhasePlan) -> Result<[Vec<f32>; 2]> {
        let ([flow, confidence], n) = (self.forward.found(), plan.levels.pixels(0));
        plan.fetch([(flow, 0..2 * n), (confidence, 0..n)])
    }

    pub fn fetch(&self, plan: &PhasePlan, grid: &Grid) -> Result<PhaseFlowFields> {
        let [planar_px, confidence] = self.read(plan)?;
        let (sizes, n) = (&plan.levels.sizes()[..plan.flow_levels], confidence.len());
        let report = PhaseReport::new(n, sizes, &planar_px[..n], Some(&confidence));
        Ok(PhaseFlowFields {
            flow: Flow::from_planar_vox(grid.clone(), planar_px)?,
            confidence: Volume::new(grid.clone(), confidence)?,
            report,
        })
    }
}
