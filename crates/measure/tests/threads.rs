//! What is measured by several threads has the bits of one, and ends when the run is to stop.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use veloxel_core::{Control, Flow, Grid, Mask, Threads, Volume};
use veloxel_gpu::Cpu;
use veloxel_measure::{
    Deformation, MeasureError, flow_error, folding_certificate, label_overlap, labels_from_samples,
};

/// A grid of more voxels than one thread takes for itself.
fn grid() -> Grid {
    Grid::volume(47, 40, 33).and_then(|grid| grid.with_spacing_mm([1.0, 1.3, 2.0])).unwrap()
}

/// A field that folds in places, with holes.
fn field(strength: f64) -> Flow {
    let mut flow = Flow::from_fn(grid(), |[x, y, z]| {
        [(0.4 * y).sin() * strength, (0.5 * z + 0.1 * x).cos() * strength, (0.6 * x).sin() * strength]
    });
    for i in [700, 9_000, 40_123] {
        flow.component_vox_mut(i % 3)[i] = f32::NAN;
    }
    flow
}

fn labels(shift: usize) -> Volume<f32> {
    Volume::from_fn(grid(), |[x, y, z]| {
        let label = (x + shift) / 9 + 3 * (y / 11) + 5 * (z / 8);
        if (x + 2 * y + 3 * z) % 31 == 0 { 0.0 } else { label as f32 }
    })
}

/// What `measure` finds by 1, 2, 3 and 5 threads, which is what it finds alone.
fn by_threads<T: PartialEq + std::fmt::Debug>(measure: impl Fn(Threads<'_>) -> T) -> T {
    let control = Control::default();
    let alone = measure((&control).into());
    for threads in [1, 2, 3, 5] {
        let cpu = Cpu::new(threads).unwrap();
        let found = measure(Threads::of(Some(&cpu), &control));
        assert!(found == alone, "{threads} threads: {found:?} in place of {alone:?}");
    }
    alone
}

#[test]
fn maps_of_a_field_have_the_bits_of_one_thread() {
    let flow = field(2.5);
    let bits = |maps: Vec<veloxel_measure::NamedMap>| -> Vec<_> {
        let own = |map: veloxel_measure::NamedMap| {
            let samples: Vec<u32> = map.volume.data().iter().map(|v| v.to_bits()).collect();
            let summary = map.summary;
            (map.name, samples, summary.mean.map(f64::to_bits), summary.known, summary.not_positive)
        };
        maps.into_iter().map(own).collect()
    };
    let deformation = Deformation::of(&flow);
    let jacobian = by_threads(|threads| bits(vec![deformation.determinant(threads).unwrap()]));
    assert!(jacobian[0].4 > 0 && jacobian[0].3 < flow.grid().len(), "it folds, and is not known everywhere");
    assert_eq!(by_threads(|threads| bits(deformation.strain(threads).unwrap())).len(), 9);
    let cells = by_threads(|threads| folding_certificate(&flow, None, threads).unwrap().everywhere);
    assert!(cells.folded > 0 && cells.certified > 0 && cells.unknown > 0);
}

#[test]
fn errors_of_a_field_have_the_bits_of_one_thread() {
    let (estimate, truth) = (field(1.4), field(1.1));
    let mask = Mask::from_fn(grid(), |[x, y, _]| x > 5 && y < 33);
    for mask in [None, Some(&mask)] {
        let error = by_threads(|threads| flow_error(&estimate, &truth, mask, threads).unwrap());
        let measured: Vec<f64> = veloxel_measure::measured_indices(&estimate, &truth, mask)
            .unwrap()
            .into_iter()
            .map(|i| {
                let (e, t) = (estimate.vector_vox(i), truth.vector_vox(i));
                let squares = (0..3).map(|a| (f64::from(e[a]) - f64::from(t[a])).powi(2));
                f64::from(squares.sum::<f64>().sqrt() as f32)
            })
            .collect();
        let mean = measured.iter().sum::<f64>() / measured.len() as f64;
        let largest = measured.iter().copied().fold(0.0, f64::max);
        assert_eq!((error.measured_voxels, error.end_point_vox.max), (measured.len(), largest));
        assert!((error.end_point_vox.mean - mean).abs() < 1e-9);
        let above = measured.iter().filter(|error| **error > 0.5).count();
        assert_eq!(error.r0_5, above as f64 / measured.len() as f64);
    }
}

#[test]
fn overlaps_of_labels_have_the_bits_of_one_thread() {
    let [truth, result] = [0, 1].map(|shift| {
        let samples = labels(shift);
        by_threads(|threads| labels_from_samples(&samples, "labels", threads).unwrap())
    });
    let mask = Mask::from_fn(grid(), |[x, ..]| x > 9);
    for mask in [None, Some(&mask)] {
        let report = by_threads(|threads| label_overlap(&result, &truth, mask, threads).unwrap());
        assert!(report.labels.len() > 20 && report.mean_dice > 0.5 && report.mean_dice < 1.0);
        assert!(report.labels.iter().any(|label| label.hausdorff95_mm.is_some_and(|mm| mm > 0.0)));
    }
    let mut odd = labels(0);
    (odd.data_mut()[50_000], odd.data_mut()[60_000]) = (0.5, f32::NAN);
    let told = by_threads(|threads| labels_from_samples(&odd, "labels", threads).unwrap_err().to_string());
    assert!(told.contains(&format!("{:?}", odd.grid().position(50_000))), "the first one is told: {told}");
}

#[test]
fn a_stop_ends_all_of_them() {
    let (flow, labels, control) = (field(1.0), labels(0), Control::default());
    let whole = labels_from_samples(&labels, "labels", &control).unwrap();
    control.stop();
    let cpu = Cpu::new(3).unwrap();
    let threads = Threads::of(Some(&cpu), &control);
    assert!(Deformation::of(&flow).determinant(threads).is_err());
    assert!(Deformation::of(&flow).strain(threads).is_err());
    assert!(folding_certificate(&flow, None, threads).is_err());
    let stopped = |error| matches!(error, MeasureError::Stopped(_));
    assert!(flow_error(&flow, &flow, None, threads).is_err_and(stopped));
    assert!(labels_from_samples(&labels, "labels", threads).is_err_and(stopped));
    assert!(label_overlap(&whole, &whole, None, threads).is_err_and(stopped));
}
