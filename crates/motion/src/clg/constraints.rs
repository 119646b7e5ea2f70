//! The data constraints of [`Clg`](crate::Clg) as the motion tensor takes them.

use super::parameters::{ClgParams, Derivatives, Normalisation};
use super::weights::Weights;
use crate::pyramid::LevelGeometry;
use veloxel_gpu::Buffer;
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::variational::motion_tensor::{Constraint, MotionTensor};

impl ClgParams {
    /// How constraints are scaled, with the contrast ζ below which they fade.
    pub(super) fn constraint(&self, zeta: f32) -> Constraint {
        match self.normalise {
            Normalisation::Off => Constraint::Plain,
            Normalisation::Distance => Constraint::Normalised { zeta },
        }
    }

    /// The brightness constraint's tensor on a level.
    pub(super) fn tensor_of<'a>(
        &self,
        geometry: &LevelGeometry,
        weights: &'a Weights,
        (pairs, weight): (&'a [(&'a Buffer, &'a Buffer)], Option<&'a Buffer>),
    ) -> MotionTensor<'a> {
        MotionTensor {
            shape: geometry.shape,
            spacing_edges: geometry.spacing_edges,
            scheme: match self.derivatives {
                Derivatives::Forward => Scheme::Forward,
                Derivatives::Central4 => Scheme::Central4,
            },
            constraint: self.constraint(weights.zeta),
            taps: &weights.taps,
            pairs,
            weight,
        }
    }
}
