//! Images that stay on the device for many pairs: `cargo run -p veloxel --example own_buffers`.
//!
//! Each image goes up once; flows are composed on the device, and one is fetched at the end.
//!
//! ```text
//! there and back misses the middle by 0.001 voxel
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use veloxel::method::{Frame, ImagePair, PairMethod};
use veloxel::phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};
use veloxel::unstable::kernels::variational::flow_composition::OutsideVector;
use veloxel::unstable::motion::Clg;
use veloxel::unstable::motion::steps::composition::compose_resident;
use veloxel::{ClgParams, ClgPreset, Device, Dimension, VeloxelError, phantoms};

fn main() -> Result<(), VeloxelError> {
    let device = Device::auto()?;
    let (motion, texture, noise) = (MotionKind::Shift, TextureKind::Smooth, phantoms::Noise::None);
    let phantom = Case { motion, texture, noise }.build(&isotropic_grid(Dimension::Three, 48)?);
    let fixed = Frame::upload(&device, &phantom.fixed)?;
    let moving = Frame::upload(&device, &phantom.moving)?;
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let mut method = Clg::new(phantom.grid(), params, &device)?;
    let there = method.estimate(ImagePair::new(&fixed, &moving))?;
    let back = method.estimate(ImagePair::new(&moving, &fixed))?;
    let around =
        compose_resident(&device, there.flow(), back.flow(), OutsideVector::Unknown)?.download(&device)?;
    let middle = around.grid().index([24, 24, 24]);
    let missed = around.vector_vox(middle).iter().map(|d| d * d).sum::<f32>().sqrt();
    println!("there and back misses the middle by {missed:.3} voxel");
    Ok(())
}
