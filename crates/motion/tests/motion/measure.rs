//! What the tests of this folder measure, and how they run the method: one thread, no mask, no start, unless they say so.

use veloxel_core::{Dimension, Flow, Mask, Volume};
use veloxel_gpu::Device;
use veloxel_motion::AffineModel;
use veloxel_motion::steps::linear::affine_registration::affine_registration;
use veloxel_motion::{
    Clg, ClgParams, DenseFlow, FlowExtras, Frame, MotionError, Pair, PairMethod, ResidentMask, VoxelAffine,
};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};
use veloxel_phantoms::{Noise, Phantom};

/// A processor with so many threads.
pub fn cpu(threads: usize) -> Device {
    Device::cpu(threads).expect("threads should start")
}

/// A noise-free, smooth phantom on `size` voxels an axis.
pub fn smooth(motion: MotionKind, dimension: Dimension, size: usize) -> Phantom {
    let grid = isotropic_grid(dimension, size).expect("the size should be possible");
    Case { motion, texture: TextureKind::Smooth, noise: Noise::None }.build(&grid)
}

/// Two images of which nothing else is known.
pub fn pair<'a>(fixed: &'a Volume<f32>, moving: &'a Volume<f32>) -> Pair<'a> {
    Pair::new(fixed, moving)
}

/// Runs the method on two images.
pub fn estimate(fixed: &Volume<f32>, moving: &Volume<f32>, params: &ClgParams) -> DenseFlow {
    run(&pair(fixed, moving), params, &cpu(1))
}

/// Runs the method on a pair.
pub fn run(pair: &Pair<'_>, params: &ClgParams, device: &Device) -> DenseFlow {
    Clg::new(pair.fixed.grid(), params.clone(), device)
        .and_then(|mut method| method.run_with(pair, FlowExtras::ALL))
        .expect("the estimate should succeed")
}

/// Mean length of the difference of two fields, voxels, within a mask.
pub fn mean_difference_vox(a: &Flow, b: &Flow, within: &Mask) -> f64 {
    let inside: Vec<usize> = (0..a.grid().len()).filter(|&i| within.data()[i]).collect();
    assert!(!inside.is_empty(), "a mean needs at least one voxel");
    inside.iter().map(|&i| difference_vox(a, b, i)).sum::<f64>() / inside.len() as f64
}

/// Length of the difference of two vectors, voxels.
pub fn difference_vox(a: &Flow, b: &Flow, index: usize) -> f64 {
    let (a, b) = (a.vector_vox(index), b.vector_vox(index));
    (0..3).map(|c| (f64::from(a[c]) - f64::from(b[c])).powi(2)).sum::<f64>().sqrt()
}

/// Mean end-point error, voxels, in a phantom's interior.
pub fn mean_error_vox(flow: &Flow, phantom: &Phantom) -> f64 {
    mean_difference_vox(flow, &phantom.truth, &phantom.interior)
}

/// det(I + ∇d) of an output that was asked for it.
pub fn determinant(output: &DenseFlow) -> &Volume<f32> {
    output.jacobian.as_ref().expect("the determinant should have been asked for")
}

/// The affine map of a pair, on a device.
pub fn register(device: &Device, pair: &Pair<'_>, model: AffineModel) -> Result<VoxelAffine, MotionError> {
    let images = [Frame::upload(device, pair.fixed)?, Frame::upload(device, pair.moving)?];
    let mask = pair.mask.map(|mask| ResidentMask::upload(device, mask)).transpose()?;
    affine_registration(images.each_ref(), mask.as_ref(), model)
}

/// Everything that is promised of every result.
pub fn require_sane(output: &DenseFlow, what: &str) {
    let finite = output.flow.planar_vox().iter().all(|v| v.is_finite());
    assert!(finite, "{what}: the field should be finite");
    let confidence = output.confidence.data();
    assert!(confidence.iter().all(|c| (0.0..=1.0).contains(c)), "{what}: confidence in [0, 1]");
    assert!(determinant(output).data().iter().all(|v| v.is_finite()), "{what}: det should be finite");
}
