//! Motion larger than a pyramid follows: any pair method, begun from matches, with what is hidden found and left out.
//!
//! *In*: two images, 2-D or 3-D. *Out*: the flow of the method, and which voxels of the fixed image are hidden in the moving one.
//!
//! *Papers*: C. Barnes et al., "PatchMatch", SIGGRAPH 2009, doi:10.1145/1576246.1531330; Y. Hu, R. Song, Y. Li, "Efficient
//! coarse-to-fine PatchMatch for large displacement optical flow", CVPR 2016, doi:10.1109/CVPR.2016.615; Y. Hu, Y. Li, R. Song,
//! "Robust interpolation of correspondences for large displacement optical flow", CVPR 2017, doi:10.1109/CVPR.2017.509.
//!
//! *Steps*, all on the device and in both directions:
//!
//! 1. census codes of a pyramid; matches from its coarsest level on by randomised propagation, in pictures at five sizes of the
//!    moving image (half to twice), so that what comes nearer is found too ([`search`]);
//! 2. what the other direction confirms within 2 voxels; a dense field of affine models of it ([`dense`]);
//! 3. both again on the finest level with the moving image warped by that field: matches there need not know of scale or
//!    slant; confirmed within 1.5 voxels, and dense again;
//! 4. the method from these fields; where there and back differ by more than a voxel, models of what is confirmed take over;
//!    the method again from there, without data where the image is hidden;
//! 5. the method by itself: where its flow and that from matches agree all around it stands, and where it explains the images
//!    better than what they agree on ([`fusion`], [`preference`]).
//!
//! *Where we differ* from the papers: sweeps read only the sweep before and random numbers are hashes, so that all devices find
//! the same bits; no descriptor but census; edges of the image enter as differences of intensity, not as geodesic distances.
//!
//! *Cost*: 14 census codes a pixel; four runs of the method. *Evidence*: `tests/motion/matches.rs`, `veloxel bench large-motion`.
//!
//! *Limits*: [`longest`](veloxel_kernels::matching::patch_match::longest) voxels along an axis; what has no texture or changed
//! its size by more than two is not matched, and the models of its neighbours decide.

mod dense;
mod fusion;
mod hidden;
mod preference;
mod search;

use crate::error::Result;
use crate::method::footprint::{Footprint, Tiling};
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::PendingFlow;
use crate::method::resident::{DataRegion, ResidentFlow, ResidentMask, ResidentStart};
use crate::over::decorated::{Decorated, Decoration};
use crate::steps::buffers::{convolved, written};
use crate::steps::frame::{Frame, FrameSource};
use crate::steps::moving_image::{FinerImage, MovingImage, frame_on};
use dense::{Densifier, Known};
use hidden::Doubt;
use search::{Coded, Searched};
use veloxel_core::{Grid, Portion, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Field};
use veloxel_kernels::image::convolve::isotropic;
use veloxel_kernels::image::pointwise::Multiply;
use veloxel_kernels::image::warp::{Border, Interpolation};
use veloxel_kernels::matching::confirmation::{Confirmation, PathTolerance, PathVerdict, Visible};
use veloxel_kernels::{Kernel, Taps};

/// Distance within which the other direction confirms a first match, voxels.
const FIRST_TOLERANCE: PathTolerance = PathTolerance { least_vox: 2.0, share: 0.0 };
/// Distance within which matches with a warped image are confirmed, voxels.
const SECOND_TOLERANCE: PathTolerance = PathTolerance { least_vox: 1.5, share: 0.0 };
/// Distance within which the flow of the method is confirmed, voxels: vectors beyond it are replaced by the models around them.
const FLOW_TOLERANCE: PathTolerance = PathTolerance { least_vox: 1.0, share: 0.02 };
/// Distance within which a vector is used for others, voxels: vectors beyond it are not interpolated from.
const SURE_TOLERANCE: PathTolerance = PathTolerance { least_vox: 0.3, share: 0.03 };

/// Begins a method from matches.
#[derive(Debug)]
pub struct FromMatches;

/// A method that begins from matches, four times a pair.
pub type Matched<M> = Decorated<FromMatches, M>;

/// Samples a voxel that are held beside the method's own, in pictures and in volumes: images, starts and flows of both
/// directions, census codes of all sizes, and what is known of them; measured in pictures (Urban2).
const HELD_SAMPLES: [f64; 2] = [30.0, 30.0];

