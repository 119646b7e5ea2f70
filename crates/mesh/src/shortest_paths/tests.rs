//! Every method against distances that are known, and against searches.

use super::*;
use veloxel_core::{ArcList, Control, WeightedArc};
use veloxel_testkit::on_every_device;

/// Numbers in 0..1 that look random.
fn random(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    (0..count).map(|_| next()).collect()
}

fn graph(nodes: usize, kind: GraphKind, arcs: &[(u32, u32, f32)]) -> Graph {
    let arcs = arcs.iter().map(|&(from, to, weight)| WeightedArc { from, to, weight }).collect();
    Graph::new(&ArcList { nodes, kind, arcs }, &Control::default()).expect("a test's graph should be one")
}

/// Arcs between random nodes; with few of them the graph falls into several components.
fn scattered(nodes: usize, arcs: usize, kind: GraphKind) -> Graph {
    let numbers = random(arcs as u64, 3 * arcs);
    let node = |share: f32| ((share * nodes as f32) as u32).min(nodes as u32 - 1);
    let arcs: Vec<_> = numbers.chunks(3).map(|n| (node(n[0]), node(n[1]), n[2])).collect();
    graph(nodes, kind, &arcs)
}

/// A matrix by the definition: n rounds of shortening through each node, in double precision.
fn exact(graph: &Graph) -> Vec<f64> {
    let n = graph.nodes();
    let mut d = vec![f64::INFINITY; n * n];
    for i in 0..n {
        d[i * n + i] = 0.0;
        for (to, weight) in graph.neighbours(i as u32) {
            d[i * n + to as usize] = f64::from(weight).min(d[i * n + to as usize]);
        }
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                d[i * n + j] = d[i * n + j].min(d[i * n + k] + d[k * n + j]);
            }
        }
    }
    d
}

fn cases() -> Vec<(&'static str, Graph)> {
    let both = GraphKind::Undirected;
    let path: Vec<_> = (0..40).map(|i| (i, i + 1, 0.5 + i as f32)).collect();
    let star: Vec<_> = (1..40).map(|i| (0, i, i as f32)).collect();
    vec![
        ("one node", graph(1, both, &[])),
        ("no arcs", graph(5, both, &[])),
        ("path", graph(41, both, &path)),
        ("star", graph(40, both, &star)),
        ("zero weights", graph(3, both, &[(0, 1, 0.0), (1, 2, 0.0)])),
        ("connected", scattered(90, 400, both)),
        ("disconnected", scattered(120, 70, both)),
        ("directed", scattered(90, 300, GraphKind::Directed)),
    ]
}

/// The methods that take a graph.
fn opened<'a>(graph: &'a Graph, device: &'a Device) -> impl Iterator<Item = ShortestPaths> + 'a {
    DistanceMethod::ALL.into_iter().filter_map(move |(_, method)| {
        let request = DistanceRequest { method, ..DistanceRequest::default() };
        match ShortestPaths::open(graph, request, device) {
            Err(MeshError::Directed { .. }) => None,
            found => Some(found.expect("a small graph should open")),
        }
    })
}

fn assert_close(got: f32, expected: f64, what: &str) {
    let is_close = got == expected as f32 || (f64::from(got) - expected).abs() <= 1e-5 * expected;
    assert!(is_close, "{what}: {got} for {expected}");
}

on_every_device! {
    fn every_method_finds_the_distances(device: &Device) {
        for (name, graph) in cases() {
            let (n, expected) = (graph.nodes(), exact(&graph));
            for paths in opened(&graph, device) {
                let what = format!("{name}, {}", paths.method().name());
                let matrix = paths.matrix(MatrixStorage::Full).unwrap();
                for (i, &expected) in expected.iter().enumerate() {
                    assert_close(matrix.at(i / n, i % n), expected, &format!("{what}, {} to {}", i / n, i % n));
                }
                let resident = device.download(paths.resident_matrix(device).unwrap()).unwrap();
            assert!(resident == matrix.distances(), "{what}");
            let last = n as u32 - 1;
                let rows = paths.distances_from(&[last, 0, last]).unwrap();
                assert_eq!(rows[..n], rows[2 * n..], "{what}");
                assert_close(rows[n + n - 1], expected[n - 1], &what);
            }
        }
    }

    fn sums_leave_out_what_cannot_be_reached(device: &Device) {
        for (name, graph) in cases() {
            let (n, expected) = (graph.nodes(), exact(&graph));
            let table = random(5, 3 * n);
            for paths in opened(&graph, device) {
                let found = paths.weighted_sums(&table, 3).unwrap();
                let what = format!("{name}, {}", paths.method().name());
                for f in 0..n {
                    let row = &expected[f * n..(f + 1) * n];
                    let far = row.iter().filter(|d| d.is_infinite()).count();
                    assert_eq!(found.unreachable[f] as usize, far, "{what}");
                    for j in 0..3 {
                        let term = |(g, &d): (usize, &f64)| d * f64::from(table[3 * g + j]);
                        let sum: f64 = row.iter().enumerate().filter(|(_, d)| d.is_finite()).map(term).sum();
                        assert_close(found.sums[3 * f + j], sum, &what);
                    }
                }
            }
        }
    }
}

