//! Several GPUs of one machine that work as one device: `cuda:0,1`, `cuda:all`.
//!
//! Large buffers lie on all of the GPUs: the first share of their bytes on the first one, the next share on the next one
//! ([`SpreadMemory`]), under addresses that are the same for all. The workgroups of a large launch are divided in the same way
//! ([`divided`]): each GPU does those that write the share that lies on it, with the same kernel and the same numbers of
//! workgroups, so that every sum, colour and decision is that of one GPU, bit for bit. What a workgroup at the edge of a share
//! reads of the next one comes over the link between the GPUs while the kernel runs; there is no copy of a border, and no
//! kernel knows of shares.
//!
//! Launches are asked for one by one, with events between the GPUs, or as a graph of many for each GPU, in which kernels of ours wait
//! for the other GPUs ([`GraphKernels`]).
//!
//! Launches that use small buffers alone, and kernels whose workgroups share numbers, run on the first GPU: it waits for the
//! others before, and they for it after.

mod graph_kernels;
mod links;
mod mirrors;
mod spread_memory;

pub(super) use graph_kernels::{Copied, GraphKernels};
pub(super) use links::Transport;

use super::compiled_kernels::GpuFunction;
use super::kernel_call::Call;
use super::said;
use crate::error::ComputeError;
use crate::launches::launch::Launch;
use crate::launches::parts::{Rectangle, divided};
use crate::nvrtc::{ComputeCapability, Nvrtc};
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, sys};
use mirrors::Mirrors;
use spread_memory::SpreadMemory;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wgsl_to_cuda::LaunchPart;

/// Work that makes GPUs wait for each other is given to all of them in one order, also that of other devices that have the same GPUs:
/// streams may share a queue of the hardware, in which two pieces of work that each wait for the other one's fellow would never end.
static ONE_ORDER: Mutex<()> = Mutex::new(());

/// Keeps others from giving such work, and from calls that wait for all work of a GPU.
pub(super) fn in_one_order() -> MutexGuard<'static, ()> {
    ONE_ORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The GPUs beside the first one, and what all of them share.
pub(super) struct Several {
    /// The context of the first GPU.
    first: Arc<CudaContext>,
    /// The end of the first GPU's work before a divided launch.
    asked: CudaEvent,
    /// The end of the first GPU's part of the last divided launch.
    ended: CudaEvent,
    others: Vec<Other>,
    pub memory: SpreadMemory,
    pub transport: Transport,
    /// What graphs need; none where GPUs cannot wait for each other in them: divided launches are not recorded then.
    pub graph_kernels: Option<GraphKernels>,
}

/// A GPU beside the first one.
struct Other {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// The end of its part of the last divided launch.
    done: CudaEvent,
    mirrors: Mirrors,
}

impl Drop for Other {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            self.mirrors.free();
        }
    }
}

/// What the stream was given since the last piece of work that is divided among several GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SinceDivided {
    /// Nothing.
    Nothing,
    /// Other work, or something to wait for; or no work was divided before.
    Other,
}

/// A kernel that is launched in parts, as each GPU has it, and the arguments that all parts share.
pub(super) struct DividedCall {
    pub call: Call,
    /// The kernel's function on each GPU, the first one included.
    pub functions: Arc<Vec<GpuFunction>>,
    /// Memory that the kernel only reads and that lies on the first GPU alone.
    pub small: Vec<SmallMemory>,
}

/// What one of the GPUs does of a divided launch.
pub(super) struct Share {
    pub copies: Vec<Copied>,
    pub call: Call,
    pub function: GpuFunction,
    pub parts: Vec<Rectangle>,
}

impl DividedCall {
    /// Bytes of the small memory that GPUs copy, of each piece: a graph of the launch has as many nodes for them.
    pub(super) fn copied_bytes(&self) -> impl Iterator<Item = usize> {
        mirrors::copied(&self.small).map(|memory| memory.bytes)
    }
}

/// Memory that a launch uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UsedMemory {
    pub address: sys::CUdeviceptr,
    pub bytes: usize,
    pub writes: bool,
}

/// Memory that lies on the first GPU alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SmallMemory {
    pub address: sys::CUdeviceptr,
    pub bytes: usize,
    /// Bytes on either side of a share of the memory that are read with that share of the workgroups; all where that is not known.
    pub nearby_bytes: Option<usize>,
}

impl Several {
    /// Joins GPUs, of which at least two are given; `name` is that of the device.
    ///
    /// # Errors
    /// [`ComputeError::NoDevice`] if they are not alike or do not reach each other's memory; the driver's refusal.
    pub fn join(
        name: &str,
        contexts: &[Arc<CudaContext>],
        nvrtc: &Nvrtc,
        architecture: ComputeCapability,
    ) -> Result<Self, ComputeError> {
        let refuse = |reason: String| ComputeError::NoDevice { name: name.to_owned(), reason };
        let refuse_driver = |e: DriverError| refuse(format!("the driver refuses it: {}", said(e)));
        links::require_alike(contexts).map_err(&refuse)?;
        let transport = links::connect(contexts).map_err(refuse_driver)?;
        let memory = SpreadMemory::new(contexts, transport).map_err(refuse_driver)?;
        let others = contexts[1..].iter().map(|context| {
            let (stream, done) = (context.new_stream()?, context.new_event(None)?);
            Ok(Other { context: context.clone(), stream, done, mirrors: Mirrors::default() })
        });
        let others = others.collect::<Result<_, DriverError>>().map_err(refuse_driver)?;
        let event = || contexts[0].new_event(None).map_err(refuse_driver);
        let (asked, ended) = (event()?, event()?);
        let waits = transport == Transport::Peer && GraphKernels::take(contexts.len(), architecture);
        let graph_kernels = waits.then(|| GraphKernels::new(contexts, nvrtc, architecture));
        let graph_kernels = graph_kernels.transpose().map_err(refuse)?;
        contexts[0].bind_to_thread().map_err(refuse_driver)?;
        Ok(Self { first: contexts[0].clone(), asked, ended, others, memory, transport, graph_kernels })
    }

