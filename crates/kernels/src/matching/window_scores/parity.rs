//! Tests of the kernel on every device against its text for processors, and of that text against its definition.

use super::{BlockSearch, ScoreMeasure, ScoreOutput, WindowScores, centre};
use crate::kernel::Kernel;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::Device;
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_field, shapes};

const MEASURES: [ScoreMeasure; 4] = [
    ScoreMeasure::Ncc { floor: 0.01 },
    ScoreMeasure::Correlation { floor: 0.01 },
    ScoreMeasure::Ssd,
    ScoreMeasure::Sad,
];

/// Weights: 1 for one of three voxels, 0 for the next, ½ for the third.
fn weights(n: usize) -> Vec<f32> {
    (0..n).map(|i| 0.5 * (i % 3) as f32).collect()
}

on_every_device! {
    fn scores_of_every_measure(device: &Device) {
        for shape in shapes() {
            for (measure, masked) in MEASURES.into_iter().flat_map(|m| [(m, false), (m, true)]) {
                let blocks = Shape { size: shape.size.map(|n| n.div_ceil(3)), ..shape };
                for nodes in [shape, blocks] {
                    Pair::new(device).alike(&format!("{:?} {measure:?} {masked}", shape.size), |device| {
                        let n = shape.len();
                        let images = noise_field(device, 4, n, 1);
                        let weight = device.upload(weights(n)).unwrap();
                        // Five candidates an axis; three where a volume is large enough for several workgroups.
                        let radius = if shape.size[2] > 1 && shape.len() > 4000 { 1 } else { 2 };
                        let search = BlockSearch::isotropic(shape, radius, 1);
                        let mut scores = device.zeros(search.candidates() * nodes.len()).unwrap();
                        let all = [(&images[0], &images[1]), (&images[2], &images[3])];
                        for (pairs, gain, output) in
                            [(&all[..1], 1.0, ScoreOutput::Overwrite), (&all[..], 0.5, ScoreOutput::Add)]
                        {
                            let weight = masked.then_some(&weight);
                            let scores = &mut scores;
                            WindowScores { shape, nodes, search, measure, pairs, weight, gain, output, scores }
                                .run(device)
                                .unwrap();
                        }
                        vec![scores]
                    });
                }
            }
        }
    }
}

/// Changes gain and offset of the moving image, with a window that lies in part outside.
#[test]
fn correlation_is_that_of_the_windows() {
    let device = Device::cpu(2).unwrap();
    let shape = Shape { size: [19, 13, 1], dimension: Dimension::Two };
    let search = BlockSearch::isotropic(shape, 2, 2);
    let (fixed, moving) = (noise(shape.len(), 1), noise(shape.len(), 2));
    let scores = |moving: Vec<f32>| {
        let (fixed, moving) = (device.upload(fixed.clone()).unwrap(), device.upload(moving).unwrap());
        let mut scores = device.zeros(search.candidates() * shape.len()).unwrap();
        let kernel = WindowScores {
            shape,
            nodes: shape,
            search,
            measure: ScoreMeasure::Ncc { floor: 1e-6 },
            pairs: &[(&fixed, &moving)],
            weight: None,
            gain: 1.0,
            output: ScoreOutput::Overwrite,
            scores: &mut scores,
        };
        kernel.run(&device).unwrap();
        device.download(scores).unwrap()
    };
    let plain = scores(moving.clone());
    let lit = scores(moving.iter().map(|v| 3.0 * v + 7.0).collect());
    // Windows that lie outside hold one sample many times, and rounding decides.
    let is_inside = |i: usize| (4..15).contains(&(i % 19)) && (4..9).contains(&(i / 19 % 13));
    for (i, (plain, lit)) in plain.iter().zip(&lit).enumerate().filter(|(i, _)| is_inside(*i)) {
        assert!((plain - lit).abs() < 2e-4, "sample {i}: {plain} and {lit} under gain and offset");
    }
    let at = |image: &[f32], x: isize, y: isize| {
        f64::from(image[y.clamp(0, 12) as usize * 19 + x.clamp(0, 18) as usize])
    };
    for ([x, y], [cx, cy]) in [([9, 6], [1, -2]), ([0, 0], [-1, 0]), ([18, 12], [-1, -2])] {
        let window = || (-2..=2).flat_map(|v| (-2..=2).map(move |u| (x + u, y + v)));
        let pairs: Vec<_> = window().map(|(u, v)| [at(&fixed, u, v), at(&moving, u + cx, v + cy)]).collect();
        let mean = [0, 1].map(|k| pairs.iter().map(|p| p[k]).sum::<f64>() / 25.0);
        let product =
            |a: usize, b: usize| pairs.iter().map(|p| (p[a] - mean[a]) * (p[b] - mean[b])).sum::<f64>();
        let expected = product(0, 1) / (product(0, 0) * product(1, 1)).sqrt();
        let candidate = ((cy + 2) * 5 + cx + 2) as usize;
        let got = plain[candidate * shape.len() + (y * 19 + x) as usize];
        assert!((f64::from(got) - expected).abs() < 1e-5, "{got} where {expected} is right");
    }
}

#[test]
fn windows_without_contrast_or_weight_score_nothing() {
    let device = Device::cpu(1).unwrap();
    let shape = Shape { size: [12, 9, 1], dimension: Dimension::Two };
    let search = BlockSearch::isotropic(shape, 1, 1);
    let flat = device.upload(vec![3.0; shape.len()]).unwrap();
    let nothing = device.zeros(shape.len()).unwrap();
    for weight in [None, Some(&nothing)] {
        for measure in MEASURES {
            let mut scores = device.zeros(search.candidates() * shape.len()).unwrap();
            let kernel = WindowScores {
                shape,
                nodes: shape,
                search,
                measure,
                pairs: &[(&flat, &flat)],
                weight,
                gain: 1.0,
                output: ScoreOutput::Overwrite,
                scores: &mut scores,
            };
            kernel.run(&device).unwrap();
            let expected = if matches!(measure, ScoreMeasure::Correlation { .. }) && weight.is_none() {
                1.0
            } else {
                0.0
            };
            assert!(scores.host().iter().all(|s| (s - expected).abs() < 1e-4), "{measure:?}");
        }
    }
}

#[test]
fn blocks_are_spread_evenly() {
    let centres =
        |nodes: usize, count: usize| (0..nodes).map(|i| centre(i, nodes, count)).collect::<Vec<_>>();
    assert_eq!(centres(5, 5), [0, 1, 2, 3, 4]);
    assert_eq!(centres(3, 15), [2, 7, 12]);
    assert_eq!(centres(1, 7), [3]);
}
