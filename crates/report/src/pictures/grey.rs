//! Images as pictures in shades of grey.

use crate::pictures::phase_pictures::MapPicture;
use veloxel_core::Volume;

/// A picture (2-D) in shades of grey, from 0 to `white`.
pub(crate) fn grey_rgb(image: &Volume<f32>, white: f32) -> MapPicture {
    let [width, height, _] = image.grid().size();
    let rgb = image.data().iter().flat_map(|v| [(255.0 * v / white).round() as u8; 3]).collect();
    MapPicture { width, height, rgb }
}
