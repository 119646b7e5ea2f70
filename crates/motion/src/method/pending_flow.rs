//! A flow that was asked for, which the device may not have found yet, and what is fetched of it.

use crate::error::Result;
use crate::method::pending_account::{MethodAccount, PendingAccount, PendingBrightness, PendingStatistics};
use crate::method::resident::{DataRegion, ResidentFlow, ResidentMask};
use crate::steps::buffers::resampled;
use crate::steps::frame::{Frame, FrameSource};
use crate::steps::intensity::IntensityMap;
use crate::steps::moving_image::{FinerImage, MovingImage, voxel_map};
use veloxel_core::{
    Axes, Flow, FlowStatistics, Grid, JacobianReport, Shape, SolveStatus, Volume, WarningKind, Warnings,
};
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later, Timestamp};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::bilateral_field::{Bilateral, BilateralField};
use veloxel_kernels::image::brightness::AbsoluteDifference;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine};
use veloxel_kernels::variational::jacobian::Jacobian;

/// The flow of a pair of images, its confidence and its diagnostics, all on the fixed grid.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseFlow {
    /// fixed(x) ≈ moving(x + d(x)).
    pub flow: Flow,
    /// In [0, 1].
    pub confidence: Volume<f32>,
    /// The moving image at x + d(x); NaN outside. Where [`FlowExtras`] asked for it.
    pub warped: Option<Volume<f32>>,
    /// det(I + ∇d). Where [`FlowExtras`] asked for it.
    pub jacobian: Option<Volume<f32>>,
    /// moving(x) ≈ fixed(x + d⁻¹(x)), on the moving image's grid. Where [`FlowExtras`] asked for it and the method finds it.
    pub inverse: Option<Flow>,
    /// 1 where a voxel is hidden in the moving image or outside of it, 0 elsewhere. Where the run began from matches.
    pub occlusion: Option<Volume<f32>>,
    /// The map of the fixed grid onto itself, voxel positions, that a linear start was, given or found first.
    pub linear_start: Option<VoxelAffine>,
    /// How the run went.
    pub statistics: FlowStatistics,
}

impl DenseFlow {
    /// Gives the memory of everything that was found back to the device that found it, for later flows: see [`Device::reuse`].
    pub fn reuse(self, device: &Device) {
        let Self { flow, confidence, warped, jacobian, inverse, occlusion, linear_start: _, statistics: _ } =
            self;
        let flows = [Some(flow), inverse].into_iter().flatten().map(Flow::into_planar_vox);
        let volumes = [Some(confidence), warped, jacobian, occlusion].into_iter().flatten();
        flows.chain(volumes.map(Volume::into_data)).for_each(|samples| device.reuse(samples));
    }

    /// A flow without further volumes.
    pub(crate) fn bare(flow: Flow, confidence: Volume<f32>, statistics: FlowStatistics) -> Self {
        Self {
            flow,
            confidence,
            warped: None,
            jacobian: None,
            inverse: None,
            occlusion: None,
            linear_start: None,
            statistics,
        }
    }
}

/// Volumes that are fetched on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlowExtras {
    /// The moving image as seen from the fixed grid.
    pub warped: bool,
    /// det(I + ∇d) at every voxel.
    pub jacobian: bool,
    /// The field back.
    pub inverse: bool,
}

impl FlowExtras {
    /// Everything.
    pub const ALL: Self = Self { warped: true, jacobian: true, inverse: true };
}

/// A flow and its confidence that stay in the memory of the device, which is done with them.
#[derive(Debug)]
pub struct OnDevice {
    /// The flow.
    pub flow: ResidentFlow,
    /// In [0, 1], one for every voxel.
    pub confidence: Buffer,
    /// moving(x) ≈ fixed(x + d⁻¹(x)), on the moving image's grid, of methods that find both together.
    pub inverse: Option<ResidentFlow>,
    /// The map of the fixed grid onto itself, voxel positions, that a linear start was, given or found first.
    pub linear_start: Option<VoxelAffine>,
    /// How the run went.
    pub statistics: FlowStatistics,
}

/// The result of a method, still on the device.
pub struct FoundFlow {
    /// The flow.
    pub flow: ResidentFlow,
    /// In [0, 1], one for every voxel.
    pub confidence: Buffer,
    /// The flow back, of methods that find both together.
    pub inverse: Option<ResidentFlow>,
    /// Status, warnings and diagnostics, complete when the device is done.
    pub account: Box<dyn PendingAccount>,
}

impl FoundFlow {
    /// A flow on a grid, voxels, with its confidence and its account.
    pub fn new(
        grid: &Grid,
        components_vox: Field,
        confidence: Buffer,
        account: impl PendingAccount + 'static,
    ) -> Self {
        let flow = ResidentFlow { grid: grid.clone(), components_vox };
        Self { flow, confidence, inverse: None, account: Box::new(account) }
    }
}

/// det(I + ∇d) − 1 of a field, and its statistics.
pub(crate) struct Determinant {
    pub shape: Shape,
    pub samples: Buffer,
    pub report: Later<JacobianReport>,
}

