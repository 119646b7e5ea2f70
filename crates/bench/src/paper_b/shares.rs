//! The share of distances, clustering and cut in fuzzy clustering (section 5.2).
//!
//! Distances are all distances, as the paper finds them, by the method that suits the mesh; clustering needs some rows of them
//! alone and finds these by itself, so that its time holds them again; the cut is what the band adds to it.

use super::PaperB;
use super::inputs::NamedMesh;
use crate::experiments::{Event, ExperimentTable, Machine, MachineRole, Observer, middle};
use crate::{BenchError, Figure};
use std::time::Instant;
use veloxel_core::{Control, Dimension};
use veloxel_gpu::{Cpu, Device};
use veloxel_mesh::{
    ArcWeights, CleanMesh, CutsParams, DistanceMethod, DualGraph, FuzzyParams, FuzzyPreset, MedoidSeeds,
    MeshError, cuts, fuzzy_clustering,
};
use veloxel_report::number;

/// Parts that are looked for.
const PARTS: usize = 7;
/// Measurements, an odd number.
const RUNS: usize = 3;

/// Milliseconds of each stage of one mesh on one machine.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shares {
    mesh: String,
    role: MachineRole,
    /// Distances, clustering, cut.
    ms: [f64; 3],
}

const STAGES: [&str; 3] = ["distances", "clustering", "cut"];

/// Measures the stages of every mesh on every machine.
pub(super) fn shares(
    machines: &[Machine],
    meshes: &[NamedMesh],
    observer: &mut Observer<'_>,
) -> Result<Vec<Shares>, BenchError> {
    let (control, cpu) = (Control::default(), Cpu::new(0)?);
    let mut all = Vec::new();
    for NamedMesh { name, mesh } in meshes {
        let graph = DualGraph::new(&CleanMesh::new(mesh, &control)?, &control).map_err(MeshError::from)?;
        let params = FuzzyParams::preset(FuzzyPreset::Paper, Dimension::Three);
        let trees = cuts(&graph, &CutsParams::default(), &cpu)?;
        let weights = ArcWeights::new(&graph, &trees, &params, &cpu).map_err(MeshError::from)?;
        for Machine { role, device, .. } in machines {
            observer(Event::Next(&format!("{name}, stages of clustering, {}", role.name())))?;
            let ms = stages_ms(&graph, &weights, &params, device)?;
            all.push(Shares { mesh: name.clone(), role: *role, ms });
        }
    }
    Ok(all)
}

fn stages_ms(
    graph: &DualGraph,
    weights: &ArcWeights,
    params: &FuzzyParams,
    device: &Device,
) -> Result<[f64; 3], BenchError> {
    let ways = graph.weighted(&weights.ways, &Control::default())?;
    let distances = median_ms(|| super::paths_ms(&ways, DistanceMethod::Auto, device).map(drop))?;
    let clustering = |params: &FuzzyParams| -> Result<f64, BenchError> {
        median_ms(|| {
            fuzzy_clustering(graph, weights, MedoidSeeds::Farthest(PARTS), params, device)?;
            Ok(())
        })
    };
    let without = clustering(&FuzzyParams { band: 0.0, ..params.clone() })?;
    let with = clustering(params)?;
    Ok([distances, without, (with - without).max(0.0)])
}

/// The median time of some work.
fn median_ms(mut work: impl FnMut() -> Result<(), BenchError>) -> Result<f64, BenchError> {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        work()?;
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    Ok(middle(&mut times))
}

impl PaperB {
    /// The stages as figures.
    pub(super) fn share_figures(&self) -> impl Iterator<Item = Figure> {
        let of = |shares: &Shares| {
            let what = |stage: &str| format!("{stage} of {}, {}", shares.mesh, shares.role.name());
            let figure = |(stage, ms): (&str, f64)| Figure::new(what(stage), ms, "ms");
            STAGES.into_iter().zip(shares.ms).map(figure).collect::<Vec<_>>()
        };
        self.shares.iter().flat_map(of)
    }

    /// The stages as a table; none without meshes.
    pub(super) fn share_table(&self) -> Option<ExperimentTable> {
        let row = |shares: &Shares| {
            let total: f64 = shares.ms.iter().sum();
            let cell = |ms: f64| format!("{} ({})", number::duration(ms), number::percent(ms / total));
            [shares.mesh.clone(), shares.role.name().to_owned()]
                .into_iter()
                .chain(shares.ms.map(cell))
                .collect()
        };
        (!self.shares.is_empty()).then(|| ExperimentTable {
            title: "Share of time in distances, clustering and cut (section 5.2)".to_owned(),
            note: format!(
                "{PARTS} parts by the preset paper. Distances: all of them, by the method that auto chooses; clustering finds the rows that it needs by itself; cut: what the band adds."
            ),
            head: ["mesh", "on"].into_iter().chain(STAGES).map(str::to_owned).collect(),
            rows: self.shares.iter().map(row).collect(),
            text_columns: 2,
        })
    }
}
