//! The motion of a whole cine: of each slice in its plane, or of the volume.

use super::cine::Cine;
use super::follow::{Followed, Frames, follow};
use super::outlined::outlined;
use super::part::Part;
use super::region::Region;
use crate::VeloxelError;
use crate::jobs::RunOptions;
use veloxel_core::parameters::Values;
use veloxel_core::{ContourSet, Dimension, Flow, Grid, Volume};
use veloxel_gpu::Device;
use veloxel_motion::Observer;
use veloxel_motion::composition::sample_vox;
use veloxel_motion::cycle::CyclePlan;
use veloxel_report::metrics::{Periodicity, share_folded};

/// Where points of a cine can move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MotionSpace {
    /// Each slice in its plane, as slices stand that are far apart.
    #[default]
    InPlane,
    /// All slices together.
    Volume,
}

impl MotionSpace {
    /// As on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::InPlane => "in-plane",
            Self::Volume => "volume",
        }
    }

    /// What is meant on a grid: a picture is its own plane.
    pub(super) fn on(self, grid: &Grid) -> Self {
        if grid.dimension() == Dimension::Two { Self::InPlane } else { self }
    }
}

/// Frames of a beat from which on neighbours in time are alike.
const DENSE_FRAMES: usize = 16;

/// Whether so many frames of a beat lie far apart in time.
pub(super) fn are_apart(frames: usize) -> bool {
    frames < DENSE_FRAMES
}

/// By which way a frame is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The motion that was asked for.
    Wanted,
    /// The start frame registered to it, where that is known, else what was asked for.
    Reference,
    /// Composed forwards in time.
    Forward,
    /// Composed backwards in time.
    Backward,
}

/// The motion of slices from a start frame to every frame.
pub(super) struct CineMotion {
    grid: Grid,
    region: Region,
    /// In-plane: by slice, where it was followed; of a volume one.
    parts: Vec<Option<Followed>>,
    space: MotionSpace,
}

/// What is followed, and how.
pub(super) struct Task<'a> {
    pub cine: &'a Cine,
    /// How much data count, on the cine's grid.
    pub weight: Option<&'a Volume<f32>>,
    pub region: Region,
    pub space: MotionSpace,
    /// The outlines that are carried along, and the slices that have some.
    pub contours: &'a ContourSet,
    pub slices: &'a [usize],
    /// Whether the cine comes around, and which motion is wanted; its start is another one each time.
    pub plan: CyclePlan,
    pub options: &'a RunOptions,
    pub device: &'a Device,
    pub observer: &'a dyn Observer,
}

impl Task<'_> {
    /// Follows from a start frame; `done` of `all` such tasks are over.
    pub fn follow(&self, start: usize, done: usize, all: usize) -> Result<CineMotion, VeloxelError> {
        let (grid, frames) = (self.cine.sequence.grid(), self.cine.sequence.frames());
        let plan = CyclePlan { start, ..self.plan };
        let space = self.space;
        let part = Part { observer: self.observer, nth: done, count: all };
        let found = |cines: &[Frames]| follow(cines, plan, self.options, self.device, &part);
        if self.space == MotionSpace::Volume {
            let stack = self.region.stack(grid)?;
            let cut = |image: &Volume<f32>| self.region.volume(image, &stack);
            let (cut_frames, weight) = (frames.iter().map(cut).collect(), self.weight.map(cut));
            let cine = Frames { frames: cut_frames, weight, outlined: None };
            let parts = found(&[cine])?.into_iter().map(Some).collect();
            return Ok(CineMotion { grid: grid.clone(), region: self.region, parts, space });
        }
        let plane = self.region.plane(grid)?;
        let of_slice = |&slice: &usize| {
            let cut = |image: &Volume<f32>| self.region.slice(image, slice, &plane);
            // Neighbours in time are alike otherwise, and need no other start.
            let within = || outlined(self.contours, [slice, start], self.region, &plane);
            let outlined = are_apart(frames.len()).then(within).flatten();
            Frames { frames: frames.iter().map(cut).collect(), weight: self.weight.map(cut), outlined }
        };
        let cines: Vec<Frames> = self.slices.iter().map(of_slice).collect();
        let mut parts: Vec<Option<Followed>> = (0..grid.size()[2]).map(|_| None).collect();
        for (&slice, own) in self.slices.iter().zip(found(&cines)?) {
            parts[slice] = Some(own);
        }
        Ok(CineMotion { grid: grid.clone(), region: self.region, parts, space })
    }
}

