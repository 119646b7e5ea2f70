//! The diagnostics of a flow whose numbers may still be on the device.

use crate::error::Result;
use veloxel_core::{
    BrightnessReport, Dimension, FlowStatistics, Grid, JacobianReport, MethodDiagnostics, SolveStatus,
    WarningKind, Warnings,
};
use veloxel_gpu::{ComputeError, Device, Later, Pending, Timestamp, fetch};

/// Status, warnings and diagnostics of a run whose numbers may still be on the device.
pub trait PendingAccount: Send {
    /// The numbers that [`Self::settle`] waits for.
    fn numbers(&mut self) -> Vec<&mut dyn Pending>;
    /// The account, from numbers as they were at a mark.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    fn settle(
        self: Box<Self>,
        device: &Device,
        mark: Option<&Timestamp>,
    ) -> Result<MethodAccount, ComputeError>;
}

/// Status, warnings and diagnostics of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MethodAccount {
    /// How the run ended.
    pub status: SolveStatus,
    /// Data agreement before and after; none: it is measured where the warped image is asked for.
    pub brightness: Option<BrightnessReport>,
    /// What a user should know.
    pub warnings: Warnings,
    /// The method's own diagnostics.
    pub diagnostics: MethodDiagnostics,
}

impl PendingAccount for MethodAccount {
    fn numbers(&mut self) -> Vec<&mut dyn Pending> {
        Vec::new()
    }
    fn settle(self: Box<Self>, _: &Device, _: Option<&Timestamp>) -> Result<MethodAccount, ComputeError> {
        Ok(*self)
    }
}

/// Σ |I_t| and number of voxels, before and after.
pub(crate) struct PendingBrightness {
    pub sums: [Later<(f64, f64)>; 2],
    /// What a difference of 1 is in mapped intensities.
    pub gain: f64,
}

impl PendingBrightness {
    pub fn numbers(&mut self) -> impl Iterator<Item = &mut dyn Pending> {
        self.sums.iter_mut().map(|sums| sums as &mut dyn Pending)
    }

    pub fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<BrightnessReport, ComputeError> {
        let mean = |(sum, count): (f64, f64)| if count > 0.0 { self.gain * sum / count } else { 0.0 };
        let [before, after] = self.sums;
        Ok(BrightnessReport {
            mean_abs_before: mean(before.get_after(device, mark)?),
            mean_abs_after: mean(after.get_after(device, mark)?),
            moving: None,
        })
    }
}

/// Above this share, folds of a 2-D field are more than the borders of what hides something else.
const FOLDED_AT_BORDERS: f64 = 0.1;

/// Everything that [`FlowStatistics`] are made of.
pub(crate) struct PendingStatistics {
    pub grid: Grid,
    pub account: Box<dyn PendingAccount>,
    pub jacobian: Later<JacobianReport>,
    /// Agreement of the warped image with the fixed one.
    pub brightness: Option<PendingBrightness>,
    /// Σ |r| of the composed forward-backward residual, voxels, and number of voxels.
    pub residual: Option<Later<(f64, f64)>>,
    /// From before the device began.
    pub warnings: Warnings,
}

impl PendingStatistics {
    /// Waits for the numbers, as they were at a mark.
    pub fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<FlowStatistics> {
        let Self { grid, mut account, mut jacobian, mut brightness, mut residual, warnings: before } = self;
        let mut numbers = account.numbers();
        numbers.push(&mut jacobian);
        numbers.extend(brightness.iter_mut().flat_map(PendingBrightness::numbers));
        numbers.extend(residual.as_mut().map(|sum| sum as &mut dyn Pending));
        fetch(device, mark, numbers)?;
        let MethodAccount { status, brightness: own, mut warnings, diagnostics } =
            account.settle(device, mark)?;
        let jacobian = jacobian.get_after(device, mark)?;
        warnings.extend(before);
        warnings.extend(folding_warning(&grid, &jacobian));
        let measured = brightness.map(|brightness| brightness.settle(device, mark)).transpose()?;
        let residual = residual.map(|sum| sum.get_after(device, mark)).transpose()?;
        Ok(FlowStatistics {
            status,
            brightness: own.or(measured).unwrap_or_default(),
            jacobian,
            inverse_residual_vox: residual.map(|(sum, count)| sum / count.max(1.0)),
            warnings,
            method: diagnostics,
        })
    }
}

/// The warning about a field that folds; none where few voxels do.
///
/// Tissue does not fold; a picture's field does wherever one thing hides another.
pub(crate) fn folding_warning(grid: &Grid, jacobian: &JacobianReport) -> Warnings {
    let (mut warnings, share) = (Warnings::new(), jacobian.share_folded);
    let (kind, digits, what) = match grid.dimension() {
        Dimension::Three => {
            let what = "voxels fold (det ≤ 0): raise alpha, or preserve volume with beta above 0";
            (WarningKind::Field, 2, what)
        }
        Dimension::Two if share > FOLDED_AT_BORDERS => {
            (WarningKind::Field, 1, "pixels fold (det ≤ 0): the two pictures may not show the same scene")
        }
        Dimension::Two => {
            (WarningKind::Note, 2, "pixels fold (det ≤ 0), as flow does where one thing hides another")
        }
    };
    if share > 1e-3 {
        warnings.push(kind, format!("{:.digits$} % of the {what}", 100.0 * share));
    }
    warnings
}
