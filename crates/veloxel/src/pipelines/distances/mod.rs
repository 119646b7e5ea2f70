//! A graph in, all its distances out: row by row as they are found, or as one matrix.

mod faces;
mod source;

use crate::pipelines::account::Account;
use crate::pipelines::segment::warn_of_rays;
use crate::{Result, Session};
pub use faces::FaceGraph;
pub use source::{ArcRows, GraphSource};
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};
use veloxel_core::{GraphKind, Stage, WarningKind, Warnings, fallible};
pub use veloxel_mesh::{DistanceMethod, DistancePrecision, DistanceStep};
use veloxel_mesh::{DistanceRequest, Graph, LeftOut, MeshError, ShortestPaths};
use veloxel_report::number::counted;

/// A graph, and which of its distances are wanted.
#[derive(Debug, Clone, Copy)]
pub struct DistancesRequest<'a> {
    /// The graph, or the arcs that it is made from.
    pub graph: GraphSource<'a>,
    /// Nodes whose rows are wanted, in their order; none: all.
    pub sources: Option<&'a [u32]>,
    /// The algorithm.
    pub algorithm: DistanceMethod,
    /// The type of number that distances are given as.
    pub precision: DistancePrecision,
}

impl<'a> DistancesRequest<'a> {
    /// All distances of a graph as 32-bit floats, by the algorithm that suits it.
    pub fn new(graph: impl Into<GraphSource<'a>>) -> Self {
        Self {
            graph: graph.into(),
            sources: None,
            algorithm: DistanceMethod::Auto,
            precision: DistancePrecision::F32,
        }
    }
}

/// The distances from one node to all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DistanceRow<'a> {
    /// Infinite where no path leads.
    Floats(&'a [f32]),
    /// Whole numbers that count a step; 32767 where no path leads.
    Steps(&'a [u16]),
}

/// Distances, a row for each source, one behind the other.
#[derive(Debug, Clone, PartialEq)]
pub enum DistanceValues {
    /// Infinite where no path leads.
    Floats(Vec<f32>),
    /// Whole numbers that count a step; 32767 where no path leads.
    Steps(Vec<u16>),
}

/// Statistics over all rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DistancesFound {
    /// Pairs that no path joins, among those asked for.
    pub unreachable_pairs: u64,
    /// The longest distance that is finite.
    pub longest: f32,
}

/// All distances that were asked for, as one matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct DistancesResult {
    /// The matrix.
    pub values: DistanceValues,
    /// Its rows, one a source.
    pub rows: usize,
    /// Its columns, one a node.
    pub columns: usize,
    /// What it holds.
    pub found: DistancesFound,
    /// What numbers of 16 bits count, and how far they may be from exact distances; none: they are floats.
    pub step: Option<DistanceStep>,
    /// The algorithm that ran.
    pub algorithm: DistanceMethod,
    /// Why that algorithm ran, as half a sentence.
    pub chosen_because: String,
    /// How the run went.
    pub account: Account,
}

/// Distances that are found row by row: opened once for a request, then asked.
#[derive(Debug)]
pub struct Distances<'a> {
    paths: ShortestPaths,
    sources: Vec<u32>,
    /// The node of each row and column, where they are not the nodes themselves: faces that stand for several triangles.
    node_of: Option<Vec<u32>>,
    session: &'a Session,
    /// How the run went until now.
    pub account: Account,
}

/// Finds the distances of a graph, as one matrix in memory; [`Distances`] finds them row by row.
///
/// ```
/// use veloxel::pipelines::distances::{DistanceValues, DistancesRequest, distances};
/// use veloxel::{ArcList, Device, Graph, GraphKind, Session, WeightedArc};
///
/// let arcs = [(0, 1, 1.0), (1, 2, 2.5)].map(|(from, to, weight)| WeightedArc { from, to, weight });
/// let session = Session::on(Device::cpu(1)?);
/// let list = ArcList { nodes: 3, kind: GraphKind::Undirected, arcs: arcs.to_vec() };
/// let graph = Graph::new(&list, session.control())?;
/// let found = distances(&DistancesRequest::new(&graph), &session)?;
/// assert_eq!(found.values, DistanceValues::Floats(vec![0.0, 1.0, 3.5, 1.0, 0.0, 2.5, 3.5, 2.5, 0.0]));
/// # Ok::<(), veloxel::VeloxelError>(())
/// ```
///
/// # Errors
/// As [`Distances::open`] and [`Distances::for_each_row`].
pub fn distances(request: &DistancesRequest<'_>, session: &Session) -> Result<DistancesResult> {
    Distances::open(request, session)?.matrix()
}

