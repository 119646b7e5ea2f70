//! What is known before a method's first step: given, or found from the images that are on the device already.

use crate::error::Result;
use crate::method::resident::{ResidentFlow, ResidentMask, ResidentStart};
use crate::steps::buffers::fit;
use crate::steps::frame::Frame;
use crate::steps::linear::affine_registration::affine_registration;
use crate::steps::linear::motion_group::AffineModel;
use crate::steps::pyramid::{LevelGeometry, shrink};
use veloxel_core::Flow;
use veloxel_gpu::{Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{CopyBuffer, InPlace, Operation};
use veloxel_kernels::image::warp::VoxelAffine;
use veloxel_kernels::variational::total_displacement::FromVoxels;

/// What a pair starts from.
#[derive(Debug, Clone, Copy, Default)]
pub enum Start<'a> {
    /// Nothing.
    #[default]
    Zero,
    /// A map that is found from the images.
    Registration(AffineModel),
    /// An affine map of the fixed grid onto itself, voxel positions.
    Affine(VoxelAffine),
    /// A field.
    Flow(&'a Flow),
}

impl Start<'_> {
    /// The start as methods take it; a field on the device lies in `place` then.
    pub(crate) fn find<'a>(
        &self,
        [fixed, moving]: [&Frame; 2],
        mask: Option<&ResidentMask>,
        place: &'a mut Option<ResidentFlow>,
    ) -> Result<ResidentStart<'a>> {
        Ok(match self {
            Self::Affine(map) => ResidentStart::Affine(*map),
            Self::Flow(flow) => {
                ResidentStart::Flow(place.insert(ResidentFlow::upload(fixed.device(), flow)?))
            }
            // Images without contrast have a defined result, which needs no start.
            Self::Registration(model) if fixed.map()?.is_some() && moving.map()?.is_some() => {
                ResidentStart::Affine(affine_registration([fixed, moving], mask, *model)?)
            }
            Self::Zero | Self::Registration(_) => ResidentStart::Zero,
        })
    }
}

/// Number of levels that refine a start field, which has settled the coarser ones already.
const LEVELS_AFTER_START: usize = 3;
/// Number of levels that refine a start from matches, which are wrong by a voxel or two, or altogether.
const LEVELS_AFTER_MATCHES: usize = 2;

/// How many times wider than a voxel those of a coarse pass may be whose flow is refined from there on.
pub(crate) fn coarsening(eta: f64, finest: usize) -> usize {
    eta.powi(-((finest + LEVELS_AFTER_START) as i32)).round().max(2.0) as usize
}

/// How many of the levels of a pyramid a start leaves open, where `finest` is the last one that is used.
pub(crate) fn levels_used(start: ResidentStart<'_>, levels: usize, finest: usize) -> usize {
    match start {
        ResidentStart::Flow(_) => levels.min(finest + LEVELS_AFTER_START),
        ResidentStart::Matches(_) => levels.min(finest + LEVELS_AFTER_MATCHES),
        _ => levels,
    }
}

/// The displacement that the coarsest of `levels` begins with, in its edges; its memory has room for the `finest` used.
///
/// # Errors
/// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory.
pub(crate) fn start_on_coarsest(
    device: &Device,
    levels: &[LevelGeometry],
    finest: usize,
    start: ResidentStart<'_>,
) -> Result<Field> {
    let coarsest = &levels[levels.len() - 1];
    let Some(start) = start.flow() else {
        let shape = levels[finest].shape;
        let mut field = device.scratch_field(shape.components(), shape.len())?;
        fit(device, &mut field, shape.components(), coarsest.shape.len())?;
        InPlace { operation: Operation::Fill(0.0), field: &mut field }.run(device)?;
        return Ok(field);
    };
    let mut field = start.without_holes(device, start.components_vox.len())?;
    let LevelGeometry { shape, spacing_edges, .. } = levels[0];
    FromVoxels { shape, spacing_edges, field: &mut field }.run(device)?;
    for pair in levels.windows(2) {
        let factor = (pair[0].edge_mm / pair[1].edge_mm) as f32;
        for component in &mut field {
            let mut coarser = shrink(device, component, pair[0].shape, pair[1].shape)?;
            Operation::MapAffine { gain: factor, offset: 0.0 }.on(&mut coarser).run(device)?;
            device.fit(component, pair[1].shape.len())?;
            CopyBuffer { from: &coarser, to: component }.run(device)?;
        }
    }
    Ok(field)
}
