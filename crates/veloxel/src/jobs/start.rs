//! Begins a job that has no session yet.

use crate::pipelines::account::{Account, Stages};
use crate::{DeviceOptions, Result, Session};
use veloxel_core::Warnings;
use veloxel_gpu::Device;

impl DeviceOptions {
    /// Opens the device for a run, and begins the run's account.
    pub(super) fn start(&self) -> Result<(Device, Account)> {
        let session = Session::open(self)?;
        Ok((session.device()?.clone(), Account::begin(&session)?))
    }

    /// The same while files are loaded: a GPU takes as long to open as large files to read.
    pub(super) fn start_and_load<T>(
        &self,
        load: impl FnOnce(&mut Stages, &mut Warnings) -> Result<T>,
    ) -> Result<(Device, Account, T)> {
        let (mut stages, mut warnings) = (Stages::default(), Warnings::new());
        let session = Session::begin(self);
        let loaded = load(&mut stages, &mut warnings);
        let account = Account { stages, warnings, ..Account::begin(&session)? };
        Ok((session.device()?.clone(), account, loaded?))
    }
}
