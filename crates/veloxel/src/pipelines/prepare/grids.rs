//! Images, masks and labels on grids of their own: what is allowed, and how they are seen from the fixed grid.

use super::passes::Passes;
use crate::Result;
use std::borrow::Cow;
use veloxel_core::{CoreError, Dimension, Flow, Grid, Hint, Mask, Volume, WarningKind, Warnings};
use veloxel_gpu::Device;
use veloxel_io::Strictness;
use veloxel_kernels::image::warp::Interpolation;
use veloxel_motion::{
    Border, FinerImage, MovingImage, VoxelAffine, require_sampled, voxel_map, warp_in_slabs,
};

/// Checks that a moving image may lie on its own grid, and notes that it does.
///
/// # Errors
/// [`CoreError::GridMismatch`] for pictures of two sizes, a picture against a volume, or any difference if that is refused.
pub(crate) fn allow_two_grids(
    fixed: &Grid,
    moving: &Grid,
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<(), CoreError> {
    let same = fixed.require_same(moving, "fixed and moving image (strict reading requires one grid)");
    if let Err(CoreError::GridMismatch { property, left, right, .. }) = same.clone() {
        require_sampled(fixed, moving)?;
        if fixed.dimension() == Dimension::Two && (fixed.is_unplaced() || moving.is_unplaced()) {
            return Ok(());
        }
        if strictness == Strictness::Strict {
            return same;
        }
        let sampled = match voxel_map(fixed, moving) {
            VoxelAffine::IDENTITY => {
                "they are parallel planes, and every pixel is compared with the one straight across"
            }
            _ => "the field is on FIXED's grid, and MOVING is sampled by position in the world",
        };
        let text =
            format!("the grids of FIXED and MOVING differ in {property} ({left} against {right}): {sampled}");
        warnings.push(WarningKind::Grid, text);
    }
    Ok(())
}

/// A mask on a fixed grid: inside where the nearest voxel of its own grid is.
///
/// # Errors
/// [`CoreError::GridMismatch`] as for moving images.
pub(crate) fn mask_on(mask: Mask, fixed: &Grid) -> Result<Mask, CoreError> {
    if fixed.require_same(mask.grid(), "").is_ok() {
        return Ok(mask);
    }
    if require_sampled(fixed, mask.grid()).is_err() {
        fixed.require_same(mask.grid(), "fixed image and mask")?;
    }
    let (map, size) = (voxel_map(fixed, mask.grid()), mask.grid().size());
    Ok(Mask::from_fn(fixed.clone(), |voxel| {
        let nearest = map.apply(voxel.map(|v| v as f64)).map(|v| (v + 0.5).floor());
        let inside = (0..3).all(|a| nearest[a] >= 0.0 && nearest[a] < size[a] as f64);
        inside && mask.data()[mask.grid().index(nearest.map(|v| v as usize))]
    }))
}

/// A field that counts in pixels and knows no place, as picture formats hold it, on a picture of its size that has one; any other
/// stays as it is.
///
/// # Errors
/// [`CoreError`] should not occur: the field has as many vectors as the picture has pixels.
pub(crate) fn field_on(field: Flow, fixed: &Grid) -> Result<Flow, CoreError> {
    let are_pictures = fixed.dimension() == Dimension::Two && field.grid().dimension() == Dimension::Two;
    if are_pictures && field.grid().is_unplaced() && field.grid().size() == fixed.size() {
        return Flow::from_planar_vox(fixed.clone(), field.into_planar_vox());
    }
    Ok(field)
}

/// A moving image on the fixed grid where nothing has moved; NaN where it has no samples.
///
/// # Errors
/// [`VeloxelError::Compute`](crate::VeloxelError::Compute).
pub(crate) fn moving_on<'a>(
    device: &Device,
    moving: &'a Volume<f32>,
    fixed: &Grid,
) -> Result<Cow<'a, Volume<f32>>> {
    if fixed.require_same(moving.grid(), "").is_ok() {
        return Ok(Cow::Borrowed(moving));
    }
    let still = Flow::zeros(fixed.clone());
    let sampling = MovingSampling::new(Interpolation::Linear, Border::Voxels);
    Ok(Cow::Owned(warp_image(device, &still, moving, sampling)?))
}

