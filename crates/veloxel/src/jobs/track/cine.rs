//! The cine of a run: frames on one grid, and where each came from.

use super::TrackJob;
use crate::Result;
use crate::jobs::frame_selection::ReadFrames;
use crate::pipelines::prepare::grids::on_first_grid;
use crate::pipelines::prepare::sentinels::clip_sentinels;
use veloxel_core::{Sequence, Warnings};
use veloxel_gpu::Device;
use veloxel_io::CinePlace;
use veloxel_motion::over::cycle::Slice;

/// Frames, and what outlines must know of them.
pub(super) struct Cine {
    pub sequence: Sequence,
    pub place: CinePlace,
}

impl Cine {
    /// Reads the frames of a job.
    pub fn load(job: &TrackJob, device: &Device, warnings: &mut Warnings) -> Result<Self> {
        let reading = job.options.reading;
        let ReadFrames { frames, interval_ms, images, .. } = ReadFrames::of(&job.inputs, reading, warnings)?;
        let (mut frames, _) = on_first_grid(device, frames, reading.strictness, warnings)?;
        if frames.len() < 2 {
            return Err(frames!("a cine has at least two frames, got {}", frames.len()));
        }
        for (nth, frame) in frames.iter_mut().enumerate() {
            clip_sentinels(frame, &format!("frame {nth}"), warnings);
            frame.require_finite(&format!("frame {nth}"), |_| false)?;
        }
        let (grid, count) = (frames[0].grid().clone(), frames.len());
        let place = CinePlace { grid, frames: count, frame_interval_ms: interval_ms, images };
        Ok(Self { sequence: Sequence::new(frames, interval_ms)?, place })
    }

    /// Millimetres between the pixels of a slice.
    pub fn pixel_mm(&self) -> f64 {
        self.sequence.grid().spacing_mm()[0]
    }

    /// A slice of a frame.
    pub fn slice(&self, slice: usize, frame: usize) -> Slice<'_> {
        let grid = self.sequence.grid();
        let [nx, ny, _] = grid.size();
        let samples = &self.sequence.frames()[frame].data()[slice * nx * ny..(slice + 1) * nx * ny];
        Slice { size: [nx, ny], samples, pixel_mm: self.pixel_mm() }
    }
}
