//! CUDA graphs of a run of tasks: one for each GPU that has a part in it.
//!
//! On one GPU, tasks depend on those whose memory they share. Of several GPUs, the first has the tasks that it does alone, and each has
//! its share of those that are divided; before a task that needs what another GPU did, all wait for each other
//! ([`GraphKernels::wait`](super::several::GraphKernels::wait)). They also do before the first task of a run with divided ones and
//! after the last of these, so that other work on the streams of the GPUs needs to know nothing of the graphs.

use super::launch_dependencies::{self, Before};
use super::several::{Copied, GraphKernels, Several, Share, in_one_order};
use super::task::{Alone, Task};
use crate::launches::parts::Rectangle;
use cudarc::driver::{CudaContext, CudaStream, DriverError, sys};
use std::sync::Arc;
use wgsl_to_cuda::LaunchPart;

/// The GPUs that work as one device.
#[derive(Clone, Copy)]
pub(super) struct Gpus<'a> {
    /// The stream of the first one.
    pub first: &'a Arc<CudaStream>,
    /// All of them, if there are several.
    pub several: Option<&'a Several>,
}

impl<'a> Gpus<'a> {
    /// Whether tasks can be recorded: divided ones cannot where GPUs do not reach each other's memory.
    pub fn record(self, tasks: &[Task]) -> bool {
        let waits = self.several.is_some_and(|several| several.graph_kernels.is_some());
        waits || !tasks.iter().any(Task::is_divided)
    }

    /// The streams of the GPUs that have graphs of a run.
    fn streams(self, are_divided: bool) -> Vec<&'a Arc<CudaStream>> {
        let others = self.several.filter(|_| are_divided).into_iter().flat_map(Several::other_streams);
        std::iter::once(self.first).chain(others).collect()
    }

    fn several(self) -> (&'a Several, &'a GraphKernels) {
        let several = self.several.expect("a divided launch should be of several GPUs");
        (several, several.graph_kernels.as_ref().expect("what cannot be recorded should not be"))
    }
}

/// When kernels of a recording begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    /// Kernels begin once everything that they depend on has ended.
    InTurn,
    /// Kernels that wait by themselves begin before that.
    Early,
}

/// The graphs of a run, and the nodes of each task in them.
pub(super) struct RunGraphs {
    graphs: Vec<OwnGraph>,
    nodes: Vec<TaskNodes>,
}

/// Nodes of a task, of each GPU that has a part in it.
type TaskNodes = Vec<Vec<sys::CUgraphNode>>;

/// The graph of a GPU, instantiated.
struct OwnGraph {
    ready: Ready,
    _graph: Graph,
    /// Keeps the context that the handles need.
    context: Arc<CudaContext>,
}

/// Handles of the driver, destroyed when dropped. A launch that is under way still completes.
struct Graph(sys::CUgraph);
struct Ready(sys::CUgraphExec);

// SAFETY: the handles may be used from any thread that has their context current, by one thread at a time.
unsafe impl Send for RunGraphs {}

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

impl Graph {
    fn new() -> Result<Self, DriverError> {
        let mut graph = std::ptr::null_mut();
        // SAFETY: it writes one handle.
        unsafe { sys::cuGraphCreate(&mut graph, 0) }.result()?;
        Ok(Self(graph))
    }

    /// Adds a kernel's node after other nodes.
    fn add_kernel(
        &self,
        node_of: &sys::CUDA_KERNEL_NODE_PARAMS,
        before: &[sys::CUgraphNode],
    ) -> Result<sys::CUgraphNode, DriverError> {
        let mut node = std::ptr::null_mut();
        // SAFETY: the nodes before belong to the graph, and the driver copies what it is given.
        unsafe {
            sys::cuGraphAddKernelNode_v2(&mut node, self.0, before.as_ptr(), before.len(), node_of)
                .result()?;
        }
        Ok(node)
    }
}

impl RunGraphs {
    /// Builds and instantiates the graphs of `tasks` with the dependencies `waits`. The context of the first GPU must be current,
    /// here and in the functions below, and is so afterwards.
    pub fn new(
        tasks: &[Task],
        begins: Begins,
        waits: &[Before],
        gpus: Gpus<'_>,
    ) -> Result<Self, DriverError> {
        let are_divided = tasks.iter().any(Task::is_divided);
        let streams = gpus.streams(are_divided);
        let mut made = Made { tasks, begins, waits, gpus, sides: Vec::new(), nodes: Vec::new(), since: 0 };
        for stream in &streams {
            let context = stream.context().clone();
            made.sides.push(Side { context, graph: Graph::new()?, wait: None, last: Vec::new() });
        }
        if are_divided {
            made.wait_for_each_other()?;
        }
        (0..tasks.len()).try_for_each(|nth| made.add(nth))?;
        if made.has_divided(made.since) {
            made.wait_for_each_other()?;
        }
        let Made { sides, nodes, .. } = made;
        let graphs: Vec<OwnGraph> = sides.into_iter().map(Side::instantiated).collect::<Result<_, _>>()?;
        if graphs.len() > 1 {
            // What a graph's first launch needs is found before the first of several is launched.
            for (OwnGraph { ready, context, .. }, stream) in graphs.iter().zip(&streams) {
                context.bind_to_thread()?;
                // SAFETY: the graph is complete, and the stream is of its GPU.
                unsafe { sys::cuGraphUpload(ready.0, stream.cu_stream()) }.result()?;
            }
        }
        gpus.first.context().bind_to_thread()?;
        Ok(Self { graphs, nodes })
    }

