//! All distances of a graph: rows for sources, all rows as a stream, weighted sums of them, or the whole matrix.
//!
//! [`ShortestPaths`] is opened once for a graph, a [`DistanceRequest`] and a device, and then asked. Distances of all methods agree to
//! 1e-5 relative: a shortest path is the same, but the order of the additions along it differs. One method gives the same bits
//! for any number of threads.

mod dijkstra;
mod dissection;
mod engine;
mod floyd_warshall;
mod matrix;
mod method;
mod precision;
#[cfg(test)]
mod tests;
mod weighted_sums;

pub use engine::RowBlock;
pub use matrix::{DistanceMatrix, MatrixStorage};
pub use method::DistanceMethod;
pub use precision::{DistancePrecision, DistanceStep};
pub use weighted_sums::WeightedSums;

use crate::error::MeshError;
use crate::graph::Graph;
use dijkstra::Dijkstra;
use dissection::{Dissection, EliminationPlan};
use engine::Engine;
use floyd_warshall::TiledDistances;
use veloxel_core::{GraphKind, SystemMemory, fallible};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu, Device, DeviceKind};
use veloxel_kernels::paths::floyd_warshall::MatrixHalf;
use weighted_sums::SumsOf;

/// How distances are to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DistanceRequest {
    /// The method.
    pub method: DistanceMethod,
    /// Memory that may be used, bytes; none: what the system has.
    pub max_bytes: Option<u64>,
    /// What distances are kept in. Floyd–Warshall works on 16 bits then; other methods round once.
    pub precision: DistancePrecision,
}

impl DistanceRequest {
    fn budget(&self) -> u64 {
        let free = || SystemMemory::now().map(|memory| memory.available_bytes);
        self.max_bytes.or_else(free).unwrap_or(u64::MAX)
    }
}

/// A method that is opened for a graph: asked as often as needed.
///
/// ```
/// use veloxel_core::{ArcList, Control, GraphKind, WeightedArc};
/// use veloxel_gpu::Device;
/// use veloxel_mesh::{DistanceRequest, Graph, MatrixStorage, ShortestPaths};
///
/// let arcs = [(0, 1, 1.0), (1, 2, 2.5)].map(|(from, to, weight)| WeightedArc { from, to, weight });
/// let list = ArcList { nodes: 3, kind: GraphKind::Undirected, arcs: arcs.to_vec() };
/// let graph = Graph::new(&list, &Control::default())?;
/// let paths = ShortestPaths::open(&graph, DistanceRequest::default(), &Device::cpu(1)?)?;
/// assert_eq!(paths.distances_from(&[2])?, [3.5, 2.5, 0.0]);
/// assert_eq!(paths.matrix(MatrixStorage::Full)?.at(0, 2), 3.5);
/// # Ok::<(), veloxel_mesh::MeshError>(())
/// ```
#[derive(Debug)]
pub struct ShortestPaths {
    engine: Box<dyn Engine>,
    nodes: usize,
    kind: GraphKind,
    request: DistanceRequest,
    method: DistanceMethod,
    chosen_because: String,
    step: Option<DistanceStep>,
}

impl ShortestPaths {
    /// Chooses the method, and does the work that all rows share.
    ///
    /// # Errors
    /// [`MeshError::Directed`] for a method that does not take the graph; [`MeshError::Memory`] before memory is taken that is
    /// not there; [`MeshError::Compute`] of the device.
    pub fn open(graph: &Graph, request: DistanceRequest, device: &Device) -> Result<Self, MeshError> {
        let cpu = threads_of(device)?;
        let (mut method, mut chosen_because) = method::choose(request, graph)?;
        let is_free = request.method == DistanceMethod::Auto;
        let mut engine = None;
        if method == DistanceMethod::Dissection && is_free {
            let (needed_bytes, budget_bytes) = (EliminationPlan::bytes_to_make(graph), request.budget());
            if needed_bytes > budget_bytes {
                (method, chosen_because) = method::without_memory(needed_bytes, budget_bytes);
            }
        }
        if method == DistanceMethod::Dissection {
            let plan = EliminationPlan::new(graph, &cpu)?;
            if is_free && !method::is_worth(plan.operations(), graph) {
                (method, chosen_because) = method::without_separators(request, graph, device);
            } else {
                engine = match Dissection::new(plan, device, &cpu, request.budget()) {
                    Err(MeshError::Memory { needed_bytes, budget_bytes, .. }) if is_free => {
                        (method, chosen_because) = method::without_memory(needed_bytes, budget_bytes);
                        None
                    }
                    eliminated => Some(Box::new(eliminated?) as Box<dyn Engine>),
                };
            }
        }
        let engine = match engine {
            Some(engine) => engine,
            None => open_engine(method, graph, request, device, &cpu)?,
        };
        let step = match (request.precision, method) {
            (DistancePrecision::F32, _) => None,
            (_, DistanceMethod::FloydWarshall | DistanceMethod::FloydWarshallUndirected) => {
                Some(DistanceStep::of_arcs(graph, device.control())?)
            }
            _ => Some(DistanceStep::of_distances(graph, device.control())?),
        };
        Ok(Self { engine, nodes: graph.nodes(), kind: graph.kind(), request, method, chosen_because, step })
    }