impl Decoration for FromMatches {
    fn footprint(own: Footprint, grid: &Grid) -> Option<Footprint> {
        let of_matches = HELD_SAMPLES[Shape::of(grid).components() - 2];
        Some(Footprint { tiling: Tiling::Never, ..own.with_more(of_matches) })
    }

    fn estimate<M: PairMethod + ?Sized>(method: &mut M, pair: ImagePair<'_>) -> Result<PendingFlow> {
        let (device, grid) = (method.device().clone(), method.grid().clone());
        device.scope(|| {
            pair.check(&grid)?;
            let moving = pair.moving.frame();
            // Without contrast there is nothing to match: the method says so.
            let (Some(map), Some(_)) = (pair.fixed.frame().map_within(pair.region.mask)?, moving.map()?)
            else {
                return method.estimate(pair);
            };
            let on_grid = frame_on(moving, &grid)?;
            let sides = Sides {
                frames: [pair.fixed.frame(), on_grid.as_ref().map_or(moving, |(frame, _)| frame)],
                masks: [pair.region.mask, on_grid.as_ref().and_then(|(_, seen)| seen.as_ref())],
            };
            let [first, second] = sides.frames.map(|frame| FrameSource::from(frame).mapped(map));
            let images = [&first?, &second?];
            let work = Work { device: &device, grid: &grid, sides, images };
            let starts = work.matches()?;
            let fields = [0, 1].map(|side| {
                let pair = work.pair(side, &starts[side], pair.region);
                device.control().portion(Portion::nth_of(side, PASSES), || method.estimate(pair))
            });
            let [forward, backward] = fields;
            let (forward, backward) = (forward?, backward?);
            let found = work.hidden([forward.flow(), backward.flow()])?;
            drop((forward, backward));
            let visible = ResidentMask { grid: grid.clone(), weight: found.visible };
            let region = DataRegion { mask: Some(&visible), ..pair.region };
            let start = ResidentStart::Matches(&found.start);
            let confirmed = ImagePair { region, start, ..pair.borrowed() };
            let third = Portion::nth_of(2, PASSES);
            let mut pending = device.control().portion(third, || method.estimate(confirmed))?;
            let fourth = Portion::nth_of(3, PASSES);
            let alone = device.control().portion(fourth, || method.estimate(pair.borrowed()))?;
            fusion::fuse(&work, &mut pending, &alone, &found.confirmed)?;
            pending.confirmed = Some(found.seen);
            pending.measure_again(pair.region)?;
            Ok(pending)
        })
    }
}

/// Estimates of a pair that begins from matches: each way from its matches, from the confirmed ones, and from none.
const PASSES: usize = 4;