    /// Gives a task's arguments to its nodes.
    pub fn set(&self, nth: usize, task: &Task, gpus: Gpus<'_>) -> Result<(), DriverError> {
        let nodes = &self.nodes[nth];
        match task {
            Task::Alone(task) => {
                let [OwnGraph { ready, context, .. }, ..] = self.graphs.as_slice() else { return Ok(()) };
                nodes.iter().flatten().try_for_each(|&node| task.set(ready.0, context.cu_ctx(), node))
            }
            Task::Divided(divided) => {
                let (several, kernels) = gpus.several();
                for (nth, (own, OwnGraph { ready, context, .. })) in
                    nodes.iter().zip(&self.graphs).enumerate()
                {
                    let share = several.share(divided, nth)?;
                    context.bind_to_thread()?;
                    let mut own = own.iter();
                    each_node(&share, kernels, nth, |node_of, _| {
                        let node = *own.next().expect("a task should keep its number of nodes");
                        // SAFETY: the node belongs to the graph that was instantiated, its kernel stays the same, and the driver
                        // copies what it is given.
                        unsafe { sys::cuGraphExecKernelNodeSetParams_v2(ready.0, node, node_of) }.result()
                    })?;
                }
                gpus.first.context().bind_to_thread()
            }
        }
    }

    /// Launches the graphs on the streams of their GPUs.
    pub fn launch(&self, gpus: Gpus<'_>) -> Result<(), NotLaunched> {
        let Some(several) = gpus.several.filter(|_| self.graphs.len() > 1) else {
            return Ok(self.graphs[0].launch(gpus.first)?);
        };
        let _in_one_order = in_one_order();
        several.begin_together(gpus.first)?;
        for (nth, (graph, stream)) in self.graphs.iter().zip(gpus.streams(true)).enumerate() {
            let launched = graph.context.bind_to_thread().and_then(|()| graph.launch(stream));
            launched.map_err(|e| if nth == 0 { NotLaunched::Any } else { NotLaunched::Some(e) })?;
        }
        gpus.first.context().bind_to_thread().map_err(NotLaunched::Some)
    }
}

/// Graphs of a run that were not launched.
pub(super) enum NotLaunched {
    /// No graph was launched: the run can go another way, which tells the reason if there is one.
    Any,
    /// The first graphs were launched, and wait for the others in vain; with the reason of the driver.
    Some(DriverError),
}

impl From<DriverError> for NotLaunched {
    fn from(_: DriverError) -> Self {
        Self::Any
    }
}

impl OwnGraph {
    fn launch(&self, stream: &CudaStream) -> Result<(), DriverError> {
        // SAFETY: the graph is complete, and the buffers are as long as the kernels expect: see `Call::launch`.
        unsafe { sys::cuGraphLaunch(self.ready.0, stream.cu_stream()) }.result()
    }
}

/// Part of what a GPU does of a divided task.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Copy,
    Workgroups,
}

/// Calls `take` with the nodes of a GPU's share of a divided task: copies, then workgroups.
fn each_node(
    share: &Share,
    kernels: &GraphKernels,
    nth: usize,
    mut take: impl FnMut(&sys::CUDA_KERNEL_NODE_PARAMS, Part) -> Result<(), DriverError>,
) -> Result<(), DriverError> {
    let Share { copies, call, function, parts } = share;
    let mut copy = |copied: &Copied| kernels.copy(nth, copied, |node_of| take(node_of, Part::Copy));
    copies.iter().try_for_each(&mut copy)?;
    parts.iter().try_for_each(|Rectangle { first, groups }| {
        let part = LaunchPart { first: *first, all: call.groups };
        call.as_part_node(function.0, *groups, part, |node_of| take(node_of, Part::Workgroups))
    })
}

/// The graphs of a run while they are made.
struct Made<'a> {
    tasks: &'a [Task],
    begins: Begins,
    waits: &'a [Before],
    gpus: Gpus<'a>,
    sides: Vec<Side>,
    nodes: Vec<TaskNodes>,
    /// The tasks since GPUs waited for each other.
    since: Before,
}

