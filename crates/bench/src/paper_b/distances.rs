//! The second half of the paper, Figure 7: all distances of graphs of meshes, its four versions over sizes beside dissection.
//!
//! *As in the paper*: repeated Dijkstra on one thread and on all, tiled Floyd–Warshall on the whole matrix and on half of it; a
//! matrix that is made on the device has its arcs there from the start, and stays there. *Where we differ*: beside meshes of the
//! data folder, weighed as in the paper, grids of triangles with weights that look random; dissection beside the four.

use super::PaperB;
use super::inputs::NamedMesh;
use crate::experiments::{Event, ExperimentTable, Machine, MachineRole, Observer, middle};
use crate::{BenchError, Figure};
use std::time::Instant;
use veloxel_core::{ArcList, Control, Dimension, GraphKind, WeightedArc};
use veloxel_gpu::{Cpu, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::paths::floyd_warshall::{FloydWarshall, Length, MatrixHalf, TileLayout};
use veloxel_mesh::{
    CleanMesh, DistanceMethod, DistanceRequest, DualGraph, FuzzyParams, FuzzyPreset, Graph, MatrixStorage,
    MeshError, ShortestPaths, arc_lengths,
};
use veloxel_report::number;
use veloxel_report::svg_plot::{Ink, Line, LinePlot, Scale, Series};

/// Faces along a side of the grids of the full experiment: up to about 17 thousand faces.
pub const FULL_SIDES: &[usize] = &[16, 23, 32, 46, 64, 92];
/// Faces along a side of the grids of the quick experiment.
pub const QUICK_SIDES: &[usize] = &[16, 32];
/// Number of nodes above which a processor does not run methods of n³ operations.
const MOST_CUBED: usize = 4500;
/// Most measurements of a version; an odd number.
const RUNS: usize = 5;
/// Time from which on a version is measured once, ms.
const LONG_MS: f64 = 400.0;

/// A method on a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    pub method: DistanceMethod,
    pub role: MachineRole,
}

/// The versions: the paper's four, the matrices on the fastest machine, and dissection on all.
fn versions(fastest: MachineRole, roles: impl Iterator<Item = MachineRole>) -> Vec<Version> {
    let mut all = vec![
        Version { method: DistanceMethod::Dijkstra, role: MachineRole::OneThread },
        Version { method: DistanceMethod::Dijkstra, role: MachineRole::AllThreads },
        Version { method: DistanceMethod::FloydWarshall, role: fastest },
        Version { method: DistanceMethod::FloydWarshallUndirected, role: fastest },
    ];
    all.extend(roles.map(|role| Version { method: DistanceMethod::Dissection, role }));
    all
}

impl Version {
    fn name(self) -> String {
        format!("{}, {}", self.method.name(), self.role.name())
    }
}

/// The time of one version over one graph; none if it was not run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DistanceTime {
    /// Name of the mesh.
    pub mesh: String,
    pub nodes: usize,
    version: Version,
    ms: Option<f64>,
}

/// The faces of a grid of triangles, two a square, and weights of their common edges.
pub(crate) fn triangle_grid(side: usize) -> ArcList {
    let face = |x: usize, y: usize, half: usize| (2 * (y * side + x) + half) as u32;
    let mut state = 0x9E37_79B9u64;
    let mut weight = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        0.25 + (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let mut arcs = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let mut arc = |to: u32, half: usize| {
                arcs.push(WeightedArc { from: face(x, y, half), to, weight: weight() });
            };
            arc(face(x, y, 1), 0);
            if x + 1 < side {
                arc(face(x + 1, y, 0), 1);
            }
            if y + 1 < side {
                arc(face(x, y + 1, 0), 1);
            }
        }
    }
    ArcList { nodes: 2 * side * side, kind: GraphKind::Undirected, arcs }
}

/// The graph of a mesh's faces, with the mesh's name.
pub(super) struct NamedGraph {
    mesh: String,
    graph: Graph,
}

/// The graphs of grids of some sides, and of meshes, small ones first.
pub(super) fn graphs(sides: &[usize], meshes: &[NamedMesh]) -> Result<Vec<NamedGraph>, BenchError> {
    let control = Control::default();
    let grid = |&side: &usize| -> Result<NamedGraph, BenchError> {
        Ok(NamedGraph { mesh: format!("grid {side}²"), graph: Graph::new(&triangle_grid(side), &control)? })
    };
    let cpu = Cpu::new(0)?;
    let of_mesh = |named: &NamedMesh| -> Result<NamedGraph, BenchError> {
        let dual =
            DualGraph::new(&CleanMesh::new(&named.mesh, &control)?, &control).map_err(MeshError::from)?;
        let params = FuzzyParams::preset(FuzzyPreset::Paper, Dimension::Three);
        let graph = dual.weighted(&arc_lengths(&dual, &params, &cpu)?.ways, &control)?;
        Ok(NamedGraph { mesh: named.name.clone(), graph })
    };
    let grids = sides.iter().map(grid);
    let mut all = grids.chain(meshes.iter().map(of_mesh)).collect::<Result<Vec<_>, _>>()?;
    all.sort_by_key(|named| named.graph.nodes());
    Ok(all)
}

