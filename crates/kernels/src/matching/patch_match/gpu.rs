//! Launches of [`super::PatchMatch`] and what prepares and reads its matches.

use super::{FinerMatches, MOST_SIZES, MatchField, PatchMatch, StackedImage, bits};
use crate::kernel::Launcher;
use veloxel_core::Shape;
use veloxel_gpu::{ComputeError, ShaderSource, Uniform, cover};

static PATCH_MATCH: ShaderSource =
    ShaderSource::wgsl("patch match", &[include_str!("packed.wgsl"), include_str!("patch_match.wgsl")]);
static TEAMS: ShaderSource = ShaderSource::wgsl(
    "patch match in teams",
    &[include_str!("packed.wgsl"), include_str!("patch_match.wgsl"), include_str!("teams.wgsl")],
);
static FINER: ShaderSource =
    ShaderSource::wgsl("finer matches", &[include_str!("packed.wgsl"), include_str!("finer_matches.wgsl")]);
static FIELD: ShaderSource =
    ShaderSource::wgsl("match field", &[include_str!("packed.wgsl"), include_str!("match_field.wgsl")]);

/// Half width of the patches of pictures, at most, that the memory of a workgroup holds.
const MOST_PICTURE_REACH: usize = 8;

/// Pixels of a workgroup: of pictures with at most so many pixels, whose pixels have eight threads each; and of larger ones.
const MOST_IN_TEAMS: usize = 1 << 14;
const TILES: [[usize; 2]; 2] = [[8, 4], [32, 8]];

fn groups(shape: Shape) -> [u32; 3] {
    let [nx, ny, nz] = shape.size;
    [cover(nx, 32), cover(ny, 4), nz as u32]
}

pub(super) fn patch_match(gpu: &Launcher<'_>, args: PatchMatch<'_>) -> Result<(), ComputeError> {
    let PatchMatch { shape, codes, sweep, matches, costs, better, better_costs } = args;
    let [nx, ny, nz] = shape.size;
    let [wide, high] = codes.fixed_image.held();
    let mut uniform = Uniform::new().u4([nx, ny, nz, codes.fixed_image.first()]).u4([wide, high]);
    for k in 0..*MOST_SIZES.end() {
        let image = codes.moving_images[k.min(codes.moving_images.len() - 1)];
        let ([nx, ny, nz], [wide, high]) = (image.size, image.held());
        // As words: a negative growth is what it is bit for bit.
        uniform = uniform.u4([nx, ny, nz, image.first()]).u4([wide, high, image.growth as u32 as usize]);
    }
    let is_within = |image: &StackedImage| codes.reach <= image.margin;
    let is_picture = shape.components() == 2
        && codes.reach <= MOST_PICTURE_REACH
        && codes.moving_images.iter().all(is_within);
    let in_tiles = |[wide, high]: [usize; 2]| [cover(nx, wide), cover(ny, high), 1];
    let (source, entry, tile, groups) = match (is_picture, shape.len() <= MOST_IN_TEAMS) {
        (true, true) => (&TEAMS, "patch_match_teams", TILES[0], in_tiles(TILES[0])),
        (true, false) => (&PATCH_MATCH, "patch_match_picture", TILES[1], in_tiles(TILES[1])),
        (false, _) => (&PATCH_MATCH, "patch_match", TILES[1], groups(shape)),
    };
    gpu.launch(source, entry)
        .constant("COMPONENTS", shape.components())
        .constant("BITS", bits(shape.components()))
        .constant("SIZES", codes.moving_images.len())
        .constant("REACH", if is_picture { codes.reach } else { 0 })
        .constant("WIDTH", tile[0])
        .constant("HEIGHT", tile[1])
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