/// A grid whose arcs lead on at one weight and back at another.
fn one_way_grid(side: usize) -> Graph {
    let node = |x: usize, y: usize| (y * side + x) as u32;
    let weights = random(9, 4 * side * side);
    let mut arcs = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let four = &weights[4 * (y * side + x)..];
            if x + 1 < side {
                arcs.extend([
                    (node(x, y), node(x + 1, y), four[0]),
                    (node(x + 1, y), node(x, y), 1.0 + four[1]),
                ]);
            }
            if y + 1 < side && x % 5 != 0 {
                arcs.push((node(x, y), node(x, y + 1), four[2]));
            }
            if y + 1 < side && x % 7 == 3 {
                arcs.push((node(x, y + 1), node(x, y), four[3]));
            }
        }
    }
    graph(side * side, GraphKind::Directed, &arcs)
}

on_every_device! {
    fn dissection_follows_arcs_one_way(device: &Device) {
        let graph = one_way_grid(24);
        let open = |method| ShortestPaths::open(&graph, DistanceRequest { method, ..DistanceRequest::default() }, device).unwrap();
        assert_eq!(open(DistanceMethod::Auto).method(), DistanceMethod::Dissection);
        let sources: Vec<u32> = (0..graph.nodes() as u32).step_by(7).collect();
        let [got, expected] = [DistanceMethod::Dissection, DistanceMethod::Dijkstra].map(|m| open(m).distances_from(&sources).unwrap());
        assert!(expected.iter().any(|d| d.is_finite() && *d > 5.0));
        for (i, (&got, &expected)) in got.iter().zip(&expected).enumerate() {
            assert_close(got, f64::from(expected), &format!("distance {i}"));
        }
    }

    fn distances_of_16_bits_are_within_their_error(device: &Device) {
        let detour = graph(3, GraphKind::Undirected, &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1e6)]);
        for (name, graph) in cases().into_iter().chain([("one way", one_way_grid(9)), ("detour", detour)]) {
            let (n, expected) = (graph.nodes(), exact(&graph));
            for (_, method) in DistanceMethod::ALL {
                let request = DistanceRequest { method, precision: DistancePrecision::U16, ..DistanceRequest::default() };
                let Ok(paths) = ShortestPaths::open(&graph, request, device) else { continue };
                let step = paths.step().unwrap();
                let matrix = paths.matrix(MatrixStorage::Full).unwrap();
                for (i, &expected) in expected.iter().enumerate() {
                    let steps = step.steps(matrix.at(i / n, i % n));
                    let got = f64::from(step.distance(steps));
                    let is_close = got == expected || (got - expected).abs() <= f64::from(step.most_error);
                    assert!(is_close, "{name}, {method:?}, {i}: {got} for {expected}, {step:?}");
                }
            }
        }
    }
}

#[test]
fn dissection_is_left_where_it_takes_more_than_searches() {
    let device = Device::cpu(1).unwrap();
    let (random, grid) = (scattered(2000, 8000, GraphKind::Directed), one_way_grid(40));
    let cubed = |graph: &Graph| (graph.nodes() as f64).powi(3);
    assert!(method::is_worth(cubed(&grid), &grid) && !method::is_worth(100.0 * cubed(&random), &random));
    let (method, because) = method::without_separators(DistanceRequest::default(), &random, &device);
    assert!(method == DistanceMethod::Dijkstra && because.contains("no small separators"));
}

#[test]
fn half_a_matrix_holds_all_of_it() {
    let device = Device::cpu(1).unwrap();
    let graph = scattered(60, 200, GraphKind::Undirected);
    let paths = ShortestPaths::open(&graph, DistanceRequest::default(), &device).unwrap();
    let [full, half] =
        [MatrixStorage::Full, MatrixStorage::LowerTriangle].map(|storage| paths.matrix(storage).unwrap());
    assert_eq!(half.distances().len(), 60 * 61 / 2);
    for i in 0..60 * 60 {
        let (a, b) = (full.at(i / 60, i % 60), half.at(i / 60, i % 60));
        assert_close(b, f64::from(a), "half");
    }
}

#[test]
fn what_cannot_be_had_is_an_error_before_memory_is_taken() {
    let device = Device::cpu(1).unwrap();
    let graph = scattered(200, 500, GraphKind::Directed);
    let request = DistanceRequest {
        method: DistanceMethod::Dijkstra,
        max_bytes: Some(100_000),
        ..DistanceRequest::default()
    };
    let paths = ShortestPaths::open(&graph, request, &device).unwrap();
    let error = paths.matrix(MatrixStorage::Full).unwrap_err().to_string();
    assert!(error.contains("160000 bytes") && error.contains("100000 may"), "{error}");
    assert!(matches!(paths.matrix(MatrixStorage::LowerTriangle), Err(MeshError::Directed { .. })));
    assert!(matches!(paths.distances_from(&[200]), Err(MeshError::NoSuchSource { .. })));
    assert!(matches!(paths.weighted_sums(&[1.0], 1), Err(MeshError::Count { .. })));
}

