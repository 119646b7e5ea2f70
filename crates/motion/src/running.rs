//! A run that the device may not have finished.

use crate::clg_level_run::LevelRun;
use crate::{FlowOutput, MotionError};
use veloxel_core::{
    BrightnessReport, Flow, FlowStatistics, Grid, JacobianReport, SolveStatus, StopReason, Volume,
    WarningKind, Warnings,
};
use veloxel_gpu::{Buffer, Device, Field, Later, Pending, Stamp, fetch};

/// A field that was asked for: the host may prepare the next pair while the device still works on it.
pub struct Running(State);

enum State {
    Done(Box<FlowOutput>),
    OnDevice(Box<OnDevice>),
}

/// Results in the memory of a device.
pub(crate) struct OnDevice {
    pub device: Device,
    pub grid: Grid,
    /// Voxels.
    pub displacement: Field,
    /// Confidence, warped image, determinant.
    pub volumes: [Buffer; 3],
    pub levels: Vec<LevelRun>,
    /// Σ |I_t| and number of voxels before any warp, and after the last.
    pub brightness: [Later<(f64, f64)>; 2],
    pub jacobian: Later<JacobianReport>,
    /// When all this is there.
    pub mark: Option<Stamp>,
}

impl Running {
    pub(crate) fn done(output: FlowOutput) -> Self {
        Self(State::Done(Box::new(output)))
    }
    pub(crate) fn on_device(results: OnDevice) -> Self {
        Self(State::OnDevice(Box::new(results)))
    }

    /// Waits for the device and fetches everything.
    ///
    /// # Errors
    /// [`MotionError::Compute`] if the device fails.
    pub fn finish(self) -> Result<FlowOutput, MotionError> {
        match self.0 {
            State::Done(output) => Ok(*output),
            State::OnDevice(results) => results.finish(),
        }
    }

    /// Waits for the device and leaves the results there, for who only wants to know how long it takes.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn wait(self) -> Result<(), MotionError> {
        match self.0 {
            State::Done(_) => Ok(()),
            State::OnDevice(results) => Ok(results.device.synchronise()?),
        }
    }
}

impl OnDevice {
    fn finish(self) -> Result<FlowOutput, MotionError> {
        let Self { device, grid, displacement, volumes, mut levels, mut brightness, mut jacobian, mark } =
            self;
        let mark = mark.as_ref();
        let components = displacement.len();
        let buffers = displacement.into_iter().chain(volumes).collect();
        let mut samples = device.download_all_after(buffers, mark)?.into_iter();
        let flow = Flow::new(grid.clone(), samples.by_ref().take(components).collect())?;
        let mut volume = || Volume::new(grid.clone(), samples.next().unwrap_or_default());
        let [confidence, warped, determinant] = [volume()?, volume()?, volume()?];
        let reports = brightness.iter_mut().map(|sums| sums as &mut dyn Pending);
        let reports = reports.chain(std::iter::once(&mut jacobian as &mut dyn Pending));
        fetch(&device, mark, levels.iter_mut().flat_map(LevelRun::pending).chain(reports).collect())?;
        let levels =
            levels.into_iter().map(|run| run.settle(&device, mark)).collect::<Result<Vec<_>, _>>()?;
        let mean = |later: Later<(f64, f64)>| -> Result<f64, MotionError> {
            let (sum, count) = later.get_after(&device, mark)?;
            Ok(if count > 0.0 { sum / count } else { 0.0 })
        };
        let [before, after] = brightness;
        let brightness = BrightnessReport { mean_abs_before: mean(before)?, mean_abs_after: mean(after)? };
        let jacobian = jacobian.get_after(&device, mark)?;
        let mut warnings = Warnings::new();
        if jacobian.share_folded > 1e-3 {
            warnings.push(
                WarningKind::Field,
                format!("{:.2} % of the voxels fold (det ≤ 0): raise alpha", 100.0 * jacobian.share_folded),
            );
        }
        let limit = levels.iter().any(|l| l.stop == StopReason::IterationLimit);
        let status = if limit { SolveStatus::LimitReached } else { SolveStatus::Done };
        Ok(FlowOutput {
            flow,
            confidence,
            warped,
            jacobian: determinant,
            statistics: FlowStatistics {
                status,
                levels,
                brightness,
                jacobian,
                inverse_residual_vox: None,
                warnings,
            },
        })
    }
}
