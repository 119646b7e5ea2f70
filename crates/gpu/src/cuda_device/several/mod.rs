//! Several GPUs of one machine that work as one device: `cuda:0,1`, `cuda:all`.
//!
//! Large buffers lie on all of the GPUs: the first share of their bytes on the first one, the next share on the next one
//! ([`SpreadMemory`]), under addresses that are the same for all. The workgroups of a large launch are divided in the same way
//! ([`parts`]): each GPU does those that write the share that lies on it, with the same kernel and the same numbers of
//! workgroups, so that every sum, colour and decision is that of one GPU, bit for bit. What a workgroup at the edge of a share
//! reads of the next one comes over the link between the GPUs while the kernel runs; there is no copy of a border, and no
//! kernel knows of shares.
//!
//! Launches that use small buffers alone, and kernels whose workgroups share numbers, run on the first GPU: it waits for the
//! others before, and they for it after.

mod links;
mod parts;
mod spread_memory;

pub(super) use links::Transport;

use super::kernel_call::Call;
use super::pool::CudaMemory;
use super::queue::{Queue, Refusal};
use super::said;
use crate::error::ComputeError;
use crate::launches::bindings::BoundBuffer;
use crate::launches::launch::Launch;
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, sys};
use parts::{Rectangle, divided};
use spread_memory::SpreadMemory;
use std::sync::Arc;
use wgsl_to_cuda::Part;

/// The GPUs beside the first one, and what all of them share.
pub(super) struct Several {
    /// The context of the first GPU.
    first: Arc<CudaContext>,
    /// The end of the first GPU's work, recorded anew before every divided launch.
    asked: CudaEvent,
    others: Vec<Other>,
    pub memory: SpreadMemory,
    pub transport: Transport,
}

/// A GPU beside the first one.
struct Other {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// The end of its part of the last divided launch.
    done: CudaEvent,
}

/// A kernel that is launched in parts, as each GPU has it, and the arguments that all parts share.
pub(super) struct DividedCall {
    pub call: Call,
    /// The kernel's function on each GPU, the first one included.
    pub functions: Arc<Vec<sys::CUfunction>>,
}

impl Several {
    /// Joins GPUs, of which at least two are given; `name` is that of the device.
    ///
    /// # Errors
    /// [`ComputeError::NoDevice`] if they are not alike or do not reach each other's memory; the driver's refusal.
    pub fn join(name: &str, contexts: &[Arc<CudaContext>]) -> Result<Self, ComputeError> {
        let refuse = |reason: String| ComputeError::NoDevice { name: name.to_owned(), reason };
        let refuse_driver = |e: DriverError| refuse(format!("the driver refuses it: {}", said(e)));
        links::require_alike(contexts).map_err(&refuse)?;
        let transport = links::connect(contexts).map_err(refuse_driver)?;
        let memory = SpreadMemory::new(contexts, transport).map_err(refuse_driver)?;
        let others = contexts[1..].iter().map(|context| {
            let (stream, done) = (context.new_stream()?, context.new_event(None)?);
            Ok(Other { context: context.clone(), stream, done })
        });
        let others = others.collect::<Result<_, DriverError>>().map_err(refuse_driver)?;
        let asked = contexts[0].new_event(None).map_err(refuse_driver)?;
        Ok(Self { first: contexts[0].clone(), asked, others, memory, transport })
    }

    /// Number of GPUs.
    pub fn count(&self) -> usize {
        1 + self.others.len()
    }

    /// The contexts of all GPUs, in order.
    pub fn contexts(&self) -> impl Iterator<Item = &Arc<CudaContext>> {
        std::iter::once(&self.first).chain(self.others.iter().map(|other| &other.context))
    }

    /// Whether a launch is divided among the GPUs: one that uses memory that lies on all of them.
    pub(super) fn divides(&self, launch: &Launch<'_>) -> Result<bool, ComputeError> {
        for bound in launch.buffers {
            if let BoundBuffer::In(buffer) | BoundBuffer::Out(buffer) = bound
                && self.memory.is_spread(buffer.gpu()?.piece::<CudaMemory>()?.bytes)
            {
                let groups: usize = launch.groups.iter().map(|&along| along as usize).product();
                return Ok(groups > self.count() && launch.source.divides());
            }
        }
        Ok(false)
    }

    /// Launches a kernel on all GPUs, each with its share of the workgroups, after all work of `queue` and before its later work.
    pub(super) fn launch(&self, queue: &Queue, divided_call: &DividedCall) -> Result<(), Refusal> {
        let DividedCall { call, functions } = divided_call;
        let shares = divided(call.groups, self.count());
        let (kernel, entry) = call.kernel.name;
        let go = |first: &CudaStream| {
            self.asked.record(first)?;
            let streams = std::iter::once(first).chain(self.others.iter().map(|other| &*other.stream));
            for ((stream, function), share) in streams.zip(functions.iter()).zip(&shares) {
                if stream.cu_stream() != first.cu_stream() {
                    stream.wait(&self.asked)?;
                }
                stream.context().bind_to_thread()?;
                for Rectangle { first: start, groups } in share {
                    call.launch_part(*function, *groups, Part { first: *start, all: call.groups }, stream)?;
                }
            }
            for Other { stream, done, .. } in &self.others {
                done.record(stream)?;
                first.wait(done)?;
            }
            first.context().bind_to_thread()
        };
        queue
            .divide(|| call.profile_name(), go)
            .map_err(|said| format!("kernel `{kernel}`, `{entry}`: {said}"))
    }

    /// Free memory of all GPUs, in bytes; `None` where a driver does not report it.
    pub fn free_bytes(&self) -> Option<usize> {
        self.contexts().map(|context| context.mem_get_info().ok().map(|(free, _)| free)).sum()
    }
}
