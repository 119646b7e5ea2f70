//! A slanted wall seen by two cameras with lenses, turned against each other: rectified rows agree, and depths are the wall's.

use crate::session;
use veloxel::jobs::PhaseOptions;
use veloxel::pipelines::{RectifyRequest, RectifyResult, StereoRequest, depth, rectify, stereo};
use veloxel::{Camera, Grid, Lens, Mask, Rectification, StereoRig, Volume};

const SIZE: [usize; 2] = [320, 240];

/// The wall: z = 2 + x / 5 metres in the left camera's frame.
const WALL_M: [f64; 2] = [2.0, 0.2];

/// Thirty waves in all directions, of 1.3 m to 8 cm.
fn texture([x, y, _]: [f64; 3]) -> f64 {
    let wave = |n: i32| {
        let (length, turn) = (5.0 * 1.1f64.powi(n), 2.4 * f64::from(n));
        (length * (turn.cos() * x + turn.sin() * y) + f64::from(n * n)).sin()
    };
    128.0 + 8.0 * (0..30).map(wave).sum::<f64>()
}

/// A turn about x, y and z by small angles, radians; a rotation to rounding.
fn turned([a, b, c]: [f64; 3]) -> [[f64; 3]; 3] {
    let ([sa, ca], [sb, cb], [sc, cc]) = ([a.sin(), a.cos()], [b.sin(), b.cos()], [c.sin(), c.cos()]);
    [
        [cb * cc, sa * sb * cc - ca * sc, ca * sb * cc + sa * sc],
        [cb * sc, sa * sb * sc + ca * cc, ca * sb * sc - sa * cc],
        [-sb, sa * cb, ca * cb],
    ]
}

fn rig(lenses: [Lens; 2]) -> StereoRig {
    let camera = |lens, focal: f64, centre_px| Camera {
        focal_px: [focal, focal + 1.5],
        centre_px,
        lens,
        size_px: Some(SIZE),
    };
    StereoRig {
        left: camera(lenses[0], 260.0, [161.0, 118.0]),
        right: camera(lenses[1], 262.0, [157.5, 121.0]),
        right_from_left: turned([0.02, -0.015, 0.01]),
        translation_m: [-0.1, 0.004, 0.003],
    }
}

/// Where the ray of a direction from a place, both in the left camera's frame, meets the wall.
fn on_wall(from: [f64; 3], towards: [f64; 3]) -> [f64; 3] {
    let [start, slope] = WALL_M;
    let t = (start + slope * from[0] - from[2]) / (towards[2] - slope * towards[0]);
    [0, 1, 2].map(|a| from[a] + t * towards[a])
}

fn transposed_times(m: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|a| m[0][a] * v[0] + m[1][a] * v[1] + m[2][a] * v[2])
}

/// The right camera's place in the left one's frame.
fn right_place(rig: &StereoRig) -> [f64; 3] {
    transposed_times(&rig.right_from_left, rig.translation_m).map(|v| -v)
}

/// The picture that a camera takes of the wall.
fn taken(rig: &StereoRig, side: usize) -> Volume<f32> {
    Volume::from_fn(Grid::image(SIZE[0], SIZE[1]).unwrap(), |[x, y, _]| {
        let camera = if side == 0 { &rig.left } else { &rig.right };
        let [u, v] = camera.ray([x as f64, y as f64]).unwrap();
        let point = match side {
            0 => on_wall([0.0; 3], [u, v, 1.0]),
            _ => on_wall(right_place(rig), transposed_times(&rig.right_from_left, [u, v, 1.0])),
        };
        texture(point) as f32
    })
}

/// The wall's point that a rectified camera sees at a pixel, in the left camera's frame.
fn seen(rig: &StereoRig, found: &Rectification, side: usize, pixel: [f64; 2]) -> [f64; 3] {
    let view = found.view;
    let ray = [0, 1].map(|a| (pixel[a] - view.centre_px[a]) / view.focal_px);
    let in_camera = transposed_times(&found.rotations[side], [ray[0], ray[1], 1.0]);
    match side {
        0 => on_wall([0.0; 3], in_camera),
        _ => on_wall(right_place(rig), transposed_times(&rig.right_from_left, in_camera)),
    }
}