/// The graph of a GPU while it is made.
struct Side {
    context: Arc<CudaContext>,
    graph: Graph,
    /// The last wait for the other GPUs.
    wait: Option<sys::CUgraphNode>,
    /// What the next wait comes after: all nodes since the last one.
    last: Vec<sys::CUgraphNode>,
}

impl Side {
    /// The nodes that everything waited for, which were added so far.
    fn waited(&self) -> Vec<sys::CUgraphNode> {
        self.wait.into_iter().collect()
    }

    fn instantiated(self) -> Result<OwnGraph, DriverError> {
        self.context.bind_to_thread()?;
        let mut ready = std::ptr::null_mut();
        // SAFETY: it writes one handle.
        unsafe { sys::cuGraphInstantiateWithFlags(&mut ready, self.graph.0, 0) }.result()?;
        Ok(OwnGraph { ready: Ready(ready), _graph: self.graph, context: self.context })
    }
}

impl Made<'_> {
    /// Whether a set of tasks has one that is divided.
    fn has_divided(&self, set: Before) -> bool {
        (0..self.nodes.len()).any(|nth| set >> nth & 1 == 1 && self.tasks[nth].is_divided())
    }

    /// Adds the nodes of a task.
    fn add(&mut self, nth: usize) -> Result<(), DriverError> {
        let task = &self.tasks[nth];
        let needed = self.waits[nth] & self.since;
        if needed != 0 && (task.is_divided() || self.has_divided(needed)) {
            self.wait_for_each_other()?;
        }
        let nodes = match task {
            Task::Alone(alone) => vec![vec![self.add_alone(nth, alone)?]],
            Task::Divided(divided) => {
                let (several, kernels) = self.gpus.several();
                let shares = (0..self.sides.len()).map(|gpu| several.share(divided, gpu));
                let shares = shares.collect::<Result<Vec<_>, _>>()?;
                let added = self.sides.iter_mut().zip(&shares).enumerate();
                added.map(|(gpu, (side, share))| side.add(share, kernels, gpu)).collect::<Result<_, _>>()?
            }
        };
        self.nodes.push(nodes);
        self.since |= 1 << nth;
        Ok(())
    }

    /// Adds what the first GPU does alone.
    fn add_alone(&mut self, nth: usize, alone: &Alone) -> Result<sys::CUgraphNode, DriverError> {
        let early = |before: &usize| {
            self.begins == Begins::Early && self.tasks[nth].begins_early_after(&self.tasks[*before])
        };
        let nearest = launch_dependencies::nearest(self.waits[nth], self.waits);
        let since = nearest.into_iter().filter(|&before| self.since >> before & 1 == 1);
        let (early, ended): (Vec<_>, Vec<_>) = since.partition(early);
        let nodes_of =
            |all: Vec<usize>| all.into_iter().map(|before| self.nodes[before][0][0]).collect::<Vec<_>>();
        let (early, mut ended) = (nodes_of(early), nodes_of(ended));
        let side = &mut self.sides[0];
        ended.extend(side.wait);
        side.context.bind_to_thread()?;
        let node = alone.add_to(side.graph.0, side.context.cu_ctx(), &ended)?;
        begin_early(side.graph.0, &early, node)?;
        side.last.push(node);
        Ok(node)
    }

    /// Makes all GPUs wait for each other before the next task.
    fn wait_for_each_other(&mut self) -> Result<(), DriverError> {
        let (_, kernels) = self.gpus.several();
        for (nth, side) in self.sides.iter_mut().enumerate() {
            side.context.bind_to_thread()?;
            let before = if side.last.is_empty() { side.waited() } else { std::mem::take(&mut side.last) };
            side.wait = Some(kernels.wait(nth, |node_of| side.graph.add_kernel(node_of, &before))?);
        }
        self.since = 0;
        Ok(())
    }
}

impl Side {
    /// Adds the nodes of the GPU's share of a divided task: copies after the last that read what they write over, workgroups after
    /// the copies.
    fn add(
        &mut self,
        share: &Share,
        kernels: &GraphKernels,
        nth: usize,
    ) -> Result<Vec<sys::CUgraphNode>, DriverError> {
        self.context.bind_to_thread()?;
        let (mut copies, mut nodes) = (Vec::new(), Vec::new());
        let before_copies = if self.last.is_empty() { self.waited() } else { self.last.clone() };
        let waited = self.waited();
        each_node(share, kernels, nth, |node_of, part| {
            let before = match part {
                Part::Copy => &before_copies,
                Part::Workgroups if copies.is_empty() => &waited,
                Part::Workgroups => &copies,
            };
            let node = self.graph.add_kernel(node_of, before)?;
            if part == Part::Copy {
                copies.push(node);
            }
            nodes.push(node);
            Ok(())
        })?;
        self.last.extend(&nodes);
        Ok(nodes)
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
