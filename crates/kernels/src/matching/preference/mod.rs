//! Which of two fields explains an image better: by the census of what they lead to, and by votes of the voxels where they differ.
//!
//! [`Contrast`]: *in* the codes of the fixed image and of the moving one seen through either field, *out* by how many bits the
//! second one's differ more from the fixed image's than the first one's. Each counts up to a number of bits; 0 where a field leads
//! outside of the image. [`Votes`]: *in* sums of contrasts over windows, *out* 1 where a voxel votes, and 1 where it votes for the
//! first field. *Units*: fields and distance are voxels. *Inside*: up to half a voxel beyond the outermost centres. *Unknown*
//! (NaN) vectors lead outside. *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::matching::confirmation::REACH_VOX;
use crate::shared::{LATTICE, NAN};
use veloxel_core::Shape;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static CONTRAST: ShaderSource =
    wgsl!("contrast", ContrastBindings, [NAN, LATTICE, include_str!("inside.wgsl")], "contrast.wgsl");
static VOTES: ShaderSource =
    wgsl!("votes", VotesBindings, [NAN, LATTICE, include_str!("inside.wgsl")], "votes.wgsl");

bindings! {
    /// What a launch of [`Contrast`] binds.
    struct ContrastBindings<'a> {
        block: ContrastBlock {
            size: vec4<u32>,
            most_bits: u32,
        },
        first[first_x, first_y, first_z]: read f32,
        second[second_x, second_y, second_z]: read f32,
        fixed_codes: read u32,
        first_codes: read u32,
        second_codes: read u32,
        out: write f32,
    }
}

bindings! {
    /// What a launch of [`Votes`] binds.
    struct VotesBindings<'a> {
        block: VotesBlock {
            size: vec4<u32>,
            /// The square of the distance.
            apart: f32,
            margin: f32,
        },
        first[first_x, first_y, first_z]: read f32,
        second[second_x, second_y, second_z]: read f32,
        contrast: read f32,
        for_first: write f32,
        all_votes: write f32,
    }
}

/// Writes by how much the first of two fields explains the image better, bits of a code.
#[derive(Debug)]
pub struct Contrast<'a> {
    /// Shape of all buffers.
    pub shape: Shape,
    /// Differences of more bits count as this many.
    pub most_bits: u32,
    /// Both fields, voxels.
    pub fields: [&'a [Buffer]; 2],
    /// The codes of the fixed image, without a margin.
    pub fixed_codes: &'a Buffer<u32>,
    /// The codes of the moving image as each field sees it, without a margin.
    pub seen_codes: [&'a Buffer<u32>; 2],
    /// The second one's difference less the first one's.
    pub out: &'a mut Buffer,
}

impl Kernel for Contrast<'_> {
    const NAME: &'static str = "contrast";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("first field", self.fields[0], d, n).field("second field", self.fields[1], d, n);
        lengths.of("fixed codes", self.fixed_codes, n).of("out", self.out, n);
        let [first, second] = self.seen_codes;
        lengths.of("codes of the first field", first, n).of("codes of the second field", second, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { shape, most_bits, fields, fixed_codes, seen_codes, out } = self;
        let fields = fields.map(|field| field.iter().map(Buffer::host).collect::<Vec<_>>());
        let (fixed, [first, second]) = (fixed_codes.host(), seen_codes.map(Buffer::host));
        cpu.split_samples(out.host_mut(), 12, |range, out| {
            for (i, out) in range.zip(out) {
                let bits = |seen: u32| (fixed[i] ^ seen).count_ones().min(most_bits) as f32;
                let are_inside = fields.iter().all(|field| leads_inside(shape, field, i));
                *out = if are_inside { bits(second[i]) - bits(first[i]) } else { 0.0 };
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, most_bits, fields, fixed_codes, seen_codes, out } = self;
        let ([first, second], [first_codes, second_codes]) = (fields, seen_codes);
        let block = ContrastBlock { size: shape.size.into(), most_bits: most_bits as usize };
        gpu.launch_in(shape.components(), &CONTRAST, "contrast")
            .bind(&ContrastBindings { block, first, second, fixed_codes, first_codes, second_codes, out })
            .run_over(shape.size, [32, 4])
    }
}

/// Writes which voxels vote, and which of them for the first of two fields.
#[derive(Debug)]
pub struct Votes<'a> {
    /// Shape of all buffers.
    pub shape: Shape,
    /// Voxels whose two vectors are nearer to each other do not vote.
    pub apart: f32,
    /// Nor do those where the contrast is no larger than this, whatever its sign.
    pub margin: f32,
    /// Both fields, voxels.
    pub fields: [&'a [Buffer]; 2],
    /// Sums of [`Contrast`] over windows.
    pub contrast: &'a Buffer,
    /// Where voxels vote for the first field, 1 or 0.
    pub for_first: &'a mut Buffer,
    /// Where voxels vote, 1 or 0.
    pub all: &'a mut Buffer,
}

impl Kernel for Votes<'_> {
    const NAME: &'static str = "votes";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("first field", self.fields[0], d, n).field("second field", self.fields[1], d, n);
        lengths.of("contrast", self.contrast, n).of("for first", self.for_first, n).of("all", self.all, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { shape, apart, margin, fields, contrast, for_first, all } = self;
        let fields = fields.map(|field| field.iter().map(Buffer::host).collect::<Vec<_>>());
        let (contrast, least) = (contrast.host(), apart * apart);
        let votes = |i: usize| {
            let mut distance2 = 0.0;
            for (a, b) in fields[0].iter().zip(&fields[1]) {
                let between = a[i] - b[i];
                distance2 += between * between;
            }
            let are_inside = fields.iter().all(|field| leads_inside(shape, field, i));
            are_inside && distance2 > least && contrast[i].abs() > margin
        };
        cpu.split_samples(for_first.host_mut(), 8, |range, out| {
            for (i, out) in range.zip(out) {
                *out = f32::from(u8::from(votes(i) && contrast[i] > 0.0));
            }
        });
        cpu.split_samples(all.host_mut(), 8, |range, out| {
            for (i, out) in range.zip(out) {
                *out = f32::from(u8::from(votes(i)));
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, apart, margin, fields, contrast, for_first, all: all_votes } = self;
        let [first, second] = fields;
        let block = VotesBlock { size: shape.size.into(), apart: apart * apart, margin };
        gpu.launch_in(shape.components(), &VOTES, "votes")
            .bind(&VotesBindings { block, first, second, contrast, for_first, all_votes })
            .run_over(shape.size, [32, 4])
    }
}

/// Whether a vector leads from its voxel into the image; NaN does not.
fn leads_inside(shape: Shape, field: &[&[f32]], i: usize) -> bool {
    let [nx, ny, _] = shape.size;
    let voxel = [i % nx, i / nx % ny, i / (nx * ny)];
    field.iter().zip(voxel).zip(shape.size).all(|((component, voxel), count)| {
        let at = voxel as f32 + component[i];
        at >= -REACH_VOX && at <= (count - 1) as f32 + REACH_VOX
    })
}
