//! Block matching's measures compared: noise, gain and offset on pictures, noise and change on speckle.

use crate::accuracy::middlebury::{pairs, truth};
use crate::{BenchError, Figure, Session};
use veloxel_core::{Control, Dimension, Volume};
use veloxel_measure::flow_error;
use veloxel_motion::block_matching::parameters::MatchMeasure;
use veloxel_motion::{BlockMatching, BlockMatchingParams, BlockMatchingPreset, Pair, PairMethod};
use veloxel_phantoms::catalogue::isotropic_grid;
use veloxel_phantoms::{CentredFrame, Noise, Phantom, Sinusoid, SpeckleTexture};

const MEASURES: [(MatchMeasure, &str); 3] =
    [(MatchMeasure::Ncc, "NCC"), (MatchMeasure::Ssd, "SSD"), (MatchMeasure::Sad, "SAD")];

/// The change of the moving image, of intensities 0 to 255.
struct Light {
    name: &'static str,
    gain: f32,
    offset: f32,
    /// Standard deviation of noise, which the fixed image gets too.
    noise: f64,
}

const fn light(name: &'static str, gain: f32, offset: f32, noise: f64) -> Light {
    Light { name, gain, offset, noise }
}

const LIGHTS: [Light; 8] = [
    light("as it is", 1.0, 0.0, 0.0),
    light("noise of 5", 1.0, 0.0, 5.0),
    light("noise of 15", 1.0, 0.0, 15.0),
    light("gain 0.8", 0.8, 0.0, 0.0),
    light("gain 1.25", 1.25, 0.0, 0.0),
    light("10 brighter", 1.0, 10.0, 0.0),
    light("30 darker", 1.0, -30.0, 0.0),
    light("gain 0.8, 10 brighter, noise of 5", 0.8, 10.0, 5.0),
];

/// Voxels along each axis of the speckle.
const SPECKLE: usize = 64;
/// Correlation of speckle before and after the motion, and the greatest allowed error, voxels.
const CHANGES: [(f64, f64); 2] = [(1.0, 0.1), (0.8, 0.25)];

/// `matching`: mean end-point errors by measure and light; errors on speckle at 20 dB.
pub(crate) fn matching(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    let pictures = pairs(session)?;
    for light in LIGHTS.iter().filter(|_| !pictures.is_empty()) {
        for (measure, measure_name) in MEASURES {
            let preset = BlockMatchingParams::preset(BlockMatchingPreset::Accurate, Dimension::Two);
            let params = BlockMatchingParams { measure, ..preset };
            let mut sum = 0.0;
            for (name, images) in &pictures {
                sum += error_px(session, name, images, light, &params)?;
            }
            figures.push(Figure::new(
                format!("{}: {measure_name}", light.name),
                sum / pictures.len() as f64,
                "px",
            ));
        }
    }
    for (correlation, most) in CHANGES {
        let phantom = speckle(correlation)?;
        let params = BlockMatchingParams::preset(BlockMatchingPreset::Accurate, Dimension::Three);
        let mut method = BlockMatching::new(phantom.grid(), params, session.device)?;
        let found = method.run(&Pair::new(&phantom.fixed, &phantom.moving))?;
        let error = flow_error(&found.flow, &phantom.truth, Some(&phantom.interior), &Control::default())?
            .end_point_vox
            .mean;
        let what = format!("speckle of {SPECKLE}³ at 20 dB, correlation {correlation}");
        figures.push(Figure::new(what, error, "voxels").at_most(most));
    }
    Ok(figures)
}

/// The mean error on a pair with a changed moving picture.
fn error_px(
    session: &Session<'_>,
    name: &str,
    [fixed, moving]: &[Volume<f32>; 2],
    light: &Light,
    params: &BlockMatchingParams,
) -> Result<f64, BenchError> {
    let Some(truth) = truth(session, name)? else { return Ok(f64::NAN) };
    let noise = if light.noise > 0.0 { Noise::Gaussian { sd: light.noise, seed: 7 } } else { Noise::None };
    let noisy = |image: &Volume<f32>, number: u64, (gain, offset): (f32, f32)| {
        let mut image = image.clone();
        let samples = image.data_mut().iter_mut().enumerate();
        samples.for_each(|(i, v)| *v = gain * *v + offset + noise.at(number, i) as f32);
        image
    };
    let (fixed, moving) = (noisy(fixed, 0, (1.0, 0.0)), noisy(moving, 1, (light.gain, light.offset)));
    let mut method = BlockMatching::new(fixed.grid(), params.clone(), session.device)?;
    let found = method.run(&Pair::new(&fixed, &moving))?;
    Ok(flow_error(&found.flow, &truth, None, &Control::default())?.end_point_vox.mean)
}

/// Speckle that moves by up to 2.6 voxels, and changes on the way.
fn speckle(correlation: f64) -> Result<Phantom, BenchError> {
    let grid = isotropic_grid(Dimension::Three, SPECKLE)?;
    let texture = SpeckleTexture::new(&CentredFrame::new(&grid), 5);
    let motion = Sinusoid { amplitude_mm: [1.5; 3], wavelength_mm: SPECKLE as f64 };
    // A tenth of the speckle's deviation.
    let noise = Noise::Gaussian { sd: 0.016, seed: 3 };
    let later = texture.decorrelated(correlation, 77);
    Ok(Phantom::of_textures(&grid, &motion, [&texture, &later], noise))
}
