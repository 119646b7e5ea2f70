//! Tests of both halves on every device against their text for processors, and against the definition.

use super::{FloydWarshall, Length, MatrixHalf, TileLayout};
use crate::kernel::Kernel;
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise};

/// Arcs both ways between some nodes.
fn lengths(layout: &TileLayout) -> Vec<f32> {
    let (nodes, mut lengths) = (layout.nodes(), layout.empty::<f32>());
    for (i, length) in noise(3 * nodes, 2).into_iter().enumerate() {
        let (from, to) = (i % nodes, (i * i + 7 * i + 1) % nodes);
        if from != to {
            for place in [layout.at(from, to), layout.at(to, from)] {
                lengths[place] = lengths[place].min(1.1 + length);
            }
        }
    }
    lengths
}

on_every_device! {
    fn distances(device: &Device) {
        Pair::new(device).alike("distances", |device| {
            let cases = [(300, MatrixHalf::Both), (300, MatrixHalf::Lower), (128, MatrixHalf::Both), (3, MatrixHalf::Lower)];
            let found = cases.map(|(nodes, half)| {
                let layout = TileLayout::new(nodes, half);
                let mut lengths = device.upload(lengths(&layout)).unwrap();
                FloydWarshall { layout: &layout, lengths: &mut lengths }.run(device).unwrap();
                lengths
            });
            found.into()
        });
    }

    fn distances_of_16_bits(device: &Device) {
        let [here, there] = [&Device::cpu(2).unwrap(), device].map(|device| {
            [(300, MatrixHalf::Both), (300, MatrixHalf::Lower), (128, MatrixHalf::Both), (3, MatrixHalf::Lower)].map(|(nodes, half)| {
                let layout = TileLayout::new(nodes, half);
                let whole = |&length: &f32| if length.is_finite() { (1e3 * length) as u16 } else { u16::INFINITE };
                let mut lengths = device.upload(lengths(&layout).iter().map(whole).collect()).unwrap();
                FloydWarshall { layout: &layout, lengths: &mut lengths }.run(device).unwrap();
                device.download(lengths).unwrap()
            })
        });
        assert!(here == there);
    }
}

#[test]
fn both_halves_are_the_distances() {
    let device = Device::cpu(2).unwrap();
    let nodes = 260;
    let whole = TileLayout::new(nodes, MatrixHalf::Both);
    let arcs = lengths(&whole);
    let mut expected: Vec<f64> =
        (0..nodes * nodes).map(|i| f64::from(arcs[whole.at(i / nodes, i % nodes)])).collect();
    for k in 0..nodes {
        for i in 0..nodes {
            for j in 0..nodes {
                let through = expected[i * nodes + k] + expected[k * nodes + j];
                expected[i * nodes + j] = expected[i * nodes + j].min(through);
            }
        }
    }
    for half in [MatrixHalf::Both, MatrixHalf::Lower] {
        let layout = TileLayout::new(nodes, half);
        let mut found = device.upload(lengths(&layout)).unwrap();
        FloydWarshall { layout: &layout, lengths: &mut found }.run(&device).unwrap();
        let mut row = vec![0.0; nodes];
        for i in 0..nodes {
            layout.copy_row(found.host(), i, &mut row);
            for (j, &got) in row.iter().enumerate() {
                let expected = expected[i * nodes + j];
                let is_close =
                    f64::from(got) == expected || (f64::from(got) - expected).abs() <= 1e-5 * expected;
                assert!(is_close, "{i} {j}: {got} {expected}");
            }
        }
    }
}
