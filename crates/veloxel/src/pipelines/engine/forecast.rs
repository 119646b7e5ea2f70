//! The memory that a stream would take, from the grid of its frames alone.

use super::EngineRequest;
use super::pairs::{PAIR, takes_pairs};
use crate::pipelines::dense::{DenseError, MethodChoice};
use crate::pipelines::memory_plan::{MemoryPart, PROGRAM_BYTES};
use crate::pipelines::phase_method::stream_parameters;
use crate::{Result, Session};
use serde::Serialize;
use veloxel_core::Grid;
use veloxel_motion::{AnyMethod, PhaseEngine, PhaseWanted};

/// Frames between the source and the end of their results' way: read ahead, on the device, fetched, written.
const FRAMES_UNDER_WAY: u64 = 8;
/// Results between the device and the end of their way.
const RESULTS_UNDER_WAY: u64 = 3;
/// What white is where no frame has said so.
const WHITE: f32 = 255.0;

/// What a stream would take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EngineForecast {
    /// Frames that a flow is found from.
    pub frames_needed: usize,
    /// Memory of the process, bytes.
    pub peak_bytes: u64,
    /// What it consists of.
    pub parts: Vec<MemoryPart>,
    /// Memory of the device, bytes; on a processor a part of the process's memory.
    pub device_bytes: u64,
}

impl EngineRequest {
    /// Says what a stream of frames of such a grid would take. The method is opened for it; no samples are needed.
    ///
    /// # Errors
    /// As [`Engine::new`](super::Engine::new) and the first [`push`](super::Engine::push); [`DenseError::NoFootprint`] for a method
    /// that does not say what it takes.
    pub fn forecast(&self, grid: &Grid, session: &Session) -> Result<EngineForecast> {
        self.check()?;
        self.check_grid(grid)?;
        let (frames_needed, method_bytes) = match takes_pairs(&self.method) {
            true => (PAIR, self.bytes_of_pairs(grid, session)?),
            false => self.phase_frames_and_bytes(grid, session)?,
        };
        let volume = (size_of::<f32>() * grid.len()) as u64;
        let results = RESULTS_UNDER_WAY * self.result_volumes(grid) * volume;
        let device = session.device()?;
        let mut parts = vec![
            MemoryPart { what: "program", bytes: PROGRAM_BYTES },
            MemoryPart { what: "frames under way", bytes: FRAMES_UNDER_WAY * volume },
            MemoryPart { what: "results under way", bytes: results },
        ];
        if !device.is_gpu() {
            parts.push(MemoryPart { what: "method", bytes: method_bytes });
        }
        let peak_bytes = parts.iter().map(|part| part.bytes).sum();
        let on_device = if device.is_gpu() { results } else { 0 };
        Ok(EngineForecast { frames_needed, peak_bytes, parts, device_bytes: method_bytes + on_device })
    }

    /// Volumes of the results of a frame.
    fn result_volumes(&self, grid: &Grid) -> u64 {
        let PhaseWanted { flow, stereo, features } = self.wanted;
        let flow = if flow { grid.dimension().count() as u64 + 1 } else { 0 };
        flow + if stereo { 2 } else { 0 } + if features { 3 } else { 0 }
    }

    /// The memory of a method of pairs, with the frame that waits for the next one.
    fn bytes_of_pairs(&self, grid: &Grid, session: &Session) -> Result<u64> {
        let choice = MethodChoice::new(self.method.clone());
        let opened = choice.open(grid, WHITE, PAIR, session.device()?)?;
        let footprint = match &opened.method {
            AnyMethod::Pair(method) => method.footprint(),
            AnyMethod::Window(method) => method.footprint(),
        };
        let method = self.method.method_name();
        let footprint = footprint.ok_or(DenseError::NoFootprint { method })?;
        Ok(footprint.with_more(1.0).bytes(grid.len()))
    }

    /// The engine of phases allocates everything when it is made: that is asked of the device.
    fn phase_frames_and_bytes(&self, grid: &Grid, session: &Session) -> Result<(usize, u64)> {
        let device = session.device()?;
        let parameters = stream_parameters(&self.method, WHITE)?;
        let frames = parameters.frames.count();
        let [nx, ny, _] = grid.size();
        let before = device.memory_stats().used_bytes;
        let engine = PhaseEngine::new([nx, ny], self.wanted, parameters, device)?;
        let bytes = device.memory_stats().used_bytes.saturating_sub(before) as u64;
        drop(engine);
        Ok((frames, bytes))
    }
}
