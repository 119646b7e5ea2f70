//! A field as a picture in the colours of the wheel, as the literature of optical flow shows it.

use crate::pictures::colour::wheel;
use crate::pictures::maps::full_colour;
use veloxel_core::{Control, Flow, Stopped};

/// Pixels between two questions whether to go on: about a millisecond.
const PIXELS_A_QUESTION: usize = 1 << 15;

/// One plane of a field in colours.
#[derive(Debug, Clone, PartialEq)]
pub struct ColourWheelPicture {
    /// Pixels per row: voxels along x.
    pub width: usize,
    /// Number of rows: voxels along y, downwards.
    pub height: usize,
    /// Red, green, blue of every pixel, row by row; black where there is no estimate.
    pub rgb: Vec<u8>,
    /// Length (voxels, within the plane) that has full colour; longer vectors are darker.
    pub scale_vox: f64,
}

/// Colours plane `z` of a field (an image has plane 0): red to the right, yellow down, white at rest.
///
/// `scale_vox`: the length that gets full colour; without one, a round number that 99 % of the vectors do not exceed.
///
/// # Errors
/// [`Stopped`].
///
/// # Panics
/// If the grid has no plane `z`.
pub fn colour_wheel_rgb(
    flow: &Flow,
    z: usize,
    scale_vox: Option<f64>,
    control: &Control,
) -> Result<ColourWheelPicture, Stopped> {
    let [width, height, planes] = flow.grid().size();
    assert!(z < planes, "plane {z} should be one of the grid's {planes}");
    let plane = z * width * height..(z + 1) * width * height;
    let vectors = plane.map(|i| (flow.is_valid(i), flow.vector_vox(i)));
    control.check()?;
    let scale_vox = scale_vox.filter(|s| s.is_finite() && *s > 0.0).unwrap_or_else(|| {
        let lengths = vectors.clone().filter(|(valid, _)| *valid).map(|(_, [u, v, _])| u.hypot(v));
        full_colour(lengths)
    });
    let share = |component: f32| (f64::from(component) / scale_vox) as f32;
    let colour = |(valid, [u, v, _]): (bool, [f32; 3])| match valid {
        true => wheel([share(u), share(v)]),
        false => [0; 3],
    };
    let (mut rgb, mut pace) = (Vec::with_capacity(3 * width * height), control.once_in(PIXELS_A_QUESTION));
    for vector in vectors {
        pace.step()?;
        rgb.extend(colour(vector));
    }
    Ok(ColourWheelPicture { width, height, rgb, scale_vox })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn right_is_red_and_no_estimate_is_black() {
        let grid = Grid::volume(2, 1, 2).unwrap();
        let mut flow = Flow::from_fn(grid, |[_, _, z]| [if z == 1.0 { 2.0 } else { 0.0 }, 0.0, 5.0]);
        for component in flow.components_vox_mut() {
            component[3] = f32::NAN;
        }
        let control = &Control::default();
        let picture = colour_wheel_rgb(&flow, 1, None, control).unwrap();
        assert_eq!((picture.width, picture.height, picture.scale_vox), (2, 1, 2.0));
        assert_eq!(picture.rgb, [255, 0, 0, 0, 0, 0]);
        assert_eq!(
            colour_wheel_rgb(&flow, 0, Some(3.0), control).unwrap().rgb,
            [255; 6],
            "no motion within the plane is white"
        );
    }
}
