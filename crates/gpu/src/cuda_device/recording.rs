//! Runs of launches that the driver has recorded as CUDA graphs: launching a recording takes it as long as launching one
//! kernel, and the grids of a hierarchy's lower end take longer to launch than to compute.
//!
//! A run is known by its kernels and their numbers of workgroups. It is launched one by one when it is first seen, recorded
//! when it is seen again, and from then on replayed; arguments that have changed since (a buffer elsewhere, another number)
//! are set before. Launches of a recording wait for those whose memory they need, and for no others.

use super::kernel_call::Call;
use super::launch_dependencies::{self, Before};
use cudarc::driver::{CudaStream, DriverError, sys};
use std::collections::HashMap;

/// Shorter runs are not worth it.
const SHORTEST: usize = 4;
/// Runs remembered: more than a method asks for on one grid.
const MOST_RUNS: usize = 256;

/// What a run is known by.
type Key = Vec<(usize, [u32; 3])>;

/// The runs seen so far; none is recorded until it has been seen twice.
#[derive(Default)]
pub(super) struct Recordings {
    seen: HashMap<Key, Option<Recording>>,
}

impl Recordings {
    /// Runs `calls` from a recording and takes them, if they are worth one; else they are still to be launched.
    ///
    /// # Errors
    /// The driver's, with nothing launched; no recording may be used any more.
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
                // The same kernels on memory that is shared otherwise: from now on both orders are kept.
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

/// A graph of calls, ready to be launched.
struct Recording {
    /// Whom each call waits for.
    waits: Vec<Before>,
    /// What it was last launched with.
    calls: Vec<Call>,
    /// They belong to the graph.
    nodes: Vec<sys::CUgraphNode>,
    ready: Ready,
    _graph: Graph,
}

/// What the driver keeps; destroyed when dropped. A launch that is under way ends first.
struct Graph(sys::CUgraph);
struct Ready(sys::CUgraphExec);

// SAFETY: the handles may be used from any thread that has their context current, by one at a time.
unsafe impl Send for Recording {}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: made by `cuGraphCreate`, and nobody else has it.
        let _ = unsafe { sys::cuGraphDestroy(self.0) };
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        // SAFETY: made by `cuGraphInstantiateWithFlags`, and nobody else has it.
        let _ = unsafe { sys::cuGraphExecDestroy(self.0) };
    }
}

impl Recording {
    /// Records calls. The context must be current, here and below.
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
            // SAFETY: the graph is ours, the nodes before are of it, and the driver copies the arguments.
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

    /// Whether calls that have to wait like this do so.
    fn keeps(&self, waits: &[Before]) -> bool {
        self.waits.iter().zip(waits).all(|(kept, needed)| needed & !kept == 0)
    }

    /// Gives the recording the arguments of `calls`, which are of the same kernels; launches under way keep theirs.
    fn set(&self, calls: &[Call]) -> Result<(), DriverError> {
        for ((node, old), new) in self.nodes.iter().zip(&self.calls).zip(calls) {
            if old.has_values_of(new) {
                continue;
            }
            // SAFETY: the node is one of the graph that this was made from, the kernel stays the same, and the driver
            // copies the arguments.
            new.as_node(|node_of| unsafe {
                sys::cuGraphExecKernelNodeSetParams_v2(self.ready.0, *node, node_of)
            })
            .result()?;
        }
        Ok(())
    }

    fn launch(&self, stream: &CudaStream) -> Result<(), DriverError> {
        // SAFETY: the graph is whole, and buffers are as long as the kernels expect: see `Call::launch`.
        unsafe { sys::cuGraphLaunch(self.ready.0, stream.cu_stream()) }.result()
    }
}
