//! Whole runs on every device against the processor, vector by vector, and twice on the same device, bit by bit.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]
#![allow(clippy::print_stdout, reason = "the figures of a passing test are worth reading")]

mod parts;
mod side_by_side;

use crate::measure;

use measure::{cpu, difference_vox, pair, register, run, smooth};
use veloxel_core::{Dimension, Grid, Mask};
use veloxel_gpu::Device;
use veloxel_motion::AffineModel;
use veloxel_motion::clg::multigrid::Solver;
use veloxel_motion::{
    Clg, ClgParams, ClgPreset, DenseFlow, FlowExtras, InverseConsistent, MotionError, Pair, PairMethod,
    SequenceFrames, SequenceMode, SequencePlan, Start, run_sequence,
};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind, oblique_grid};
use veloxel_phantoms::{Noise, Phantom};
use veloxel_testkit::on_every_device;
use veloxel_testkit::tolerances::FIELD_PARITY_VOX;

/// The largest difference between the device's field and the processor's, and whether two runs agree bit by bit.
fn assert_alike(what: &str, pair: &Pair<'_>, params: &ClgParams, device: &Device) {
    let [first, again] = [(); 2].map(|()| run(pair, params, device));
    assert!(first.flow == again.flow, "{what}: two runs of one device differ");
    let expected = run(pair, params, &cpu(2));
    let most = (0..pair.fixed.grid().len())
        .map(|i| difference_vox(&first.flow, &expected.flow, i))
        .fold(0.0, f64::max);
    println!("{what}: at most {most:.2e} voxel from the processor's field");
    assert!(most <= FIELD_PARITY_VOX, "{what}: {most} voxel");
    let confidence = first.confidence.data().iter().zip(expected.confidence.data());
    let most = confidence.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(f64::from(most) <= FIELD_PARITY_VOX, "{what}: confidences differ by {most}");
    assert_eq!(
        first.statistics.method.table.map(|t| t.rows.len()),
        expected.statistics.method.table.map(|t| t.rows.len())
    );
}

fn warped(output: &DenseFlow) -> &[f32] {
    output.warped.as_ref().unwrap().data()
}

fn assert_phantom(preset: ClgPreset, phantom: &Phantom, device: &Device) {
    let params = ClgParams::preset(preset, phantom.grid().dimension());
    let what = format!("{preset:?}, {}", phantom.name);
    assert_alike(&what, &pair(&phantom.fixed, &phantom.moving), &params, device);
}

