//! Pictures with structure of every scale and orientation.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use veloxel_core::{Grid, Volume};
use veloxel_gpu::Device;

pub fn processor(threads: usize) -> Device {
    Device::cpu(threads).unwrap()
}

pub fn picture([nx, ny]: [usize; 2], of: impl Fn(f32, f32) -> f32) -> Volume<f32> {
    Volume::from_fn(Grid::image(nx, ny).unwrap(), |[x, y, _]| of(x as f32, y as f32))
}

/// Other intensities at the same places.
pub fn shifted(image: &Volume<f32>, of: impl Fn(f32) -> f32) -> Volume<f32> {
    image.map(|&v| of(v))
}

/// Waves of every octave from three pixels on, in directions that repeat nowhere; about 128 ± 100.
pub fn texture(x: f32, y: f32) -> f32 {
    let mut sum = 128.0;
    for k in 0..24 {
        let (k, octave) = (k as f32, (k % 6) as f32);
        let frequency = 1.7 / 2f32.powf(octave + 0.13 * k % 0.7);
        let angle = 2.399_963 * k;
        sum += 14.0 * (frequency * (x * angle.cos() + y * angle.sin()) + 1.7 * k).sin();
    }
    sum
}
