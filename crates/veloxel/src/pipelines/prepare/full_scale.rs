//! What white is in an image.

use veloxel_core::Volume;

/// What white is in an image: the top of the narrowest usual range that holds its samples, 1, 255 or 65535.
pub(crate) fn full_scale(image: &Volume<f32>) -> f32 {
    white_of(image.extremes().greatest.max(0.0))
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
        let with = |odd: f32| {
            full_scale(&Volume::from_fn(
                Grid::image(44, 1).unwrap(),
                |[x, ..]| if x == 9 { odd } else { -3.0 },
            ))
        };
        assert_eq!([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 300.0].map(with), [1.0, 1.0, 1.0, 65535.0]);
    }
}