/// Measures every version over some graphs.
pub(super) fn distance_times(
    machines: &[Machine],
    graphs: &[NamedGraph],
    observer: &mut Observer<'_>,
) -> Result<Vec<DistanceTime>, BenchError> {
    let has_gpu = machines.iter().any(|machine| machine.role == MachineRole::Gpu);
    let fastest = if has_gpu { MachineRole::Gpu } else { MachineRole::AllThreads };
    let mut times = Vec::new();
    for NamedGraph { mesh, graph } in graphs {
        for version in versions(fastest, machines.iter().map(|machine| machine.role)) {
            let machine = machines.iter().find(|machine| machine.role == version.role);
            let machine = machine.expect("every version should have its machine");
            observer(Event::Next(&format!("{mesh}, {} faces, {}", graph.nodes(), version.name())))?;
            let ms = time_ms(graph, version, &machine.device)?;
            times.push(DistanceTime { mesh: mesh.clone(), nodes: graph.nodes(), version, ms });
        }
    }
    Ok(times)
}

fn time_ms(graph: &Graph, version: Version, device: &Device) -> Result<Option<f64>, BenchError> {
    let half = match version.method {
        DistanceMethod::FloydWarshall => Some(MatrixHalf::Both),
        DistanceMethod::FloydWarshallUndirected => Some(MatrixHalf::Lower),
        _ => None,
    };
    if half.is_some() && !device.is_gpu() && graph.nodes() > MOST_CUBED {
        return Ok(None);
    }
    let mut times = Vec::new();
    for nth in 0..=RUNS {
        let ms = match half {
            Some(half) => matrix_ms(graph, half, device, |length| length)?,
            None => paths_ms(graph, version.method, device)?,
        };
        if nth > 0 || ms > LONG_MS {
            times.push(ms);
        }
        if ms > LONG_MS {
            break;
        }
    }
    Ok(Some(middle(&mut times)))
}

/// Time of the preparation and of all distances, which stay on the device.
pub(crate) fn paths_ms(graph: &Graph, method: DistanceMethod, device: &Device) -> Result<f64, BenchError> {
    device.synchronise()?;
    let start = Instant::now();
    let paths = ShortestPaths::open(graph, DistanceRequest { method, ..DistanceRequest::default() }, device)?;
    if device.is_gpu() {
        let matrix = paths.resident_matrix(device)?;
        device.synchronise()?;
        drop(matrix);
    } else {
        drop(paths.matrix(MatrixStorage::Full)?);
    }
    Ok(1e3 * start.elapsed().as_secs_f64())
}

/// Floyd–Warshall on a matrix that is on the device already, whose lengths are those of arcs as `rounded` gives them.
pub(crate) fn matrix_ms<T: Length>(
    graph: &Graph,
    half: MatrixHalf,
    device: &Device,
    rounded: impl Fn(f32) -> T,
) -> Result<f64, BenchError> {
    let layout = TileLayout::new(graph.nodes(), half);
    let mut lengths = layout.empty::<T>();
    for node in 0..graph.nodes() {
        for (to, length) in graph.neighbours(node as u32) {
            lengths[layout.at(node, to as usize)] = rounded(length);
        }
    }
    let mut lengths = device.upload(lengths)?;
    device.synchronise()?;
    let start = Instant::now();
    FloydWarshall { layout: &layout, lengths: &mut lengths }.run(device)?;
    device.synchronise()?;
    Ok(1e3 * start.elapsed().as_secs_f64())
}

impl PaperB {
    /// The versions, in the order of the paper.
    pub(super) fn versions(&self) -> Vec<Version> {
        versions(self.fastest(), self.machines.iter().map(|machine| machine.role))
    }

    pub(super) fn times_of(&self, version: Version) -> impl Iterator<Item = &DistanceTime> {
        self.distances.iter().filter(move |time| time.version == version)
    }

    /// Times as figures.
    pub(super) fn distance_figures(&self) -> impl Iterator<Item = Figure> {
        self.distances.iter().filter_map(|time| {
            let what = format!("all distances, {}, {} faces, {}", time.mesh, time.nodes, time.version.name());
            Some(Figure::new(what, time.ms?, "ms"))
        })
    }

    /// Figure 7 as a table: a row a size, a column a version.
    pub(super) fn distance_table(&self) -> ExperimentTable {
        let versions = self.versions();
        let row = |first: &DistanceTime| {
            let cell =
                |&version: &Version| self.ms(first, version).map_or_else(|| "–".to_owned(), number::duration);
            [first.mesh.clone(), first.nodes.to_string()]
                .into_iter()
                .chain(versions.iter().map(cell))
                .collect()
        };
        ExperimentTable {
            title: "All distances between the faces of a mesh".to_owned(),
            note: "From the graph to the whole matrix, in memory of the machine that made it (Figure 7)."
                .to_owned(),
            head: ["mesh", "faces"]
                .map(str::to_owned)
                .into_iter()
                .chain(versions.iter().map(|version| version.name()))
                .collect(),
            rows: self.times_of(versions[0]).map(row).collect(),
            text_columns: 1,
        }
    }

    /// The time of a version over the mesh of another measurement.
    pub(super) fn ms(&self, of: &DistanceTime, version: Version) -> Option<f64> {
        self.times_of(version).find(|time| time.mesh == of.mesh && time.nodes == of.nodes)?.ms
    }

    /// Figure 7 as a plot.
    pub(super) fn distance_plot(&self) -> LinePlot {
        let series = self.versions().into_iter().enumerate().map(|(ink, version)| Series {
            name: version.name(),
            ink: Ink::Numbered(ink),
            line: Line::Solid,
            points: self.times_of(version).filter_map(|t| Some((t.nodes as f64, t.ms?))).collect(),
        });
        LinePlot {
            title: "All distances between the faces of a mesh".into(),
            x_label: "faces".into(),
            y_label: "ms".into(),
            y_scale: Scale::Logarithmic,
            series: series.collect(),
            ..LinePlot::default()
        }
    }
}
