//! The update of medoids: the face of each part with the least sum of ways, weighted by probability and area.

use super::FuzzyClusters;
use crate::{DualGraph, MeshError, ShortestPaths};

/// Faces whose ways are summed, and those ways.
pub(super) struct Samples<'a> {
    paths: &'a ShortestPaths,
    areas: &'a [f64],
    /// None: all faces, whose ways are streamed.
    rows: Option<Rows>,
}

struct Rows {
    /// Each stands for the same area.
    faces: Vec<u32>,
    /// A row of ways to all faces for each.
    ways: Vec<f32>,
}

impl<'a> Samples<'a> {
    /// `count` faces at even steps of the area, in the order of the faces; 0, or as many as there are faces: all.
    pub fn new(graph: &'a DualGraph, paths: &'a ShortestPaths, count: usize) -> Result<Self, MeshError> {
        let areas = &graph.areas;
        if count == 0 || count >= graph.faces() {
            return Ok(Self { paths, areas, rows: None });
        }
        let (mut faces, mut before) = (Vec::with_capacity(count), 0.0);
        for (face, area) in areas.iter().enumerate() {
            before += area * count as f64;
            // At most one a face, however large it is.
            if before > faces.len() as f64 + 0.5 {
                faces.push(face as u32);
            }
        }
        let ways = paths.distances_from(&faces)?;
        Ok(Self { paths, areas, rows: Some(Rows { faces, ways }) })
    }

    /// The best face of each part for these weights; the old medoid where no way tells.
    fn best(
        &self,
        labels: &[u32],
        old: &[u32],
        weight: impl Fn(usize, usize) -> f64,
    ) -> Result<Vec<u32>, MeshError> {
        let parts = old.len();
        let mut best: Vec<(f32, u32)> = old.iter().map(|&medoid| (f32::INFINITY, medoid)).collect();
        let mut look = |face: usize, sum: f32| {
            let best = &mut best[labels[face] as usize];
            if sum > 0.0 && sum < best.0 {
                *best = (sum, face as u32);
            }
        };
        match &self.rows {
            None => {
                let table: Vec<f32> = (0..labels.len())
                    .flat_map(|face| {
                        let area = self.areas[face] * labels.len() as f64;
                        let weight = &weight;
                        (0..parts).map(move |part| (area * weight(face, part)) as f32)
                    })
                    .collect();
                let sums = self.paths.weighted_sums(&table, parts)?.sums;
                (0..labels.len()).for_each(|face| look(face, sums[face * parts + labels[face] as usize]));
            }
            Some(rows) => {
                let mut sums = vec![0.0f32; labels.len()];
                for (sample, ways) in rows.faces.iter().zip(rows.ways.chunks_exact(labels.len())) {
                    let weights: Vec<f32> =
                        (0..parts).map(|part| weight(*sample as usize, part) as f32).collect();
                    for ((sum, way), label) in sums.iter_mut().zip(ways).zip(labels) {
                        if way.is_finite() {
                            *sum += weights[*label as usize] * way;
                        }
                    }
                }
                (0..labels.len()).for_each(|face| look(face, sums[face]));
            }
        }
        Ok(best.into_iter().map(|(_, face)| face).collect())
    }

    /// The face with the least sum of ways to all.
    pub fn middle(&self) -> Result<u32, MeshError> {
        let labels = vec![0; self.areas.len()];
        Ok(self.best(&labels, &[0], |_, _| 1.0)?[0])
    }

    /// The medoids of parts, each face with its own part alone.
    pub fn medoids_of_parts(&self, labels: &[u32]) -> Result<Vec<u32>, MeshError> {
        let parts = labels.iter().max().map_or(0, |most| *most as usize + 1);
        let mut first = vec![0; parts];
        (0..labels.len()).rev().for_each(|face| first[labels[face] as usize] = face as u32);
        self.best(labels, &first, |face, part| f64::from(u8::from(labels[face] as usize == part)))
    }

    /// The next medoids.
    pub fn update(&self, clusters: &FuzzyClusters) -> Result<Vec<u32>, MeshError> {
        let faces: Vec<u32> = match &self.rows {
            Some(rows) => rows.faces.clone(),
            None => (0..clusters.labels.len() as u32).collect(),
        };
        let mut place = vec![u32::MAX; clusters.labels.len()];
        let mut probabilities = Vec::with_capacity(faces.len());
        for (nth, &face) in faces.iter().enumerate() {
            place[face as usize] = nth as u32;
            probabilities.push(clusters.probabilities(face as usize));
        }
        self.best(&clusters.labels, &clusters.medoids, |face, part| probabilities[place[face] as usize][part])
    }
}
