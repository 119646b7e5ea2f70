//! What is known before a method's first step: given, or found from the images that are on the device already.

use crate::MotionError;
use crate::affine_registration::{AffineModel, affine_registration};
use crate::frame::Frame;
use crate::pyramid::{LevelGeometry, shrink};
use crate::resident::{ResidentFlow, ResidentMask, ResidentStart};
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
    /// The field on the device, where the start is one.
    pub(crate) fn upload_flow(&self, device: &Device) -> Result<Option<ResidentFlow>, MotionError> {
        match self {
            Self::Flow(flow) => ResidentFlow::upload(device, flow).map(Some),
            _ => Ok(None),
        }
    }

    /// The start as methods take it; `flow` is what [`Self::upload_flow`] gave.
    pub(crate) fn find<'a>(
        &self,
        images: [&Frame; 2],
        mask: Option<&ResidentMask>,
        flow: Option<&'a ResidentFlow>,
    ) -> Result<ResidentStart<'a>, MotionError> {
        Ok(match (self, flow) {
            (Self::Affine(map), _) => ResidentStart::Affine(*map),
            (Self::Registration(model), _) => {
                // Images without contrast have a defined result, which needs no start.
                let [fixed, moving] = images;
                match (fixed.map()?, moving.map()?) {
                    (Some(_), Some(_)) => ResidentStart::Affine(affine_registration(images, mask, *model)?),
                    _ => ResidentStart::Zero,
                }
            }
            (_, Some(flow)) => ResidentStart::Flow(flow),
            (_, None) => ResidentStart::Zero,
        })
    }
}

/// A start field is refined from this many levels on: what is coarser it has settled already.
const LEVELS_AFTER_START: usize = 3;
/// The same for matches, which are wrong by a voxel or two, or altogether.
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
/// [`MotionError::Compute`] if the device has too little memory.
pub(crate) fn start_on_coarsest(
    device: &Device,
    levels: &[LevelGeometry],
    finest: usize,
    start: ResidentStart<'_>,
) -> Result<Field, MotionError> {
    let coarsest = &levels[levels.len() - 1];
    let field_on = |level: &LevelGeometry| device.scratch_field(level.shape.components(), level.shape.len());
    let Some(start) = start.flow() else {
        let mut field = field_on(&levels[finest])?;
        for component in &mut field {
            device.fit(component, coarsest.shape.len())?;
        }
        InPlace { operation: Operation::Fill(0.0), field: &mut field }.run(device)?;
        return Ok(field);
    };
    let mut field = field_on(&levels[0])?;
    for (component, out) in start.components_vox.iter().zip(&mut field) {
        CopyBuffer { from: component, to: out }.run(device)?;
        // A start may have holes: there nothing is known.
        Operation::MapAffine { gain: 1.0, offset: 0.0 }.on(out).run(device)?;
    }
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