impl CineMotion {
    /// Where a point of a slice of the start frame is on another frame, voxels; none where that is not known.
    pub fn moved_vox(&self, at: [f64; 3], frame: usize) -> Option<[f64; 3]> {
        self.moved_by(Way::Wanted, at, frame)
    }

    /// The same by one way.
    pub fn moved_by(&self, way: Way, [x, y, z]: [f64; 3], frame: usize) -> Option<[f64; 3]> {
        let [x0, y0] = self.region.from.map(|v| v as f64);
        let (part, depth) = match self.space {
            MotionSpace::InPlane => (self.parts.get(z as usize)?.as_ref()?, 0.0),
            MotionSpace::Volume => (self.parts[0].as_ref()?, z),
        };
        let [w, h] = self.region.size.map(|n| n as f64 - 1.0);
        let at = [(x - x0).clamp(0.0, w), (y - y0).clamp(0.0, h), depth];
        let flow = match way {
            Way::Wanted => &part.flows[frame],
            Way::Reference => part.reference[frame].as_ref().unwrap_or(&part.flows[frame]),
            Way::Forward => &part.forward[frame],
            Way::Backward => &part.backward[frame],
        };
        let d = sample_vox(flow, at)?;
        Some([x + d[0], y + d[1], z + d[2]])
    }

    /// Whether points leave their slice.
    pub fn moves_across(&self) -> bool {
        self.space == MotionSpace::Volume
    }

    /// Millimetres between pixels along x.
    pub fn pixel_mm(&self) -> f64 {
        self.grid.spacing_mm()[0]
    }

    /// The field from the start frame to another, on the region's grid; unknown in slices that were not followed.
    pub fn field(&self, frame: usize) -> Result<Flow, VeloxelError> {
        if self.space == MotionSpace::Volume || self.grid.dimension() == Dimension::Two {
            let flow = self.parts[0].as_ref().map(|part| part.flows[frame].components_vox().to_vec());
            return Ok(Flow::new(self.region.stack(&self.grid)?, flow.unwrap_or_default())?);
        }
        let mut field = Flow::zeros(self.region.stack(&self.grid)?);
        let plane = self.region.size[0] * self.region.size[1];
        for (axis, component) in field.components_vox_mut().iter_mut().enumerate() {
            for (part, out) in self.parts.iter().zip(component.chunks_exact_mut(plane)) {
                match part {
                    Some(part) if axis < 2 => out.copy_from_slice(&part.flows[frame].components_vox()[axis]),
                    Some(_) => {}
                    None => out.fill(f32::NAN),
                }
            }
        }
        Ok(field)
    }

    /// Every parameter as used.
    pub fn parameters(&self) -> Values {
        self.parts.iter().flatten().next().map(|part| part.parameters.clone()).unwrap_or_default()
    }

    /// Share of folded voxels by frame, over the parts that were followed.
    pub fn folded(&self, frames: usize) -> Vec<f64> {
        let parts: Vec<&Followed> = self.parts.iter().flatten().collect();
        let of = |frame: usize| parts.iter().map(|part| share_folded(&part.flows[frame])).sum::<f64>();
        (0..frames).map(|frame| of(frame) / parts.len().max(1) as f64).collect()
    }

    /// Whether the cine is one whole cycle: as most of its parts say.
    pub fn periodicity(&self) -> Periodicity {
        let parts = self.parts.iter().flatten();
        let (all, periodic) = parts.fold((0, 0), |(all, periodic), part| {
            (all + 1, periodic + usize::from(part.periodicity == Periodicity::Periodic))
        });
        if 2 * periodic > all { Periodicity::Periodic } else { Periodicity::Open }
    }

    /// The mean drift once around of the forward and of the backward way, pixels.
    pub fn drift_vox(&self) -> [Option<f64>; 2] {
        [0, 1].map(|way: usize| {
            let drifts: Vec<f64> =
                self.parts.iter().flatten().filter_map(|part| part.drift_vox[way]).collect();
            (!drifts.is_empty()).then(|| drifts.iter().sum::<f64>() / drifts.len() as f64)
        })
    }
}
