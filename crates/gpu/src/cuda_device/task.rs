//! What a queue collects before it goes to the GPU: launches, memory to set to 0, events.

use super::kernel_call::Call;
use super::launch_dependencies::{Access, Needs};
use super::several::DividedCall;
use cudarc::driver::{CudaEvent, CudaStream, DriverError, result, sys};
use std::sync::Arc;

/// A part of a run.
pub(super) enum Task {
    /// What the first GPU does alone.
    Alone(Alone),
    /// A launch that is divided among several GPUs.
    Divided(DividedCall),
}

/// Something that one GPU does alone.
pub(super) enum Alone {
    /// A launch of a kernel.
    Launch(Call),
    /// Sets so many bytes to 0, from an address on.
    Clear(Access, usize),
    /// Records an event after everything before it.
    Event(Arc<CudaEvent>),
}

impl Task {
    /// Adds the identity of the task to that of a run: its kind, its kernel's function and numbers of workgroups, and the sizes of
    /// what GPUs copy for it; bytes that are cleared.
    pub fn add_key(&self, key: &mut Vec<usize>) {
        let of_call = |call: &Call| {
            let [x, y, z] = call.groups.map(|along| along as usize);
            [call.kernel.function.addr(), x, y, z]
        };
        match self {
            Self::Alone(Alone::Event(_)) => key.push(0),
            Self::Alone(Alone::Clear(_, bytes)) => key.extend([1, *bytes]),
            Self::Alone(Alone::Launch(call)) => {
                key.push(2);
                key.extend(of_call(call));
            }
            Self::Divided(divided) => {
                key.push(3 + divided.copied_bytes().count());
                key.extend(of_call(&divided.call).into_iter().chain(divided.copied_bytes()));
            }
        }
    }

    /// Whether all GPUs have a part in it.
    pub fn is_divided(&self) -> bool {
        matches!(self, Self::Divided(_))
    }

    /// Whether it records an event, of which no two are the same.
    pub fn is_event(&self) -> bool {
        matches!(self, Self::Alone(Alone::Event(_)))
    }

    /// The call of a launch.
    pub fn call(&self) -> Option<&Call> {
        match self {
            Self::Alone(Alone::Launch(call)) | Self::Divided(DividedCall { call, .. }) => Some(call),
            Self::Alone(Alone::Clear(..) | Alone::Event(_)) => None,
        }
    }

    /// What it waits for.
    pub fn needs(&self) -> Needs<'_> {
        match self {
            Self::Alone(Alone::Launch(call)) | Self::Divided(DividedCall { call, .. }) => {
                Needs::Memory(&call.accesses)
            }
            Self::Alone(Alone::Clear(memory, _)) => Needs::Memory(std::slice::from_ref(memory)),
            Self::Alone(Alone::Event(_)) => Needs::All,
        }
    }

    /// Whether both have the same arguments; both must have the same key.
    pub fn has_values_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Alone(Alone::Launch(call)), Self::Alone(Alone::Launch(other))) => {
                call.has_values_of(other)
            }
            (Self::Alone(Alone::Clear(memory, _)), Self::Alone(Alone::Clear(other, _))) => memory == other,
            (Self::Divided(divided), Self::Divided(other)) => {
                divided.call.has_values_of(&other.call) && divided.small == other.small
            }
            _ => false,
        }
    }

    /// Whether the task may begin before an earlier task whose results it needs has ended.
    pub fn begins_early_after(&self, before: &Self) -> bool {
        let both = (self, before);
        matches!(both, (Self::Alone(Alone::Launch(call)), Self::Alone(Alone::Launch(_))) if call.kernel.awaits)
    }
}

impl Alone {
    /// Submits the task to a stream.
    pub fn submit(&self, stream: &CudaStream) -> Result<(), DriverError> {
        match self {
            Self::Launch(call) => call.launch(stream),
            // SAFETY: the memory has at least that many bytes, and its next owner's work comes later on the same stream.
            Self::Clear(memory, bytes) => unsafe {
                result::memset_d8_async(memory.address, 0, *bytes, stream.cu_stream())
            },
            Self::Event(event) => event.record(stream),
        }
    }

    /// Adds the task to a graph, after other nodes of it.
    pub fn add_to(
        &self,
        graph: sys::CUgraph,
        context: sys::CUcontext,
        before: &[sys::CUgraphNode],
    ) -> Result<sys::CUgraphNode, DriverError> {
        let mut node = std::ptr::null_mut();
        let (first, count) = (before.as_ptr(), before.len());
        // SAFETY: the nodes before belong to the graph, and the driver copies what it is given.
        match self {
            Self::Launch(call) => call.as_node(|node_of| unsafe {
                sys::cuGraphAddKernelNode_v2(&mut node, graph, first, count, node_of)
            }),
            Self::Clear(memory, bytes) => unsafe {
                sys::cuGraphAddMemsetNode(&mut node, graph, first, count, &clear(*memory, *bytes), context)
            },
            Self::Event(event) => unsafe {
                sys::cuGraphAddEventRecordNode(&mut node, graph, first, count, event.cu_event())
            },
        }
        .result()?;
        Ok(node)
    }

    /// Gives the task's arguments to its node of a graph that was instantiated.
    pub fn set(
        &self,
        ready: sys::CUgraphExec,
        context: sys::CUcontext,
        node: sys::CUgraphNode,
    ) -> Result<(), DriverError> {
        // SAFETY: the node belongs to the graph that was instantiated, kernel and bytes stay the same, and the driver
        // copies what it is given.
        match self {
            Self::Launch(call) => call
                .as_node(|node_of| unsafe { sys::cuGraphExecKernelNodeSetParams_v2(ready, node, node_of) }),
            Self::Clear(memory, bytes) => unsafe {
                sys::cuGraphExecMemsetNodeSetParams(ready, node, &clear(*memory, *bytes), context)
            },
            Self::Event(event) => unsafe {
                sys::cuGraphExecEventRecordNodeSetEvent(ready, node, event.cu_event())
            },
        }
        .result()
    }
}

/// The parameters of a node that sets bytes, of whole words, to 0.
fn clear(memory: Access, bytes: usize) -> sys::CUDA_MEMSET_NODE_PARAMS {
    sys::CUDA_MEMSET_NODE_PARAMS {
        dst: memory.address,
        pitch: 0,
        value: 0,
        elementSize: 4,
        width: bytes / 4,
        height: 1,
    }
}