/// Frames that lie on several grids, all seen from the first one's, with where each has samples there; beyond that their
/// outermost samples are repeated. Frames of one grid stay as they are, and no mask is needed.
///
/// # Errors
/// As [`allow_two_grids`]; [`VeloxelError::Compute`](crate::VeloxelError::Compute).
pub(crate) fn on_first_grid(
    device: &Device,
    mut frames: Vec<Volume<f32>>,
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<(Vec<Volume<f32>>, Vec<Mask>)> {
    let first = frames.first().map(|frame| frame.grid().clone());
    let is_left = |first: &Grid| frames.iter().any(|frame| first.require_same(frame.grid(), "").is_err());
    let Some(first) = first.filter(is_left) else { return Ok((frames, Vec::new())) };
    let still = Flow::zeros(first.clone());
    let mut covered = Vec::new();
    for frame in &mut frames {
        allow_two_grids(&first, frame.grid(), strictness, warnings)?;
        let seen = |border| {
            let (interpolation, finer) = (Interpolation::Linear, FinerImage::Smoothed);
            let sampling = MovingSampling { interpolation, border, finer };
            warp_image(device, &still, frame, sampling)
        };
        covered.push(seen(Border::Voxels)?.map(|v| v.is_finite()));
        *frame = seen(Border::Unbounded)?;
    }
    Ok((frames, covered))
}

/// The masks of frames that have samples only where they are `covered`: one for every frame, if any is needed at all.
pub(crate) fn covered_masks(masks: Vec<Mask>, covered: Vec<Mask>) -> Vec<Mask> {
    if covered.is_empty() {
        return masks;
    }
    let within = |(nth, covered): (usize, Mask)| match masks.get(nth).or(masks.first()) {
        Some(mask) => intersection(covered, mask),
        None => covered,
    };
    covered.into_iter().enumerate().map(within).collect()
}

/// What lies inside both of two masks on one grid.
pub(crate) fn intersection(mut mask: Mask, other: &Mask) -> Mask {
    mask.data_mut().iter_mut().zip(other.data()).for_each(|(inside, other)| *inside &= other);
    mask
}

/// How a moving image is looked up.
#[derive(Debug, Clone, Copy)]
pub struct MovingSampling {
    /// Between voxels.
    pub interpolation: Interpolation,
    /// Where the image ends.
    pub border: Border,
    /// What becomes of an image that is finer than the field's grid.
    pub finer: FinerImage,
}

impl MovingSampling {
    /// Samples of the image as it is.
    pub fn new(interpolation: Interpolation, border: Border) -> Self {
        Self { interpolation, border, finer: FinerImage::Sampled }
    }
}

/// The moving image, on a grid of its own, seen from the fixed grid: `moving(x + d(x))`; NaN beyond its border and where the
/// field is unknown.
///
/// # Errors
/// [`CoreError::GridMismatch`] for pictures of two sizes, or a picture against a volume;
/// [`VeloxelError::Compute`](crate::VeloxelError::Compute).
pub fn warp_image(
    device: &Device,
    flow: &Flow,
    moving: &Volume<f32>,
    sampling: MovingSampling,
) -> Result<Volume<f32>> {
    let samples = device.share(moving.shared_data())?;
    let displacement = flow.components_vox().map(|c| device.upload_copy(c)).collect::<Result<Vec<_>, _>>()?;
    let out = device.scope(|| {
        let MovingSampling { interpolation, border, finer } = sampling;
        let seen = MovingImage::new(device, &samples, moving.grid(), flow.grid(), interpolation, finer)?;
        seen.warp(&displacement, border)
    })?;
    Ok(Volume::new(flow.grid().clone(), device.download(out)?)?)
}

/// Samples of a slab that is the whole image.
pub(crate) const WHOLE_IMAGE: usize = usize::MAX / 64;

/// What a warped image holds where MOVING has no sample, and where the field is unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OutsideFill {
    /// This value; NaN is one.
    Value(f32),
    /// The nearest sample of MOVING; 0 where the field is unknown.
    Edge,
}

