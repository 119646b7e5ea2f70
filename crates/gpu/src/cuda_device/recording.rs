//! Runs of launches, recorded as CUDA graphs. The host needs as long to launch a recorded run as to launch one kernel.
//! That matters on the coarse levels of a hierarchy, where a kernel takes longer to launch than to compute.
//!
//! A run is identified by its kernels and their numbers of workgroups. The first time, its kernels are launched one by
//! one. The second time it is recorded, and from then on it is replayed. Arguments that changed since the last launch
//! (a buffer's address, a number) are updated in the graph first. Launches within a graph depend only on those whose
//! memory they share ([`launch_dependencies`]).

use super::kernel_call::Call;
use super::launch_dependencies::{self, Before};
use cudarc::driver::{CudaStream, DriverError, sys};
use std::collections::HashMap;

/// Shorter runs are not recorded: it is not worth it.
const SHORTEST: usize = 4;
/// Maximal number of runs remembered: more than a method launches on one grid.
const MOST_RUNS: usize = 256;

/// The identity of a run: each kernel's function and its numbers of workgroups.
type Key = Vec<(usize, [u32; 3])>;

/// The runs seen so far; the value is `None` after a run was seen once, and a recording from the second time on.
#[derive(Default)]
pub(super) struct Recordings {
    seen: HashMap<Key, Option<Recording>>,
}

impl Recordings {
    /// Launches `calls` from a recording and empties them. Returns false, and leaves `calls` for the caller to launch,
    /// if the run is too short, too long, or new.
    ///
    /// # Errors
    /// The driver's error. Nothing was launched then, and no recording may be used any more.
    pub fn run(&mut self, calls: &mut Vec<Call>, stream: &CudaStream) -> Result<bool, DriverError> {
        if calls.len() < SHORTEST || calls.len() > launch_dependencies::MOST {
            return Ok(false);
        }
        let key: Key = calls.iter().map(|call| (call.kernel.function.addr(), call.groups)).collect();
        if let Some(seen) = self.seen.get_mut(&key) {
            let waits = launch_dependencies::waits(calls.iter().map(|call| &call.accesses[..]));
            let recording = match seen {
                Some(recording) if recording.keeps(&waits) => {
                    recording.set(calls)?;
                    recording
                }
                // The same kernels, but their buffers are shared in another way. The new recording keeps the
                // dependencies of both.
                Some(recording) => {
                    let waits = launch_dependencies::both(&recording.waits, &waits);
                    seen.insert(Recording::new(calls, waits)?)
                }
                None => seen.insert(Recording::new(calls, waits)?),
            };
            recording.launch(stream)?;
            recording.calls = std::mem::take(calls);
            return Ok(true);
        }
        if self.seen.len() >= MOST_RUNS {
            self.seen.clear();
        }
        self.seen.insert(key, None);
        Ok(false)
    }
}

/// A CUDA graph of calls, instantiated.
struct Recording {
    /// For each call, the set of earlier calls that it waits for.
    waits: Vec<Before>,
    /// The calls, with their arguments, of the last launch; empty before the first.
    calls: Vec<Call>,
    /// The graph's kernel nodes, one for each call; owned by `_graph`.
    nodes: Vec<sys::CUgraphNode>,
    ready: Ready,
    _graph: Graph,
}

/// Handles of the driver, destroyed when dropped. A launch that is under way still completes.
struct Graph(sys::CUgraph);
struct Ready(sys::CUgraphExec);

// SAFETY: the handles may be used from any thread that has their context current, by one thread at a time.
unsafe impl Send for Recording {}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: created by `cuGraphCreate`, and this is its only owner.
        let _ = unsafe { sys::cuGraphDestroy(self.0) };
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        // SAFETY: created by `cuGraphInstantiateWithFlags`, and this is its only owner.
        let _ = unsafe { sys::cuGraphExecDestroy(self.0) };
    }
}

impl Recording {
    /// Builds and instantiates a graph of `calls` with the dependencies `waits`. The context must be current, here and
    /// in the functions below.
    fn new(calls: &[Call], waits: Vec<Before>) -> Result<Self, DriverError> {
        let mut graph = std::ptr::null_mut();
        // SAFETY: it writes one handle.
        unsafe { sys::cuGraphCreate(&mut graph, 0) }.result()?;
        let graph = Graph(graph);
        let mut nodes: Vec<sys::CUgraphNode> = Vec::with_capacity(calls.len());
        for (call, &before) in calls.iter().zip(&waits) {
            let mut node = std::ptr::null_mut();
            let before: Vec<_> =
                launch_dependencies::nearest(before, &waits).into_iter().map(|nth| nodes[nth]).collect();
            // SAFETY: this function owns the graph, the nodes before belong to it, and the driver copies the arguments.
            call.as_node(|node_of| unsafe {
                sys::cuGraphAddKernelNode_v2(&mut node, graph.0, before.as_ptr(), before.len(), node_of)
            })
            .result()?;
            nodes.push(node);
        }
        let mut ready = std::ptr::null_mut();
        // SAFETY: it writes one handle.
        unsafe { sys::cuGraphInstantiateWithFlags(&mut ready, graph.0, 0) }.result()?;
        Ok(Self { waits, calls: Vec::new(), nodes, ready: Ready(ready), _graph: graph })
    }

    /// Whether the recording keeps all the dependencies `waits`; it may have more.
    fn keeps(&self, waits: &[Before]) -> bool {
        self.waits.iter().zip(waits).all(|(kept, needed)| needed & !kept == 0)
    }

    /// Updates the graph to the arguments of `calls`, which must be of the same kernels. A launch that is under way
    /// keeps its own arguments.
    fn set(&self, calls: &[Call]) -> Result<(), DriverError> {
        for ((node, old), new) in self.nodes.iter().zip(&self.calls).zip(calls) {
            if old.has_values_of(new) {
                continue;
            }
            // SAFETY: the node belongs to the graph that was instantiated, the kernel stays the same, and the driver
            // copies the arguments.
            new.as_node(|node_of| unsafe {
                sys::cuGraphExecKernelNodeSetParams_v2(self.ready.0, *node, node_of)
            })
            .result()?;
        }
        Ok(())
    }

    fn launch(&self, stream: &CudaStream) -> Result<(), DriverError> {
        // SAFETY: the graph is complete, and the buffers are as long as the kernels expect: see `Call::launch`.
        unsafe { sys::cuGraphLaunch(self.ready.0, stream.cu_stream()) }.result()
    }
}