impl<'a> Distances<'a> {
    /// Does the work that all rows share.
    ///
    /// # Errors
    /// [`VeloxelError::Mesh`](crate::VeloxelError::Mesh) for arcs that make no graph, as [`Graph::new`], for an algorithm that does
    /// not take the graph, or memory;
    /// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn open(request: &DistancesRequest<'_>, session: &'a Session) -> Result<Self> {
        session.enter(Stage::Solve)?;
        let mut account = Account::begin(session)?;
        let DistancesRequest { algorithm: method, precision, .. } = *request;
        let own = DistanceRequest { method, max_bytes: session.max_memory_bytes(), precision };
        let device = session.device()?;
        let (left_out, paths) = account.stages.time("prepare", || {
            let graph = request.graph.graph(session.max_memory_bytes(), session.control())?;
            Ok::<_, MeshError>((graph.left_out(), ShortestPaths::open(&graph, own, device)?))
        })?;
        warn_of_arcs(left_out, &mut account.warnings);
        device.check()?;
        let mut node_of = None;
        if let GraphSource::Faces(faces) = request.graph {
            faces.cleaning.warn(&mut account.warnings);
            warn_of_rays(faces.rays_given_up, &mut account.warnings);
            account.parameters.clone_from(&faces.parameters);
            node_of = faces.node_of().map(<[u32]>::to_vec);
        }
        let columns = node_of.as_ref().map_or(paths.nodes(), Vec::len);
        let sources = request.sources.map_or_else(|| (0..columns as u32).collect(), <[u32]>::to_vec);
        if let Some(&node) = sources.iter().find(|&&source| source as usize >= columns) {
            return Err(MeshError::NoSuchSource { node, nodes: columns }.into());
        }
        Ok(Self { paths, sources, node_of, session, account })
    }

    /// How many rows there are: one a source.
    pub fn rows(&self) -> usize {
        self.sources.len()
    }

    /// How many numbers a row has: one a node, or one a triangle of a mesh.
    pub fn columns(&self) -> usize {
        self.node_of.as_ref().map_or(self.paths.nodes(), Vec::len)
    }

    /// What rows of 16 bits count, and how far they may be from exact distances; none: rows are floats.
    pub fn step(&self) -> Option<DistanceStep> {
        self.paths.step()
    }

    /// The algorithm that runs.
    pub fn algorithm(&self) -> DistanceMethod {
        self.paths.method()
    }

    /// Why it runs, as half a sentence.
    pub fn chosen_because(&self) -> &str {
        self.paths.chosen_because()
    }

    /// Gives every row to `deliver` with its place among the sources, in any order and from any thread; the matrix is never whole
    /// in memory, but where Floyd–Warshall needs it.
    ///
    /// # Errors
    /// [`VeloxelError::Mesh`](crate::VeloxelError::Mesh) for a source that is no node, and of the device;
    /// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped), after which some rows were not delivered.
    pub fn for_each_row(
        &mut self,
        deliver: &(dyn Fn(usize, DistanceRow<'_>) + Sync),
    ) -> Result<DistancesFound> {
        let Self { paths, sources, node_of, session, account } = self;
        let begin = std::time::Instant::now();
        let wanted = Wanted { sources, node_of: node_of.as_deref() };
        let found = match paths.step() {
            None => visit_rows(paths, wanted, session, &|places, row| {
                places.iter().for_each(|place| deliver(place.1, DistanceRow::Floats(row)));
            }),
            Some(step) => visit_rows(paths, wanted, session, &|places, row| {
                let steps: Vec<u16> = row.iter().map(|&distance| step.steps(distance)).collect();
                places.iter().for_each(|place| deliver(place.1, DistanceRow::Steps(&steps)));
            }),
        }?;
        account.stages.add("distances", begin.elapsed().as_secs_f64() * 1e3);
        Ok(found)
    }

    /// All rows as one matrix.
    ///
    /// # Errors
    /// As [`Self::for_each_row`]; [`MeshError::Memory`] before memory is taken that is not there.
    pub fn matrix(mut self) -> Result<DistancesResult> {
        let (rows, columns) = (self.rows(), self.columns());
        let (values, found) = match self.step() {
            None => {
                let matrix = Mutex::new(self.room(0.0f32)?);
                let found = self.for_each_row(&|place, row| {
                    if let DistanceRow::Floats(row) = row {
                        locked(&matrix)[place * columns..][..columns].copy_from_slice(row);
                    }
                })?;
                (DistanceValues::Floats(unlocked(matrix)), found)
            }
            Some(_) => {
                let matrix = Mutex::new(self.room(0u16)?);
                let found = self.for_each_row(&|place, row| {
                    if let DistanceRow::Steps(row) = row {
                        locked(&matrix)[place * columns..][..columns].copy_from_slice(row);
                    }
                })?;
                (DistanceValues::Steps(unlocked(matrix)), found)
            }
        };
        let (step, algorithm, chosen_because) =
            (self.step(), self.algorithm(), self.chosen_because().to_owned());
        let account = self.account;
        Ok(DistancesResult { values, rows, columns, found, step, algorithm, chosen_because, account })
    }

    /// Memory for all rows, or an error that says how much it takes.
    fn room<T: Copy>(&self, zero: T) -> Result<Vec<T>, MeshError> {
        let needed_bytes = (self.rows() * self.columns() * size_of::<T>()) as u64;
        let budget_bytes = self.session.max_memory_bytes().unwrap_or(u64::MAX);
        let room = (needed_bytes <= budget_bytes).then(|| fallible::room_for(self.rows() * self.columns()));
        let mut room = room.flatten().ok_or_else(|| {
            let what = format!("the matrix of distances of {} nodes", self.columns());
            let ways_out = "take the rows one by one, ask for fewer sources, or allow more";
            MeshError::Memory { what, needed_bytes, budget_bytes, ways_out }
        })?;
        room.resize(self.rows() * self.columns(), zero);
        Ok(room)
    }
}

/// Says which arcs of a graph do not count.
fn warn_of_arcs(left_out: LeftOut, warnings: &mut Warnings) {
    let mut note = |count: usize, what: &str| {
        if count > 0 {
            let were = if count == 1 { "was" } else { "were" };
            warnings.push(WarningKind::Content, format!("{} {were} left out: {what}", counted(count, "arc")));
        }
    };
    note(left_out.duplicates, "of several between the same nodes the shortest counts");
    note(left_out.loops, "an arc from a node to itself changes no distance");
}

/// Arcs of a graph as users count them: those of an undirected graph once.
pub fn arc_count(graph: &Graph) -> usize {
    if graph.kind() == GraphKind::Directed { graph.arcs() } else { graph.arcs() / 2 }
}

impl DistancesFound {
    fn of(row: &[f32]) -> Self {
        // As many at a time as a vector holds.
        const LANES: usize = 16;
        let (mut longest, mut far) = ([0.0f32; LANES], [0u32; LANES]);
        for distances in row.chunks(LANES) {
            for ((longest, far), &distance) in longest.iter_mut().zip(&mut far).zip(distances) {
                let finite = if distance == f32::INFINITY { 0.0 } else { distance };
                *far += u32::from(distance == f32::INFINITY);
                *longest = if finite > *longest { finite } else { *longest };
            }
        }
        let longest = longest.into_iter().fold(0.0, f32::max);
        Self { unreachable_pairs: far.into_iter().map(u64::from).sum(), longest }
    }

    fn add(&mut self, other: Self) {
        self.unreachable_pairs += other.unreachable_pairs;
        self.longest = self.longest.max(other.longest);
    }
}

/// A source, and a place among the rows that are wanted.
type Place = (u32, usize);

/// The rows that are wanted, and what their columns are.
#[derive(Debug, Clone, Copy)]
struct Wanted<'a> {
    /// Numbers of rows.
    sources: &'a [u32],
    /// The node of each row and column; none where they are the nodes.
    node_of: Option<&'a [u32]>,
}