/// By how many rows a rectified picture lies off what its camera should see, in the mean over windows of 40 pixels: the worst.
fn rows_off(rig: &StereoRig, rectified: &RectifyResult, side: usize) -> f64 {
    let picture = if side == 0 { &rectified.left } else { &rectified.right };
    let (image, mask): (&Volume<f32>, &Mask) = (&picture.image, &picture.seen);
    let wall = |x: usize, y: f64| texture(seen(rig, &rectified.geometry, side, [x as f64, y]));
    let mut worst = 0.0f64;
    for (x0, y0) in [(30, 30), (140, 30), (250, 30), (30, 170), (140, 100), (250, 170)] {
        let (mut products, mut squares) = (0.0, 0.0);
        for (x, y) in (x0..x0 + 40).flat_map(|x| (y0..y0 + 40).map(move |y| (x, y))) {
            if *mask.at([x, y, 0]) {
                let slope = 0.5 * (wall(x, y as f64 + 1.0) - wall(x, y as f64 - 1.0));
                products += slope * (f64::from(*image.at([x, y, 0])) - wall(x, y as f64));
                squares += slope * slope;
            }
        }
        worst = worst.max((products / squares).abs());
    }
    worst
}

#[test]
fn rows_agree_and_depths_are_true() {
    let radial = Lens::radial_tangential(&[-0.25, 0.06, 5e-4, -3e-4, 0.0]).unwrap();
    let fisheye = Lens::equidistant(&[-0.02, 0.01, 0.0, 0.0]).unwrap();
    for lenses in [[radial, Lens::Ideal], [fisheye, fisheye]] {
        let (rig, session) = (rig(lenses), session());
        let (left, right) = (taken(&rig, 0), taken(&rig, 1));
        let request = RectifyRequest {
            left: (&left).into(),
            right: (&right).into(),
            rig: &rig,
            mask: None,
            colours: None,
        };
        let rectified = rectify(&request, &session).unwrap();
        for side in 0..2 {
            let off = rows_off(&rig, &rectified, side);
            assert!(off < 0.05, "{lenses:?}: side {side} lies {off} rows off");
        }
        let options = PhaseOptions::new().unwrap();
        let request = StereoRequest {
            mask: Some(&rectified.left.seen),
            right_mask: Some(&rectified.right.seen),
            ..StereoRequest::new(&rectified.left.image, &rectified.right.image, options.method.draft())
        };
        let result = stereo(&request, &session).unwrap();
        let depths = depth(&result.found.disparity_px, &rectified.geometry.view);
        let mut errors = Vec::new();
        for (i, &found) in depths.data().iter().enumerate().filter(|(_, d)| d.is_finite()) {
            let [x, y, _] = depths.grid().position(i).map(|v| v as f64);
            let point = seen(&rig, &rectified.geometry, 0, [x, y]);
            let rotation = &rectified.geometry.rotations[0];
            let truth = (0..3).map(|a| rotation[2][a] * point[a]).sum::<f64>();
            errors.push((f64::from(found) - truth).abs() / truth);
        }
        errors.sort_by(f64::total_cmp);
        let share = errors.len() as f64 / depths.data().len() as f64;
        let median = errors[errors.len() / 2];
        assert!(share > 0.6 && median < 0.01, "{lenses:?}: {share} with depths, {median} off");
    }
}

#[test]
fn a_picture_of_another_size_is_refused() {
    let rig = rig([Lens::Ideal; 2]);
    let other = Volume::from_fn(Grid::image(64, 48).unwrap(), |_| 0.0);
    let request = RectifyRequest {
        left: (&other).into(),
        right: (&other).into(),
        rig: &rig,
        mask: None,
        colours: None,
    };
    let refused = rectify(&request, &session()).unwrap_err().to_string();
    assert!(refused.contains("320 × 240") && refused.contains("64 × 48"), "{refused}");
}
