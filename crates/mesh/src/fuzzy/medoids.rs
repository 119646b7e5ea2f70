//! Medoids: the face of each part with the least sum of distances, weighted by probability and area; exact, from few rows of
//! distances.
//!
//! *Paper*: J. Newling, F. Fleuret, "A Sub-Quadratic Exact Medoid Algorithm", AISTATS 2017, arXiv:1605.06950: a sum that is known
//! bounds the sums of all faces of its part, and faces whose bound exceeds the best sum are never looked at.
//! *Where we differ*: candidates come in batches, some with the least bounds and the others spread over the part; parts weigh faces.
//! *Cost*: rows of ways by the square root of the faces of a part, some hundreds for thousands.

use crate::connected_parts::connected_parts;
use crate::dual_graph::DualGraph;
use crate::error::MeshError;
use crate::shortest_paths::ShortestPaths;
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::clusters::medoid_bounds::MedoidBounds;
use veloxel_kernels::clusters::memberships::Memberships;
use veloxel_kernels::clusters::row_costs::RowCosts;

/// Number of candidates at a time, and the most distances of them.
const BATCH: usize = 512;
const MOST_WAYS: usize = 1 << 28;
/// Number of distances that are kept from one update to the next: 2 GiB.
const MOST_KEPT: usize = 1 << 29;
/// The part of the candidates that are chosen by their least bounds: one in this many.
const LEAST_BOUNDS: usize = 4;
/// A bound this much above the best sum is above it whatever rounding did.
const MARGIN: f32 = 1.0001;

/// Looks for medoids on a device.
pub(super) struct MedoidSearch<'a> {
    graph: &'a DualGraph,
    paths: &'a ShortestPaths,
    device: &'a Device,
    /// Area of each face, 1 on the average.
    areas: Buffer,
    /// Rows of distances that were found before, the oldest first: medoids move little, so rows near them are used again.
    known: Vec<Rows>,
}

/// Rows of distances to all faces.
struct Rows {
    ways: Buffer,
    /// Where each row begins.
    faces: Vec<u32>,
}

/// Medoids with what belongs to them; a row of each buffer is a medoid's.
pub(super) struct Around {
    pub ways: Buffer,
    /// What each face weighs in the sums of each part.
    pub weights: Buffer,
    /// The nearest medoid of each face.
    pub labels: Vec<u32>,
}

/// The best face of a part so far.
#[derive(Clone, Copy)]
struct Best {
    sum: f32,
    face: u32,
}

impl<'a> MedoidSearch<'a> {
    pub fn new(
        graph: &'a DualGraph,
        paths: &'a ShortestPaths,
        device: &'a Device,
    ) -> Result<Self, MeshError> {
        let faces = graph.faces() as f64;
        let areas = device.upload(graph.areas.iter().map(|area| (area * faces) as f32).collect())?;
        Ok(Self { graph, paths, device, areas, known: Vec::new() })
    }

    /// The face with the least sum of distances to its component, which is the one with the most area.
    pub fn middle(&mut self) -> Result<u32, MeshError> {
        let component_of =
            connected_parts(self.graph, &vec![0; self.graph.faces()], 0.0, self.device.control())?;
        let mut areas = vec![0.0; self.graph.faces()];
        for (&component, area) in component_of.iter().zip(&self.graph.areas) {
            areas[component as usize] += area;
        }
        let largest =
            (0..areas.len()).fold(0, |best, c| if areas[c] > areas[best] { c } else { best }) as u32;
        // Part 1 is none.
        let labels: Vec<u32> = component_of.iter().map(|&c| u32::from(c != largest)).collect();
        Ok(self.medoids_of(&labels, 1)?[0])
    }

    /// The medoids of so many parts, each face with its own part alone.
    pub(crate) fn medoids_of(&mut self, labels: &[u32], parts: usize) -> Result<Vec<u32>, MeshError> {
        let faces = labels.len();
        let mut first = vec![0; parts];
        let mut weights = vec![0.0; parts * faces];
        for (face, &label) in labels.iter().enumerate().rev().filter(|(_, label)| **label < parts as u32) {
            first[label as usize] = face as u32;
            weights[label as usize * faces + face] = (self.graph.areas[face] * faces as f64) as f32;
        }
        self.best(&self.device.upload(weights)?, labels, &first)
    }

    /// Which faces belong to each medoid, and how much.
    pub fn around(&self, medoids: &[u32], sharpness: f64) -> Result<Around, MeshError> {
        let ways = self.paths.resident_rows(medoids, self.device)?;
        let mut weights = self.device.scratch(ways.len())?;
        let mut labels = self.device.scratch(self.graph.faces())?;
        let (distances, areas, sharpness) = (&ways, &self.areas, sharpness as f32);
        Memberships { distances, areas, sharpness, weights: &mut weights, labels: &mut labels }
            .run(self.device)?;
        Ok(Around { ways, weights, labels: self.device.download(labels)? })
    }

    /// The next medoids.
    pub fn update(&mut self, medoids: &[u32], around: &Around) -> Result<Vec<u32>, MeshError> {
        self.best(&around.weights, &around.labels, medoids)
    }

