//! A session: a device, its threads, memory and compiled kernels, and the channel of the run at hand; opened once, lent to every
//! pipeline.

mod devices;
mod kept_methods;

use crate::Result;
use devices::OpenDevice;
pub use devices::{DeviceListing, DeviceOptions, devices};
use kept_methods::KeptMethods;
pub use kept_methods::MethodKey;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use veloxel_core::{Control, Observer, Stage, Stopped, ThreadPool, Threads, fallible};
use veloxel_gpu::{ComputeError, Cpu, Device};
use veloxel_io::{Files, PendingFiles, ReadOptions, Reading};
use veloxel_motion::OpenedMethod;
use veloxel_report::DeviceReport;

/// How many opened methods a session keeps for the next run of the same kind.
const KEPT_METHODS: usize = 2;

/// A device that was opened, or why it could not be.
type Opening = Result<OpenDevice, ComputeError>;

/// What every pipeline borrows: a device with its threads, pooled memory and compiled kernels; the channel through which its runs
/// are followed and stopped; the memory that they may take; and the methods that were opened last.
///
/// One run at a time uses a session; [`Self::beside`] makes another one on the same device. Nothing else is shared between
/// sessions, the memory of readers included, and nothing in this crate is decided for the whole process.
///
/// ```
/// use veloxel::{Device, Session};
///
/// let session = Session::on(Device::cpu(2)?);
/// assert_eq!(session.device()?.info().name, "cpu");
/// # Ok::<(), veloxel::VeloxelError>(())
/// ```
#[derive(Debug)]
pub struct Session {
    files: Files,
    opened: OnceLock<Opening>,
    /// Opens the device while something else is done; none once it has been waited for.
    opening: Mutex<Option<JoinHandle<Opening>>>,
    max_memory_bytes: Option<u64>,
    kept: Mutex<KeptMethods>,
    /// Further openings of its GPU, for pairs of a sequence that run at once.
    further: Mutex<Vec<Device>>,
}

impl Session {
    /// Opens a device and a session on it.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute) if the device is not there, with what to do.
    pub fn open(options: &DeviceOptions) -> Result<Self> {
        let session = Self::of(KEPT_METHODS);
        session.set(Ok(options.open()?));
        Ok(session)
    }

    /// A session whose device is opened in the background: a GPU takes as long to open as large files to read. It keeps no
    /// methods. A device that is not there is an error of its first use.
    pub fn begin(options: &DeviceOptions) -> Self {
        let (session, options) = (Self::of(0), options.clone());
        let in_thread = options.clone();
        let room = fallible::room_for_thread();
        match room.and_then(|()| std::thread::Builder::new().spawn(move || in_thread.open())) {
            Ok(thread) => *session.opening() = Some(thread),
            // Where there are no threads any more, it is opened here.
            Err(_) => session.set(options.open()),
        }
        session
    }

    /// A session on a device that is open already.
    pub fn on(device: Device) -> Self {
        let session = Self::of(KEPT_METHODS);
        session.set(Ok(OpenDevice::new(device, "given".to_owned(), 0)));
        session
    }

    /// Another session on the same device, with its own channel and its own kept methods, for a run beside one of this session;
    /// its unfinished files are listed with those of this one.
    ///
    /// # Errors
    /// As [`Self::device`].
    pub fn beside(&self) -> Result<Self> {
        let (files, max_memory_bytes) = (self.files.beside(), self.max_memory_bytes);
        let session = Self { files, max_memory_bytes, ..Self::of(KEPT_METHODS) };
        session.set(Ok(self.opened()?.clone()));
        Ok(session)
    }

    /// The same session whose runs may take so much memory, bytes: of the process on the processor, of the device on a GPU; none:
    /// what there is. Runs that need more are done in tiles where their method allows it.
    #[must_use]
    pub fn with_max_memory(self, bytes: Option<u64>) -> Self {
        Self { max_memory_bytes: bytes, ..self }
    }

    /// The same session with its unfinished files in this list, which outlives it: a program that is told to end at once removes
    /// what is in it.
    #[must_use]
    pub fn listed_in(self, pending: PendingFiles) -> Self {
        Self { files: self.files.clone().listed_in(pending), ..self }
    }

    fn of(kept: usize) -> Self {
        Self {
            files: Files::default(),
            opened: OnceLock::new(),
            opening: Mutex::default(),
            max_memory_bytes: None,
            kept: Mutex::new(KeptMethods::new(kept)),
            further: Mutex::default(),
        }
    }

    /// The device, under this session's channel; waits until it is open.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute) if it is not there, with what to do.
    pub fn device(&self) -> Result<&Device> {
        Ok(&self.opened()?.device)
    }

