//! Runs in tiles: what they hold in memory, and how far they are from runs over the whole grid.

use crate::measure;

use measure::{cpu, difference_vox, pair, smooth};
use veloxel_core::{Dimension, Flow, Grid};
use veloxel_gpu::Device;
use veloxel_motion::{
    Clg, ClgParams, DenseMethod, Extras, Footprint, InverseConsistent, MotionError, Pair, PairMethod, Preset,
    Silent, TilePlan, Tiled,
};
use veloxel_phantoms::Phantom;
use veloxel_phantoms::catalogue::MotionKind;

fn footprint(grid: &Grid, params: &ClgParams) -> Footprint {
    let clg = Clg::new(grid, params.clone(), &cpu(1)).expect("the parameters should be possible");
    clg.footprint().expect("the method should know its memory")
}

fn tiled(pair: &Pair<'_>, params: &ClgParams, budget_bytes: u64) -> (veloxel_motion::DenseFlow, TilePlan) {
    let (device, grid) = (cpu(2), pair.fixed.grid());
    let plan = TilePlan::new(grid, &footprint(grid, params), budget_bytes).expect("tiles should fit");
    let open = |grid: &Grid| -> Result<Box<dyn PairMethod>, MotionError> {
        Ok(Box::new(Clg::new(grid, params.clone(), &device)?))
    };
    let run = Tiled { open: &open, device: &device, plan: &plan };
    (run.run(pair, Extras::ALL, &Silent).expect("the run should succeed"), plan)
}

fn phantom(dimension: Dimension) -> Phantom {
    smooth(MotionKind::BeatingShell, dimension, if dimension == Dimension::Two { 320 } else { 104 })
}

#[test]
fn a_footprint_is_what_was_in_use() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let phantom = smooth(MotionKind::Twist, dimension, if dimension == Dimension::Two { 256 } else { 48 });
        for preset in [Preset::Accurate, Preset::Fast] {
            let params = ClgParams::preset(preset, dimension);
            for both in [false, true] {
                let device = Device::cpu(1).unwrap();
                let clg = Clg::new(phantom.fixed.grid(), params.clone(), &device).unwrap();
                let mut method: Box<dyn PairMethod> =
                    if both { Box::new(InverseConsistent::new(clg)) } else { Box::new(clg) };
                let said = method.footprint().unwrap().bytes(phantom.fixed.grid().len());
                method.run(&pair(&phantom.fixed, &phantom.moving), &Silent).unwrap();
                let used = device.memory_stats().most_used_bytes;
                let share = used as f64 / said as f64;
                println!("{preset:?} {dimension:?} both {both}: said {said}, used {used}, {share:.3}");
            }
        }
    }
}

fn differences(a: &Flow, b: &Flow) -> (f64, f64) {
    let all: Vec<f64> = (0..a.grid().len()).map(|i| difference_vox(a, b, i)).collect();
    (all.iter().sum::<f64>() / all.len() as f64, all.into_iter().fold(0.0, f64::max))
}

#[test]
fn tiles_find_what_the_whole_finds() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let phantom = phantom(dimension);
        for preset in [Preset::Accurate, Preset::Fast] {
            let params = ClgParams::preset(preset, dimension);
            let pair = pair(&phantom.fixed, &phantom.moving);
            let whole = measure::run(&pair, &params, &cpu(2));
            let bytes = footprint(phantom.fixed.grid(), &params).bytes(phantom.fixed.grid().len());
            let (found, plan) = tiled(&pair, &params, bytes * 3 / 4);
            let (mean, max) = differences(&found.flow, &whole.flow);
            let error = |flow: &Flow| measure::mean_error_vox(flow, &phantom);
            println!(
                "{preset:?} {dimension:?}: {} tiles of {:?}; mean {mean:.5} max {max:.4}; error {:.4} against {:.4}; {}",
                plan.count(),
                plan.tile_size,
                error(&found.flow),
                error(&whole.flow),
                serde_json::Value::from(found.statistics.method.json)
            );
        }
    }
}