    /// The method that runs; never [`DistanceMethod::Auto`].
    pub fn method(&self) -> DistanceMethod {
        self.method
    }
    /// Why this method runs, as half a sentence.
    pub fn chosen_because(&self) -> &str {
        &self.chosen_because
    }
    /// What distances of 16 bits are multiples of, and how far they may be from exact ones; none: they are floats.
    pub fn step(&self) -> Option<DistanceStep> {
        self.step
    }
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// A row of distances for each source, in their order.
    ///
    /// # Errors
    /// [`MeshError::NoSuchSource`]; [`MeshError::Memory`]; [`MeshError::Compute`].
    pub fn distances_from(&self, sources: &[u32]) -> Result<Vec<f32>, MeshError> {
        let mut rows = self.room(sources.len() * self.nodes, "rows of distances")?;
        // A source may be asked for more than once.
        let mut places: Vec<(u32, usize)> = sources.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let slots = Shared::new(&mut rows);
        self.for_each_row_of(sources, |source, row| {
            let first = places.partition_point(|place| place.0 < source);
            for (_, place) in places[first..].iter().take_while(|place| place.0 == source) {
                // SAFETY: every place belongs to one source, and every source is visited once.
                let slot = unsafe { slots.get_mut(place * self.nodes..(place + 1) * self.nodes) };
                slot.copy_from_slice(row);
            }
        })?;
        Ok(rows)
    }

    /// Gives the row of each source to `visit`, once, in any order and from any thread.
    ///
    /// # Errors
    /// [`MeshError::NoSuchSource`]; [`MeshError::Compute`].
    pub fn for_each_row_of(
        &self,
        sources: &[u32],
        visit: impl Fn(u32, &[f32]) + Sync,
    ) -> Result<(), MeshError> {
        self.check(sources)?;
        let mut once: Vec<u32> = sources.to_vec();
        once.sort_unstable();
        once.dedup();
        self.engine.rows(&once, &|block| block.iter().for_each(|(source, row)| visit(source, row)))
    }

