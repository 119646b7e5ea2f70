//! Local methods in tiles: the bits of a run over the whole grid.

use crate::measure::{cpu, pair};
use veloxel_core::{Dimension, Grid, Mask, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{
    BlockMatching, BlockMatchingParams, BlockMatchingPreset, DenseMethod, FlowExtras, LucasKanade,
    LucasKanadeParams, LucasKanadePreset, MotionError, Pair, PairMethod, TilePlan, Tiled,
};
use veloxel_phantoms::Noise;
use veloxel_phantoms::Phantom;
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};

type Open<'a> = dyn Fn(&Grid, &Device) -> Result<Box<dyn PairMethod>, MotionError> + Send + Sync + 'a;

fn phantom(grid: Grid) -> Phantom {
    Case { motion: MotionKind::Twist, texture: TextureKind::Smooth, noise: Noise::None }.build(&grid)
}

/// Compares every bit, in tiles of a budget of so much of what the whole grid takes.
fn same_bits(what: &str, pair: &Pair<'_>, open: &Open<'_>, share: f64) {
    let grid = pair.fixed.grid();
    let whole =
        open(grid, &cpu(2)).expect("the run should succeed").run(pair).expect("the run should succeed");
    let footprint = open(grid, &cpu(1))
        .expect("the run should succeed")
        .footprint()
        .expect("the method should know its memory");
    let budget = (share * footprint.bytes(grid.len()) as f64) as u64;
    let plan = TilePlan::new(grid, &footprint, budget).expect("the run should succeed");
    assert!(plan.exact && plan.count() > 1, "{what}: {plan:?}");
    let device = cpu(2);
    let of_tile = |grid: &Grid| open(grid, &device);
    let run = Tiled { open: &of_tile, open_coarse: None, device: &device, plan: &plan };
    let found = run.run(pair, FlowExtras::default()).expect("the run should succeed");
    let bits = |samples: &[f32]| samples.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    for (a, (found, whole)) in found.flow.components_vox().zip(whole.flow.components_vox()).enumerate() {
        let differing = bits(found).iter().zip(bits(whole)).filter(|(f, w)| **f != *w).count();
        assert_eq!(differing, 0, "{what}: component {a}, tiles {:?}", plan.tiles);
    }
    assert_eq!(bits(found.confidence.data()), bits(whole.confidence.data()), "{what}: confidence");
    let [found, whole] = [&found, &whole].map(|found| found.statistics.brightness.mean_abs_after);
    assert!(whole == 0.0 || (found - whole).abs() < 1e-5, "{what}: {found} {whole}");
    // Room for starts and for larger parts of the moving image is held in any case.
    let used = device.memory_stats().most_used_bytes as u64;
    assert!(used <= plan.device_bytes, "{what}: {used} of {}", plan.device_bytes);
}

fn lucas_kanade(preset: LucasKanadePreset, dimension: Dimension) -> Box<Open<'static>> {
    let params = LucasKanadeParams::preset(preset, dimension);
    Box::new(move |grid, device| Ok(Box::new(LucasKanade::new(grid, params.clone(), device)?)))
}

fn block_matching(preset: BlockMatchingPreset, dimension: Dimension) -> Box<Open<'static>> {
    let params = BlockMatchingParams::preset(preset, dimension);
    Box::new(move |grid, device| Ok(Box::new(BlockMatching::new(grid, params.clone(), device)?)))
}

/// Sides that do not divide, so that levels lie between voxels.
#[test]
fn pictures_in_tiles_have_the_bits_of_the_whole() {
    let phantom = phantom(Grid::image(683, 131).unwrap());
    let images = pair(&phantom.fixed, &phantom.moving);
    let two = Dimension::Two;
    same_bits("fast LK", &images, &*lucas_kanade(LucasKanadePreset::Fast, two), 0.7);
    same_bits("accurate LK", &images, &*lucas_kanade(LucasKanadePreset::Accurate, two), 0.98);
    same_bits("fast matching", &images, &*block_matching(BlockMatchingPreset::Fast, two), 0.8);
}

#[test]
fn volumes_in_tiles_have_the_bits_of_the_whole() {
    let phantom = phantom(Grid::volume(157, 31, 26).unwrap());
    let mask = Mask::from_fn(phantom.fixed.grid().clone(), |[x, y, _]| !(60..90).contains(&x) || y > 12);
    let weight =
        Volume::from_fn(phantom.fixed.grid().clone(), |[x, y, z]| ((x + 2 * y + z) % 5) as f32 / 4.0);
    let images = Pair { mask: Some(&mask), weight: Some(&weight), ..pair(&phantom.fixed, &phantom.moving) };
    same_bits("fast LK", &images, &*lucas_kanade(LucasKanadePreset::Fast, Dimension::Three), 0.9);
}

#[test]
fn blocks_of_volumes_in_tiles_have_the_bits_of_the_whole() {
    let phantom = phantom(Grid::volume(273, 20, 18).unwrap());
    let images = pair(&phantom.fixed, &phantom.moving);
    same_bits("fast", &images, &*block_matching(BlockMatchingPreset::Fast, Dimension::Three), 0.98);
}

#[test]
fn the_footprint_of_block_matching_is_what_was_in_use() {
    let mut shares = Vec::new();
    for (dimension, grid) in
        [(Dimension::Two, Grid::image(192, 192)), (Dimension::Three, Grid::volume(40, 40, 40))]
    {
        let phantom = phantom(grid.unwrap());
        for preset in [BlockMatchingPreset::Accurate, BlockMatchingPreset::Fast, BlockMatchingPreset::Paper] {
            let (device, params) = (cpu(2), BlockMatchingParams::preset(preset, dimension));
            let mut method = BlockMatching::new(phantom.fixed.grid(), params, &device).unwrap();
            let said = method.footprint().unwrap().bytes(phantom.fixed.grid().len());
            method.run(&pair(&phantom.fixed, &phantom.moving)).unwrap();
            let used = device.memory_stats().most_used_bytes as f64;
            shares.push((preset.name(), dimension, used / said as f64));
        }
    }
    assert!(shares.iter().all(|(.., share)| (0.95..1.05).contains(share)), "{shares:?}");
}
