//! Two images to a flow and its confidence: `cargo run -p veloxel --example pair [FIXED MOVING]`.
//!
//! Without arguments two pictures with a known motion are made, and the error is printed.
//!
//! ```text
//! mean end-point error 0.008 px
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use veloxel::phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};
use veloxel::{
    ClgParams, ClgPreset, Control, DeviceOptions, Dimension, Pair, Session, Warnings, clg, io, metrics,
    phantoms,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let session = Session::open(&DeviceOptions::default())?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [fixed, moving] = arguments.as_slice() {
        let mut warnings = Warnings::new();
        let fixed = io::read_image(fixed.as_ref(), io::Strictness::Lenient, &mut warnings)?;
        let moving = io::read_image(moving.as_ref(), io::Strictness::Lenient, &mut warnings)?;
        let params = ClgParams::preset(ClgPreset::Accurate, fixed.grid().dimension());
        let found = clg(&Pair::new(&fixed, &moving), &params, &session)?;
        println!("{:?}", found.statistics.jacobian);
        return Ok(());
    }
    let (motion, texture, noise) = (MotionKind::Twist, TextureKind::Smooth, phantoms::Noise::None);
    let phantom = Case { motion, texture, noise }.build(&isotropic_grid(Dimension::Two, 96)?);
    let params = ClgParams::preset(ClgPreset::Accurate, Dimension::Two);
    let found = clg(&Pair::new(&phantom.fixed, &phantom.moving), &params, &session)?;
    let error =
        metrics::flow_error(&found.flow, &phantom.truth, Some(&phantom.interior), &Control::default())?;
    println!("mean end-point error {:.3} px", error.end_point_vox.mean);
    Ok(())
}