    /// Gives every row of the matrix to `visit`, once each, in blocks, in any order and from any thread; the matrix is not kept.
    ///
    /// # Errors
    /// [`MeshError::Compute`] of the device.
    pub(crate) fn for_each_block(&self, visit: impl Fn(RowBlock<'_>) + Sync) -> Result<(), MeshError> {
        let sources: Vec<u32> = (0..self.nodes as u32).collect();
        self.engine.rows(&sources, &visit)
    }

    /// `Σ_g D(f, g) · table[g][j]` for every node f and column j; distances that are infinite are left out and counted.
    ///
    /// `table` holds a row of `columns` numbers for each node. The matrix is not kept.
    ///
    /// # Errors
    /// [`MeshError::Count`] for a table of another length; [`MeshError::Compute`] of the device.
    pub fn weighted_sums(&self, table: &[f32], columns: usize) -> Result<WeightedSums, MeshError> {
        let expected = self.nodes * columns;
        if table.len() != expected {
            return Err(MeshError::Count { what: "the table of weights", expected, got: table.len() });
        }
        if columns == 0 {
            return Ok(WeightedSums::zeros(self.nodes, 0));
        }
        self.engine.weighted_sums(self.nodes, SumsOf { columns, table })
    }

    /// All distances.
    ///
    /// # Errors
    /// [`MeshError::Memory`] with the bytes if they do not fit; [`MeshError::Directed`] for half of the matrix of a directed
    /// graph; [`MeshError::Compute`] of the device.
    pub fn matrix(&self, storage: MatrixStorage) -> Result<DistanceMatrix, MeshError> {
        if storage == MatrixStorage::LowerTriangle && self.kind == GraphKind::Directed {
            return Err(MeshError::Directed { method: "lower triangle", ways_out: "the full matrix" });
        }
        let mut distances = self.room(storage.len(self.nodes), "the matrix of distances")?;
        let slots = Shared::new(&mut distances);
        self.for_each_block(|block| {
            for (source, row) in block.iter() {
                let source = source as usize;
                let (begin, len) = (storage.begin(source, self.nodes), storage.row_len(source, self.nodes));
                // SAFETY: every row is visited once.
                unsafe { slots.get_mut(begin..begin + len) }.copy_from_slice(&row[..len]);
            }
        })?;
        Ok(DistanceMatrix { nodes: self.nodes, storage, distances })
    }

    /// The whole matrix on a device, a row for each node: where the method works on that GPU, it never leaves it.
    ///
    /// # Errors
    /// As [`Self::matrix`]; [`MeshError::Compute`] also for a matrix that does not fit on the device.
    pub fn resident_matrix(&self, device: &Device) -> Result<Buffer, MeshError> {
        let sources: Vec<u32> = (0..self.nodes as u32).collect();
        match self.engine.resident_rows(&sources) {
            Some(matrix) => matrix,
            None => Ok(device.upload(self.matrix(MatrixStorage::Full)?.into_distances())?),
        }
    }

    /// A row of distances for each source, in their order, on a device: where the method works on that GPU, they never leave it.
    ///
    /// # Errors
    /// As [`Self::distances_from`]; [`MeshError::Compute`] also for rows that do not fit on the device.
    pub(crate) fn resident_rows(&self, sources: &[u32], device: &Device) -> Result<Buffer, MeshError> {
        self.check(sources)?;
        match self.engine.resident_rows(sources) {
            Some(rows) => rows,
            None => Ok(device.upload(self.distances_from(sources)?)?),
        }
    }

    fn check(&self, sources: &[u32]) -> Result<(), MeshError> {
        match sources.iter().find(|&&source| source as usize >= self.nodes) {
            Some(&node) => Err(MeshError::NoSuchSource { node, nodes: self.nodes }),
            None => Ok(()),
        }
    }

    /// Memory for so many distances, or an error that says how much there is.
    fn room(&self, len: usize, what: &str) -> Result<Vec<f32>, MeshError> {
        let needed_bytes = 4 * len as u64;
        let budget_bytes = self.request.budget();
        if needed_bytes > budget_bytes || fallible::room_for::<f32>(len).is_none() {
            let what = format!("{what} of {} nodes", self.nodes);
            let ways_out = "stream the rows instead, ask for fewer sources, or allow more";
            return Err(MeshError::Memory { what, needed_bytes, budget_bytes, ways_out });
        }
        Ok(vec![0.0; len])
    }
}

fn open_engine(
    method: DistanceMethod,
    graph: &Graph,
    request: DistanceRequest,
    device: &Device,
    cpu: &Cpu,
) -> Result<Box<dyn Engine>, MeshError> {
    let tiled = |half: MatrixHalf| TiledDistances::new(graph, half, request, device, cpu);
    Ok(match method {
        DistanceMethod::Dissection => {
            Box::new(Dissection::new(EliminationPlan::new(graph, cpu)?, device, cpu, request.budget())?)
        }
        DistanceMethod::FloydWarshall => Box::new(tiled(MatrixHalf::Both)?),
        DistanceMethod::FloydWarshallUndirected => Box::new(tiled(MatrixHalf::Lower)?),
        DistanceMethod::Dijkstra | DistanceMethod::Auto => {
            Box::new(Dijkstra { graph: graph.clone(), cpu: cpu.clone() })
        }
    })
}

/// The threads of the processor: those of the device, if it is one.
fn threads_of(device: &Device) -> Result<Cpu, MeshError> {
    match device.kind() {
        DeviceKind::Cpu(cpu) => Ok(cpu.clone()),
        DeviceKind::Gpu(_) => Ok(Cpu::new(0)?.controlled_by(device.control().clone())),
    }
}
