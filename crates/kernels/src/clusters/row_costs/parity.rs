//! Tests of the costs on every device against their text for processors, and against sums in double precision.

use super::RowCosts;
use crate::kernel::Kernel;
use veloxel_gpu::{Buffer, Device};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer};

fn ways(count: usize) -> Vec<f32> {
    noise(count, 3).into_iter().map(|v| if v > 0.8 { f32::INFINITY } else { 1.5 + v }).collect()
}

fn costs(device: &Device, candidates: usize, nodes: usize) -> Buffer {
    let rows = device.upload(ways(candidates * nodes)).unwrap();
    let row_of = device.upload((0..candidates as u32).rev().collect()).unwrap();
    let part_of = device.upload((0..candidates as u32).map(|c| c % 3).collect()).unwrap();
    let weights = noise_buffer(device, 3 * nodes, 7);
    let mut costs = device.scratch(candidates).unwrap();
    let (rows, row_of, part_of, weights) = (&rows, &row_of, &part_of, &weights);
    RowCosts { nodes, rows, row_of, part_of, weights, costs: &mut costs }.run(device).unwrap();
    costs
}

on_every_device! {
    fn costs_of_candidates(device: &Device) {
        Pair::new(device).alike("costs", |device| {
            [(9, 1000), (1, 5), (130, 257)].map(|(candidates, nodes)| costs(device, candidates, nodes)).into()
        });
    }
}

#[test]
fn costs_are_weighted_sums() {
    let device = Device::cpu(2).unwrap();
    let (candidates, nodes) = (7, 3000);
    let got = device.download(costs(&device, candidates, nodes)).unwrap();
    let (rows, weights) = (ways(candidates * nodes), noise(3 * nodes, 7));
    for (candidate, got) in got.into_iter().enumerate() {
        let terms = rows[(candidates - 1 - candidate) * nodes..]
            .iter()
            .zip(&weights[candidate % 3 * nodes..][..nodes]);
        let sum: f64 = terms.filter(|(d, _)| d.is_finite()).map(|(&d, &w)| f64::from(d) * f64::from(w)).sum();
        assert!((f64::from(got) - sum).abs() < 1e-3, "{got} {sum}");
    }
}
