//! The memory that [`Clg`](crate::Clg) works in: made once for the finest level, and lent to every level of every run; and what a run
//! holds in all.

use super::Stage;
use super::parameters::{ClgParams, Penaliser, VolumeTerm};
use crate::clg::multigrid::{Multigrid, Solver, Terms};
use crate::method::footprint::{Footprint, Tiling};
use crate::method::start::coarsening;
use crate::steps::buffers::fit;
use crate::steps::choices::MedianFilter;
use crate::steps::pyramid::LevelGeometry;
use veloxel_core::Shape;
use veloxel_gpu::{ComputeError, Device, Field};

/// The memory of a level; parts that the energy does not need are empty. Nothing is allocated inside its warps.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// One buffer.
    pub warped: Field,
    /// Spatial entries, then the right-hand side.
    pub system: Field,
    /// Motion tensors of brightness and of gradients, with tt, where they are weighed apart.
    pub groups: [Field; 2],
    /// Derivatives of the fixed image, and of the warped one.
    pub gradients: [Field; 2],
    pub increment: Field,
    /// The mean of the displacement, which is free once images match.
    pub mean: Field,
    /// A second copy of the field: Jacobi's, or the median's.
    pub spare: Field,
    /// ψ, where it varies: one buffer, as the following.
    pub diffusivity: Field,
    pub volume_weight: Field,
    pub volume_change: Field,
    pub votes: Field,
    /// Bounds of the determinants of the displacement's cells.
    pub cell_bounds: Field,
    pub multigrid: Option<Multigrid>,
}

/// Which parts of the energy the coarser grids of a solve need memory for.
fn terms(params: &ClgParams) -> Terms {
    let varies = params.smoothness_penaliser != Penaliser::Quadratic || params.kappa > 0.0;
    Terms { diffusivity: varies, volume: params.beta > 0.0 }
}

impl Workspace {
    /// Every part, and how many buffers of a level's size it has.
    fn parts(&mut self, params: &ClgParams, shape: Shape) -> [(&mut Field, usize); 14] {
        let (d, entries) = (shape.components(), shape.tensor_entries() + shape.components());
        let (Terms { diffusivity, volume }, gradients) = (terms(params), params.gamma > 0.0);
        let votes = params.median == MedianFilter::NonLocal && d == 2;
        let median = votes || matches!(params.median, MedianFilter::Plain { .. });
        let mean = params.alpha_mismatch > 0.0 && params.mean_matched > 0.0;
        let where_needed = |needed: bool, count: usize| if needed { count } else { 0 };
        let ([brightness, of_gradients], [of_fixed, of_warped]) = (&mut self.groups, &mut self.gradients);
        [
            (&mut self.mean, where_needed(mean, d)),
            (&mut self.warped, 1),
            (&mut self.system, entries),
            (brightness, where_needed(params.is_robust() || gradients, entries + 1)),
            (of_gradients, where_needed(gradients, entries + 1)),
            (of_fixed, where_needed(gradients, d)),
            (of_warped, where_needed(gradients, d)),
            (&mut self.increment, d),
            (&mut self.spare, where_needed(params.solver == Solver::Jacobi || median, d)),
            (&mut self.diffusivity, where_needed(diffusivity, 1)),
            (&mut self.volume_weight, where_needed(volume, 1)),
            (&mut self.volume_change, where_needed(volume && params.volume == VolumeTerm::Jacobian, 1)),
            (&mut self.votes, where_needed(votes, 1)),
            (&mut self.cell_bounds, where_needed(params.least_determinant > 0.0, 1)),
        ]
    }

    /// Samples for every voxel of the finest level.
    fn samples_per_voxel(params: &ClgParams, geometry: &LevelGeometry) -> f64 {
        let (shape, mut none) = (geometry.shape, Self::default());
        let own: usize = none.parts(params, shape).iter().map(|(_, count)| count).sum();
        let coarser = match params.solver {
            Solver::Multigrid => Multigrid::samples_per_voxel(shape, geometry.spacing_edges, terms(params)),
            _ => 0.0,
        };
        own as f64 + coarser
    }

    /// Lends the memory to a level, whatever is in it then.
    pub fn fit(
        &mut self,
        device: &Device,
        params: &ClgParams,
        geometry: &LevelGeometry,
    ) -> Result<(), ComputeError> {
        let LevelGeometry { shape, spacing_edges, .. } = *geometry;
        for (field, count) in self.parts(params, shape) {
            fit(device, field, count, shape.len())?;
        }
        match (&mut self.multigrid, params.solver) {
            (Some(multigrid), _) => multigrid.fit(device, shape, spacing_edges)?,
            (none, Solver::Multigrid) => {
                *none = Some(Multigrid::new(device, shape, spacing_edges, terms(params))?);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Voxels that tiles overlap by beyond their seams, in 2-D and 3-D: docs/design/tiles.md says what they leave.
const GUARD_VOX: [usize; 2] = [56, 24];

/// Beside its workspace a run holds images, displacement, confidence and determinant, and coarser levels of them.
pub(super) fn footprint(first: &Stage, second: Option<&Stage>) -> Footprint {
    let d = first.levels[0].shape.components();
    let stage = |stage: &Stage| {
        let finest = &stage.levels[stage.finest];
        let share = finest.shape.len() as f64 / stage.levels[0].shape.len() as f64;
        share * Workspace::samples_per_voxel(&stage.params, finest)
    };
    let held = 3.5 + 2.0 * d as f64;
    let both = second.map_or(0.0, stage);
    Footprint {
        samples_per_voxel: held + stage(first) + both,
        tiling: Tiling::Overlap {
            guard_vox: GUARD_VOX[d - 2],
            coarsening: coarsening(first.params.eta, first.finest),
        },
    }
}
