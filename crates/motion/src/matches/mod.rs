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
//! 5. the method by itself: where its flow and that from matches agree all around it stands ([`fusion`]).
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
mod search;

use crate::frame::{Frame, FrameSource};
use crate::method::{DenseMethod, ImagePair, PairMethod};
use crate::moving_image::{MovingImage, frame_on, voxel_map};
use crate::pending_flow::PendingFlow;
use crate::resident::{Region, ResidentFlow, ResidentMask, ResidentStart};
use crate::{Footprint, MotionError, Observer, Step, Tiling};
use dense::{Densifier, Known};
use hidden::Doubt;
use search::{Coded, Searched};
use std::cell::Cell;
use std::fmt;
use veloxel_core::{Grid, Shape};
use veloxel_gpu::{Beside, Buffer, ComputeError, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{CopyBuffer, Multiply, Operation};
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine};
use veloxel_kernels::matching::confirmation::{Confirmation, Tolerance, Verdict, Visible};

/// Distance within which the other direction confirms a first match, voxels.
const FIRST_TOLERANCE: Tolerance = Tolerance { least_vox: 2.0, share: 0.0 };
/// The same for matches with an image that was warped already.
const SECOND_TOLERANCE: Tolerance = Tolerance { least_vox: 1.5, share: 0.0 };
/// The same for the flow of the method: what is not confirmed begins again from the models around it.
const FLOW_TOLERANCE: Tolerance = Tolerance { least_vox: 1.0, share: 0.02 };
/// The same for the flow of the method: what is not confirmed says nothing of the motion around.
const SURE_TOLERANCE: Tolerance = Tolerance { least_vox: 0.3, share: 0.03 };

/// A method that begins from matches.
pub struct Matched<M: ?Sized> {
    /// The method with memory of its own, where two runs of it go side by side.
    twin: Option<Box<dyn PairMethod>>,
    method: Box<M>,
}

impl<M: PairMethod> Matched<M> {
    /// Estimates with `method`, four times a pair.
    pub fn new(method: M) -> Self {
        Self { twin: None, method: Box::new(method) }
    }
}

impl Matched<dyn PairMethod> {
    /// [`Self::new`] for a method whose type is not known.
    pub fn of_box(method: Box<dyn PairMethod>) -> Self {
        Self { twin: None, method }
    }
}

impl<M: ?Sized> fmt::Debug for Matched<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matched").finish_non_exhaustive()
    }
}

impl<M: DenseMethod + ?Sized> DenseMethod for Matched<M> {
    fn grid(&self) -> &Grid {
        self.method.grid()
    }
    fn device(&self) -> &Device {
        self.method.device()
    }
    fn interpolation(&self) -> Interpolation {
        self.method.interpolation()
    }
    fn footprint(&self) -> Option<Footprint> {
        let of_matches = HELD_SAMPLES[Shape::of(self.grid()).components() - 2];
        let own = self.method.footprint()?;
        let beside = if self.device().has_lanes() { own.samples_per_voxel } else { 0.0 };
        Some(Footprint { tiling: Tiling::Never, ..own.with_more(of_matches + beside) })
    }
}

/// Samples a voxel that are held beside the method's own, in pictures and in volumes: images, starts and flows of both
/// directions, census codes of all sizes, and what is known of them; measured in pictures (Urban2).
const HELD_SAMPLES: [f64; 2] = [30.0, 30.0];

impl<M: PairMethod + ?Sized> PairMethod for Matched<M> {
    fn estimate(&mut self, pair: ImagePair<'_>, observer: &dyn Observer) -> Result<PendingFlow, MotionError> {
        let (device, grid) = (self.device().clone(), self.grid().clone());
        device.scope(|| {
            pair.check(&grid)?;
            let moving = pair.moving.frame();
            // Without contrast there is nothing to match: the method says so.
            let (Some(map), Some(_)) = (pair.fixed.frame().map_within(pair.region.mask)?, moving.map()?)
            else {
                return self.method.estimate(pair, observer);
            };
            let on_grid = match voxel_map(&grid, moving.grid()) == VoxelAffine::IDENTITY {
                true => None,
                false => Some(frame_on(moving, &grid)?),
            };
            let sides = Sides {
                frames: [pair.fixed.frame(), on_grid.as_ref().map_or(moving, |(frame, _)| frame)],
                masks: [pair.region.mask, on_grid.as_ref().map(|(_, seen)| seen)],
            };
            let images = [sides.frames[0], sides.frames[1]]
                .map(|frame| FrameSource::from(frame).mapped(map))
                .into_iter()
                .collect::<Result<Vec<_>, _>>()?;
            let work = Work { device: &device, grid: &grid, sides, images: [&images[0], &images[1]] };
            self.begin_from_matches(&work, &pair, observer)
        })
    }
}

