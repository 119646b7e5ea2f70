//! What is known of a pair's motion before the first step.

use veloxel_core::{CoreError, Flow, Grid, LinearTransform};
use veloxel_motion::{AffineModel, Start, VoxelAffine};

/// What is known before the first warp.
#[derive(Debug, Clone, Copy, Default)]
pub enum PairStart<'a> {
    /// Nothing.
    #[default]
    None,
    /// The shift between the centres of mass, which is found first.
    CentreOfMass,
    /// A turn and a shift, which are found first.
    Rigid,
    /// A turn, a common scale and a shift, which are found first.
    Similarity,
    /// An affine map, which is found first.
    Affine,
    /// A linear transform from the fixed image's space to the moving one's, LPS mm.
    Transform(LinearTransform),
    /// Matches over the whole range of motion, which are found first, both ways.
    Matches,
    /// A flow on the fixed grid.
    Flow(&'a Flow),
}

/// What a pair starts from, without its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartKind {
    /// Nothing.
    #[default]
    None,
    /// A linear map: the shift between the centres of mass or a rigid, similarity or affine one that is found first, or one that is
    /// given.
    Registration,
    /// Matches over the whole range of motion.
    Matches,
    /// A flow that is given.
    Flow,
}

impl<'a> PairStart<'a> {
    /// Without its data.
    pub fn kind(&self) -> StartKind {
        match self {
            Self::None => StartKind::None,
            Self::CentreOfMass | Self::Rigid | Self::Similarity | Self::Affine | Self::Transform(_) => {
                StartKind::Registration
            }
            Self::Matches => StartKind::Matches,
            Self::Flow(_) => StartKind::Flow,
        }
    }

    /// As methods take it: those that begin from matches find them on their own.
    ///
    /// # Errors
    /// [`CoreError::Transform`] for a transform of a picture with a volume, or the other way round.
    pub(crate) fn of_method(&self, fixed: &Grid) -> Result<Start<'a>, CoreError> {
        Ok(match self {
            Self::None | Self::Matches => Start::Zero,
            Self::CentreOfMass => Start::Registration(AffineModel::CentreOfMass),
            Self::Affine => Start::Registration(AffineModel::Affine),
            Self::Rigid => Start::Registration(AffineModel::Rigid),
            Self::Similarity => Start::Registration(AffineModel::Similarity),
            Self::Transform(transform) => Start::Affine(on_voxels(transform, fixed)?),
            Self::Flow(flow) => Start::Flow(flow),
        })
    }
}

/// A linear transform of the world as a map of a grid's voxel positions onto themselves.
fn on_voxels(transform: &LinearTransform, grid: &Grid) -> Result<VoxelAffine, CoreError> {
    if transform.dimension() != grid.dimension() {
        let (own, images) = (transform.dimension().count(), grid.dimension().count());
        let reason = format!("to begin from is {own}-D, and the images are {images}-D");
        return Err(CoreError::Transform { reason });
    }
    let there = |voxel: [f64; 3]| grid.voxel_from_world(transform.apply(grid.world_from_voxel(voxel)));
    let offset = there([0.0; 3]);
    let columns = [0, 1, 2].map(|axis| there([0, 1, 2].map(|a| f64::from(u8::from(a == axis)))));
    let matrix = [0, 1, 2].map(|r| [0, 1, 2].map(|c| columns[c][r] - offset[r]));
    if grid.dimension().count() == 2 {
        // A plane goes to its own plane.
        let [[a, b, _], [c, d, _], _] = matrix;
        let matrix = [[a, b, 0.0], [c, d, 0.0], [0.0, 0.0, 1.0]];
        return Ok(VoxelAffine { matrix, offset: [offset[0], offset[1], 0.0] });
    }
    Ok(VoxelAffine { matrix, offset })
}
