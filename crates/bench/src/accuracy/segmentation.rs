//! Parts of meshes compared with those of people: the meshes of the Princeton segmentation benchmark in the data folder.

use crate::{BenchError, Figure, Session};
use std::path::{Path, PathBuf};
use std::time::Instant;
use veloxel::VeloxelError;
use veloxel::jobs::{PartsMethodOptions, SegmentJob, SegmentOutputs, segment};
use veloxel::metrics::segmentation_error;
use veloxel_core::{Control, Warnings};
use veloxel_gpu::Cpu;
use veloxel_io::{ReadOptions, Reading, read_face_labels, read_surface};
use veloxel_mesh::{
    ArcWeights, CleanMesh, Cuts, CutsParams, DualGraph, FuzzyParams, MedoidSeeds, PartCount, cuts,
    fuzzy_clustering,
};

/// The meshes. Parameters were chosen on every other one of them, from the first on; the rest were kept apart.
const MESHES: [u32; 19] =
    [1, 21, 41, 61, 81, 101, 121, 141, 161, 181, 201, 221, 241, 281, 301, 321, 341, 361, 381];
/// The greatest Rand index allowed for each method, as a mean over the meshes.
const MOST_RAND: [(&str, f64); 2] = [("cuts", 0.115), ("fuzzy", 0.160)];
/// Least factor, over chance, by which uncertain faces lie beside a human cut.
const LEAST_RATIO: f64 = 2.5;
/// A mesh of 18,500 faces, and its greatest time from file to file, s.
const TIMED: (u32, f64) = (301, 6.0);
/// The share of faces that count as uncertain.
const UNCERTAIN: f64 = 0.1;

/// A mesh with the segmentations of people.
pub(crate) struct Example {
    pub graph: DualGraph,
    /// A label for each face of the graph, for each person.
    people: Vec<Vec<u32>>,
    /// The median of the people's numbers of parts.
    pub parts: usize,
}

/// The results of one mesh.
struct Measured {
    rand: [f64; 2],
    /// Share of uncertain faces beside a human cut, over chance.
    ratio: f64,
    chosen: usize,
}