impl<M: PairMethod + ?Sized> Matched<M> {
    /// The four runs of the method. Where the device has lanes, that by itself goes beside the search, and that backward beside
    /// that forward.
    fn begin_from_matches(
        &mut self,
        work: &Work<'_>,
        pair: &ImagePair<'_>,
        observer: &dyn Observer,
    ) -> Result<PendingFlow, MotionError> {
        let (device, method) = (work.device, &mut self.method);
        if self.twin.is_none() && device.has_lanes() {
            self.twin = method.twin()?;
        }
        let begun = Cell::new(0.0);
        let part = || Part { observer, begin: begun.replace(begun.get() + 0.25), share: 0.25 };
        let branch = device.fork()?;
        let searched = work.search()?;
        let alone = match &mut self.twin {
            Some(twin) => Some(branch.ask(|| twin.estimate(pair.borrowed(), &part()))?),
            None => None,
        };
        let starts = work.starts(&searched)?;
        drop(searched);
        let alone = alone.map(Beside::join);
        let back = work.pair(1, &starts[1], pair.region);
        let backward = match &mut self.twin {
            Some(twin) => device.beside(|| twin.estimate(back, &part()))?,
            None => Beside::known(method.estimate(back, &part())?),
        };
        let forward = method.estimate(work.pair(0, &starts[0], pair.region), &part())?;
        let backward = backward.join();
        let found = work.hidden([forward.flow(), backward.flow()])?;
        drop((forward, backward, starts));
        let visible = ResidentMask { grid: work.grid.clone(), weight: found.visible };
        let region = Region { mask: Some(&visible), ..pair.region };
        let start = ResidentStart::Matches(&found.start);
        let mut pending = method.estimate(ImagePair { region, start, ..pair.borrowed() }, &part())?;
        let alone = match alone {
            Some(alone) => alone,
            None => method.estimate(pair.borrowed(), &part())?,
        };
        fusion::fuse(&mut pending, &alone, work.shape(), &found.confirmed)?;
        pending.set_confirmed(found.doubt.seen(work)?);
        pending.measure_again(pair.region)?;
        Ok(pending)
    }
}

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

/// What was searched for over all, and what was found.
struct Found<'a> {
    coded: [Coded<'a>; 2],
    /// Voxels.
    fields: [Field; 2],
}

/// What the flows of both directions say of each other.
struct FoundHidden {
    /// 0 where the way there and back does not end where it began.
    confirmed: Buffer,
    /// What says that a voxel is hidden.
    doubt: Doubt,
    /// 0 where the image is hidden, and outside of the mask.
    visible: Buffer,
    /// The forward flow where it is confirmed, and models of it elsewhere.
    start: ResidentFlow,
}

