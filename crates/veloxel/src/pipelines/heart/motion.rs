//! The motion of a whole cine: of each slice in its plane, or of the volume.

use super::choices::MotionSpace;
use super::follow::{Followed, Frames, follow};
use super::region::{Region, SliceInTime};
use super::setting::Setting;
use crate::Result;
use veloxel_core::parameters::ParameterValues;
use veloxel_core::{ContourSet, Dimension, Flow, Grid, Mask, Volume};
use veloxel_measure::{CurveEnds, share_folded, volume_change};
use veloxel_motion::DenseDraft;
use veloxel_motion::over::cycle::{Cycle, CyclePlan};
use veloxel_motion::steps::composition::sample_vox;

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
    /// In-plane: by slice, where it was followed; of a volume the first alone.
    parts: Vec<Option<Cycle>>,
    space: MotionSpace,
    /// Every parameter as used.
    pub parameters: ParameterValues,
}

impl CineMotion {
    /// Follows a cine from a start frame: the slices that have outlines, or all together.
    pub fn follow(setting: &Setting<'_>, draft: &DenseDraft, start: usize) -> Result<Self> {
        let Setting { request, seeds, region, session, .. } = setting;
        let (grid, frames, contours) = (request.cine.grid(), request.cine.frames(), &seeds.contours);
        let space = request.space.on(grid);
        let (place, slices) = match space {
            MotionSpace::InPlane => (region.plane(grid)?, contours.slices()),
            MotionSpace::Volume => (region.stack(grid)?, vec![0]),
        };
        // Neighbours in time are alike otherwise, and need no other start.
        let has_outlines = space == MotionSpace::InPlane && are_apart(frames.len());
        let from_slice = |&slice: &usize| {
            let cut = |image: &Volume<f32>| {
                session.control().check()?;
                Ok(region.cut(image, slice, &place))
            };
            let within = || region.outlined(contours, SliceInTime { slice, frame: start }, &place);
            let outlined = has_outlines.then(within).flatten();
            let weight = request.weight.map(cut).transpose()?;
            Ok(Frames { frames: frames.iter().map(cut).collect::<Result<_>>()?, weight, outlined })
        };
        let cines = slices.iter().map(from_slice).collect::<Result<Vec<Frames>>>()?;
        let plan = CyclePlan { start, periodic: request.periodic, estimate: request.estimate };
        let Followed { cycles, parameters } = follow(&cines, plan, draft, session)?;
        let mut parts = vec![None; grid.size()[2]];
        slices.into_iter().zip(cycles).for_each(|(slice, cycle)| parts[slice] = Some(cycle));
        Ok(Self { grid: grid.clone(), region: *region, parts, space, parameters })
    }

    /// Where a point of a slice of the start frame is on another frame by one way, voxels; none where that is not known.
    pub fn moved_vox(&self, way: Way, [x, y, z]: [f64; 3], frame: usize) -> Option<[f64; 3]> {
        let [x0, y0] = self.region.from.map(|v| v as f64);
        let (part, depth) = match self.space {
            MotionSpace::InPlane => (self.parts.get(z as usize)?.as_ref()?, 0.0),
            MotionSpace::Volume => (self.parts[0].as_ref()?, z),
        };
        let [w, h] = self.region.size.map(|n| n as f64 - 1.0);
        let at = [(x - x0).clamp(0.0, w), (y - y0).clamp(0.0, h), depth];
        let found = &part.frames[frame];
        let flow = match way {
            Way::Wanted => &found.flow,
            Way::Reference => found.reference.as_ref().unwrap_or(&found.flow),
            Way::Forward => &found.forward,
            Way::Backward => &found.backward,
        };
        let d = sample_vox(flow, at)?;
        Some([x + d[0], y + d[1], z + d[2]])
    }

    /// Whether points leave their slice.
    pub fn moves_across(&self) -> bool {
        self.space == MotionSpace::Volume
    }

    /// The field from the start frame to another, on the region's grid; unknown in slices that were not followed.
    pub fn field(&self, frame: usize) -> Result<Flow> {
        if self.space == MotionSpace::Volume || self.grid.dimension() == Dimension::Two {
            let flow = self.parts[0].as_ref().map(|part| part.frames[frame].flow.planar_vox().to_vec());
            return Ok(Flow::from_planar_vox(self.region.stack(&self.grid)?, flow.unwrap_or_default())?);
        }
        let mut field = Flow::zeros(self.region.stack(&self.grid)?);
        let plane = self.region.size[0] * self.region.size[1];
        for (axis, component) in field.components_vox_mut().enumerate() {
            for (part, out) in self.parts.iter().zip(component.chunks_exact_mut(plane)) {
                match part.as_ref().map(|part| &part.frames[frame].flow) {
                    Some(own) if axis < 2 => out.copy_from_slice(own.component_vox(axis)),
                    Some(_) => {}
                    None => out.fill(f32::NAN),
                }
            }
        }
        Ok(field)
    }

    /// Share of folded voxels by frame, over the parts that were followed.
    pub fn folded(&self, frames: usize) -> Vec<f64> {
        let parts: Vec<&Cycle> = self.parts.iter().flatten().collect();
        let of = |frame: usize| parts.iter().map(|part| share_folded(&part.frames[frame].flow)).sum::<f64>();
        (0..frames).map(|frame| of(frame) / parts.len().max(1) as f64).collect()
    }

    /// By how much volume in the muscle changes from the start frame to each other frame, the mean |det − 1| over all parts with a
    /// muscle; in planes the change of area. `contours` are outlines of the start frame.
    pub fn volume_changes(&self, contours: &ContourSet, start: usize) -> Vec<f64> {
        let followed = (0..).zip(&self.parts).filter_map(|(slice, part)| Some((slice, part.as_ref()?)));
        let with_muscle = followed.map(|(slice, part)| {
            let grid = part.frames[start].flow.grid();
            (part, self.region.muscle(contours, SliceInTime { slice, frame: start }, grid))
        });
        let parts: Vec<(&Cycle, Mask)> = with_muscle.collect();
        let frames = parts.first().map_or(0, |(part, _)| part.frames.len());
        let of_frame = |frame: usize| {
            let changes = parts.iter().map(|(part, muscle)| volume_change(&part.frames[frame].flow, muscle));
            let known: Vec<f64> = changes.flatten().collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        (0..frames).filter(|&frame| frame != start).filter_map(of_frame).collect()
    }

    /// Whether the cine is one whole cycle: as most of its parts say.
    pub fn periodicity(&self) -> CurveEnds {
        let parts = || self.parts.iter().flatten();
        let periodic = parts().filter(|part| part.periodicity.is_periodic).count();
        if 2 * periodic > parts().count() { CurveEnds::Periodic } else { CurveEnds::Open }
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