impl Default for OutsideFill {
    /// 0, as ITK's resampling has it.
    fn default() -> Self {
        Self::Value(0.0)
    }
}

impl OutsideFill {
    /// Where MOVING ends for it.
    pub(crate) fn border(self) -> Border {
        match self {
            Self::Value(_) => Border::Voxels,
            Self::Edge => Border::Unbounded,
        }
    }

    /// MOVING as seen from FIXED, so many samples at a time, where the method's own warped image does not serve: with its nearest samples
    /// beyond its border, or in its own tones where the method compared it in others.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute).
    pub(crate) fn continued(
        self,
        device: &Device,
        flow: &Flow,
        moving: &Volume<f32>,
        slab_samples: usize,
        is_toned: bool,
    ) -> Result<Option<Volume<f32>>> {
        if self != Self::Edge && !is_toned {
            return Ok(None);
        }
        let (spline, border) = (Interpolation::CubicSpline, self.border());
        let seen = device.scope(|| warp_in_slabs(device, flow, moving, spline, border, slab_samples))?;
        Ok(Some(seen))
    }

    /// Replaces NaN, and notes how much that was; `what` is the image.
    pub(crate) fn fill(
        self,
        image: &mut Volume<f32>,
        what: &str,
        passes: Passes<'_>,
        warnings: &mut Warnings,
    ) {
        let count = passes.replace(image.data_mut(), self.value(), |_, v| v.is_nan());
        self.note([count, image.grid().len()], what, warnings);
    }

    /// Replaces NaN: how many samples that were.
    pub(crate) fn fill_samples(self, samples: &mut [f32]) -> usize {
        let mut count = 0;
        for sample in samples.iter_mut().filter(|v| v.is_nan()) {
            *sample = self.value();
            count += 1;
        }
        count
    }

    /// Notes how many of all samples of an image were replaced.
    pub(crate) fn note(self, [count, all]: [usize; 2], what: &str, warnings: &mut Warnings) {
        if count > 0 {
            let (share, value) = (veloxel_report::number::percent(count as f64 / all as f64), self.value());
            let text = format!("{share} of {what} lie outside of MOVING or have no vector: {value} there");
            warnings.push_with_hint(WarningKind::Note, Hint::Outside, text);
        }
    }

    fn value(self) -> f32 {
        match self {
            Self::Value(value) => value,
            Self::Edge => 0.0,
        }
    }
}

impl std::str::FromStr for OutsideFill {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "edge" => Ok(Self::Edge),
            _ => text.parse().map(Self::Value).map_err(|_| "expected a number, nan, or edge".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid::volume(12, 10, 8).unwrap()
    }

    #[test]
    fn a_mask_is_looked_up_where_it_lies() {
        let own = Grid::volume(6, 5, 4).and_then(|g| g.with_spacing_mm([2.0; 3])).unwrap();
        // Its voxels cover two of the fixed ones along each axis.
        let mask = Mask::from_fn(own.with_origin_mm([0.5; 3]), |[x, ..]| x == 2);
        let seen = mask_on(mask, &grid()).unwrap();
        for i in 0..grid().len() {
            assert_eq!(seen.data()[i], matches!(grid().position(i)[0], 4 | 5));
        }
        let picture = Mask::everywhere(Grid::image(12, 10).unwrap());
        assert!(mask_on(picture, &grid()).is_err());
    }

    #[test]
    fn a_field_in_pixels_lies_on_the_picture_of_its_size() {
        let placed = Grid::image(12, 10).unwrap().with_origin_mm([40.0, 0.0, 7.0]);
        let field = |grid: Grid| Flow::from_fn(grid, |[x, ..]| [x, 1.0, 0.0]);
        let on = field_on(field(Grid::image(12, 10).unwrap()), &placed).unwrap();
        assert_eq!((on.grid(), on.planar_vox()), (&placed, field(placed.clone()).planar_vox()));
        let elsewhere = Grid::image(12, 10).unwrap().with_origin_mm([1.0, 0.0, 0.0]);
        assert_eq!(field_on(field(elsewhere.clone()), &placed).unwrap().grid(), &elsewhere);
    }

