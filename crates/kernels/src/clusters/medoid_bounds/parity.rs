//! Tests of the bounds on every device against their text for processors, and against the costs that they bound.

use super::MedoidBounds;
use crate::kernel::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise};

/// Nodes at places on a line, in two parts and none, and candidates of both.
fn bounds(device: &Device, nodes: usize) -> Vec<f32> {
    let candidates: Vec<u32> = [0, 2, 4, 1, 5].into_iter().filter(|&c| c < nodes as u32).collect();
    let places = noise(nodes, 3);
    let way = |a: u32, b: usize| (places[a as usize] - places[b]).abs();
    // The rows lie the other way round.
    let rows: Vec<f32> = candidates.iter().rev().flat_map(|&c| (0..nodes).map(move |n| way(c, n))).collect();
    let cost = |c: u32| -> f32 { (0..nodes).filter(|n| *n as u32 % 2 == c % 2).map(|n| way(c, n)).sum() };
    let costs: Vec<f32> = candidates.iter().map(|&c| cost(c)).collect();
    let even = candidates.iter().filter(|&&c| c % 2 == 0).count() as u32;
    let begins = vec![0, even, candidates.len() as u32];
    let labels = (0..nodes as u32).map(|n| if n == 7 { 2 } else { n % 2 }).collect();
    let mut bounds = device.zeros(nodes).unwrap();
    MedoidBounds {
        rows: &device.upload(rows).unwrap(),
        row_of: &device.upload((0..candidates.len() as u32).rev().collect()).unwrap(),
        candidates: &device.upload(candidates).unwrap(),
        costs: &device.upload(costs).unwrap(),
        begins: &device.upload(begins).unwrap(),
        totals: &device.upload(vec![nodes.div_ceil(2) as f32, (nodes / 2) as f32]).unwrap(),
        labels: &device.upload(labels).unwrap(),
        bounds: &mut bounds,
    }
    .run(device)
    .unwrap();
    device.download(bounds).unwrap()
}

on_every_device! {
    fn bounds_of_nodes(device: &Device) {
        Pair::new(device).alike("bounds", |device| {
            [400, 6, 2].map(|nodes| device.upload(bounds(device, nodes)).unwrap()).into()
        });
    }
}

#[test]
fn no_node_costs_less_than_its_bound() {
    let nodes = 400;
    let (found, places) = (bounds(&Device::cpu(1).unwrap(), nodes), noise(nodes, 3));
    let mut tight = 0;
    for node in (0..nodes).filter(|node| ![0, 1, 2, 4, 5, 7].contains(node)) {
        let others = (0..nodes).filter(|other| other % 2 == node % 2);
        let cost: f32 = others.map(|other| (places[node] - places[other]).abs()).sum();
        assert!(found[node] <= cost * 1.0001, "{node}: {} of {cost}", found[node]);
        tight += usize::from(found[node] > 0.2 * cost);
    }
    assert!(tight > nodes / 4, "{tight}");
    assert_eq!([found[0], found[5], found[7]], [f32::INFINITY, f32::INFINITY, 0.0]);
}