impl Determinant {
    /// The determinant of a displacement in edges.
    pub fn of(
        device: &Device,
        shape: Shape,
        spacing_edges: Axes<f32>,
        displacement: &[Buffer],
        measured: Option<&ResidentMask>,
    ) -> Result<Self, ComputeError> {
        let mut samples = device.scratch(shape.len())?;
        let (weight, out) = (measured.map(|mask| &mask.weight), &mut samples);
        let report = Jacobian { shape, spacing_edges, displacement, weight, out }.run(device)?;
        Ok(Self { shape, samples, report })
    }
}

/// The window of [`PendingFlow::refine`] in pictures and in volumes, intensities mapped to 0..1: chosen on RubberWhale and Grove2.
const REFINED_PICTURE: Bilateral =
    Bilateral { radius: 5, sigma_vox: 3.0, sigma_guide: 0.04, fill_from: 0.25, fill_share: 0.25 };
const REFINED_VOLUME: Bilateral = Bilateral { radius: 2, sigma_vox: 1.5, ..REFINED_PICTURE };

/// The determinant of a flow, on its grid.
pub(crate) fn determinant_of(
    device: &Device,
    flow: &ResidentFlow,
    measured: Option<&ResidentMask>,
) -> Result<Determinant, ComputeError> {
    Determinant::of(device, Shape::of(&flow.grid), [1.0; 3], &flow.components_vox, measured)
}

/// A flow that was asked for: the host may prepare the next pair while the device still works on it.
pub struct PendingFlow {
    pub(crate) device: Device,
    /// What was measured of it is [measured again](Self::measure_again) once it changes.
    pub(crate) flow: ResidentFlow,
    pub(crate) confidence: Buffer,
    /// The flow back, where the method finds it.
    inverse: Option<ResidentFlow>,
    determinant: Determinant,
    warped: Option<Buffer>,
    /// 1 where the backward flow confirms a vector.
    pub(crate) confirmed: Option<Buffer>,
    /// Agreement of the warped image with the fixed one.
    brightness: Option<PendingBrightness>,
    /// Σ |r| of the composed forward-backward residual, voxels, and number of voxels.
    pub(crate) inverse_residual: Option<Later<(f64, f64)>>,
    account: Box<dyn PendingAccount>,
    /// Warnings from before the device began.
    pub(crate) warnings: Warnings,
    /// The moment at which the device is done with it.
    mark: Option<Timestamp>,
}

