//! Phase-based flow in parts of pictures.
//!
//! Positions are rounded as displacements from a pixel ([`veloxel_kernels::phase::phase_flow`]), so a part that begins at a
//! multiple of the coarsest pixels worked on gives the bits of the whole picture.

use super::flow::{FlowFields, PhaseFlow};
use super::plan::{GaborPyramid, PhasePlan};
use crate::error::Result;
use crate::method::local_window::{LocalWindow, PartFlow, WindowPart};
use veloxel_gpu::Buffer;
use veloxel_kernels::Kernel;
use veloxel_kernels::phase::gabor::{Levels, Picture, Pyramid};

impl LocalWindow for PhaseFlow {
    fn farthest_frame(&self) -> usize {
        let frames = self.plan.parameters.frames;
        frames.count() - 1 - frames.centre()
    }

    fn shrunk(&self, samples: Vec<f32>, size: [usize; 2], below: usize) -> Result<Vec<f32>> {
        let device = self.plan.device.clone();
        device.scope(|| {
            let levels = Levels::new(size, 2, below + 1);
            let mut images = device.scratch(levels.len())?;
            let picture = Picture::of(device.upload(samples)?);
            Pyramid { levels: &levels, pictures: &[&picture], out: &mut [&mut images] }.run(&device)?;
            let begin = levels.start(below);
            let [shrunk] = self.plan.fetch([(&images, begin..begin + levels.pixels(below))])?;
            Ok(shrunk)
        })
    }

    fn coarse(&self, frames: Vec<Vec<f32>>, below: usize) -> Result<Vec<Vec<f32>>> {
        let plan = self.plan.part(self.plan.levels.size(below), self.plan.flow_levels - below, below);
        plan.device.clone().scope(|| {
            let fields = found(&plan, frames, None)?;
            fields.levels().into_iter().map(|levels| Ok(plan.device.read(&levels[0])?)).collect()
        })
    }

    fn finest(&self, part: WindowPart) -> Result<PartFlow> {
        let plan = self.plan.part(part.size, part.levels, 0);
        let device = plan.device.clone();
        device.scope(|| {
            let starts = part.starts.into_iter().map(|start| device.upload(start));
            let starts = starts.collect::<Result<Vec<_>, _>>()?;
            let fields = found(&plan, part.frames, Some(&starts))?;
            let [planar_px, confidence] = fields.read(&plan)?;
            let on_the_way = (1..plan.flow_levels).map(|level| {
                let of_directions =
                    fields.levels().into_iter().map(|levels| Ok(device.read(&levels[level])?));
                of_directions.collect::<Result<Vec<_>>>()
            });
            Ok(PartFlow { planar_px, confidence, on_the_way: on_the_way.collect::<Result<_, _>>()? })
        })
    }
}

/// The fields of frames, from starts where there are some.
fn found(plan: &PhasePlan, frames: Vec<Vec<f32>>, starts: Option<&[Buffer]>) -> Result<FlowFields> {
    let pyramid = |samples| GaborPyramid::of_picture(plan, &Picture::of(plan.device.upload(samples)?));
    let pyramids = frames.into_iter().map(pyramid).collect::<Result<Vec<_>>>()?;
    let mut fields = FlowFields::new(plan)?;
    fields.find(plan, &pyramids.iter().collect::<Vec<_>>(), starts)?;
    Ok(fields)
}
