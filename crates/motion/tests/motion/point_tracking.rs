//! Points through a stream: exact motion, corners, the way back, and what ends a track.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use crate::measure;

use measure::smooth;
use veloxel_core::{Dimension, Grid, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{MotionError, PointStatus, PointTracker, TrackingParameters};
use veloxel_phantoms::catalogue::MotionKind;
use veloxel_testkit::on_every_device;

fn parameters() -> TrackingParameters {
    TrackingParameters { radius: 7, levels: 3, ..TrackingParameters::default() }
}

/// The largest sample.
fn white(image: &Volume<f32>) -> f32 {
    image.data().iter().copied().fold(0.0, f32::max)
}

on_every_device! {
    fn corners_go_where_the_picture_goes(device: &Device) {
        for motion in [MotionKind::Shift, MotionKind::Rotation] {
            let phantom = smooth(motion, Dimension::Two, 96);
            let mut tracker = PointTracker::new(phantom.grid(), parameters(), white(&phantom.fixed), device).unwrap();
            assert!(tracker.advance(&phantom.fixed, &[]).unwrap().is_empty());
            let corners = tracker.corners(60, 6.0, &[], None).unwrap();
            assert!(corners.len() > 20, "{} corners", corners.len());
            let found = tracker.advance(&phantom.moving, &corners).unwrap();
            let (mut compared, mut sum_px) = (0, 0.0);
            for (corner, point) in corners.iter().zip(&found) {
                let voxel = [corner[0] as usize, corner[1] as usize, 0];
                // Windows that reach over the border see its pixels twice.
                if !voxel[..2].iter().all(|v| (16..80).contains(v)) {
                    continue;
                }
                assert_eq!(point.status, PointStatus::Found, "{corner:?}");
                let d = phantom.truth.vector_vox(phantom.grid().index(voxel));
                let off = (point.at_px[0] - corner[0] - d[0]).hypot(point.at_px[1] - corner[1] - d[1]);
                // A window stands for its middle, and turns with the picture.
                assert!(off < 0.4 && point.forward_backward_px < 0.4, "{motion:?}, {corner:?}: {off} px");
                sum_px += off;
                compared += 1;
            }
            assert!(compared > 10, "{compared} corners lie in the interior");
            let mean_px = sum_px / compared as f32;
            assert!(mean_px < 0.1, "{motion:?}: {mean_px} px");
        }
    }
}

#[test]
fn corners_keep_their_distance() {
    let phantom = smooth(MotionKind::Shift, Dimension::Two, 96);
    let device = Device::cpu(2).unwrap();
    let mut tracker =
        PointTracker::new(phantom.grid(), parameters(), white(&phantom.fixed), &device).unwrap();
    assert!(tracker.corners(5, 9.0, &[], None).unwrap().is_empty(), "there is no frame yet");
    tracker.advance(&phantom.fixed, &[]).unwrap();
    let there = [[30.0, 30.0], [f32::NAN, 1.0]];
    let corners = tracker.corners(1000, 9.0, &there, None).unwrap();
    for (i, a) in corners.iter().enumerate() {
        for b in corners[..i].iter().chain(&there[..1]) {
            assert!((a[0] - b[0]).hypot(a[1] - b[1]) >= 9.0, "{a:?} and {b:?}");
        }
    }
    let few = tracker.corners(3, 9.0, &there, None).unwrap();
    assert_eq!(few, corners[..3], "the best ones come first");
}

#[test]
fn what_looks_different_on_the_way_back_is_inconsistent() {
    let device = Device::cpu(2).unwrap();
    let [a, b] = [7, 8].map(|seed| {
        let noise = veloxel_phantoms::signed_noise(64 * 64, seed);
        Volume::new(Grid::image(64, 64).unwrap(), noise.iter().map(|v| 0.5 + 0.5 * v).collect()).unwrap()
    });
    let tracker = TrackingParameters { check_px: 0.2, ..parameters() };
    let mut tracker = PointTracker::new(a.grid(), tracker, 1.0, &device).unwrap();
    tracker.advance(&a, &[]).unwrap();
    let points: Vec<[f32; 2]> =
        (0..25).map(|i| [12.0 + 10.0 * (i % 5) as f32, 12.0 + 10.0 * (i / 5) as f32]).collect();
    let found = tracker.advance(&b, &points).unwrap();
    let inconsistent = found.iter().filter(|point| point.status == PointStatus::Inconsistent).count();
    assert!(inconsistent > 10, "{inconsistent} of 25 points of noise");
}

#[test]
fn pictures_below_the_window_are_refused() {
    let device = Device::cpu(1).unwrap();
    let refused = |grid: Grid| PointTracker::new(&grid, parameters(), 1.0, &device).unwrap_err();
    let small = refused(Grid::image(40, 14).unwrap());
    assert!(small.to_string().contains("40 × 14") && small.to_string().contains("15 × 15"), "{small}");
    assert!(matches!(refused(Grid::volume(40, 40, 40).unwrap()), MotionError::NotAPicture { .. }));
}
