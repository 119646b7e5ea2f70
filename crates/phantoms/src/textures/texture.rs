//! Pictures that are functions of the position, so that an image pair needs no resampling.

use crate::centred::CentredFrame;
use crate::noise::{gaussian, mix, uniform};
use std::f64::consts::TAU;
use veloxel_core::Dimension;
use veloxel_core::matrix3::apply;

/// An intensity for every position, at least twice continuously differentiable.
///
/// Positions are LPS millimetres from the centre of the grid ([`crate::CentredFrame`]); intensities lie in
/// [0, 1].
pub trait Texture {
    /// The intensity at a position (mm from the grid's centre).
    fn intensity(&self, position_mm: [f64; 3]) -> f64;
}

/// A texture that is smooth and free of edges: `½ + ½ tanh(Σ cos(2π k·x + φ) · √(2/K) · 0.6)` with `K` random waves.
///
/// The wavelengths lie between 8 and 16 voxels, measured along the voxel axes of the grid it was made for.
#[derive(Debug, Clone, PartialEq)]
pub struct SmoothTexture {
    /// Wave vector in cycles per mm, and phase in radians.
    waves: Vec<([f64; 3], f64)>,
}

impl SmoothTexture {
    const WAVES: u64 = 24;
    const SHORTEST_VOX: f64 = 8.0;
    const LONGEST_VOX: f64 = 16.0;

    /// Waves suited to the voxels of a grid.
    pub fn new(frame: &CentredFrame, seed: u64) -> Self {
        let to_vox = frame.voxel_from_world_matrix();
        let planar = frame.grid().dimension() == Dimension::Two;
        let wave = |w: u64| {
            let mut direction = [0, 1, 2].map(|axis: u64| gaussian(seed, 4 * w + axis));
            if planar {
                direction[2] = 0.0;
            }
            let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
            // Equal steps of frequency, so that no octave dominates.
            let share = (w as f64 + 0.5) / Self::WAVES as f64;
            let frequency =
                1.0 / Self::LONGEST_VOX + share * (1.0 / Self::SHORTEST_VOX - 1.0 / Self::LONGEST_VOX);
            let k_vox = direction.map(|c| c / length * frequency);
            // k·x is the same number in both frames: k_mm = voxel_from_worldᵀ · k_vox.
            let k_mm = [0, 1, 2].map(|c: usize| (0..3).map(|r| to_vox[r][c] * k_vox[r]).sum());
            (k_mm, TAU * uniform(seed, 4 * w + 3))
        };
        Self { waves: (0..Self::WAVES).map(wave).collect() }
    }
}

impl Texture for SmoothTexture {
    fn intensity(&self, [x, y, z]: [f64; 3]) -> f64 {
        let sum: f64 =
            self.waves.iter().map(|(k, phase)| (TAU * (k[0] * x + k[1] * y + k[2] * z) + phase).cos()).sum();
        0.5 + 0.5 * (0.6 * sum * (2.0 / self.waves.len() as f64).sqrt()).tanh()
    }
}

/// A fine texture with the look of ultrasound: the compressed power of a random complex field.
///
/// With `a + ib` the field, `I = P / (P + 4)`, `P = a² + b²` (exponentially distributed, mean 2; its root
/// would be Rayleigh distributed, but has a kink where it vanishes). The field is a cubic B-spline (twice
/// continuously differentiable) over a lattice of random numbers, one every [`Self::CELL_VOX`] voxels:
/// nothing much shorter than twice that gets through.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeckleTexture {
    field: ComplexField,
    /// The field that has replaced a part of the texture, and the shares of both, whose squares add up to 1.
    change: Option<(ComplexField, [f64; 2])>,
}

impl SpeckleTexture {
    /// Voxels between the random numbers.
    pub const CELL_VOX: f64 = 2.5;