    /// Number of GPUs.
    pub fn count(&self) -> usize {
        1 + self.others.len()
    }

    /// The contexts of all GPUs, in order.
    pub fn contexts(&self) -> impl Iterator<Item = &Arc<CudaContext>> {
        std::iter::once(&self.first).chain(self.others.iter().map(|other| &other.context))
    }

    /// Whether a launch is divided among the GPUs: one that uses memory that lies on all of them. Then the memory comes with it
    /// that it only reads and that lies on the first GPU alone.
    pub(super) fn divides(&self, launch: &Launch<'_>, used: &[UsedMemory]) -> Option<Vec<SmallMemory>> {
        let groups: usize = launch.groups.iter().map(|&along| along as usize).product();
        let (spread, small): (Vec<&UsedMemory>, Vec<&UsedMemory>) =
            used.iter().partition(|memory| self.memory.is_spread(memory.bytes));
        let is_written = |address: u64| small.iter().any(|memory| memory.writes && memory.address == address);
        let read = small.iter().filter(|memory| !is_written(memory.address));
        let read = read.map(|memory| SmallMemory {
            address: memory.address,
            bytes: memory.bytes,
            nearby_bytes: launch.nearby_bytes,
        });
        let divides = !spread.is_empty() && groups > self.count() && launch.source.divides();
        divides.then(|| read.collect())
    }

    /// Launches a kernel on all GPUs, each with its share of the workgroups, after all work of the first GPU's stream and before its
    /// later work. The context of the first GPU must be current, and is so afterwards.
    pub(super) fn launch(
        &self,
        first: &CudaStream,
        since: SinceDivided,
        divided_call: &DividedCall,
    ) -> Result<(), DriverError> {
        let _in_one_order = in_one_order();
        let DividedCall { call, functions, .. } = divided_call;
        let shares = divided(call.groups, self.count());
        let start = |call: &Call, nth: usize, stream: &CudaStream| {
            shares[nth].iter().try_for_each(|Rectangle { first, groups }| {
                let part = LaunchPart { first: *first, all: call.groups };
                call.launch_part(functions[nth].0, *groups, part, stream)
            })
        };
        if since == SinceDivided::Other {
            self.asked.record(first)?;
        }
        start(call, 0, first)?;
        for (nth, other) in self.others.iter().enumerate() {
            other.context.bind_to_thread()?;
            match since {
                // The first GPU has waited for all others before.
                SinceDivided::Other => other.stream.wait(&self.asked)?,
                SinceDivided::Nothing => self.wait_for_all(nth)?,
            }
            let (copies, mirrored) = other.mirrors.of(divided_call, nth + 1, self.count(), &other.context)?;
            copies.iter().try_for_each(|copied| mirrors::copy(copied, &other.stream))?;
            start(&mirrored, nth + 1, &other.stream)?;
        }
        self.ended.record(first)?;
        for Other { stream, done, .. } in &self.others {
            done.record(stream)?;
        }
        self.others.iter().try_for_each(|other| first.wait(&other.done))?;
        first.context().bind_to_thread()
    }

    /// Makes room for the copies of small memory that a launch needs.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn make_room(&self, small: &[SmallMemory]) -> Result<(), DriverError> {
        let count = mirrors::copied(small).count();
        if count > 0 {
            self.others.iter().try_for_each(|other| other.mirrors.make_room(count, &other.context))?;
            self.first.bind_to_thread()?;
        }
        Ok(())
    }

    /// Makes the other GPUs wait for all work that the first one was given so far: they then wait in their graphs for what is in these
    /// alone.
    pub(super) fn begin_together(&self, first: &CudaStream) -> Result<(), DriverError> {
        self.asked.record(first)?;
        self.others.iter().try_for_each(|other| other.stream.wait(&self.asked))
    }

    /// The streams of the GPUs beside the first one.
    pub(super) fn other_streams(&self) -> impl Iterator<Item = &Arc<CudaStream>> {
        self.others.iter().map(|other| &other.stream)
    }

    /// What a GPU does of a divided launch: copies, the call with them, and its workgroups.
    pub(super) fn share(&self, divided_call: &DividedCall, nth: usize) -> Result<Share, DriverError> {
        let (copies, call) = match nth.checked_sub(1) {
            None => (Vec::new(), divided_call.call.clone()),
            Some(other) => {
                let Other { mirrors, context, .. } = &self.others[other];
                mirrors.of(divided_call, nth, self.count(), context)?
            }
        };
        let parts = divided(call.groups, self.count()).swap_remove(nth);
        Ok(Share { copies, call, function: divided_call.functions[nth], parts })
    }

    /// Makes one of the other GPUs wait for the last divided launch on all GPUs.
    fn wait_for_all(&self, nth: usize) -> Result<(), DriverError> {
        let own = &self.others[nth];
        own.stream.wait(&self.ended)?;
        let mut rest = self.others.iter().enumerate().filter(|(other, _)| *other != nth);
        rest.try_for_each(|(_, other)| own.stream.wait(&other.done))
    }

    /// Free memory of all GPUs, in bytes; `None` where a driver does not report it.
    pub fn free_bytes(&self) -> Option<usize> {
        self.contexts().map(|context| context.mem_get_info().ok().map(|(free, _)| free)).sum()
    }
}
