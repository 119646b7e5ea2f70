//! The cine of a run: frames on one grid, and where each came from.

use super::TrackJob;
use crate::VeloxelError;
use crate::jobs::grids::on_first_grid;
use crate::jobs::sentinels::clip_sentinels;
use std::path::PathBuf;
use veloxel_core::{Sequence, Warnings};
use veloxel_gpu::Device;
use veloxel_io as io;
use veloxel_io::{CinePlace, Kind};
use veloxel_motion::cycle::Slice;

/// Frames, and what outlines must know of them.
pub(super) struct Cine {
    pub sequence: Sequence,
    pub place: CinePlace,
}

impl Cine {
    /// Reads the frames of a job.
    pub fn load(job: &TrackJob, device: &Device, warnings: &mut Warnings) -> Result<Self, VeloxelError> {
        let reading = job.options.reading;
        if let Some(series) = io::read_cine(&job.inputs, reading, warnings)? {
            return Self::new(series.sequence, series.images, warnings);
        }
        let (sequence, images) = match job.inputs.as_slice() {
            [one] if !one.is_dir() => (io::read_sequence(one, reading, warnings)?, Vec::new()),
            inputs => {
                let paths: Vec<PathBuf> = match inputs {
                    [folder] => io::list_folder(folder, Kind::Image)?,
                    many => many.to_vec(),
                };
                let frames = io::read_frame_list(&paths, reading, warnings)?;
                let (frames, _) = on_first_grid(device, frames, reading.strictness, warnings)?;
                (Sequence::new(frames, None)?, Vec::new())
            }
        };
        Self::new(sequence, images, warnings)
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

    fn new(
        sequence: Sequence,
        images: Vec<io::CineImage>,
        warnings: &mut Warnings,
    ) -> Result<Self, VeloxelError> {
        let frame_interval_ms = sequence.frame_interval_ms();
        let mut frames = sequence.into_frames();
        if frames.len() < 2 {
            let reason = format!("a cine has at least two frames, got {}", frames.len());
            return Err(VeloxelError::Frames { reason });
        }
        for (nth, frame) in frames.iter_mut().enumerate() {
            clip_sentinels(frame, &format!("frame {nth}"), warnings);
            frame.require_finite(&format!("frame {nth}"), |_| false)?;
        }
        let (grid, count) = (frames[0].grid().clone(), frames.len());
        let place = CinePlace { grid, frames: count, frame_interval_ms, images };
        Ok(Self { sequence: Sequence::new(frames, frame_interval_ms)?, place })
    }
}