    /// Speckle suited to the voxels of a grid.
    pub fn new(frame: &CentredFrame, seed: u64) -> Self {
        let lattice_from_world = frame.voxel_from_world_matrix().map(|row| row.map(|v| v / Self::CELL_VOX));
        let field = ComplexField { lattice_from_world, dimension: frame.grid().dimension(), seed };
        Self { field, change: None }
    }

    /// This speckle some time later: its power correlates by `correlation`, 0 to 1, with the power before, as where tissue
    /// turns or leaves the plane of an ultrasound beam.
    #[must_use]
    pub fn decorrelated(&self, correlation: f64, seed: u64) -> Self {
        // The power of a complex Gaussian field correlates by the square of the field's correlation.
        let shares = [correlation, 1.0 - correlation].map(f64::sqrt);
        Self { change: Some((ComplexField { seed, ..self.field.clone() }, shares)), ..self.clone() }
    }
}

impl Texture for SpeckleTexture {
    fn intensity(&self, position_mm: [f64; 3]) -> f64 {
        let mut at = self.field.at(position_mm);
        if let Some((field, [old_share, new_share])) = &self.change {
            let new = field.at(position_mm);
            at = [0, 1].map(|k| old_share * at[k] + new_share * new[k]);
        }
        let [a, b] = at;
        let power = a * a + b * b;
        power / (power + 4.0)
    }
}

/// Two independent random fields of mean 0 and variance about 1.
#[derive(Debug, Clone, PartialEq)]
struct ComplexField {
    lattice_from_world: [[f64; 3]; 3],
    dimension: Dimension,
    seed: u64,
}

impl ComplexField {
    fn at(&self, position_mm: [f64; 3]) -> [f64; 2] {
        let p = apply(&self.lattice_from_world, position_mm);
        let weights = p.map(|p| bspline(p - p.floor()));
        let [x0, y0, z0] = p.map(|p| p.floor() as i64);
        let (z0, weights_z) = match self.dimension {
            Dimension::Two => (0, &[1.0][..]),
            Dimension::Three => (z0, &weights[2][..]),
        };
        let (mut a, mut b) = (0.0, 0.0);
        for (z, wz) in (z0..).zip(weights_z) {
            for (y, wy) in (y0..).zip(weights[1]) {
                let wzy = wz * wy;
                let row = mix(self.seed ^ mix(z as u64 ^ (y as u64).rotate_left(32)));
                for (x, wx) in (x0..).zip(weights[0]) {
                    let bits = mix(row ^ x as u64);
                    let w = wzy * wx;
                    a += w * (f64::from(bits as u32) - HALF);
                    b += w * (f64::from((bits >> 32) as u32) - HALF);
                }
            }
        }
        // A uniform number over 2^32 has the deviation 2^32/√12; a cubic B-spline's weights have the mean
        // square sum 151/315 an axis.
        let axes = self.dimension.count() as i32;
        let scale = 12f64.sqrt() / (2.0 * HALF) / (151.0f64 / 315.0).powi(axes).sqrt();
        [a * scale, b * scale]
    }
}

/// Half of the range of a 32-bit number.
const HALF: f64 = 2_147_483_648.0;

