//! Readback to the host, through staging buffers that the host maps.

use super::WgpuDevice;
use crate::error::ComputeError;
use crate::gpu::{HostSide, MemoryStretch};
use crate::memory::element::Word;
use veloxel_core::Control;

/// Bytes that one staging buffer holds at most, if it holds more than one stretch.
const MOST_TOGETHER_BYTES: usize = 16 << 20;

/// A stretch, and the room that it is appended to, by its number.
type Wanted<'a> = (usize, &'a MemoryStretch<'a>);

impl WgpuDevice {
    /// One vector for each entry of `wanted`, which holds the entry's stretches one after the other.
    pub(super) fn read_back(
        &self,
        wanted: &[Vec<MemoryStretch<'_>>],
        host: HostSide<'_>,
    ) -> Result<Vec<Vec<Word>>, ComputeError> {
        let lengths =
            wanted.iter().map(|stretches| stretches.iter().map(|stretch| stretch.words.len()).sum());
        let room = |length| Ok(host.results.room(length)?.words);
        let mut rooms = lengths.map(room).collect::<Result<Vec<_>, ComputeError>>()?;
        let numbered = wanted.iter().enumerate();
        let stretches: Vec<Wanted<'_>> =
            numbered.flat_map(|(room, stretches)| stretches.iter().map(move |one| (room, one))).collect();
        let mut left = &stretches[..];
        while !left.is_empty() {
            let (together, later) = left.split_at(how_many_together(left));
            self.read_together(together, &mut rooms, host.control)?;
            left = later;
        }
        Ok(rooms)
    }

    fn read_together(
        &self,
        wanted: &[Wanted<'_>],
        rooms: &mut [Vec<Word>],
        control: &Control,
    ) -> Result<(), ComputeError> {
        let bytes: usize = wanted.iter().map(|(_, stretch)| bytes_of(stretch)).sum();
        if bytes == 0 {
            return Ok(());
        }
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = self.ask(bytes as u64, usage).ok_or_else(|| self.out_of_memory(bytes))?;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut offset = 0;
        for (_, MemoryStretch { memory, words }) in wanted {
            let [start, bytes] = [words.start, words.len()].map(|words| (words * size_of::<Word>()) as u64);
            encoder.copy_buffer_to_buffer(self.memory_of(memory)?, start, &staging, offset, bytes);
            offset += bytes;
        }
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver lives until the end of this function.
            let _ = sender.send(result);
        });
        self.wait(control)?;
        receiver.recv().map_err(|e| self.failed(e))?.map_err(|e| self.failed(e))?;
        let view = staging.get_mapped_range(..).map_err(|e| self.failed(e))?;
        let mut words: &[Word] = bytemuck::cast_slice(&view);
        for (room, stretch) in wanted {
            let (own, others) = words.split_at(stretch.words.len());
            rooms[*room].extend_from_slice(own);
            words = others;
        }
        Ok(())
    }
}

/// How many of the first stretches fit into one staging buffer; one stretch always does.
fn how_many_together(stretches: &[Wanted<'_>]) -> usize {
    let mut bytes = 0;
    let fits = stretches.iter().take_while(|(_, stretch)| {
        bytes += bytes_of(stretch);
        bytes <= MOST_TOGETHER_BYTES
    });
    fits.count().max(1)
}

fn bytes_of(stretch: &MemoryStretch<'_>) -> usize {
    stretch.words.len() * size_of::<Word>()
}