impl Wanted<'_> {
    /// The node of each wanted row.
    fn nodes(&self) -> Vec<u32> {
        let node = |&source: &u32| self.node_of.map_or(source, |node_of| node_of[source as usize]);
        self.sources.iter().map(node).collect()
    }

    /// The columns of a row over nodes.
    fn columns<'row>(&self, row: &'row [f32]) -> Cow<'row, [f32]> {
        let Some(node_of) = self.node_of else { return Cow::Borrowed(row) };
        Cow::Owned(node_of.iter().map(|&node| row[node as usize]).collect())
    }
}

/// Gives every row to `visit` with its places, from any thread; once the run is to stop, the rows that are left are skipped.
fn visit_rows(
    paths: &ShortestPaths,
    wanted: Wanted<'_>,
    session: &Session,
    visit: &(dyn Fn(&[Place], &[f32]) + Sync),
) -> Result<DistancesFound> {
    let nodes = wanted.nodes();
    let mut places: Vec<Place> = nodes.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let (found, control) = (Mutex::new(DistancesFound::default()), session.control());
    paths.for_each_row_of(&nodes, |source, row| {
        if control.check().is_err() {
            return;
        }
        let row = &*wanted.columns(row);
        let own = DistancesFound::of(row);
        let first = places.partition_point(|place| place.0 < source);
        let count = places[first..].partition_point(|place| place.0 == source);
        visit(&places[first..first + count], row);
        let mut found = locked(&found);
        (0..count).for_each(|_| found.add(own));
    })?;
    control.check()?;
    Ok(unlocked(found))
}

fn locked<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(value: Mutex<T>) -> T {
    value.into_inner().unwrap_or_else(PoisonError::into_inner)
}
