//! Runs of launches, recorded as CUDA graphs. The host needs as long to launch a recorded run as to launch one kernel.
//! That matters on the coarse levels of a hierarchy, where a kernel takes longer to launch than to compute.
//!
//! A run is identified by its kernels and their numbers of workgroups. The first time, its kernels are launched one by
//! one. The second time it is recorded, and from then on it is replayed. Arguments that changed since the last launch
//! (a buffer's address, a number) are updated in the graph first. Launches within a graph depend only on those whose
//! memory they share ([`launch_dependencies`]).
//!
//! A kernel that [waits by itself](wgsl_to_cuda::AWAITS) begins when the workgroups of the kernels that it depends on have
//! ended, before their memory can be seen (a *programmatic* edge of the graph): this saves a fifth of a microsecond a launch.
//! Its end comes after theirs, so that what depends on it comes after them as well. (To begin still earlier, with the last of
//! those workgroups, costs more than it saves where a kernel fills the device.)

use super::fast_map::FastMap;
use super::kernel_call::Call;
use super::launch_dependencies::{self, Access, Before, Needs};
use super::profile::HostTimes;
use cudarc::driver::{CudaEvent, CudaStream, DriverError, result, sys};
use std::sync::Arc;

/// Minimal number of launches of a recorded run; a shorter one gains nothing.
const SHORTEST: usize = 4;
/// Maximal number of runs remembered: more than a method launches on one grid.
const MOST_RUNS: usize = 256;

/// A part of a run.
pub(super) enum Task {
    /// A launch of a kernel.
    Launch(Call),
    /// Sets so many bytes to 0, from an address on.
    Clear(Access, usize),
    /// Records an event after everything before it.
    Event(Arc<CudaEvent>),
}

/// The identity of a run: each kernel's function and its numbers of workgroups; bytes that are cleared; 0 for an event.
type Key = Vec<(usize, [u32; 3])>;

impl Task {
    fn key(&self) -> (usize, [u32; 3]) {
        match self {
            Self::Launch(call) => (call.kernel.function.addr(), call.groups),
            Self::Clear(_, bytes) => (*bytes, [0; 3]),
            Self::Event(_) => (0, [0; 3]),
        }
    }

    /// Submits the task to a stream.
    pub(crate) fn submit(&self, stream: &CudaStream) -> Result<(), DriverError> {
        match self {
            Self::Launch(call) => call.launch(stream),
            // SAFETY: the memory has at least that many bytes, and its next owner's work comes later on the same stream.
            Self::Clear(memory, bytes) => unsafe {
                result::memset_d8_async(memory.address, 0, *bytes, stream.cu_stream())
            },
            Self::Event(event) => event.record(stream),
        }
    }

