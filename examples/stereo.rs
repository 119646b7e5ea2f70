//! Two rectified pictures to a disparity: `cargo run -p veloxel --example stereo [LEFT RIGHT OUT]`.
//!
//! Without arguments a picture and its copy shifted by three pixels are compared.

#![allow(clippy::print_stdout, reason = "an example prints")]

use veloxel::pipelines::{DenseDraft, StereoRequest, stereo};
use veloxel::{DeviceOptions, Grid, Session, Volume, Warnings, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (session, method) = (Session::open(&DeviceOptions::default())?, DenseDraft::named("phase")?);
    if let [left, right, out] = arguments.as_slice() {
        let mut warnings = Warnings::new();
        let left = io::read_image(left.as_ref(), io::Strictness::Lenient, &mut warnings)?;
        let right = io::read_image(right.as_ref(), io::Strictness::Lenient, &mut warnings)?;
        let found = stereo(&StereoRequest::new(&left, &right, &method), &session)?.found;
        io::write_image(out, &found.disparity_px, &mut warnings)?;
        println!("{:.1} % of the pixels have a disparity", 100.0 * found.report.valid_share);
        return Ok(());
    }
    let picture = |shift: f32| -> Result<Volume<f32>, veloxel::CoreError> {
        let wave = |x: f32, y: f32| 0.5 + 0.2 * (0.7 * x + 0.2 * y).sin() + 0.2 * (0.3 * x - 0.6 * y).cos();
        Ok(Volume::from_fn(Grid::image(160, 120)?, |[x, y, _]| wave(x as f32 + shift, y as f32)))
    };
    let (left, right) = (picture(0.0)?, picture(3.0)?);
    let found = stereo(&StereoRequest::new(&left, &right, &method), &session)?.found;
    println!("disparity in the middle: {:.3} px, expected 3", found.disparity_px.data()[60 * 160 + 80]);
    Ok(())
}
