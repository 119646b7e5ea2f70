//! The dense field of sparse matches: affine models on a grid of nodes, from coarse to fine.

use super::smoothed;
use crate::error::Result;
use crate::steps::buffers::{written, written_field};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Operation;
use veloxel_kernels::matching::local_models::{
    Guess, Kept, LocalModels, ModelField, Scales, model_planes, reach,
};
use veloxel_kernels::matching::match_nodes::{MatchNodes, Members, cells, planes};

/// Voxels of a cell along each axis, on the finest grid of nodes.
const CELL_VOX: usize = 4;
/// Nodes of the coarsest grid along its longest axis, at most.
const COARSEST: usize = 4;
/// Largest distance of two vectors that counts where one of a cell is chosen, voxels; and of four nodes.
const CAPS_VOX: [f32; 2] = [10.0, 20.0];
/// Smoothing of the image whose intensities nodes have, voxels.
const NODE_SIGMA_VOX: f64 = 1.0;
/// Difference of intensities, of a range of 1, at which matches say little of each other.
const INTENSITY: f32 = 0.02;
/// Residual at which a match begins to count as an outlier, voxels; doubled from grid to coarser grid.
const RESIDUAL_VOX: f32 = 2.0;
/// Fits on each grid: from the next coarser one's models, then among neighbours.
const FITS: usize = 2;

/// What is known of a field.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// Voxels.
    pub field: &'a [Buffer],
    /// 0: nothing is known.
    pub weight: &'a Buffer,
}

/// An image, prepared for fields to be made dense along its edges.
pub(super) struct Densifier<'a> {
    device: &'a Device,
    shape: Shape,
    image: &'a Buffer,
    smooth: Buffer,
}

impl<'a> Densifier<'a> {
    pub fn new(device: &'a Device, image: &'a Buffer, shape: Shape) -> Result<Self> {
        let smooth = smoothed(device, image, shape, NODE_SIGMA_VOX)?;
        Ok(Self { device, shape, image, smooth })
    }

    /// The field of models of what is known; vectors that are kept stay.
    pub fn dense(&self, known: Known<'_>, kept: Option<Known<'_>>) -> Result<Field> {
        let (device, shape) = (self.device, self.shape);
        let grids = self.grids(known)?;
        let (finest, models) = self.fit(&grids)?;
        let found = written_field(device, shape, |out| {
            let field = ModelField {
                shape,
                width: CELL_VOX,
                intensity: INTENSITY,
                image: self.image,
                nodes: finest,
                models: &models,
                kept: kept.map(|kept| Kept { field: kept.field, weight: kept.weight }),
                out,
            };
            field.run(device)
        });
        Ok(found?)
    }

    /// Nodes, finest first.
    fn grids(&self, known: Known<'_>) -> Result<Vec<(Shape, Buffer)>, ComputeError> {
        let nodes = |shape: Shape, width: usize, cap_vox: f32, members: Members<'_>| {
            let grid = cells(shape, width);
            let nodes = written(self.device, planes(shape.components()) * grid.len(), |out| {
                MatchNodes { shape, width, cap_vox, members, out }.run(self.device)
            });
            Ok::<_, ComputeError>((grid, nodes?))
        };
        let Known { field, weight } = known;
        let voxels = Members::Voxels { field, weight, image: &self.smooth };
        let mut grids = vec![nodes(self.shape, CELL_VOX, CAPS_VOX[0], voxels)?];
        loop {
            let (shape, finer) = &grids[grids.len() - 1];
            if shape.size.iter().all(|&n| n <= COARSEST) {
                return Ok(grids);
            }
            grids.push(nodes(*shape, 2, CAPS_VOX[1], Members::Nodes(finer))?);
        }
    }

    /// Models of the finest nodes.
    fn fit<'g>(&self, grids: &'g [(Shape, Buffer)]) -> Result<(&'g Buffer, Buffer), ComputeError> {
        let (device, d) = (self.device, self.shape.components());
        let coarsest = &grids[grids.len() - 1];
        let still = |out: &mut Buffer| Operation::Fill(0.0).on(out).run(device);
        let mut guess = (coarsest, written(device, model_planes(d) * coarsest.0.len(), still)?);
        for (level, grid) in grids.iter().enumerate().rev() {
            let finer = (1 << level) as f32;
            let scales = Scales {
                residual_vox: RESIDUAL_VOX * finer,
                intensity: INTENSITY,
                window_vox: (CELL_VOX * reach(d)) as f32 * finer,
            };
            for _ in 0..FITS {
                let ((shape, nodes), (guess_shape, guess_nodes)) = (grid, guess.0);
                let from = Guess { shape: *guess_shape, nodes: guess_nodes, models: &guess.1 };
                let models = written(device, model_planes(d) * shape.len(), |out| {
                    LocalModels { shape: *shape, scales, nodes, guess: from, out }.run(device)
                });
                guess = (grid, models?);
            }
        }
        Ok((&guess.0.1, guess.1))
    }
}
