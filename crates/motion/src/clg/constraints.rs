//! The data constraints of [`Clg`](crate::Clg) as the motion tensor takes them.

use super::parameters::{ClgParams, Derivatives, Normalisation};
use crate::pyramid::LevelGeometry;
use veloxel_gpu::Buffer;
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::variational::motion_tensor::{Constraint, DataTerm};

impl ClgParams {
    /// How constraints are scaled, with the contrast ζ below which they fade.
    fn constraint(&self, zeta: f32) -> Constraint {
        match self.normalise {
            Normalisation::Off => Constraint::Plain,
            Normalisation::Distance => Constraint::Normalised { zeta },
        }
    }

    /// The constancy of images, or of derivatives, on a level; ζ as in [`Constraint::Normalised`].
    pub(super) fn data_term<'a>(
        &self,
        geometry: &LevelGeometry,
        zeta: f32,
        pairs: &'a [(&'a Buffer, &'a Buffer)],
        weight: Option<&'a Buffer>,
    ) -> DataTerm<'a> {
        DataTerm {
            shape: geometry.shape,
            spacing_edges: geometry.spacing_edges,
            scheme: match self.derivatives {
                Derivatives::Forward => Scheme::Forward,
                Derivatives::Central4 => Scheme::Central4,
            },
            constraint: self.constraint(zeta),
            pairs,
            weight,
        }
    }
}