    #[test]
    fn two_grids_are_noted_and_refused_if_asked() {
        let other = grid().with_origin_mm([0.0, 3.0, 0.0]);
        let mut warnings = Warnings::new();
        allow_two_grids(&grid(), &other, Strictness::Lenient, &mut warnings).unwrap();
        assert!(warnings.iter().next().unwrap().message.contains("differ in origin"));
        assert!(allow_two_grids(&grid(), &other, Strictness::Strict, &mut warnings).is_err());
        // A picture without a place is looked at pixel by pixel.
        let placed = Grid::image(12, 10).unwrap().with_origin_mm([40.0, 0.0, 0.0]);
        let (unplaced, mut unsaid) = (Grid::image(12, 10).unwrap(), Warnings::new());
        allow_two_grids(&unplaced, &placed, Strictness::Strict, &mut unsaid).unwrap();
        assert!(unsaid.is_empty());
        let behind = placed.clone().with_origin_mm([40.0, 0.0, 8.0]);
        let mut across = Warnings::new();
        allow_two_grids(&placed, &behind, Strictness::Lenient, &mut across).unwrap();
        assert!(across.iter().next().unwrap().message.contains("parallel planes"));
        assert!(allow_two_grids(&placed, &behind, Strictness::Strict, &mut across).is_err());
        let pictures = [Grid::image(12, 10).unwrap(), Grid::image(12, 11).unwrap()];
        let error = allow_two_grids(&pictures[0], &pictures[1], Strictness::Lenient, &mut warnings);
        assert!(error.unwrap_err().to_string().contains("crop or scale"));
    }

    #[test]
    fn frames_of_other_grids_are_seen_from_the_first() {
        let device = Device::cpu(1).unwrap();
        let shifted = grid().with_origin_mm([3.0, 0.0, 0.0]);
        let of_world = |grid: Grid| {
            Volume::from_fn(grid.clone(), move |x| grid.world_from_voxel(x.map(|v| v as f64))[0] as f32)
        };
        let frames = vec![of_world(grid()), of_world(shifted)];
        let mut warnings = Warnings::new();
        let (frames, covered) = on_first_grid(&device, frames, Strictness::Lenient, &mut warnings).unwrap();
        assert_eq!(warnings.urgent().count(), 1);
        for i in 0..grid().len() {
            let x = grid().position(i)[0];
            assert_eq!((covered[0].data()[i], covered[1].data()[i]), (true, x >= 3));
            assert!((frames[1].data()[i] - (x as f32).max(3.0)).abs() < 1e-4);
        }
        let own = Mask::from_fn(grid(), |[x, ..]| x < 5);
        let masks = covered_masks(vec![own], covered);
        assert_eq!((masks[0].count(), masks[1].count()), (5 * 80, 2 * 80));
        let one = on_first_grid(&device, vec![of_world(grid())], Strictness::Strict, &mut warnings).unwrap();
        assert!(one.1.is_empty());
    }

    #[test]
    fn what_is_outside_is_filled_and_counted() {
        let mut image = Volume::new(Grid::image(4, 1).unwrap(), vec![1.0, f32::NAN, 2.0, 3.0]).unwrap();
        let mut warnings = Warnings::new();
        OutsideFill::default().fill(&mut image, "out.png", Passes::ALONE, &mut warnings);
        assert_eq!(image.data(), [1.0, 0.0, 2.0, 3.0]);
        assert!(warnings.iter().next().unwrap().message.starts_with("25 % of out.png"));
        assert_eq!("edge".parse(), Ok(OutsideFill::Edge));
        assert_eq!("-1000".parse(), Ok(OutsideFill::Value(-1000.0)));
        assert!("what".parse::<OutsideFill>().is_err());
    }
}