/// The two images, each as the fixed one of its direction.
struct Sides<'a> {
    frames: [&'a Frame; 2],
    masks: [Option<&'a ResidentMask>; 2],
}

/// What a pair is worked on with.
struct Work<'a> {
    device: &'a Device,
    grid: &'a Grid,
    sides: Sides<'a>,
    /// In 0..1.
    images: [&'a Buffer; 2],
}

/// What the flows of both directions say of each other.
struct FoundHidden {
    /// 0 where the way there and back does not end where it began.
    confirmed: Buffer,
    /// Below ½ where a voxel is said to be hidden.
    seen: Buffer,
    /// 0 where the image is hidden, and outside of the mask.
    visible: Buffer,
    /// The forward flow where it is confirmed, and models of it elsewhere.
    start: ResidentFlow,
}

impl Work<'_> {
    fn shape(&self) -> Shape {
        Shape::of(self.grid)
    }

    /// Dense fields of both directions.
    fn matches(&self) -> Result<[ResidentFlow; 2]> {
        let (device, shape) = (self.device, self.shape());
        let coded = self.both(|side| Coded::new(device, self.images[side], shape))?;
        let densifiers = self.both(|side| Densifier::new(device, self.images[side], shape))?;
        let [there, back] = Searched::over_all(&coded)?;
        let first = [there.field(device, None)?, back.field(device, None)?];
        let fields = self.densify(&densifiers, &first, FIRST_TOLERANCE)?;
        let second = self.both(|side| {
            let moving = self.images[1 - side];
            let seen = MovingImage::new(
                device,
                moving,
                self.grid,
                self.grid,
                Interpolation::Linear,
                FinerImage::Smoothed,
            )?;
            let warped = seen.warp(&fields[side].components_vox, Border::Unbounded)?;
            let near = Searched::nearby(&coded[side], &Coded::finest(device, &warped, shape)?)?;
            near.field(device, Some(&fields[side].components_vox))
        })?;
        self.densify(&densifiers, &second, SECOND_TOLERANCE)
    }

    /// Dense fields of what each direction confirms of the other.
    fn densify(
        &self,
        densifiers: &[Densifier<'_>; 2],
        fields: &[Field; 2],
        tolerance: PathTolerance,
    ) -> Result<[ResidentFlow; 2]> {
        self.both(|side| {
            let weight = self.confirmed([&fields[side], &fields[1 - side]], tolerance, side)?;
            let known = Known { field: &fields[side], weight: &weight };
            let components_vox = densifiers[side].dense(known, None)?;
            Ok(ResidentFlow { grid: self.grid.clone(), components_vox })
        })
    }

    /// Where one direction confirms the other, within the mask of the first one's image.
    fn confirmed(
        &self,
        [forward, backward]: [&[Buffer]; 2],
        tolerance: PathTolerance,
        side: usize,
    ) -> Result<Buffer, ComputeError> {
        let (device, shape, verdict) = (self.device, self.shape(), PathVerdict::Confirmed);
        written(device, shape.len(), |out| {
            Confirmation { shape, tolerance, forward, backward, verdict, out: &mut *out }.run(device)?;
            self.mask(side, out)
        })
    }

    /// Takes away what lies outside of the mask of a direction's first image.
    fn mask(&self, side: usize, out: &mut Buffer) -> Result<(), ComputeError> {
        let mask = self.sides.masks[side];
        mask.map_or(Ok(()), |mask| Multiply { factor: &mask.weight, out }.run(self.device))
    }

    /// What of the forward flow is confirmed, hidden, and known nevertheless.
    fn hidden(&self, flows: [&ResidentFlow; 2]) -> Result<FoundHidden> {
        let (device, shape) = (self.device, self.shape());
        let fields = flows.map(|flow| &flow.components_vox);
        let confirmed = self.confirmed([fields[0], fields[1]], FLOW_TOLERANCE, 0)?;
        let confirmed_back = self.confirmed([fields[1], fields[0]], FLOW_TOLERANCE, 1)?;
        let visible = written(device, shape.len(), |out| {
            let (confirmed, confirmed_back) = (&confirmed, &confirmed_back);
            Visible { shape, forward: fields[0], confirmed, confirmed_back, out: &mut *out }.run(device)?;
            self.mask(0, out)
        })?;
        let sure = self.confirmed([fields[0], fields[1]], SURE_TOLERANCE, 0)?;
        let doubt = device.concurrently(|| Doubt::ask(self, [fields[0], fields[1]], &sure))?;
        let densifier = Densifier::new(device, self.images[0], shape)?;
        let known = Known { field: fields[0], weight: &confirmed };
        let components_vox = densifier.dense(known, Some(known))?;
        let start = ResidentFlow { grid: self.grid.clone(), components_vox };
        let seen = doubt.join().seen(self)?;
        Ok(FoundHidden { confirmed: sure, seen, visible, start })
    }

    /// The pair of a direction.
    fn pair<'p>(&'p self, side: usize, start: &'p ResidentFlow, region: DataRegion<'p>) -> ImagePair<'p> {
        let [fixed, moving] = [self.sides.frames[side], self.sides.frames[1 - side]].map(FrameSource::from);
        // The muscle lies elsewhere in the other image, but by less than its size.
        let region = DataRegion { mask: self.sides.masks[side], ..region };
        ImagePair { fixed, moving, region, start: ResidentStart::Matches(start) }
    }

    /// The results of both sides, computed side by side.
    fn both<T>(&self, of: impl Fn(usize) -> Result<T>) -> Result<[T; 2]> {
        let back = self.device.concurrently(|| of(1))?;
        let there = of(0);
        let back = back.join();
        Ok([there?, back])
    }
}

/// A smoothed copy.
fn smoothed(device: &Device, image: &Buffer, shape: Shape, sigma_vox: f64) -> Result<Buffer, ComputeError> {
    convolved(device, image, shape, &isotropic(&Taps::gaussian(sigma_vox, 3.0)))
}