mod needs_data {
    use super::*;
    use crate::cleaning::CleanMesh;
    use crate::dual_graph::DualGraph;
    use std::path::PathBuf;
    use veloxel_core::Warnings;
    use veloxel_io::{Strictness, read_surface};
    use veloxel_testkit::every_device::data;

    /// More faces, and a test would take too long.
    const MOST: usize = 20_000;
    /// Faces up to which a processor is asked for n³ operations.
    const MOST_CUBED: usize = 1500;

    fn meshes() -> Vec<PathBuf> {
        let in_folder = |folder: &str| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(data(folder)).unwrap().map(|entry| entry.unwrap().path());
            entries.filter(|path| path.extension().is_some_and(|e| e == "off" || e == "obj")).collect()
        };
        let mut all = [in_folder("mesh/psb/off"), in_folder("mesh/models")].concat();
        all.sort();
        all
    }

    /// Half of it the distance between middles, half the angle.
    fn graph_of(path: &std::path::Path) -> Graph {
        let mesh = read_surface(path, Strictness::Lenient, &mut Warnings::new()).unwrap();
        let dual = DualGraph::new(&CleanMesh::new(&mesh, &Control::default()).unwrap(), &Control::default())
            .unwrap();
        let weights: Vec<f32> =
            dual.arcs.iter().map(|arc| (arc.distance + 0.01 * (1.0 - arc.angle_rad.cos())) as f32).collect();
        dual.weighted(&weights, &Control::default()).unwrap()
    }

    #[test]
    fn every_method_agrees_with_searches_on_meshes() {
        let device = Device::cpu(0).unwrap();
        let mut seen = 0;
        // Of the benchmark's meshes, which stand in the order of their categories, every third.
        for path in meshes().iter().step_by(3) {
            let graph = graph_of(path);
            if graph.nodes() > MOST {
                continue;
            }
            seen += 1;
            let sources: Vec<u32> = (0..graph.nodes() as u32).step_by(graph.nodes().div_ceil(40)).collect();
            let rows = |method: DistanceMethod| {
                let request = DistanceRequest { method, ..DistanceRequest::default() };
                ShortestPaths::open(&graph, request, &device).unwrap().distances_from(&sources).unwrap()
            };
            let expected = rows(DistanceMethod::Dijkstra);
            for (name, method) in &DistanceMethod::ALL[2..] {
                if *method != DistanceMethod::Dissection && graph.nodes() > MOST_CUBED {
                    continue;
                }
                for (got, expected) in rows(*method).into_iter().zip(&expected) {
                    assert_close(got, f64::from(*expected), &format!("{}, {name}", path.display()));
                }
            }
        }
        assert!(seen >= 10, "{seen} meshes");
    }
}

#[test]
fn a_matrix_of_a_graph_of_many_nodes_is_refused_before_its_tiles_are_numbered() {
    let graph = graph(2_000_000, GraphKind::Undirected, &[(0, 1, 1.0)]);
    let cpu = Device::cpu(1).unwrap();
    for method in [DistanceMethod::FloydWarshall, DistanceMethod::FloydWarshallUndirected] {
        let request = DistanceRequest { method, max_bytes: Some(1 << 30), ..DistanceRequest::default() };
        let refused = ShortestPaths::open(&graph, request, &cpu);
        assert!(matches!(refused, Err(MeshError::Memory { .. })), "{refused:?}");
    }
}

#[test]
fn a_graph_too_large_for_dissection_is_searched() {
    let graph = graph(100_000, GraphKind::Undirected, &[(0, 1, 1.0)]);
    let request = DistanceRequest { max_bytes: Some(4 << 20), ..DistanceRequest::default() };
    let paths = ShortestPaths::open(&graph, request, &Device::cpu(1).unwrap()).unwrap();
    assert_eq!(paths.method(), DistanceMethod::Dijkstra);
    assert!(paths.chosen_because().contains("bytes of memory"), "{}", paths.chosen_because());
}

#[test]
fn the_hub_of_a_star_is_not_counted_for_every_leaf() {
    // Counted so, there would be 10^10 arcs to look at, which takes minutes.
    let leaves = 100_000;
    let arcs: Vec<_> = (1..=leaves).map(|leaf| (0, leaf, 1.0)).collect();
    let star = graph(leaves as usize + 1, GraphKind::Undirected, &arcs);
    let request = DistanceRequest { method: DistanceMethod::Dissection, ..DistanceRequest::default() };
    let paths = ShortestPaths::open(&star, request, &Device::cpu(1).unwrap()).unwrap();
    let row = paths.distances_from(&[1]).unwrap();
    assert_eq!(row[..3], [1.0, 0.0, 2.0]);
}