    /// The best face of each part, the lowest of several; `first` are looked at first.
    fn best(&mut self, weights: &Buffer, labels: &[u32], first: &[u32]) -> Result<Vec<u32>, MeshError> {
        let mut round = Round::new(self.device, weights, labels, first)?;
        for known in &self.known {
            round.look(known)?;
        }
        let is_new = |face: &u32| !self.known.iter().any(|known| known.faces.contains(face));
        let mut next: Vec<u32> = first.iter().copied().filter(is_new).collect();
        let batch = BATCH.min(MOST_WAYS / labels.len()).max(1);
        loop {
            for faces in next.chunks(batch) {
                let ways = self.paths.resident_rows(faces, self.device)?;
                let rows = Rows { ways, faces: faces.to_vec() };
                round.look(&rows)?;
                self.keep(rows);
            }
            next = candidates(&self.device.read(&round.bounds)?, labels, &round.best);
            if next.is_empty() {
                return Ok(round.best.into_iter().map(|best| best.face).collect());
            }
        }
    }

    /// Keeps rows for the next round, in place of the oldest.
    fn keep(&mut self, rows: Rows) {
        let room = self.device.free_bytes().map_or(MOST_KEPT, |free| (free / 16).min(MOST_KEPT));
        let kept = |known: &[Rows]| known.iter().map(|rows| rows.ways.len()).sum::<usize>();
        while !self.known.is_empty() && kept(&self.known) + rows.ways.len() > room {
            self.known.remove(0);
        }
        self.known.push(rows);
    }
}

/// What is known of every face's sum.
struct Round<'a> {
    device: &'a Device,
    weights: &'a Buffer,
    labels: &'a [u32],
    resident_labels: Buffer<u32>,
    /// The sum of each part's weights.
    totals: Buffer,
    bounds: Buffer,
    best: Vec<Best>,
}

impl<'a> Round<'a> {
    fn new(
        device: &'a Device,
        weights: &'a Buffer,
        labels: &'a [u32],
        first: &[u32],
    ) -> Result<Self, MeshError> {
        let (nodes, parts) = (labels.len(), first.len());
        let best = first.iter().map(|&face| Best { sum: f32::INFINITY, face }).collect();
        let ones = device.upload(vec![1.0; nodes])?;
        let (row_of, part_of) = (device.zeros(parts)?, device.upload((0..parts as u32).collect())?);
        let mut totals = device.scratch(parts)?;
        let (rows, row_of, part_of) = (&ones, &row_of, &part_of);
        RowCosts { nodes, rows, row_of, part_of, weights, costs: &mut totals }.run(device)?;
        let (resident_labels, bounds) = (device.upload_copy(labels)?, device.zeros(nodes)?);
        Ok(Self { device, weights, labels, resident_labels, totals, bounds, best })
    }

    /// Finds the sums of some faces, and raises the bounds of the others by them.
    fn look(&mut self, Rows { ways, faces }: &Rows) -> Result<(), MeshError> {
        let (device, nodes, parts) = (self.device, self.labels.len(), self.best.len() as u32);
        let part = |row: &u32| self.labels[faces[*row as usize] as usize];
        let mut row_of: Vec<u32> = (0..faces.len() as u32).filter(|row| part(row) < parts).collect();
        if row_of.is_empty() {
            return Ok(());
        }
        row_of.sort_by_key(part);
        let part_of: Vec<u32> = row_of.iter().map(part).collect();
        let candidates: Vec<u32> = row_of.iter().map(|&row| faces[row as usize]).collect();
        let begins = (0..=parts).map(|part| part_of.partition_point(|&own| own < part) as u32).collect();
        let row_of = device.upload(row_of)?;
        let mut costs = device.scratch(candidates.len())?;
        RowCosts {
            nodes,
            rows: ways,
            row_of: &row_of,
            part_of: &device.upload_copy(&part_of)?,
            weights: self.weights,
            costs: &mut costs,
        }
        .run(device)?;
        MedoidBounds {
            rows: ways,
            row_of: &row_of,
            candidates: &device.upload_copy(&candidates)?,
            costs: &costs,
            begins: &device.upload(begins)?,
            totals: &self.totals,
            labels: &self.resident_labels,
            bounds: &mut self.bounds,
        }
        .run(device)?;
        for ((face, part), sum) in candidates.into_iter().zip(part_of).zip(device.download(costs)?) {
            let best = &mut self.best[part as usize];
            if sum < best.sum || (sum == best.sum && face < best.face) {
                *best = Best { sum, face };
            }
        }
        Ok(())
    }
}

/// Faces that may yet be better than the best of their part: some of each part.
fn candidates(bounds: &[f32], labels: &[u32], best: &[Best]) -> Vec<u32> {
    let mut open: Vec<Vec<u32>> = vec![Vec::new(); best.len()];
    for (face, (&bound, &label)) in bounds.iter().zip(labels).enumerate() {
        if let Some(best) = best.get(label as usize)
            && bound <= best.sum * MARGIN
            && bound < f32::INFINITY
        {
            open[label as usize].push(face as u32);
        }
    }
    let count = open.iter().filter(|faces| !faces.is_empty()).count();
    let share = (BATCH / count.max(1)).max(1);
    let mut chosen = Vec::new();
    for mut faces in open {
        if faces.len() > share {
            let by_bound = |face: &u32| (bounds[*face as usize].to_bits(), *face);
            let low = share / LEAST_BOUNDS + 1;
            faces.select_nth_unstable_by_key(low - 1, by_bound);
            // Multiples of the golden section lie evenly, and neighbours have like numbers in most files.
            faces[low..].sort_unstable_by_key(|&face| face.wrapping_mul(0x9e37_79b9));
            faces.truncate(share);
        }
        chosen.extend(faces);
    }
    chosen
}
