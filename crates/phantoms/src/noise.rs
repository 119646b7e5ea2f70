//! Random numbers that depend on nothing but their arguments: the same on every machine and for any order.

use std::f64::consts::TAU;

/// Mixes 64 bits (the finaliser of SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
pub(crate) fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A number in (0, 1) from a seed and a counter: the same on every machine and for any order.
pub fn uniform(seed: u64, counter: u64) -> f64 {
    ((mix(seed ^ mix(counter)) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Numbers of (−1, 1) from a seed, `len` of them.
pub fn signed_noise(len: usize, seed: u64) -> Vec<f32> {
    (0..len as u64).map(|i| (2.0 * uniform(seed, i) - 1.0) as f32).collect()
}

/// A normally distributed number (mean 0, variance 1) from a seed and a counter (Box and Muller, 1958).
pub(crate) fn gaussian(seed: u64, counter: u64) -> f64 {
    let (a, b) = (uniform(seed, 2 * counter), uniform(seed, 2 * counter + 1));
    (-2.0 * a.ln()).sqrt() * (TAU * b).cos()
}

/// Noise that is added to each image on its own, so that fixed and moving disagree.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Noise {
    /// The images are exact.
    #[default]
    None,
    /// Additive, independent in every voxel, normally distributed; values may leave [0, 1].
    Gaussian {
        /// Standard deviation, in intensities (the textures' range is [0, 1]).
        sd: f64,
        /// Which noise; fixed and moving image get different ones of the same seed.
        seed: u64,
    },
}

impl Noise {
    /// The noise of voxel `index` in image number `image`.
    pub fn at(&self, image: u64, index: usize) -> f64 {
        match *self {
            Self::None => 0.0,
            Self::Gaussian { sd, seed } => sd * gaussian(mix(seed ^ mix(image)), index as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaussian_noise_has_its_mean_and_deviation() {
        let noise = Noise::Gaussian { sd: 0.1, seed: 7 };
        let n = 40_000;
        let (mut sum, mut square) = (0.0, 0.0);
        for i in 0..n {
            let v = noise.at(0, i);
            sum += v;
            square += v * v;
        }
        // Four standard errors of the mean and of the deviation.
        assert!((sum / n as f64).abs() < 4.0 * 0.1 / (n as f64).sqrt());
        assert!(((square / n as f64).sqrt() - 0.1).abs() < 4.0 * 0.1 / (2.0 * n as f64).sqrt());
    }

    #[test]
    fn images_and_seeds_get_noise_of_their_own() {
        let noise = Noise::Gaussian { sd: 1.0, seed: 7 };
        assert_eq!(noise.at(0, 5), noise.at(0, 5));
        assert_ne!(noise.at(0, 5), noise.at(1, 5));
        assert_ne!(noise.at(0, 5), Noise::Gaussian { sd: 1.0, seed: 8 }.at(0, 5));
    }
}
