//! How probable each part is for each triangle.

use veloxel_core::{Control, Stopped};
use veloxel_mesh::{CleanMesh, FuzzyClusters};

/// Faces between two questions whether to go on: some milliseconds.
const FACES_AT_ONCE: usize = 1 << 12;

/// Whether the probability of every part is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MembershipChoice {
    /// It is not computed where the method does not need it.
    #[default]
    LeftOut,
    /// It is computed.
    Computed,
}

/// The probability of each part (columns) for each triangle (rows). Triangles at one place share a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Membership {
    columns: usize,
    probabilities: Vec<f32>,
    row_of: Vec<u32>,
}

impl Membership {
    pub(super) fn new(of_face: &FaceMembership, clean: &CleanMesh) -> Self {
        let FaceMembership { parts: columns, probabilities } = of_face.clone();
        Self { columns, probabilities, row_of: clean.face_of.clone() }
    }

    /// How many parts there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many triangles there are.
    pub fn rows(&self) -> usize {
        self.row_of.len()
    }

    /// The probabilities of a triangle, one a part.
    ///
    /// # Panics
    /// If there is no such triangle.
    pub fn row(&self, triangle: usize) -> &[f32] {
        let first = self.row_of[triangle] as usize * self.columns;
        &self.probabilities[first..first + self.columns]
    }
}

/// For each face a row of probabilities, one for each part.
#[derive(Debug, Clone)]
pub(super) struct FaceMembership {
    pub parts: usize,
    pub probabilities: Vec<f32>,
}

impl FaceMembership {
    /// The probabilities that clusters give.
    pub fn of(clusters: &FuzzyClusters, control: &Control) -> Result<Self, Stopped> {
        let mut pace = control.once_in(FACES_AT_ONCE);
        let mut probabilities = Vec::with_capacity(clusters.labels.len() * clusters.parts());
        for face in 0..clusters.labels.len() {
            pace.step()?;
            probabilities.extend(clusters.probabilities(face).iter().map(|&probability| probability as f32));
        }
        Ok(Self { parts: clusters.parts(), probabilities })
    }
}
