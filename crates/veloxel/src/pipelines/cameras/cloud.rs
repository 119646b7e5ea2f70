//! Depths of a disparity, and the points that a stereo pair shows, with the colours of the left picture.

use crate::pipelines::dense::Image;
use crate::pipelines::prepare::full_scale::full_scale;
use crate::{Result, Session};
use veloxel_core::{RectifiedView, Volume};
use veloxel_io::CloudPoint;

/// Pixels between two questions whether to go on.
const PIXELS_A_QUESTION: usize = 1 << 15;

/// The depth of every pixel of a disparity, metres along the left camera's axis; NaN where the disparity is unknown or not above 0.
pub fn depth(disparity_px: &Volume<f32>, view: &RectifiedView) -> Volume<f32> {
    disparity_px.map(|&d| view.depth_m(d))
}

/// What points are made of; all lie on the rectified left picture's grid.
#[derive(Debug, Clone)]
pub struct CloudRequest<'a> {
    /// The disparity, pixels.
    pub disparity_px: &'a Volume<f32>,
    /// How sure it is, 0 to 1.
    pub confidence: &'a Volume<f32>,
    /// The left picture, whose greys points have where there are no colours.
    pub left: Image<'a>,
    /// Red, green and blue of the left picture, 0 to 255.
    pub colours: Option<&'a [Volume<f32>; 3]>,
    /// The cameras.
    pub view: RectifiedView,
}

/// A point for every pixel with a disparity above 0, row by row: metres in the rectified left camera's frame.
///
/// # Errors
/// [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for maps on several grids;
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn point_cloud(request: &CloudRequest<'_>, session: &Session) -> Result<Vec<CloudPoint>> {
    let CloudRequest { disparity_px, confidence, left, colours, view } = request;
    let grid = disparity_px.grid();
    grid.require_same(confidence.grid(), "disparity and confidence")?;
    grid.require_same(left.grid(), "disparity and left picture")?;
    for channel in colours.iter().flat_map(|colours| colours.iter()) {
        grid.require_same(channel.grid(), "disparity and colours")?;
    }
    let (left, width) = (left.volume(), grid.size()[0]);
    let white = full_scale(&left);
    let byte = |value: f32| value.round().clamp(0.0, 255.0) as u8;
    let mut pace = session.control().once_in(PIXELS_A_QUESTION);
    let mut points = Vec::new();
    for (i, &disparity) in disparity_px.data().iter().enumerate() {
        pace.step()?;
        let depth_m = view.depth_m(disparity);
        if !depth_m.is_finite() {
            continue;
        }
        let rgb = match colours {
            Some(channels) => [0, 1, 2].map(|c| byte(channels[c].data()[i])),
            None => [byte(255.0 * left.data()[i] / white); 3],
        };
        let at_m = view.point_m([i % width, i / width], depth_m);
        points.push(CloudPoint { at_m, rgb, confidence: confidence.data()[i] });
    }
    Ok(points)
}
