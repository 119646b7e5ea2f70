//! Tests of the kernel on every device against its text for processors, and of that text against its definition.

use super::{BestCandidate, Pull, SubVoxel, Symmetry};
use crate::kernel::Kernel;
use crate::matching::window_scores::BlockSearch;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise_buffer, noise_field, shapes};

on_every_device! {
    fn displacements_and_distinctness(device: &Device) {
        let both = [(Symmetry::BothEnds, SubVoxel::Parabola), (Symmetry::OneSided, SubVoxel::Off)];
        for nodes in shapes() {
            for ((symmetry, sub_voxel), pulled) in both.into_iter().flat_map(|b| [(b, false), (b, true)]) {
                Pair::new(device).alike_but(1, &format!("{:?} {symmetry:?} {pulled}", nodes.size), |device| {
                    let (n, d, search) = (nodes.len(), nodes.components(), BlockSearch::isotropic(nodes, 1, 2));
                    let scores = noise_buffer(device, n * search.candidates(), 1);
                    let (towards, displacement) = (noise_field(device, d, n, 2), noise_field(device, d, n, 5));
                    let mut out = noise_field(device, d, n, 9);
                    let mut distinctness = device.zeros(n).unwrap();
                    let kernel = BestCandidate {
                        nodes,
                        spacing_edges: [1.0, 1.5, 0.75],
                        search,
                        scores: &scores,
                        symmetry,
                        sub_voxel,
                        increment_cost: 0.01,
                        pull: pulled.then_some(Pull { weight: 0.1, towards: &towards }),
                        displacement: &displacement,
                        out: &mut out,
                        distinctness: Some(&mut distinctness),
                    };
                    let length = kernel.run(device).unwrap().get(device).unwrap() as f32;
                    out.extend([distinctness, device.upload(vec![length]).unwrap()]);
                    out
                });
            }
        }
    }
}

/// Scores a paraboloid around (0.3, −0.8), the same everywhere.
#[test]
fn the_peak_of_a_parabola_is_found() {
    let device = Device::cpu(1).unwrap();
    let nodes = Shape { size: [9, 8, 1], dimension: Dimension::Two };
    let search = BlockSearch::isotropic(nodes, 1, 2);
    let score = |c: usize| {
        let (x, y) = ((c % 5) as f32 - 2.0, (c / 5) as f32 - 2.0);
        1.0 - 0.1 * ((x - 0.3).powi(2) + (y + 0.8).powi(2))
    };
    let scores = (0..25).flat_map(|c| vec![score(c); nodes.len()]).collect();
    let scores = device.upload(scores).unwrap();
    let displacement = device.zeros_field(2, nodes.len()).unwrap();
    let mut increment = device.zeros_field(2, nodes.len()).unwrap();
    let mut distinctness = device.zeros(nodes.len()).unwrap();
    let kernel = BestCandidate {
        nodes,
        spacing_edges: [1.0; 3],
        search,
        scores: &scores,
        symmetry: Symmetry::BothEnds,
        sub_voxel: SubVoxel::Parabola,
        increment_cost: 0.0,
        pull: None,
        displacement: &displacement,
        out: &mut increment,
        distinctness: Some(&mut distinctness),
    };
    kernel.run(&device).unwrap();
    let i = 4 * 9 + 4;
    let got = [increment[0].host()[i], increment[1].host()[i]];
    assert!((got[0] - 0.3).abs() < 1e-4 && (got[1] + 0.8).abs() < 1e-4, "{got:?}");
    // The best is (0, −1) with 0.987, the largest that is not beside it is (0, 1) with 0.667, (2, −1) with 0.707.
    let distinct = distinctness.host()[i];
    assert!((distinct - (1.0 - 0.707 / 0.987)).abs() < 1e-4, "{distinct}");
}
