//! The device and the settings of a bench, and its missing data.

use crate::InFreshProcess;
use std::cell::RefCell;
use std::path::PathBuf;
use veloxel::jobs::DeviceOptions;
use veloxel_gpu::Device;
use veloxel_report::svg_plot::LinePlot;

/// The device and the settings of a bench, and its missing data.
pub struct Session<'a> {
    pub(crate) device: &'a Device,
    /// Options that the device was opened with: whole jobs open it again.
    pub(crate) device_options: DeviceOptions,
    pub(crate) in_fresh_process: InFreshProcess<'a>,
    /// Whether accuracy alone is measured.
    pub(crate) is_quick: bool,
    /// Milliseconds that opening the device took, where that is known.
    pub(crate) opening_ms: Option<f64>,
    /// Which commands `stops` tries: those whose name holds this.
    pub(crate) only: Option<String>,
    /// Whether `scaling` says what a model predicts.
    pub(crate) predicts: bool,
    /// The folder of data that others made.
    data: Option<PathBuf>,
    missing: RefCell<Vec<String>>,
    plots: RefCell<Vec<LinePlot>>,
}

impl<'a> Session<'a> {
    /// A session in which everything is measured.
    pub fn new(device: &'a Device, in_fresh_process: InFreshProcess<'a>) -> Self {
        let device_options = DeviceOptions::default();
        Self {
            device,
            device_options,
            in_fresh_process,
            is_quick: false,
            opening_ms: None,
            only: None,
            predicts: false,
            data: std::env::var_os("VELOXEL_DATA").map(PathBuf::from),
            missing: RefCell::default(),
            plots: RefCell::default(),
        }
    }

    /// This session with the options that its device was opened with, which took so many milliseconds.
    pub fn opened_by(self, device_options: DeviceOptions, opening_ms: f64) -> Self {
        Self { device_options, opening_ms: Some(opening_ms), ..self }
    }

    /// This session, in which `stops` tries only the commands whose name holds a text; none: all.
    pub fn only(self, only: Option<String>) -> Self {
        Self { only, ..self }
    }

    /// This session, in which `scaling` says what a model predicts.
    pub fn predicting(self, predicts: bool) -> Self {
        Self { predicts, ..self }
    }

    /// The device that measures.
    pub fn device(&self) -> &Device {
        self.device
    }

    /// This session, measuring accuracy alone: on shared machines speeds mean nothing.
    pub fn quick(self) -> Self {
        Self { is_quick: true, ..self }
    }

    /// This session without a folder of data.
    #[cfg(test)]
    pub(crate) fn without_data(self) -> Self {
        Self { data: None, ..self }
    }

    /// Names of the missing data, each once.
    pub fn missing(&self) -> Vec<String> {
        self.missing.borrow().clone()
    }

    /// Notes something other than data that is missing.
    pub(crate) fn miss(&self, what: String) {
        let mut missing = self.missing.borrow_mut();
        if !missing.contains(&what) {
            missing.push(what);
        }
    }

    /// The names of the missing data, which are no longer missed.
    pub(crate) fn take_missing(&self) -> Vec<String> {
        self.missing.take()
    }

    /// Keeps a plot for the page.
    pub(crate) fn draw(&self, plot: LinePlot) {
        self.plots.borrow_mut().push(plot);
    }

    /// The plots drawn since they were last taken.
    pub fn take_plots(&self) -> Vec<LinePlot> {
        self.plots.take()
    }

    /// A path below the folder that `VELOXEL_DATA` names; none, and a note, if nothing is there.
    pub(crate) fn data(&self, below: &str) -> Option<PathBuf> {
        let path = self.data.as_ref().map(|folder| folder.join(below));
        let there = path.clone().filter(|path| path.exists());
        if there.is_none() {
            let name = path.map_or_else(|| below.to_owned(), |path| path.display().to_string());
            self.miss(name);
        }
        there
    }
}