    /// Whether both have the same arguments; both must have the same key.
    fn has_values_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Launch(call), Self::Launch(other)) => call.has_values_of(other),
            (Self::Clear(memory, _), Self::Clear(other, _)) => memory == other,
            _ => false,
        }
    }

    /// Whether the task may begin before an earlier task whose results it needs has ended.
    fn begins_early_after(&self, before: &Self) -> bool {
        matches!((self, before), (Self::Launch(call), Self::Launch(_)) if call.kernel.awaits)
    }

    /// Adds the task to a graph, after other nodes of it.
    fn add_to(
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
    fn set(
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

/// Lets a kernel of a graph begin while kernels that it depends on still run.
fn begin_early(
    graph: sys::CUgraph,
    before: &[sys::CUgraphNode],
    node: sys::CUgraphNode,
) -> Result<(), DriverError> {
    let edge = sys::CUgraphEdgeData {
        from_port: sys::CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC as u8,
        to_port: 0,
        type_: sys::CUgraphDependencyType::CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC as u8,
        reserved: [0; 5],
    };
    let (to, edges) = (vec![node; before.len()], vec![edge; before.len()]);
    // SAFETY: all are nodes of the graph, the three arrays have the same length, and the driver copies them.
    unsafe {
        sys::cuGraphAddDependencies_v2(graph, before.as_ptr(), to.as_ptr(), edges.as_ptr(), before.len())
    }
    .result()
}

/// The dependencies of a run.
fn waits(tasks: &[Task]) -> Vec<Before> {
    launch_dependencies::waits(tasks.iter().map(|task| match task {
        Task::Launch(call) => Needs::Memory(&call.accesses),
        Task::Clear(memory, _) => Needs::Memory(std::slice::from_ref(memory)),
        Task::Event(_) => Needs::All,
    }))
}

/// The runs seen so far; the value is `None` after a run was seen once, and a recording from the second time on.
pub(super) struct Recordings {
    seen: FastMap<Key, Option<Recording>>,
    begins: Begins,
}

/// When kernels of a recording begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    /// Kernels begin once everything that they depend on has ended.
    InTurn,
    /// Kernels that wait by themselves begin before that.
    Early,
}

impl Recordings {
    pub fn new(begins: Begins) -> Self {
        Self { seen: FastMap::default(), begins }
    }

    /// Submits `tasks` from a recording and empties them. Returns false, and leaves `tasks` for the caller to submit,
    /// if the run is too short, too long, or new.
    ///
    /// # Errors
    /// The driver's error. Nothing was submitted then, and no recording may be used any more.
    pub fn run(
        &mut self,
        tasks: &mut Vec<Task>,
        stream: &CudaStream,
        times: &HostTimes,
    ) -> Result<bool, DriverError> {
        if tasks.len() < SHORTEST || tasks.len() > launch_dependencies::MOST {
            return Ok(false);
        }
        let context = stream.context().cu_ctx();
        let key: Key = tasks.iter().map(Task::key).collect();
        if let Some(seen) = self.seen.get_mut(&key) {
            let recording = match seen {
                Some(recording) if recording.repeats(tasks) || recording.keeps(&waits(tasks)) => {
                    times.time("replay: new arguments", || recording.set(tasks, context))?;
                    recording
                }
                // The same kernels, but their buffers are shared in another way. The new recording keeps the
                // dependencies of both.
                Some(recording) => {
                    let waits = launch_dependencies::both(&recording.waits, &waits(tasks));
                    let new = || Recording::new(tasks, self.begins, waits, context);
                    seen.insert(times.time("replay: record", new)?)
                }
                None => {
                    let new = || Recording::new(tasks, self.begins, waits(tasks), context);
                    seen.insert(times.time("replay: record", new)?)
                }
            };
            times.time("replay: launch", || recording.launch(stream))?;
            recording.tasks = std::mem::take(tasks);
            return Ok(true);
        }
        if self.seen.len() >= MOST_RUNS {
            self.seen.clear();
        }
        self.seen.insert(key, None);
        Ok(false)
    }
}

/// A CUDA graph of tasks, instantiated.
struct Recording {
    /// For each task, the set of earlier ones that it waits for.
    waits: Vec<Before>,
    /// The tasks, with their arguments, of the last launch; empty before the first.
    tasks: Vec<Task>,
    /// The graph's nodes, one for each task; owned by `_graph`.
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
    /// Builds and instantiates a graph of `tasks` with the dependencies `waits`. The context must be current, here and
    /// in the functions below.
    fn new(
        tasks: &[Task],
        begins: Begins,
        waits: Vec<Before>,
        context: sys::CUcontext,
    ) -> Result<Self, DriverError> {
        let mut graph = std::ptr::null_mut();
        // SAFETY: it writes one handle.
        unsafe { sys::cuGraphCreate(&mut graph, 0) }.result()?;
        let graph = Graph(graph);
        let mut nodes: Vec<sys::CUgraphNode> = Vec::with_capacity(tasks.len());
        for (task, &before) in tasks.iter().zip(&waits) {
            let early = |nth: &usize| begins == Begins::Early && task.begins_early_after(&tasks[*nth]);
            let (early, ended): (Vec<_>, Vec<_>) =
                launch_dependencies::nearest(before, &waits).into_iter().partition(early);
            let nodes_of = |all: Vec<usize>| all.into_iter().map(|nth| nodes[nth]).collect::<Vec<_>>();
            let (early, ended) = (nodes_of(early), nodes_of(ended));
            let node = task.add_to(graph.0, context, &ended)?;
            begin_early(graph.0, &early, node)?;
            nodes.push(node);
        }
        let mut ready = std::ptr::null_mut();
        // SAFETY: it writes one handle.
        unsafe { sys::cuGraphInstantiateWithFlags(&mut ready, graph.0, 0) }.result()?;
        Ok(Self { waits, tasks: Vec::new(), nodes, ready: Ready(ready), _graph: graph })
    }

    /// Whether all tasks use the memory that they used before.
    fn repeats(&self, tasks: &[Task]) -> bool {
        let same = |(old, new): (&Task, &Task)| matches!(new, Task::Event(_)) || old.has_values_of(new);
        self.tasks.len() == tasks.len() && self.tasks.iter().zip(tasks).all(same)
    }

    /// Whether the recording keeps all the dependencies `waits`; it may have more.
    fn keeps(&self, waits: &[Before]) -> bool {
        self.waits.iter().zip(waits).all(|(kept, needed)| needed & !kept == 0)
    }

    /// Updates the graph to the arguments of `tasks`, which must be those it was made of except for these arguments. Launches
    /// that are under way keep their own arguments.
    fn set(&self, tasks: &[Task], context: sys::CUcontext) -> Result<(), DriverError> {
        for ((node, old), new) in self.nodes.iter().zip(&self.tasks).zip(tasks) {
            if !old.has_values_of(new) {
                new.set(self.ready.0, context, *node)?;
            }
        }
        Ok(())
    }

    fn launch(&self, stream: &CudaStream) -> Result<(), DriverError> {
        // SAFETY: the graph is complete, and the buffers are as long as the kernels expect: see `Call::launch`.
        unsafe { sys::cuGraphLaunch(self.ready.0, stream.cu_stream()) }.result()
    }
}
