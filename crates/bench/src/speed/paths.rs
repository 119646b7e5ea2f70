//! All distances: rates of Floyd–Warshall on a dense matrix, and the time of dissection beside searches on all threads.

use crate::paper_b::{matrix_ms, paths_ms, triangle_grid};
use crate::{BenchError, Figure, Session};
use veloxel_gpu::Device;
use veloxel_kernels::paths::floyd_warshall::MatrixHalf;
use veloxel_mesh::{DistanceMethod, DistanceRequest, Graph, ShortestPaths};

/// Side of the grid with 8192 faces.
const DENSE_SIDE: usize = 64;
/// Side of the grid with 16,928 faces.
const MESH_SIDE: usize = 92;
/// Number of rounds, of which the best counts.
const ROUNDS: usize = 5;

/// The bench `paths`: a GPU has bars; a processor has figures alone.
pub(crate) fn paths(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let device = session.device;
    let mut figures = Vec::new();
    if device.is_gpu() {
        figures.extend(dense(device)?);
    }
    figures.extend(mesh(device)?);
    Ok(figures)
}

fn best_ms(mut once: impl FnMut() -> Result<f64, BenchError>) -> Result<f64, BenchError> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        best = best.min(once()?);
    }
    Ok(best)
}

/// Rate of a dense matrix: n³ terms over the time.
fn dense(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let graph = Graph::new(&triangle_grid(DENSE_SIDE), device.control())?;
    let floats = |half| best_ms(|| matrix_ms(&graph, half, device, |length| length));
    let whole = |half| best_ms(|| matrix_ms(&graph, half, device, steps));
    let [(both, lower), (both_16, lower_16)] = [
        (floats(MatrixHalf::Both)?, floats(MatrixHalf::Lower)?),
        (whole(MatrixHalf::Both)?, whole(MatrixHalf::Lower)?),
    ];
    let rate = |ms: f64| (graph.nodes() as f64).powi(3) / ms / 1e9;
    Ok(vec![
        Figure::new("Floyd-Warshall, n 8192", both, "ms"),
        Figure::new("Floyd-Warshall, n 8192: min-plus a second", rate(both), "T/s").at_least(9.5),
        Figure::new("Floyd-Warshall on half the matrix, n 8192", lower, "ms"),
        Figure::new("half the matrix over all of it", lower / both, "").at_most(0.6),
        Figure::new("Floyd-Warshall of 16 bits, n 8192", both_16, "ms"),
        Figure::new("Floyd-Warshall of 16 bits, n 8192: min-plus a second", rate(both_16), "T/s")
            .at_least(20.0),
        Figure::new("Floyd-Warshall of 16 bits on half the matrix, n 8192", lower_16, "ms"),
        Figure::new("Floyd-Warshall of 16 bits on half the matrix, n 8192: of n³", rate(lower_16), "T/s"),
    ])
}

/// A length in steps of 1/128: the longest distance of the grid has fewer steps than 16 bits hold.
fn steps(length: f32) -> u16 {
    (128.0 * length).round() as u16
}

fn mesh(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let graph = Graph::new(&triangle_grid(MESH_SIDE), device.control())?;
    let host = Device::cpu(0)?;
    let whole = best_ms(|| paths_ms(&graph, DistanceMethod::Auto, device))?;
    let searches = paths_ms(&graph, DistanceMethod::Dijkstra, &host)?;
    let processor = best_ms(|| paths_ms(&graph, DistanceMethod::Dissection, &host))?;
    let request = DistanceRequest { method: DistanceMethod::Dissection, ..DistanceRequest::default() };
    let open = || -> Result<f64, BenchError> {
        let start = std::time::Instant::now();
        ShortestPaths::open(&graph, request, device)?;
        Ok(1e3 * start.elapsed().as_secs_f64())
    };
    let prepare = best_ms(open)?;
    let paths = ShortestPaths::open(&graph, request, device)?;
    let sweeps = best_ms(|| {
        device.synchronise()?;
        let start = std::time::Instant::now();
        let matrix = paths.resident_matrix(device)?;
        device.synchronise()?;
        drop(matrix);
        Ok(1e3 * start.elapsed().as_secs_f64())
    })?;
    let table = vec![0.125; 8 * graph.nodes()];
    let sums = best_ms(|| {
        let start = std::time::Instant::now();
        paths.weighted_sums(&table, 8)?;
        Ok(1e3 * start.elapsed().as_secs_f64())
    })?;
    let mut figures = vec![
        Figure::new("16,928 faces, dissection, preparation", prepare, "ms"),
        Figure::new("16,928 faces, dissection, all distances once prepared", sweeps, "ms"),
        Figure::new("16,928 faces, sums of eight columns", sums, "ms"),
        Figure::new("16,928 faces, searches on all threads", searches, "ms"),
        Figure::new("16,928 faces, dissection on all threads", processor, "ms").at_most(4000.0),
    ];
    let all = Figure::new("16,928 faces, auto", whole, "ms");
    let ratio = Figure::new("searches on all threads over auto", searches / whole, "×");
    let once = Figure::new("searches on all threads over dissection once prepared", searches / sweeps, "×");
    figures.extend(match device.is_gpu() {
        true => vec![all.at_most(30.0), ratio.at_least(50.0), once],
        false => vec![all.at_most(4000.0), ratio, once],
    });
    Ok(figures)
}
