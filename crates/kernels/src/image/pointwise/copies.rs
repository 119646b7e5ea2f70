//! Copies of samples: of a whole buffer, of a part of one, or into a part of one.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, packed, wgsl};
use crate::shared::Pack;
use crate::shared::{LINE, PACK1, PACK4};
use std::ops::Range;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCES: [ShaderSource; 2] = [
    wgsl!("copy", Bindings, [PACK1, LINE], "copy.wgsl"),
    wgsl!("copy, four at a time", Bindings, [PACK4, LINE], "copy.wgsl"),
];

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            packs: u32,
            /// Index of the first pack of the part.
            first: u32,
            /// Index of the first pack that is written.
            to: u32,
        },
        out: write Pack,
        input: read Pack,
    }
}

/// Copies a buffer: `to = from`.
#[derive(Debug)]
pub struct CopyBuffer<'a> {
    /// The samples.
    pub from: &'a Buffer,
    /// The copy, of as many samples.
    pub to: &'a mut Buffer,
}

impl Kernel for CopyBuffer<'_> {
    const NAME: &'static str = "copy";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("to", self.to, self.from.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        copy(cpu, self.from.host(), self.to.host_mut());
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        launch(gpu, self.from, 0..self.from.len(), self.to, 0)
    }
}

/// Copies a part of a buffer: `to = from[first..first + to.len()]`.
#[derive(Debug)]
pub struct CopyPart<'a> {
    /// The samples.
    pub from: &'a Buffer,
    /// Index of the first sample that is copied.
    pub first: usize,
    /// The copy.
    pub to: &'a mut Buffer,
}

impl Kernel for CopyPart<'_> {
    const NAME: &'static str = "copy_part";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.at_least("from", self.from, self.first + self.to.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        copy(cpu, &self.from.host()[self.first..self.first + self.to.len()], self.to.host_mut());
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        launch(gpu, self.from, self.first..self.first + self.to.len(), self.to, 0)
    }
}

/// Copies into a part of a buffer: `to[first..first + from.len()] = from`.
#[derive(Debug)]
pub struct Paste<'a> {
    /// The samples.
    pub from: &'a Buffer,
    /// The buffer that is overwritten in part.
    pub to: &'a mut Buffer,
    /// Index of the first sample that is overwritten.
    pub first: usize,
}

impl Kernel for Paste<'_> {
    const NAME: &'static str = "paste";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.at_least("to", self.to, self.first + self.from.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        copy(cpu, self.from.host(), &mut self.to.host_mut()[self.first..self.first + self.from.len()]);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        launch(gpu, self.from, 0..self.from.len(), self.to, self.first)
    }
}

fn copy(cpu: &Cpu, input: &[f32], out: &mut [f32]) {
    cpu.split_samples(out, 1, |range, out| out.copy_from_slice(&input[range]));
}

/// Copies a part of a buffer to where `first` says; four samples at a time where that is possible.
fn launch(
    gpu: &Launcher<'_>,
    from: &Buffer,
    part: Range<usize>,
    to: &Buffer,
    first: usize,
) -> Result<(), ComputeError> {
    let is_aligned = part.start.is_multiple_of(4) && first.is_multiple_of(4);
    let (source, pack) = packed(&SOURCES, if is_aligned { part.len() } else { 1 });
    let packs = part.len() / pack;
    let block = Block { packs, first: part.start / pack, to: first / pack };
    gpu.launch(source, "copy").bind(&Bindings { block, out: to, input: from }).run(line(packs, 256))
}
