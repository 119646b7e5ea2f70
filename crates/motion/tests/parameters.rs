//! Every parameter out of its range is refused by name; the ends of the ranges belong to them.

use veloxel_compute::Device;
use veloxel_core::{Dimension, Grid};
use veloxel_motion::clg::parameters::{MedianFilter, Penaliser};
use veloxel_motion::{Clg, ClgParams, MotionError, Preset};

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let good = ClgParams::default();
    let mut wrong: Vec<(&str, ClgParams)> = Vec::new();
    macro_rules! wrong {
        ($($name:ident: [$($value:expr),+]),+ $(,)?) => {
            $($(wrong.push((stringify!($name), ClgParams { $name: $value, ..good.clone() }));)+)+
        };
    }
    wrong!(
        alpha: [0.0, -1.0, 2e6, f32::NAN, f32::INFINITY],
        alpha_mismatch: [-0.1, 11.0, f64::NAN],
        alpha_floor: [0.0, 1.1, f32::NAN],
        alpha_matched: [0.0, 2e6, f32::NAN],
        rho: [-1.0, 17.0, f64::NAN],
        rho_matched: [-1.0, 17.0, f64::NAN],
        mean_matched: [-1.0, 17.0, f64::NAN],
        beta: [-0.1, 2e6, f32::NAN],
        zeta: [0.0, 1.5, f32::NAN],
        gradient_zeta: [0.0, 1.5, f32::NAN],
        kappa: [-1.0, 101.0, f32::NAN],
        gamma: [-1.0, 1001.0, f32::NAN],
        lcc_sigma: [-1.0, 33.0, f64::NAN],
        presmooth: [-1.0, 9.0, f64::NAN],
        eta: [0.3, 0.96, 1.0, f64::NAN],
        refine_mismatch: [-0.1, 11.0, f64::NAN],
        warp_tol: [-0.1, 1.1, f64::NAN],
        rtol: [-0.1, 1.0, f64::NAN],
        omega: [0.0, 2.0, f32::NAN],
        increment_limit: [0.0, -1.0, f32::NAN],
        max_levels: [0, 65],
        warps: [0, 1001],
        finest_warps: [0, 1001],
        matched_warps: [0, 1001],
        lagged_updates: [0, 101],
        iterations: [0, 100_001],
        data_penaliser: [Penaliser::Charbonnier { epsilon: 0.0 }, Penaliser::Charbonnier { epsilon: f32::NAN }],
        smoothness_penaliser: [Penaliser::Charbonnier { epsilon: -1.0 }],
        median: [MedianFilter::Plain { radius: 0 }, MedianFilter::Plain { radius: 4 }],
    );
    let grid = Grid::image(8, 8).expect("possible");
    let device = Device::cpu(1).expect("threads should start");
    for (name, params) in wrong {
        match Clg::new(&grid, params, &device) {
            Err(MotionError::Parameter { name: named, .. }) => assert_eq!(named, name),
            other => panic!("{name} should be refused: {other:?}"),
        }
    }
}

#[test]
fn parameters_at_the_ends_of_their_ranges_are_accepted() {
    let good = ClgParams::default();
    let ends = [
        ClgParams {
            alpha: 1e6,
            alpha_floor: 1.0,
            beta: 1e6,
            zeta: 1.0,
            eta: 0.95,
            omega: 1.999,
            ..good.clone()
        },
        ClgParams { alpha_floor: 1e-6, ..good.clone() },
        ClgParams { zeta: 1e-6, ..good.clone() },
        ClgParams { gradient_zeta: 1e-6, ..good.clone() },
        ClgParams { alpha: 1e-9, ..good.clone() },
        ClgParams { increment_limit: 1e-6, ..good.clone() },
        ClgParams { omega: 1e-3, ..good.clone() },
        ClgParams { data_penaliser: Penaliser::Charbonnier { epsilon: 1e-6 }, ..good.clone() },
    ];
    for params in ends {
        assert_eq!(params.validate(), Ok(()), "{params:?}");
    }
    for (preset, dimension) in [Preset::Fast, Preset::Accurate, Preset::Paper]
        .into_iter()
        .flat_map(|p| [Dimension::Two, Dimension::Three].map(|d| (p, d)))
    {
        assert_eq!(ClgParams::preset(preset, dimension).validate(), Ok(()), "{preset:?} {dimension:?}");
    }
}
