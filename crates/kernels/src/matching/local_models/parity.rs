//! Tests of the kernels on every device against their texts for processors.

use super::{Guess, Kept, LocalModels, ModelField, Scales, model_planes};
use crate::kernel::Kernel;
use crate::matching::match_nodes::{MatchNodes, Members, cells, planes};
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, noise_field, shapes};

const SCALES: Scales = Scales { residual_vox: 1.0, intensity: 0.5, window_vox: 8.0 };

/// Nodes of noise, of which a third has matches.
fn nodes_of(device: &Device, shape: Shape) -> Buffer {
    let d = shape.components();
    let weight = noise(shape.len(), 5).into_iter().map(|v| if v > 0.3 { v } else { 0.0 }).collect();
    let members = Members::Voxels {
        field: &noise_field(device, d, shape.len(), 1),
        weight: &device.upload(weight).unwrap(),
        image: &noise_buffer(device, shape.len(), 9),
    };
    let mut out = device.scratch(planes(d) * cells(shape, 2).len()).unwrap();
    MatchNodes { shape, width: 2, cap_vox: 5.0, members, out: &mut out }.run(device).unwrap();
    out
}

fn coarser_nodes(device: &Device, nodes: &Buffer, shape: Shape) -> Buffer {
    let mut out = device.scratch(planes(shape.components()) * cells(shape, 2).len()).unwrap();
    MatchNodes { shape, width: 2, cap_vox: 5.0, members: Members::Nodes(nodes), out: &mut out }
        .run(device)
        .unwrap();
    out
}

fn fitted(device: &Device, nodes: &Buffer, shape: Shape, guess: Guess<'_>, intensity: f32) -> Buffer {
    let mut out = device.scratch(model_planes(shape.components()) * shape.len()).unwrap();
    LocalModels { shape, scales: Scales { intensity, ..SCALES }, nodes, guess, out: &mut out }
        .run(device)
        .unwrap();
    out
}

on_every_device! {
    /// Compares to a few units of the last place: lavapipe differs there, for a cause not found yet. A whole run on CUDA gave
    /// the same bits.
    fn models_and_their_field(device: &Device) {
        // The last one has more nodes than have many threads each. With the smaller intensity most matches weigh nothing.
        let larger = Shape { size: [110, 90, 1], dimension: Dimension::Two };
        let cases = shapes().into_iter().chain([larger]).flat_map(|shape| [0.5, 0.02].map(|intensity| (shape, intensity)));
        for (shape, intensity) in cases {
            let all = 2 * shape.components() + 1;
            Pair::new(device).alike_but(all, &format!("{:?}, {intensity}", shape.size), |device| {
                let d = shape.components();
                let grid = cells(shape, 2);
                let nodes = nodes_of(device, shape);
                let coarse = coarser_nodes(device, &nodes, grid);
                let coarser = cells(grid, 2);
                let rough = noise_buffer(device, model_planes(d) * coarser.len(), 21);
                let guess = Guess { shape: coarser, nodes: &coarse, models: &rough };
                let models = fitted(device, &nodes, grid, guess, intensity);
                let again = fitted(device, &nodes, grid, Guess { shape: grid, nodes: &nodes, models: &models }, intensity);
                let image = noise_buffer(device, shape.len(), 9);
                let kept = (noise_field(device, d, shape.len(), 31), noise_buffer(device, shape.len(), 41));
                let fields = [None, Some(Kept { field: &kept.0, weight: &kept.1 })].map(|kept| {
                    let mut out = device.scratch_field(d, shape.len()).unwrap();
                    ModelField {
                        shape,
                        width: 2,
                        intensity: 0.5,
                        image: &image,
                        nodes: &nodes,
                        models: &again,
                        kept,
                        out: &mut out,
                    }
                    .run(device)
                    .unwrap();
                    out
                });
                fields.into_iter().flatten().chain([models]).collect()
            });
        }
    }
}

/// Fits matches of an affine motion, a third of them wrong: the field is that motion, even where there is no match.
#[test]
fn an_affine_motion_goes_on_where_nothing_matches() {
    let device = Device::cpu(2).unwrap();
    let shape = Shape { size: [64, 48, 1], dimension: Dimension::Two };
    let motion = |i: usize| {
        let (x, y) = ((i % 64) as f32, (i / 64) as f32);
        [3.0 + 0.1 * x - 0.05 * y, -1.0 + 0.02 * x + 0.2 * y]
    };
    let n = shape.len();
    let wrong =
        |i: usize| if (i % 64 / 8).is_multiple_of(3) && (i / 64 / 8).is_multiple_of(2) { 9.0 } else { 0.0 };
    let field = [0, 1].map(|c| device.upload((0..n).map(|i| motion(i)[c] + wrong(i)).collect()).unwrap());
    let weight = device.upload((0..n).map(|i| if i / 64 < 30 { 1.0 } else { 0.0 }).collect()).unwrap();
    let image = device.zeros(n).unwrap();
    let mut stack = vec![(
        nodes_at(&device, shape, Members::Voxels { field: &field, weight: &weight, image: &image }, 4),
        cells(shape, 4),
    )];
    for _ in 0..3 {
        let (nodes, shape) = stack.last().unwrap();
        let next = (nodes_at(&device, *shape, Members::Nodes(nodes), 2), cells(*shape, 2));
        stack.push(next);
    }
    let (nodes, coarsest) = stack.last().unwrap();
    let zero = device.zeros(model_planes(2) * coarsest.len()).unwrap();
    let mut guess = (nodes, *coarsest, zero);
    for (level, (nodes, shape)) in stack.iter().enumerate().rev() {
        for _ in 0..3 {
            let mut out = device.scratch(model_planes(2) * shape.len()).unwrap();
            let reach = 8.0 * f32::from(1u8 << level);
            let scales = Scales { residual_vox: reach / 4.0, intensity: 0.1, window_vox: reach };
            let from = Guess { shape: guess.1, nodes: guess.0, models: &guess.2 };
            LocalModels { shape: *shape, scales, nodes, guess: from, out: &mut out }.run(&device).unwrap();
            guess = (nodes, *shape, out);
        }
    }
    let mut out = device.scratch_field(2, n).unwrap();
    let field = ModelField {
        shape,
        width: 4,
        intensity: 0.1,
        image: &image,
        nodes: guess.0,
        models: &guess.2,
        kept: None,
        out: &mut out,
    };
    field.run(&device).unwrap();
    let error = |i: usize| (0..2).map(|c| (out[c].host()[i] - motion(i)[c]).powi(2)).sum::<f32>().sqrt();
    let mean = (0..n).map(error).sum::<f32>() / n as f32;
    assert!(mean < 0.3, "{mean}");
}

fn nodes_at(device: &Device, shape: Shape, members: Members<'_>, width: usize) -> Buffer {
    let mut out = device.scratch(planes(2) * cells(shape, width).len()).unwrap();
    MatchNodes { shape, width, cap_vox: 10.0, members, out: &mut out }.run(device).unwrap();
    out
}
