//! What white is in an image.

use veloxel_core::Volume;

/// What white is in an image: the top of the narrowest usual range that holds its samples, 1, 255 or 65535.
pub(crate) fn full_scale(image: &Volume<f32>) -> f32 {
    white_of(largest(image.data()))
}

/// Samples that are compared side by side, as a vector.
const LANES: usize = 16;

/// The largest finite sample, or 0.
fn largest(samples: &[f32]) -> f32 {
    let larger = |most: f32, v: f32| if v > most && v < f32::INFINITY { v } else { most };
    let (packs, rest) = samples.as_chunks::<LANES>();
    let mut most = [0.0f32; LANES];
    for pack in packs {
        for (most, v) in most.iter_mut().zip(pack) {
            *most = larger(*most, *v);
        }
    }
    most.into_iter().chain(rest.iter().copied()).fold(0.0, larger)
}

/// What white is in an image whose largest sample this is.
pub(crate) fn white_of(largest: f32) -> f32 {
    [1.0, 255.0, 65535.0].into_iter().find(|&white| largest <= white).unwrap_or(largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn white_is_the_top_of_a_usual_range() {
        let of =
            |top: f32| full_scale(&Volume::from_fn(Grid::image(2, 1).unwrap(), |[x, ..]| top * x as f32));
        assert_eq!([0.7, 200.0, 1023.0, 1e6].map(of), [1.0, 255.0, 65535.0, 1e6]);
        for place in [0, 5, 16, 40, 43] {
            let mut samples = vec![-3.0; 44];
            (samples[place], samples[(place + 7) % 44], samples[(place + 20) % 44]) =
                (300.0, f32::NAN, f32::INFINITY);
            assert_eq!(largest(&samples), 300.0);
        }
        assert_eq!(largest(&[-1.0, f32::NEG_INFINITY]), 0.0);
    }
}
