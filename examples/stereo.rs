//! Two rectified pictures to a disparity: `cargo run -p veloxel --example stereo [LEFT RIGHT OUT]`.
//!
//! Without arguments a picture and its copy shifted by three pixels are compared.
//!
//! ```text
//! disparity in the middle: 3.00 px, expected 3
//! 98 % of the pixels have a disparity
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use veloxel::pipelines::{DenseDraft, StereoRequest, stereo};
use veloxel::{DeviceOptions, Grid, Session, Volume, Warnings, io, phantoms};

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
    // Dots of random brightness: the texture has every wavelength that the filters look for.
    let dots = phantoms::signed_noise(200 * 120, 1);
    let picture = |shift: usize| -> Result<Volume<f32>, veloxel::CoreError> {
        Ok(Volume::from_fn(Grid::image(160, 120)?, |[x, y, _]| dots[y * 200 + x + shift]))
    };
    let (left, right) = (picture(0)?, picture(3)?);
    let found = stereo(&StereoRequest::new(&left, &right, &method), &session)?.found;
    let middle = found.disparity_px.data()[60 * 160 + 80];
    println!("disparity in the middle: {middle:.2} px, expected 3");
    println!("{:.0} % of the pixels have a disparity", 100.0 * found.report.valid_share);
    Ok(())
}
