//! Launches of [`super::PatchMatch`] and what prepares and reads its matches.

use super::{FinerMatches, MOST_SIZES, MatchField, PatchMatch, bits};
use crate::kernel::Launcher;
use veloxel_core::Shape;
use veloxel_gpu::{ComputeError, ShaderSource, Uniform, cover};

static PATCH_MATCH: ShaderSource =
    ShaderSource::wgsl("patch match", &[include_str!("packed.wgsl"), include_str!("patch_match.wgsl")]);
static FINER: ShaderSource =
    ShaderSource::wgsl("finer matches", &[include_str!("packed.wgsl"), include_str!("finer_matches.wgsl")]);
static FIELD: ShaderSource =
    ShaderSource::wgsl("match field", &[include_str!("packed.wgsl"), include_str!("match_field.wgsl")]);

/// Half width of the patches of pictures, at most, that the memory of a workgroup holds.
const MOST_PICTURE_REACH: usize = 8;

fn groups(shape: Shape) -> [u32; 3] {
    let [nx, ny, nz] = shape.size;
    [cover(nx, 32), cover(ny, 4), nz as u32]
}

pub(super) fn patch_match(gpu: &Launcher<'_>, args: PatchMatch<'_>) -> Result<(), ComputeError> {
    let PatchMatch { shape, codes, sweep, matches, costs, better, better_costs } = args;
    let [nx, ny, nz] = shape.size;
    let mut uniform = Uniform::new().u4([nx, ny, nz, codes.fixed_image.start]);
    for k in 0..*MOST_SIZES.end() {
        let image = codes.moving_images[k.min(codes.moving_images.len() - 1)];
        let [nx, ny, nz] = image.size;
        // As words: a negative growth is what it is bit for bit.
        uniform = uniform.u4([nx, ny, nz, image.start]).u4([image.growth as u32 as usize]);
    }
    let is_picture = shape.components() == 2 && codes.reach <= MOST_PICTURE_REACH;
    let (entry, groups) = match is_picture {
        true => ("patch_match_picture", [cover(nx, 32), cover(ny, 8), 1]),
        false => ("patch_match", groups(shape)),
    };
    gpu.launch(&PATCH_MATCH, entry)
        .constant("COMPONENTS", shape.components())
        .constant("BITS", bits(shape.components()))
        .constant("SIZES", codes.moving_images.len())
        .constant("REACH", if is_picture { codes.reach } else { 0 })
        .uniform(uniform.u4([sweep.step, sweep.radius, sweep.tries, sweep.seed as usize]).u(codes.reach))
        .input(codes.fixed)
        .input(codes.moving)
        .input(matches)
        .input(costs)
        .output(better)
        .output(better_costs)
        .run(groups)
}

pub(super) fn finer_matches(gpu: &Launcher<'_>, args: FinerMatches<'_>) -> Result<(), ComputeError> {
    let FinerMatches { shape, coarser_shape, coarser, matches, costs } = args;
    gpu.launch(&FINER, "finer_matches")
        .constant("COMPONENTS", shape.components())
        .constant("BITS", bits(shape.components()))
        .uniform(Uniform::new().u4(shape.size).u4(coarser_shape.size))
        .input(coarser)
        .output(matches)
        .output(costs)
        .run(groups(shape))
}

pub(super) fn match_field(gpu: &Launcher<'_>, args: MatchField<'_>) -> Result<(), ComputeError> {
    let MatchField { shape, matches, base, out } = args;
    gpu.launch(&FIELD, "match_field")
        .constant("COMPONENTS", shape.components())
        .constant("BITS", bits(shape.components()))
        .constant("WARPED", base.is_some())
        .uniform(Uniform::new().u4(shape.size))
        .input(matches)
        .inputs(base.unwrap_or(&[]), 3)
        .outputs(out, 3)
        .run(groups(shape))
}
