//! What the tests of this folder measure, and how they run the method: one thread, no mask, no start, unless they say so.

#![allow(dead_code, reason = "every test file uses its part of these measures")]

use veloxel_compute::Device;
use veloxel_core::{Dimension, Flow, Mask, Volume};
use veloxel_motion::{Clg, ClgParams, FlowOutput, Pair, Silent, Start};
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
    Pair { fixed, moving, mask: None, volume_mask: None, start: Start::Zero }
}

/// Runs the method on two images.
pub fn estimate(fixed: &Volume<f32>, moving: &Volume<f32>, params: &ClgParams) -> FlowOutput {
    run(&pair(fixed, moving), params, &cpu(1))
}

/// Runs the method on a pair.
pub fn run(pair: &Pair<'_>, params: &ClgParams, device: &Device) -> FlowOutput {
    Clg::new(pair.fixed.grid(), params.clone(), device)
        .and_then(|mut method| method.run(pair, &Silent))
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
