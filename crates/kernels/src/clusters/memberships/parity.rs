//! Tests of weights and labels on every device against their text for processors, and against powers in double precision.

use super::Memberships;
use crate::kernel::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise};

/// Distances, some of them infinite, one of them 0.
fn ways(count: usize) -> Vec<f32> {
    let way = |v: f32| if v > 0.9 { f32::INFINITY } else { (1.0 + v).powi(3) * 40.0 };
    let mut ways: Vec<f32> = noise(count, 3).into_iter().map(way).collect();
    ways[0] = 0.0;
    ways
}

fn found(device: &Device, parts: usize, nodes: usize, sharpness: f32) -> [Vec<f32>; 2] {
    let distances = device.upload(ways(parts * nodes)).unwrap();
    let areas = device.upload(noise(nodes, 5).into_iter().map(|v| 1.5 + v).collect()).unwrap();
    let mut weights = device.scratch(parts * nodes).unwrap();
    let mut labels = device.scratch(nodes).unwrap();
    let (distances, areas) = (&distances, &areas);
    Memberships { distances, areas, sharpness, weights: &mut weights, labels: &mut labels }
        .run(device)
        .unwrap();
    let labels = device.download(labels).unwrap().into_iter().map(|label: u32| label as f32).collect();
    [device.download(weights).unwrap(), labels]
}

on_every_device! {
    fn shares_of_medoids(device: &Device) {
        Pair::new(device).alike("shares", |device| {
            let cases = [(7, 1003, 6.0), (1, 64, 1.0), (33, 300, 0.3)];
            let found = cases.into_iter().flat_map(|(parts, nodes, sharpness)| found(device, parts, nodes, sharpness));
            found.map(|values| device.upload(values).unwrap()).collect()
        });
    }
}

#[test]
fn shares_are_powers_of_the_ways() {
    let (parts, nodes, sharpness) = (5, 500, 2.5);
    let [weights, labels] = found(&Device::cpu(1).unwrap(), parts, nodes, sharpness);
    let (ways, areas) = (ways(parts * nodes), noise(nodes, 5));
    for node in 0..nodes {
        let way = |part: usize| f64::from(ways[part * nodes + node].max(1e-9));
        let sum: f64 = (0..parts).map(|part| way(part).powf(-f64::from(sharpness))).sum();
        for part in 0..parts {
            let share = way(part).powf(-f64::from(sharpness)) / sum;
            let expected = share * f64::from(1.5 + areas[node]);
            assert!((f64::from(weights[part * nodes + node]) - expected).abs() < 1e-5, "{node} {part}");
            assert!(way(labels[node] as usize) <= way(part));
        }
    }
}