/// `segmentation`: Rand index of both methods with the people's number of parts, certainty, the number of parts, times.
pub(crate) fn segmentation(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let Some(folder) = session.data("mesh/psb") else { return Ok(Vec::new()) };
    let (mut figures, mut all) = (Vec::new(), Vec::new());
    let cpu = Cpu::new(session.device_options.threads).map_err(VeloxelError::from)?;
    for id in MESHES {
        let example = Example::read(&folder, id)?;
        let measured = measure(session, &example, &cpu)?;
        for ((method, _), rand) in MOST_RAND.iter().zip(measured.rand) {
            figures.push(Figure::new(format!("{id}, {} parts: {method}", example.parts), rand, "Rand"));
        }
        let off = measured.chosen as f64 - example.parts as f64;
        figures.push(Figure::new(
            format!("{id}, {} parts: chosen less people's", example.parts),
            off,
            "parts",
        ));
        all.push((measured, off.abs()));
    }
    let mean = |of: &dyn Fn(&(Measured, f64)) -> f64, which: &dyn Fn(usize) -> bool| {
        let values: Vec<f64> = (0..all.len()).filter(|&nth| which(nth)).map(|nth| of(&all[nth])).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    for (nth, (method, most)) in MOST_RAND.into_iter().enumerate() {
        let rand = |one: &(Measured, f64)| one.0.rand[nth];
        figures
            .push(Figure::new(format!("mean of 19: {method}"), mean(&rand, &|_| true), "Rand").at_most(most));
        figures.push(Figure::new(
            format!("mean of 10 tuned on: {method}"),
            mean(&rand, &|n| n % 2 == 0),
            "Rand",
        ));
        figures.push(Figure::new(format!("mean of 9 kept: {method}"), mean(&rand, &|n| n % 2 == 1), "Rand"));
    }
    let ratio = mean(&|one| one.0.ratio, &|_| true);
    let what = "uncertain faces within 2 faces of a human cut";
    figures.push(Figure::new(what, ratio, "× chance").at_least(LEAST_RATIO));
    figures.push(Figure::new(
        "mean difference of chosen and people's parts",
        mean(&|one| one.1, &|_| true),
        "parts",
    ));
    if !session.is_quick {
        let (id, most_s) = TIMED;
        let time_s = file_to_file_s(session, &folder.join(format!("off/{id}.off")))?;
        figures.push(Figure::new(format!("{id}: mesh file to coloured PLY"), time_s, "s").at_most(most_s));
    }
    Ok(figures)
}

impl Example {
    /// Reads a mesh by its number, and what people made of it.
    pub fn read(folder: &Path, id: u32) -> Result<Self, BenchError> {
        let path = folder.join(format!("off/{id}.off"));
        let mesh = read_surface(&path, Reading::default(), &mut Warnings::new())?;
        let clean = CleanMesh::new(&mesh, &Control::default()).map_err(VeloxelError::from)?;
        let of_people = folder.join(format!("seg/{id}"));
        let mut files: Vec<PathBuf> = std::fs::read_dir(&of_people)
            .map_err(|source| veloxel_io::IoError::Open { path: of_people.clone(), source })?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "seg"))
            .collect();
        files.sort();
        let read = |path: &PathBuf| -> Result<Vec<u32>, BenchError> {
            let labels = read_face_labels(path, Reading::default())?;
            Ok(clean.source.iter().map(|&face| labels[face as usize]).collect())
        };
        let people = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut counts: Vec<usize> = people
            .iter()
            .map(|labels| labels.iter().collect::<std::collections::HashSet<_>>().len())
            .collect();
        counts.sort_unstable();
        let parts = (counts[(counts.len() - 1) / 2] + counts[counts.len() / 2]) / 2;
        let graph = DualGraph::new(&clean, &Control::default()).map_err(VeloxelError::from)?;
        Ok(Self { graph, people, parts })
    }

    /// The Rand index of labels, as a mean over people.
    pub fn rand(&self, labels: &[u32]) -> Result<f64, BenchError> {
        let mut sum = 0.0;
        for person in &self.people {
            sum += segmentation_error(labels, person, &Control::default())?.rand;
        }
        Ok(sum / self.people.len() as f64)
    }

    /// The Rand index of people against each other, as a mean over their pairs.
    pub fn rand_of_people(&self) -> Result<f64, BenchError> {
        let (mut sum, mut count) = (0.0, 0usize);
        for (nth, one) in self.people.iter().enumerate() {
            for other in &self.people[nth + 1..] {
                sum += segmentation_error(one, other, &Control::default())?.rand;
                count += 1;
            }
        }
        Ok(sum / count.max(1) as f64)
    }

    /// The share of the least certain faces that lie within two faces of a cut, over the share of all that do; mean over people.
    fn ratio(&self, certainty: &[f32]) -> f64 {
        let mut order: Vec<usize> = (0..certainty.len()).collect();
        order.sort_by(|&a, &b| certainty[a].total_cmp(&certainty[b]).then(a.cmp(&b)));
        let least = &order[..((order.len() as f64 * UNCERTAIN) as usize).max(1)];
        let (mut found, mut chance) = (0.0, 0.0);
        for person in &self.people {
            let near = self.near_cuts(person);
            found += least.iter().filter(|&&face| near[face]).count() as f64 / least.len() as f64;
            chance += near.iter().filter(|&&is| is).count() as f64 / near.len() as f64;
        }
        found / chance
    }

    /// Faces at a cut, and those beside them.
    fn near_cuts(&self, labels: &[u32]) -> Vec<bool> {
        let arcs = || self.graph.arcs.iter().map(|arc| arc.faces.map(|face| face as usize));
        let mut at_cut = vec![false; labels.len()];
        arcs().filter(|[a, b]| labels[*a] != labels[*b]).flatten().for_each(|face| at_cut[face] = true);
        let mut near = at_cut.clone();
        arcs().filter(|[a, b]| at_cut[*a] || at_cut[*b]).flatten().for_each(|face| near[face] = true);
        near
    }
}

fn measure(session: &Session<'_>, example: &Example, cpu: &Cpu) -> Result<Measured, BenchError> {
    let (graph, params) = (&example.graph, CutsParams::default());
    let found: Cuts = cuts(graph, &params, cpu)?;
    let parts = |count| found.parts(graph, count, &params, &Control::default()).map_err(VeloxelError::from);
    let given = parts(PartCount::Given(example.parts))?;
    let fuzzy = FuzzyParams::default();
    let weights = ArcWeights::new(graph, &found, &fuzzy, cpu).map_err(veloxel_mesh::MeshError::from)?;
    let seeds = MedoidSeeds::Parts(&given.labels);
    let clusters =
        fuzzy_clustering(graph, &weights, seeds, &fuzzy, session.device).map_err(VeloxelError::from)?;
    Ok(Measured {
        rand: [example.rand(&given.labels)?, example.rand(&clusters.labels)?],
        ratio: example.ratio(&given.certainty),
        chosen: parts(PartCount::Chosen)?.count,
    })
}

/// The fastest of three runs.
fn file_to_file_s(session: &Session<'_>, mesh: &Path) -> Result<f64, BenchError> {
    let folder =
        tempfile::tempdir().map_err(|source| veloxel_io::IoError::Open { path: "".into(), source })?;
    let job = SegmentJob {
        mesh: mesh.to_owned(),
        count: PartCount::Chosen,
        method: PartsMethodOptions::named("cuts").map_err(VeloxelError::from)?,
        reading: ReadOptions::default(),
        command_line: String::new(),
        outputs: SegmentOutputs { painted: folder.path().join("parts.ply"), ..SegmentOutputs::default() },
    };
    let mut fastest_s = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        segment(&job, &veloxel::Session::begin(&session.device_options))?;
        fastest_s = fastest_s.min(start.elapsed().as_secs_f64());
    }
    Ok(fastest_s)
}
