//! A pair of textured volumes that move against each other, so that timed runs are like real ones.

use crate::BenchError;
use std::f64::consts::TAU;
use veloxel_core::{Dimension, Grid, Shape, Volume};
use veloxel_phantoms::uniform;

/// Two images of one grid.
#[derive(Debug)]
pub(super) struct Scene {
    pub size: usize,
    pub fixed: Volume<f32>,
    pub moving: Volume<f32>,
}

/// Wave lengths of the texture, voxels: one product of waves along x, y and z each.
const WAVES_VOX: [[f64; 3]; 3] = [[23.0, 17.0, 29.0], [11.0, 13.0, 9.0], [7.0, 31.0, 19.0]];
/// Contrast of each product, and of the noise, in intensities about 0.5.
const CONTRAST: [f32; 3] = [0.2, 0.12, 0.08];
const NOISE: f32 = 0.02;
/// The motion along each axis: a wave of this amplitude and length, voxels.
const MOTION_VOX: f64 = 0.8;
const MOTION_WAVE_VOX: f64 = 48.0;

impl Scene {
    pub fn new(size: usize) -> Result<Self, BenchError> {
        let grid = Grid::volume(size, size, size)?;
        let image = |shift_vox: f64, seed: u64| -> Result<_, BenchError> {
            Ok(Volume::new(grid.clone(), texture(size, shift_vox, seed))?)
        };
        Ok(Self { size, fixed: image(0.0, 1)?, moving: image(MOTION_VOX, 2)? })
    }
    pub fn shape(&self) -> Shape {
        Shape { size: [self.size; 3], dimension: Dimension::Three }
    }
}

/// Products of waves along the axes with noise on top: quick to make at any size.
fn texture(size: usize, shift_vox: f64, seed: u64) -> Vec<f32> {
    let along = |wave_vox: f64| -> Vec<f32> {
        let sample = |i: usize| {
            let moved = i as f64 - shift_vox * (TAU * i as f64 / MOTION_WAVE_VOX).sin();
            (TAU * moved / wave_vox).sin() as f32
        };
        (0..size).map(sample).collect()
    };
    let waves = WAVES_VOX.map(|axes| axes.map(along));
    let mut samples = Vec::with_capacity(size.pow(3));
    for z in 0..size {
        for y in 0..size {
            let row: [f32; 3] = std::array::from_fn(|k| CONTRAST[k] * waves[k][1][y] * waves[k][2][z]);
            for x in 0..size {
                let noise = uniform(seed, samples.len() as u64) as f32 - 0.5;
                let signal: f32 = row.iter().zip(&waves).map(|(factor, wave)| factor * wave[0][x]).sum();
                samples.push(0.5 + signal + NOISE * noise);
            }
        }
    }
    samples
}

/// A motion as smooth as real ones, in edges: neighbouring voxels have neighbouring targets.
pub(super) fn smooth_motion(size: usize, component: usize) -> Vec<f32> {
    let along: Vec<f32> = (0..size).map(|i| 2.0 * (TAU * i as f64 / 64.0).sin() as f32).collect();
    let index = |i: usize| [i % size, i / size % size, i / (size * size)][(component + 1) % 3];
    (0..size.pow(3)).map(|i| along[index(i)] + 0.1).collect()
}