impl PendingFlow {
    /// Takes what a method found; the field is measured within `measured`, where one is given.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn new(device: &Device, found: FoundFlow, measured: Option<&ResidentMask>) -> Result<Self> {
        let determinant = determinant_of(device, &found.flow, measured)?;
        Self::with_determinant(device, found, determinant)
    }

    /// Takes what a method found with its determinant, which may be that of the level on which the field was found.
    pub(crate) fn with_determinant(
        device: &Device,
        found: FoundFlow,
        determinant: Determinant,
    ) -> Result<Self> {
        let FoundFlow { flow, confidence, inverse, account } = found;
        Ok(Self {
            device: device.clone(),
            flow,
            confidence,
            inverse,
            determinant,
            warped: None,
            confirmed: None,
            brightness: None,
            inverse_residual: None,
            account,
            warnings: Warnings::new(),
            mark: device.mark()?,
        })
    }

    /// Replaces every vector by the mean of those around it that are near, certain, and where `guide`, an image on the flow's
    /// grid, looks alike; unknown vectors among certain ones are filled where data count.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute).
    pub(crate) fn refine(&mut self, guide: &Frame, region: DataRegion<'_>) -> Result<()> {
        let Some(map) = guide.map_within(region.mask)? else { return Ok(()) };
        let (device, shape) = (&self.device, Shape::of(&self.flow.grid));
        let mut out = device.scratch_field(shape.components(), shape.len())?;
        let mut out_confidence = device.scratch(shape.len())?;
        let kernel = BilateralField {
            shape,
            window: if shape.components() == 2 { REFINED_PICTURE } else { REFINED_VOLUME },
            field: &self.flow.components_vox,
            confidence: &self.confidence,
            guide: &FrameSource::from(guide).mapped(map)?,
            weight: region.mask.map(|mask| &mask.weight),
            out: &mut out,
            out_confidence: &mut out_confidence,
        };
        kernel.run(device)?;
        (self.flow.components_vox, self.confidence) = (out, out_confidence);
        self.measure_again(region)
    }

    /// The defined result for images without contrast: no motion, with confidence 0.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory.
    pub(crate) fn no_content(device: &Device, grid: &Grid, why: String) -> Result<Self> {
        let shape = Shape::of(grid);
        let mut warnings = Warnings::new();
        warnings.push(WarningKind::Content, why);
        let account = MethodAccount { status: SolveStatus::NoContent, warnings, ..MethodAccount::default() };
        let components_vox = device.zeros_field(shape.components(), shape.len())?;
        Self::new(device, FoundFlow::new(grid, components_vox, device.zeros(shape.len())?, account), None)
    }

    /// The flow on the device.
    pub fn flow(&self) -> &ResidentFlow {
        &self.flow
    }

    /// Asks for the determinant of a flow that changed.
    pub(crate) fn measure_again(&mut self, region: DataRegion<'_>) -> Result<()> {
        self.determinant = determinant_of(&self.device, &self.flow, region.measured())?;
        self.mark()
    }

    /// All launches up to now belong to this flow.
    pub(crate) fn mark(&mut self) -> Result<()> {
        self.mark = self.device.mark()?;
        Ok(())
    }

    /// Asks for the moving image as seen from the fixed one, sampled as it is, in its own intensities, NaN outside of it ([`Border::Voxels`]);
    /// and how well they agree.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn warp(&mut self, [fixed, moving]: [&Frame; 2], interpolation: Interpolation) -> Result<()> {
        let (device, grid) = (&self.device, &self.flow.grid);
        let seen = MovingImage::new(
            device,
            moving.samples(),
            moving.grid(),
            grid,
            interpolation,
            FinerImage::Sampled,
        )?;
        let warped = seen.warp(&self.flow.components_vox, Border::Voxels)?;
        let difference =
            |warped: &Buffer| AbsoluteDifference { fixed: fixed.samples(), warped, weight: None }.run(device);
        let is_on_grid = voxel_map(grid, moving.grid()) == VoxelAffine::IDENTITY;
        let at_rest = if is_on_grid { None } else { Some(seen.at_rest(Border::Voxels)?) };
        let sums = [difference(at_rest.as_ref().unwrap_or(moving.samples()))?, difference(&warped)?];
        let map = fixed.map()?.unwrap_or(IntensityMap::IDENTITY);
        self.brightness = Some(PendingBrightness { sums, gain: map.gain_and_offset().0.into() });
        self.warped = Some(warped);
        self.mark()
    }

    /// Waits for the device and fetches the flow, its confidence, its diagnostics and `extras`.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn finish(self, extras: FlowExtras) -> Result<DenseFlow> {
        let Self { device, flow, confidence, determinant, account, mut mark, warnings, brightness, .. } =
            self;
        let residual = self.inverse_residual;
        let inverse = self.inverse.filter(|_| extras.inverse);
        let (inverse_grid, inverse) = inverse.map(|flow| (flow.grid, flow.components_vox)).unzip();
        let ResidentFlow { grid, components_vox } = flow;
        let Determinant { shape, samples, report: jacobian } = determinant;
        let mut determinant = Some(samples).filter(|_| extras.jacobian);
        if let (Some(samples), true) = (&mut determinant, shape != Shape::of(&grid)) {
            *samples = resampled(&device, samples, [shape, Shape::of(&grid)])?;
            // Later than the mark.
            mark = None;
        }
        let mark = mark.as_ref();
        let optional = [determinant, self.warped.filter(|_| extras.warped), self.confirmed];
        let is_there = optional.each_ref().map(Option::is_some);
        let volumes =
            [confidence].into_iter().chain(optional.into_iter().flatten()).map(|volume| vec![volume]);
        let fields = [components_vox].into_iter().chain(volumes).chain(inverse).collect();
        let mut samples = device.download_planar_after(fields, mark)?.into_iter();
        let mut next = || samples.next().unwrap_or_default();
        let flow = Flow::from_planar_vox(grid.clone(), next())?;
        let mut volume = || Volume::new(grid.clone(), next());
        let confidence = volume()?;
        let [determinant, warped, confirmed] =
            is_there.map(|is_there| is_there.then(&mut volume).transpose());
        let (mut determinant, warped, confirmed) = (determinant?, warped?, confirmed?);
        let inverse = inverse_grid.map(|grid| Flow::from_planar_vox(grid, next())).transpose()?;
        determinant.iter_mut().flat_map(Volume::data_mut).for_each(|d| *d += 1.0);
        let occlusion = confirmed.map(|confirmed| confirmed.map(|&c| if c > 0.5 { 0.0 } else { 1.0 }));

        let numbers = PendingStatistics { grid, account, jacobian, brightness, residual, warnings };
        let statistics = numbers.settle(&device, mark)?;
        let (jacobian, bare) = (determinant, DenseFlow::bare(flow, confidence, statistics));
        Ok(DenseFlow { warped, jacobian, inverse, occlusion, ..bare })
    }

    /// Waits for the device and fetches the diagnostics alone.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn statistics(self) -> Result<FlowStatistics> {
        Ok(self.stay()?.statistics)
    }

    /// Leaves the flow, its confidence and the flow back on the device, waits for it and fetches the diagnostics alone.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn stay(self) -> Result<OnDevice> {
        let Self {
            device, flow, confidence, inverse, determinant, account, brightness, warnings, mark, ..
        } = self;
        let numbers = PendingStatistics {
            grid: flow.grid.clone(),
            account,
            jacobian: determinant.report,
            brightness,
            residual: self.inverse_residual,
            warnings,
        };
        let statistics = numbers.settle(&device, mark.as_ref())?;
        Ok(OnDevice { flow, confidence, inverse, linear_start: None, statistics })
    }

    /// Waits for the device and leaves the results there, to measure time.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn wait(self) -> Result<()> {
        Ok(self.device.synchronise()?)
    }
}