on_every_device! {
    fn volumes(device: &Device) {
        // Rows of whole packs; several workgroups along every axis, of which the last ones are not full.
        let grid = Grid::volume(40, 26, 18).unwrap();
        let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
        for preset in [ClgPreset::Fast, ClgPreset::Accurate] {
            assert_phantom(preset, &case.build(&grid), device);
        }
    }

    fn images(device: &Device) {
        for preset in [ClgPreset::Fast, ClgPreset::Realtime, ClgPreset::Ultrafast] {
            assert_phantom(preset, &smooth(MotionKind::Twist, Dimension::Two, 64), device);
        }
    }

    fn images_in_two_stages(device: &Device) {
        assert_phantom(ClgPreset::Accurate, &smooth(MotionKind::Twist, Dimension::Two, 64), device);
    }

    fn the_papers_choices(device: &Device) {
        assert_phantom(ClgPreset::Paper, &smooth(MotionKind::Shift, Dimension::Three, 16), device);
    }

    fn oblique_grids_with_noise(device: &Device) {
        let grid = oblique_grid(Dimension::Three, 32).unwrap();
        let case =
            Case { motion: MotionKind::Rotation, texture: TextureKind::Speckle, noise: Noise::None };
        assert_phantom(ClgPreset::Fast, &case.build(&grid), device);
    }

    fn volume_terms_and_masks(device: &Device) {
        let phantom = smooth(MotionKind::BeatingShell, Dimension::Three, 32);
        let mask = Mask::from_fn(phantom.grid().clone(), |[x, _, z]| x > 3 && z < 29);
        let params = ClgParams {
            beta: 1.0,
            kappa: 2.0,
            lcc_sigma: 3.0,
            ..ClgParams::preset(ClgPreset::Fast, Dimension::Three)
        };
        let pair = Pair {
            mask: Some(&mask),
            volume_mask: Some(&phantom.interior),
            ..pair(&phantom.fixed, &phantom.moving)
        };
        assert_alike("volume term, mask", &pair, &params, device);
    }

    fn both_directions(device: &Device) {
        let phantom = smooth(MotionKind::Twist, Dimension::Two, 64);
        let params = ClgParams::preset(ClgPreset::Fast, Dimension::Two);
        let [got, expected] = [device, &Device::cpu(2).unwrap()].map(|device| {
            let method = Clg::new(phantom.grid(), params.clone(), device).unwrap();
            let pair = pair(&phantom.fixed, &phantom.moving);
            InverseConsistent::new(method).run(&pair).unwrap()
        });
        assert!(got.flow == expected.flow && got.confidence == expected.confidence);
        assert_eq!(got.statistics.inverse_residual_vox, expected.statistics.inverse_residual_vox);
    }

    fn tolerances_stop_alike(device: &Device) {
        let phantom = smooth(MotionKind::Affine, Dimension::Three, 24);
        for solver in [Solver::Multigrid, Solver::Sor, Solver::Jacobi] {
            let params = ClgParams {
                solver,
                iterations: 60,
                rtol: 1e-3,
                warp_tol: 0.01,
                omega: 1.0,
                ..ClgParams::preset(ClgPreset::Fast, Dimension::Three)
            };
            assert_alike(&format!("{solver:?} to 1e-3"), &pair(&phantom.fixed, &phantom.moving), &params, device);
        }
    }

    fn affine_starts(device: &Device) {
        let phantom = smooth(MotionKind::Affine, Dimension::Three, 32);
        let images = pair(&phantom.fixed, &phantom.moving);
        let found = register(device, &images, AffineModel::Affine).unwrap();
        let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
        let pair = Pair { start: Start::Affine(found), ..pair(&phantom.fixed, &phantom.moving) };
        assert_alike("affine start", &pair, &params, device);
        let expected = register(&Device::cpu(2).unwrap(), &images, AffineModel::Affine).unwrap();
        for corner in [[0.0; 3], [31.0, 0.0, 0.0], [0.0, 31.0, 0.0], [0.0, 0.0, 31.0]] {
            let (a, b) = (found.apply(corner), expected.apply(corner));
            assert!((0..3).all(|c| (a[c] - b[c]).abs() < FIELD_PARITY_VOX), "{a:?} where the processor has {b:?}");
        }
    }

    fn equal_images_do_not_move(device: &Device) {
        let phantom = smooth(MotionKind::Shift, Dimension::Three, 24);
        let output =
            run(&pair(&phantom.fixed, &phantom.fixed), &ClgParams::preset(ClgPreset::Fast, Dimension::Three), device);
        assert!(output.flow.planar_vox().iter().all(|&v| v == 0.0));
    }

    fn sequences_are_their_pairs(device: &Device) {
        let phantom = smooth(MotionKind::Twist, Dimension::Three, 24);
        let frames: Vec<_> =
            [&phantom.fixed, &phantom.moving, &phantom.fixed, &phantom.fixed, &phantom.moving].map(Clone::clone).to_vec();
        let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
        let mut method = Clg::new(phantom.grid(), params.clone(), device).unwrap();
        let all = SequenceFrames::new(&frames);
        let plan = SequencePlan { mode: SequenceMode::Consecutive, reference: 0, extras: FlowExtras::ALL };
        let mut fields = Vec::new();
        let mut keep = |field| {
            fields.push(field);
            Ok::<_, MotionError>(())
        };
        run_sequence(&mut method, all, plan, &mut keep).unwrap();
        assert_eq!(fields.len(), frames.len() - 1);
        for (nth, field) in fields.iter().enumerate() {
            assert_eq!((field.fixed, field.moving), (nth, nth + 1));
            let alone = run(&pair(&frames[nth], &frames[nth + 1]), &params, &Device::cpu(2).unwrap());
            assert!(field.output.flow == alone.flow, "the pair of frame {nth} differs from the processor's");
            let same = |a: &f32, b: &f32| a == b || (a.is_nan() && b.is_nan());
            let warped = warped(&field.output).iter().zip(warped(&alone));
            assert!(warped.into_iter().all(|(a, b)| same(a, b)), "warped images of pair {nth}");
        }
        let mut left = 2;
        let mut refuse = |_| {
            left -= 1;
            if left > 0 { Ok(()) } else { Err(MotionError::Sequence { reason: "enough".to_owned() }) }
        };
        let failed = run_sequence(&mut method, all, plan, &mut refuse);
        assert_eq!(failed, Err(MotionError::Sequence { reason: "enough".to_owned() }));
    }
}