impl Work<'_> {
    fn shape(&self) -> Shape {
        Shape::of(self.grid)
    }

    /// Matches over the whole range of motion.
    fn search(&self) -> Result<Found<'_>, MotionError> {
        let (device, shape) = (self.device, self.shape());
        let coded = self.both(|side| Coded::new(device, self.images[side], shape))?;
        let [there, back] = Searched::over_all(&coded)?;
        Ok(Found { coded, fields: [there.field(device, None)?, back.field(device, None)?] })
    }

    /// Dense fields of both directions: of those matches, and of matches near their field.
    fn starts(&self, found: &Found<'_>) -> Result<[ResidentFlow; 2], MotionError> {
        let (device, shape) = (self.device, self.shape());
        let densifiers = self.both(|side| Densifier::new(device, self.images[side], shape))?;
        let fields = self.densify(&densifiers, &found.fields, FIRST_TOLERANCE)?;
        let near = self.both(|side| {
            let moving = self.images[1 - side];
            let seen = MovingImage::new(device, moving, self.grid, self.grid, Interpolation::Linear)?;
            let warped = seen.warp(&fields[side].components_vox, Border::Unbounded)?;
            let near = Searched::nearby(&found.coded[side], &Coded::finest(device, &warped, shape)?)?;
            near.field(device, Some(&fields[side].components_vox))
        })?;
        self.densify(&densifiers, &near, SECOND_TOLERANCE)
    }

    /// Dense fields of what each direction confirms of the other.
    fn densify(
        &self,
        densifiers: &[Densifier<'_>; 2],
        fields: &[Field; 2],
        tolerance: Tolerance,
    ) -> Result<[ResidentFlow; 2], MotionError> {
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
        [there, back]: [&[Buffer]; 2],
        tolerance: Tolerance,
        side: usize,
    ) -> Result<Buffer, ComputeError> {
        let mut out = self.device.scratch(self.shape().len())?;
        let verdict = Verdict::Confirmed;
        Confirmation {
            shape: self.shape(),
            tolerance,
            forward: there,
            backward: back,
            verdict,
            out: &mut out,
        }
        .run(self.device)?;
        if let Some(mask) = self.sides.masks[side] {
            Multiply { factor: &mask.weight, out: &mut out }.run(self.device)?;
        }
        Ok(out)
    }

    /// What of the forward flow is confirmed, hidden, and known nevertheless.
    fn hidden(&self, flows: [&ResidentFlow; 2]) -> Result<FoundHidden, MotionError> {
        let (device, shape) = (self.device, self.shape());
        let fields = flows.map(|flow| &flow.components_vox);
        let confirmed = self.confirmed([fields[0], fields[1]], FLOW_TOLERANCE, 0)?;
        let confirmed_back = self.confirmed([fields[1], fields[0]], FLOW_TOLERANCE, 1)?;
        let mut visible = device.scratch(shape.len())?;
        Visible {
            shape,
            forward: fields[0],
            confirmed: &confirmed,
            confirmed_back: &confirmed_back,
            out: &mut visible,
        }
        .run(device)?;
        if let Some(mask) = self.sides.masks[0] {
            Multiply { factor: &mask.weight, out: &mut visible }.run(device)?;
        }
        let sure = self.confirmed([fields[0], fields[1]], SURE_TOLERANCE, 0)?;
        let doubt = device.beside(|| Doubt::ask(self, [fields[0], fields[1]], &sure))?;
        let densifier = Densifier::new(device, self.images[0], shape)?;
        let known = Known { field: fields[0], weight: &confirmed };
        let components_vox = densifier.dense(known, Some(known))?;
        let start = ResidentFlow { grid: self.grid.clone(), components_vox };
        let doubt = doubt.join();
        Ok(FoundHidden { confirmed: sure, doubt, visible, start })
    }

    /// The pair of a direction.
    fn pair<'p>(&'p self, side: usize, start: &'p ResidentFlow, region: Region<'p>) -> ImagePair<'p> {
        let [fixed, moving] = [self.sides.frames[side], self.sides.frames[1 - side]].map(FrameSource::from);
        // The muscle lies elsewhere in the other image, but by less than its size.
        let region = Region { mask: self.sides.masks[side], ..region };
        ImagePair { fixed, moving, region, start: ResidentStart::Matches(start) }
    }

    /// Of each side, side by side.
    fn both<T>(&self, of: impl Fn(usize) -> Result<T, MotionError>) -> Result<[T; 2], MotionError> {
        let back = self.device.beside(|| of(1))?;
        let there = of(0);
        let back = back.join();
        Ok([there?, back])
    }
}

/// A part of a run, for the observer of the whole.
struct Part<'a> {
    observer: &'a dyn Observer,
    begin: f64,
    share: f64,
}

impl Observer for Part<'_> {
    fn step(&self, step: Step) {
        self.observer.step(Step { done: self.begin + self.share * step.done, ..step });
    }
}

/// A copy in 0..1, smoothed.
fn smoothed(device: &Device, image: &Buffer, shape: Shape, sigma_vox: f64) -> Result<Buffer, ComputeError> {
    use veloxel_kernels::Taps;
    use veloxel_kernels::image::convolve::{Convolve, isotropic};
    let mut out = device.scratch(shape.len())?;
    let taps = isotropic(&Taps::gaussian(sigma_vox, 3.0));
    Convolve { shape, taps: &taps, input: image, output: &mut out }.run(device)?;
    Ok(out)
}

/// A copy.
fn copied(device: &Device, buffer: &Buffer) -> Result<Buffer, ComputeError> {
    let mut out = device.scratch(buffer.len())?;
    CopyBuffer { from: buffer, to: &mut out }.run(device)?;
    Ok(out)
}

/// Memory of one value.
fn filled(device: &Device, len: usize, value: f32) -> Result<Buffer, ComputeError> {
    let mut out = device.scratch(len)?;
    Operation::Fill(value).on(&mut out).run(device)?;
    Ok(out)
}
