//! Volumes that breathe: an image seen through a field that is known.

use crate::{BenchError, Session};
use std::path::Path;
use veloxel_core::{Flow, Mask, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_io::{Strictness, read_image, read_mask};
use veloxel_kernels::image::warp::Interpolation;
use veloxel_motion::{Border, FinerImage, MovingImage, voxel_map};
use veloxel_phantoms::{Breathing, CentredFrame, Motion};

/// Motion of the diaphragm, and of the chest's front, voxels.
const BREATH_VOX: [f64; 2] = [20.0, -3.0];
/// Planes of the lung's image between which it breathes.
const BREATHING_PLANES: [f64; 2] = [5.0, 63.0];

/// A volume that breathes by a known field.
pub(crate) struct BreathingPair {
    pub fixed: Volume<f32>,
    pub moving: Volume<f32>,
    pub truth: Flow,
    /// The lung of the fixed image, where it is known.
    pub lung: Option<Mask>,
}

/// A volume that breathes, by so many voxels of its diaphragm and its chest's front, between two of its planes.
pub(crate) fn breathing_of(
    device: &Device,
    moving: Volume<f32>,
    breath_vox: [f64; 2],
    planes: [f64; 2],
) -> Result<BreathingPair, BenchError> {
    let truth = breath(&moving, breath_vox, planes);
    let fixed = seen_through(device, &moving, &truth)?;
    Ok(BreathingPair { fixed, moving, truth, lung: None })
}

/// The small lung CT that breathes; none without the data folder.
pub(crate) fn breathing_lung(session: &Session<'_>) -> Result<Option<BreathingPair>, BenchError> {
    let folder = Path::new("volumes/elastix/Data");
    let path = |name: &str| session.data(&folder.join(name).display().to_string());
    let (Some(image), Some(mask)) =
        (path("3DCT_lung_baseline_small.mha"), path("3DCT_lung_baseline_mask.mha"))
    else {
        return Ok(None);
    };
    let mut warnings = Warnings::new();
    let moving = read_image(&image, Strictness::Lenient, &mut warnings)?;
    let mask = read_mask(&mask, Strictness::Lenient, &mut warnings)?;
    let pair = breathing_of(session.device, moving, BREATH_VOX, BREATHING_PLANES)?;
    let BreathingPair { moving, truth, .. } = &pair;
    let map = voxel_map(moving.grid(), mask.grid());
    let lung = Mask::from_fn(moving.grid().clone(), |voxel| {
        let d = truth.vector_vox(moving.grid().index(voxel));
        let at = map.apply([0, 1, 2].map(|a| voxel[a] as f64 + f64::from(d[a]))).map(f64::round);
        let size = mask.grid().size();
        (0..3).all(|a| at[a] >= 0.0 && at[a] < size[a] as f64)
            && mask.data()[mask.grid().index(at.map(|v| v as usize))]
    });
    Ok(Some(BreathingPair { lung: Some(lung), ..pair }))
}

/// The field of a breath on an image's grid.
fn breath(image: &Volume<f32>, [diaphragm_vox, front_vox]: [f64; 2], planes: [f64; 2]) -> Flow {
    let (grid, frame) = (image.grid(), CentredFrame::new(image.grid()));
    let spacing = grid.spacing_mm();
    let z_mm = |plane: f64| (plane - 0.5 * (grid.size()[2] as f64 - 1.0)) * spacing[2];
    let motion = Breathing {
        diaphragm_mm: diaphragm_vox * spacing[2],
        front_mm: front_vox * spacing[1],
        from_to_mm: planes.map(z_mm),
    };
    Flow::from_fn(grid.clone(), |voxel| {
        let index = grid.index(voxel.map(|v| v as usize));
        frame.vector_vox(motion.displacement_mm(frame.position_mm(index)))
    })
}

/// The image that is `moving` seen through a field.
fn seen_through(device: &Device, moving: &Volume<f32>, field: &Flow) -> Result<Volume<f32>, BenchError> {
    let grid = moving.grid();
    let samples = device.upload_copy(moving.data())?;
    let field: Vec<_> =
        field.components_vox().map(|component| device.upload_copy(component)).collect::<Result<_, _>>()?;
    let seen =
        MovingImage::new(device, &samples, grid, grid, Interpolation::CubicSpline, FinerImage::Smoothed)?;
    let fixed = seen.warp(&field, Border::Unbounded)?;
    Ok(Volume::new(grid.clone(), device.download(fixed)?)?)
}