/// The four weights of a uniform cubic B-spline at offset `t` in [0, 1) from its second knot.
fn bspline(t: f64) -> [f64; 4] {
    let (t2, t3) = (t * t, t * t * t);
    let u = 1.0 - t;
    [
        u * u * u / 6.0,
        (4.0 - 6.0 * t2 + 3.0 * t3) / 6.0,
        (1.0 + 3.0 * t + 3.0 * t2 - 3.0 * t3) / 6.0,
        t3 / 6.0,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn frames() -> [CentredFrame; 2] {
        let image = Grid::image(64, 64).and_then(|g| g.with_spacing_mm([0.5, 2.0, 1.0])).unwrap();
        let volume = Grid::volume(24, 24, 24).and_then(|g| g.with_spacing_mm([1.0, 1.0, 3.0])).unwrap();
        [CentredFrame::new(&image), CentredFrame::new(&volume)]
    }

    /// Mean, deviation, and mean absolute difference between x neighbours over the deviation.
    fn measure(frame: &CentredFrame, texture: &dyn Texture) -> [f64; 3] {
        let n = frame.grid().len();
        let values: Vec<f64> = (0..n).map(|i| texture.intensity(frame.position_mm(i))).collect();
        assert!(values.iter().all(|v| (0.0..=1.0).contains(v)));
        let mean = values.iter().sum::<f64>() / n as f64;
        let sd = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n as f64).sqrt();
        let nx = frame.grid().size()[0];
        let steps: f64 = (1..n).filter(|i| i % nx != 0).map(|i| (values[i] - values[i - 1]).abs()).sum();
        [mean, sd, steps / (n - n / nx) as f64 / sd]
    }

    #[test]
    fn textures_have_contrast_and_their_own_fineness_on_anisotropic_grids() {
        for frame in frames() {
            let [mean, sd, step] = measure(&frame, &SmoothTexture::new(&frame, 3));
            assert!((mean - 0.5).abs() < 0.1 && sd > 0.15, "{mean} {sd}");
            // A sinusoid of wavelength L and deviation σ has the mean step 2πσ·0.9/L along its own direction.
            assert!(step < TAU * 0.9 / SmoothTexture::SHORTEST_VOX, "{step}");
            let [mean, sd, fine] = measure(&frame, &SpeckleTexture::new(&frame, 3));
            assert!((mean - 0.27).abs() < 0.1 && sd > 0.12, "{mean} {sd}");
            assert!(fine > 1.2 * step && fine < 0.9, "{fine} against {step}");
        }
    }

    #[test]
    fn speckle_correlates_with_itself_as_told() {
        let frame = CentredFrame::new(&Grid::image(96, 96).unwrap());
        let before = SpeckleTexture::new(&frame, 3);
        let values = |texture: &SpeckleTexture| -> Vec<f64> {
            let values: Vec<_> =
                (0..frame.grid().len()).map(|i| texture.intensity(frame.position_mm(i))).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|v| v - mean).collect()
        };
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let a = values(&before);
        for correlation in [1.0, 0.8, 0.3] {
            let b = values(&before.decorrelated(correlation, 8));
            let found = product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt();
            // Compression of the power costs a little, and the picture shows some 400 speckles.
            assert!((found - correlation).abs() < 0.1, "{found} where {correlation} was asked for");
        }
    }

    #[test]
    fn the_complex_field_has_variance_one() {
        for frame in frames() {
            let field = SpeckleTexture::new(&frame, 9).field;
            let n = frame.grid().len();
            let square: f64 =
                (0..n).map(|i| field.at(frame.position_mm(i))).map(|[a, b]| (a * a + b * b) / 2.0).sum();
            assert!((square / n as f64 - 1.0).abs() < 0.2, "{}", square / n as f64);
        }
    }

    #[test]
    fn speckle_is_continuous_across_its_lattice_with_two_derivatives() {
        let frame = CentredFrame::new(&Grid::volume(24, 24, 24).unwrap());
        let texture = SpeckleTexture::new(&frame, 5);
        let h = 1e-3;
        let second = |x: f64| {
            let at = |x: f64| texture.intensity([x, 0.3, -0.7]);
            (at(x - h) - 2.0 * at(x) + at(x + h)) / (h * h)
        };
        for knot in [-5.0, -2.5, 0.0, 2.5] {
            assert!((second(knot - 2.0 * h) - second(knot + 2.0 * h)).abs() < 0.02, "jump at {knot}");
        }
    }

    #[test]
    fn seeds_differ() {
        let frame = CentredFrame::new(&Grid::image(8, 8).unwrap());
        let p = [1.3, 2.1, 0.0];
        assert_ne!(SpeckleTexture::new(&frame, 1).intensity(p), SpeckleTexture::new(&frame, 2).intensity(p));
        assert_ne!(SmoothTexture::new(&frame, 1).intensity(p), SmoothTexture::new(&frame, 2).intensity(p));
    }
}
