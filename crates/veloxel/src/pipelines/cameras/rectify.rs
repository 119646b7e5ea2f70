//! A pair of pictures as their cameras took it, rectified: rows of both agree, and lenses are undone.

use crate::pipelines::account::Account;
use crate::pipelines::dense::Image;
use crate::pipelines::prepare::grids::{MovingSampling, warp_image};
use crate::{Result, Session};
use veloxel_core::{CoreError, Dimension, Flow, Grid, Mask, Rectification, Stage, StereoRig, Volume};
use veloxel_kernels::image::warp::Interpolation;
use veloxel_motion::Border;

/// A pair as it was taken, and the cameras.
#[derive(Debug, Clone)]
pub struct RectifyRequest<'a> {
    /// The left camera's picture.
    pub left: Image<'a>,
    /// The right camera's picture, of the same size.
    pub right: Image<'a>,
    /// The cameras.
    pub rig: &'a StereoRig,
    /// What counts of the left picture as it was taken; none: everything.
    pub mask: Option<&'a Mask>,
    /// Red, green and blue of the left picture, where they are wanted rectified as well.
    pub colours: Option<&'a [Volume<f32>; 3]>,
}

/// A rectified picture.
#[derive(Debug, Clone, PartialEq)]
pub struct RectifiedPicture {
    /// The samples; beyond what the camera saw, the nearest that it saw.
    pub image: Volume<f32>,
    /// Where the camera saw anything, and the mask lets it count.
    pub seen: Mask,
}

/// A rectified pair.
#[derive(Debug, Clone, PartialEq)]
pub struct RectifyResult {
    /// The left picture.
    pub left: RectifiedPicture,
    /// The right picture.
    pub right: RectifiedPicture,
    /// Red, green and blue of the left picture.
    pub colours: Option<[Volume<f32>; 3]>,
    /// The cameras of the rectified pictures.
    pub geometry: Rectification,
    /// Device, times and warnings.
    pub account: Account,
}

/// Rectifies a pair: each pixel of the rectified pictures is looked up where its ray meets the picture that was taken, between
/// pixels bilinearly.
///
/// # Errors
/// [`CoreError::GridMismatch`] for pictures, mask or colours of several sizes; as [`Rectification::of`];
/// [`VeloxelError::Compute`](crate::VeloxelError::Compute); [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn rectify(request: &RectifyRequest<'_>, session: &Session) -> Result<RectifyResult> {
    let RectifyRequest { left, right, rig, mask, colours } = request;
    let grid = left.grid();
    grid.require_same(right.grid(), "left and right image")?;
    if let Some(mask) = mask {
        grid.require_same(mask.grid(), "left image and mask")?;
    }
    for channel in colours.iter().flat_map(|colours| colours.iter()) {
        grid.require_same(channel.grid(), "left image and its colours")?;
    }
    let [width, height, _] = picture_size(grid)?;
    let mut account = Account::begin(session)?;
    session.enter(Stage::Solve)?;
    let geometry = Rectification::of(rig, [width, height])?;
    let (pictures, colours) = account.stages.time("rectify", || {
        let (left, right) = (left.volume(), right.volume());
        let sources = [source(&geometry, 0, session)?, source(&geometry, 1, session)?];
        let mut pictures = [picture(&left, &sources[0], session)?, picture(&right, &sources[1], session)?];
        if let Some(mask) = mask {
            let counted = mask.map(|&inside| if inside { 1.0 } else { 0.0 });
            let counted = sampled(&counted, &sources[0], Interpolation::Nearest, Border::Voxels, session)?;
            let seen = pictures[0].seen.data_mut().iter_mut();
            seen.zip(counted.data()).for_each(|(seen, counted)| *seen &= *counted > 0.5);
        }
        let channel =
            |of: &Volume<f32>| Ok::<_, crate::VeloxelError>(picture(of, &sources[0], session)?.image);
        let colours =
            colours.map(|[r, g, b]| Ok::<_, crate::VeloxelError>([channel(r)?, channel(g)?, channel(b)?]));
        Ok::<_, crate::VeloxelError>((pictures, colours.transpose()?))
    })?;
    let [left, right] = pictures;
    Ok(RectifyResult { left, right, colours, geometry, account })
}

fn picture_size(grid: &Grid) -> Result<[usize; 3], CoreError> {
    if grid.dimension() == Dimension::Two {
        return Ok(grid.size());
    }
    let (what, expected) = ("the left image".to_owned(), "a picture of a camera".to_owned());
    Err(CoreError::Camera { what, expected, got: grid.size_text() })
}

/// Where every pixel of a rectified picture is found, as a displacement, pixels; NaN where the camera does not see it.
fn source(geometry: &Rectification, side: usize, session: &Session) -> Result<Flow> {
    let [width, height] = geometry.size_px;
    let grid = Grid::image(width, height)?;
    let [mut along_x, mut along_y] = [Vec::with_capacity(grid.len()), Vec::with_capacity(grid.len())];
    for y in 0..height {
        session.control().check()?;
        for x in 0..width {
            let at = [x as f64, y as f64];
            let moved = geometry.source_px(side, at).map(|s| [0, 1].map(|a| (s[a] - at[a]) as f32));
            let [u, v] = moved.unwrap_or([f32::NAN; 2]);
            along_x.push(u);
            along_y.push(v);
        }
    }
    Ok(Flow::new(grid, vec![along_x, along_y])?)
}

/// A picture looked up at its sources; where there is none, it is 0 and not seen.
fn picture(taken: &Volume<f32>, source: &Flow, session: &Session) -> Result<RectifiedPicture> {
    let linear = Interpolation::Linear;
    let seen = sampled(taken, source, linear, Border::Voxels, session)?.map(|v| v.is_finite());
    let image = sampled(taken, source, linear, Border::Unbounded, session)?;
    Ok(RectifiedPicture { image: image.map(|v| if v.is_nan() { 0.0 } else { *v }), seen })
}

fn sampled(
    taken: &Volume<f32>,
    source: &Flow,
    interpolation: Interpolation,
    border: Border,
    session: &Session,
) -> Result<Volume<f32>> {
    // The place of a picture in space, where it has one, is not that of its camera's rays.
    let taken = Volume::new(source.grid().clone(), taken.data().to_vec())?;
    warp_image(session.device()?, source, &taken, MovingSampling::new(interpolation, border))
}
