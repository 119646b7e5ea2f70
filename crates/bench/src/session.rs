//! What a bench is run with, and what it could not measure.

use crate::InFreshProcess;
use std::cell::RefCell;
use std::path::PathBuf;
use veloxel::jobs::DeviceOptions;
use veloxel_gpu::Device;
use veloxel_report::svg_plot::LinePlot;

/// What a bench is run with, and which data it missed.
pub struct Session<'a> {
    pub(crate) device: &'a Device,
    /// What the device was asked for by: whole jobs open it again.
    pub(crate) device_options: DeviceOptions,
    pub(crate) in_fresh_process: InFreshProcess<'a>,
    /// Whether accuracy alone is measured.
    pub(crate) is_quick: bool,
    /// Milliseconds that opening the device took, where that is known.
    pub(crate) opening_ms: Option<f64>,
    /// Which commands `stops` tries: those whose name holds this.
    pub(crate) only: Option<String>,
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
            missing: RefCell::default(),
            plots: RefCell::default(),
        }
    }

    /// The same, of a device that was opened by these options, in so many milliseconds.
    pub fn opened_by(self, device_options: DeviceOptions, opening_ms: f64) -> Self {
        Self { device_options, opening_ms: Some(opening_ms), ..self }
    }

    /// The same, in which `stops` tries the commands alone whose name holds a text; none: all.
    pub fn only(self, only: Option<String>) -> Self {
        Self { only, ..self }
    }

    /// A session in which accuracy alone is measured: machines that others use as well have no speed of their own.
    pub fn quick(self) -> Self {
        Self { is_quick: true, ..self }
    }

    /// Data that were wanted and are not there, each once.
    pub fn missing(&self) -> Vec<String> {
        self.missing.borrow().clone()
    }

    /// Notes something beside the data that was wanted and is not there.
    pub(crate) fn miss(&self, what: String) {
        let mut missing = self.missing.borrow_mut();
        if !missing.contains(&what) {
            missing.push(what);
        }
    }

    /// Keeps a plot for the page.
    pub(crate) fn draw(&self, plot: LinePlot) {
        self.plots.borrow_mut().push(plot);
    }

    /// The plots drawn since they were last taken.
    pub fn take_plots(&self) -> Vec<LinePlot> {
        self.plots.take()
    }

    /// A path below the folder that `VELOXEL_DATA` names; none, and a note, where there is nothing.
    pub(crate) fn data(&self, below: &str) -> Option<PathBuf> {
        let folder = std::env::var_os("VELOXEL_DATA").map(PathBuf::from);
        let path = folder.map(|folder| folder.join(below));
        let there = path.clone().filter(|path| path.exists());
        if there.is_none() {
            let name = path.map_or_else(|| below.to_owned(), |path| path.display().to_string());
            self.miss(name);
        }
        there
    }
}