    /// The device, and its GPU opened again until there are so many, each with queues and memory of its own; fewer where there are no
    /// more. They stay open for the next run.
    ///
    /// # Errors
    /// As [`Self::device`].
    pub(crate) fn devices_at_once(&self, count: usize) -> Result<Vec<Device>> {
        let device = self.device()?;
        let mut further = self.further.lock().unwrap_or_else(PoisonError::into_inner);
        while further.len() + 1 < count {
            let Ok(Some(again)) = device.again() else { break };
            further.push(again);
        }
        let more = further.iter().take(count.saturating_sub(1)).cloned();
        Ok(std::iter::once(device.clone()).chain(more).collect())
    }

    /// Gives back the memory that further openings of its GPU keep: other runs of this session do without them.
    pub(crate) fn release_at_once(&self) {
        self.further.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Device::release_kept);
    }

    /// How often its GPU was opened again.
    #[cfg(test)]
    pub(crate) fn further_count(&self) -> usize {
        self.further.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Name of the device, and why it was chosen, as reports say it.
    ///
    /// # Errors
    /// As [`Self::device`].
    pub fn device_report(&self) -> Result<&DeviceReport> {
        Ok(&self.opened()?.report)
    }

    /// The threads that look through samples in host memory: the processor's own, or as many beside a GPU; none where there is no
    /// device, or no thread.
    pub(crate) fn host_threads(&self) -> Option<&Cpu> {
        self.device().ok()?.host_threads()
    }

    /// Who works in host memory, with the channel of this session's runs: the threads of [`Self::host_threads`], or the calling one.
    pub(crate) fn threads(&self) -> Threads<'_> {
        Threads::of(self.host_threads().map(|cpu| cpu as &dyn ThreadPool), self.control())
    }

    /// The memory that a run may take, bytes; none: what there is.
    pub fn max_memory_bytes(&self) -> Option<u64> {
        self.max_memory_bytes
    }

    /// The channel of this session's runs.
    pub fn control(&self) -> &Control {
        self.files.control()
    }

    /// What readers and writers of this session share: its channel, one budget of memory, and the list of unfinished files.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// How this session reads files.
    pub fn reading(&self, options: ReadOptions) -> Reading {
        self.files.reading(options)
    }

    /// From here on an observer follows the runs of this session, or none does.
    pub fn follow(&self, observer: Option<Arc<dyn Observer>>) {
        self.control().follow(observer);
    }

    /// Tells that a stage begins.
    ///
    /// # Errors
    /// [`Stopped`] if the run is to stop.
    pub fn enter(&self, stage: Stage) -> Result<(), Stopped> {
        self.control().enter(stage)
    }

    /// Gives back what is kept for the next run: opened methods, and memory of the device.
    pub fn release(&self) {
        self.release_methods();
        self.further.lock().unwrap_or_else(PoisonError::into_inner).clear();
        if let Some(Ok(opened)) = self.opened.get() {
            opened.device.release_kept();
        }
    }

    /// Drops the methods that are kept for the next run; whether there were any.
    pub(crate) fn release_methods(&self) -> bool {
        self.kept().clear()
    }

    /// Runs a method of a key: one that is kept, or one that is opened now. It is kept for the next run unless this one fails.
    ///
    /// # Errors
    /// Whatever `open` and `run` fail with.
    pub fn with_method<R, E>(
        &self,
        key: &MethodKey,
        open: impl FnOnce() -> Result<OpenedMethod, E>,
        run: impl FnOnce(&mut OpenedMethod) -> Result<R, E>,
    ) -> Result<R, E> {
        let kept = self.kept().take(key);
        let mut opened = kept.map_or_else(open, Ok)?;
        let result = run(&mut opened)?;
        self.kept().put(key.clone(), opened);
        Ok(result)
    }

    fn opened(&self) -> Result<&OpenDevice> {
        let opened = self.opened.get_or_init(|| {
            let thread = self.opening().take().expect("a session without a device should be opening one");
            self.under_control(thread.join().expect("opening a device should not panic"))
        });
        Ok(opened.as_ref().map_err(Clone::clone)?)
    }

    fn set(&self, opening: Opening) {
        let opening = self.under_control(opening);
        self.opened.set(opening).expect("a session should get its device once");
    }

    fn under_control(&self, opening: Opening) -> Opening {
        opening.map(|opened| OpenDevice {
            device: opened.device.controlled_by(self.control().clone()),
            ..opened
        })
    }

    fn opening(&self) -> std::sync::MutexGuard<'_, Option<JoinHandle<Opening>>> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, KeptMethods> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
