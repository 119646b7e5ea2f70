//! What white is in an image.

use veloxel_core::Volume;

/// What white is in an image: the top of the narrowest usual range that holds its samples, 1, 255 or 65535.
pub(crate) fn full_scale(image: &Volume<f32>) -> f32 {
    let largest = image.data().iter().copied().filter(|v| v.is_finite()).fold(0.0, f32::max);
    [1.0, 255.0, 65535.0].into_iter().find(|&white| largest <= white).unwrap_or(largest)
}
