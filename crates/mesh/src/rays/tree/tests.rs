//! Tests of rays through a tree of boxes: what they find, and with how many steps.

#![allow(clippy::print_stdout, reason = "the figures of a passing test are worth reading")]

use super::builder::FEW_STEPS;
use super::*;
use crate::vector::{cross, dot, mean, minus, plus, unit};
use veloxel_core::Control;

fn meet(ray: &Ray, corners: &[Vector; 3]) -> Option<f64> {
    Triangle::of(0, *corners).meet(ray)
}

#[test]
fn the_tree_finds_what_a_search_through_all_finds() {
    // Triangles from a hash of their numbers.
    let number = |n: u64| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1u64 << 24) as f64;
    let corners: Vec<[Vector; 3]> = (0..300)
        .map(|i| {
            [0, 1, 2].map(|k| {
                [0, 1, 2].map(|axis| number(9 * i + axis) + 0.2 * number(9 * i + 3 * k + axis + 7000))
            })
        })
        .collect();
    let tree = RayTree::new(&corners, &Control::default()).unwrap();
    let (mut met, mut near) = (0, 0);
    for r in 0..200 {
        let direction = [0, 1, 2].map(|axis| number(r * 3 + axis + 90_000) - 0.5);
        let ray = Ray { origin: [0.6; 3], direction, from: 5 };
        let all = (0..).zip(&corners).filter(|(n, _)| *n != 5);
        let expected = all.filter_map(|(n, c)| Some((meet(&ray, c)?, n))).min_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(tree.first(&ray, &mut Search::default()), expected);
        let is_near = corners.iter().any(|c| meet(&ray, c).is_some_and(|t| t < 1.0));
        assert_eq!(tree.is_met(ray.origin, ray.direction, &mut Search::default()), is_near);
        near += usize::from(is_near);
        met += usize::from(expected.is_some());
    }
    assert!(met > 50 && near >= 5 && near < met, "{met} {near}");
}

/// The first triangle that a ray meets, by a search through all.
fn first_of_all(corners: &[[Vector; 3]], ray: &Ray) -> Option<(f64, u32)> {
    let all = (0..).zip(corners).filter(|(n, _)| *n != ray.from);
    all.filter_map(|(n, c)| Some((meet(ray, c)?, n))).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
}

/// A cylinder of slivers around an oblique axis.
fn slivers(count: usize) -> Vec<[Vector; 3]> {
    let frame = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
    let at = |nth: usize, along: f64| {
        let turn = std::f64::consts::TAU * nth as f64 / count as f64;
        [0, 1, 2].map(|a| frame[0][a] * turn.cos() + frame[1][a] * turn.sin() + frame[2][a] * along)
    };
    let side =
        |i: usize| [[at(i, 0.0), at(i + 1, 0.0), at(i + 1, 9.0)], [at(i, 0.0), at(i + 1, 9.0), at(i, 9.0)]];
    (0..count).flat_map(side).collect()
}

#[test]
fn a_ray_among_slivers_is_compared_with_few_and_finds_what_a_search_through_all_finds() {
    let corners = slivers(4000);
    let tree = RayTree::new(&corners, &Control::default()).unwrap();
    let mut search = Search::default();
    for r in 0..200u32 {
        let turn = 0.1 * f64::from(r);
        let direction = [turn.cos(), turn.sin(), 0.3 * (0.7 * turn).cos()];
        let ray = Ray { origin: [0.48 * 4.5, 0.64 * 4.5, 0.6 * 4.5], direction, from: r };
        let expected = first_of_all(&corners, &ray);
        assert!(expected.is_some());
        assert_eq!(tree.first(&ray, &mut search), expected);
        assert!(tree.is_met(ray.origin, direction.map(|c| 20.0 * c), &mut search));
    }
    assert_eq!(search.given_up, 0);
}

/// A tent of so many pleats: slivers that meet in one point, each nearly upon the next.
fn pleats(count: usize) -> Vec<[Vector; 3]> {
    let at = |nth: usize| {
        let (turn, out) = (std::f64::consts::TAU * nth as f64 / count as f64, (nth % 2) as f64);
        [(1.0 + 0.2 * out) * turn.cos(), (1.0 + 0.2 * out) * turn.sin(), 0.0]
    };
    (0..count).map(|nth| [[0.0, 0.0, 3.0], at(nth), at((nth + 1) % count)]).collect()
}

#[test]
fn a_ray_along_sheets_that_lie_close_upon_each_other_is_compared_with_few_of_them() {
    let corners = pleats(40_000);
    let tree = RayTree::new(&corners, &Control::default()).unwrap();
    let mut search = Search::default();
    for nth in (0..40_000u32).step_by(401) {
        let [a, b, c] = corners[nth as usize];
        let direction = cross(minus(b, a), minus(c, a));
        let ray = Ray { origin: mean([a, b, c]), direction, from: nth };
        assert_eq!(tree.first(&ray, &mut search), first_of_all(&corners, &ray));
    }
    assert_eq!(search.given_up, 0);
}

#[test]
fn a_ray_that_no_box_keeps_from_most_triangles_is_given_up_and_counted() {
    // Needles from anywhere to anywhere in a cube; numbers by SplitMix64.
    let number = |n: u64| {
        let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 40) as f64 / (1u64 << 24) as f64
    };
    let corners: Vec<[Vector; 3]> = (0..8000)
        .map(|i| {
            let [from, to] = [0, 3].map(|end| [0, 1, 2].map(|axis| number(6 * i + end + axis)));
            [from, to, plus(to, 1e-9, [1.0, 2.0, 3.0])]
        })
        .collect();
    let tree = RayTree::new(&corners, &Control::default()).unwrap();
    let mut search = Search::default();
    let ray = Ray { origin: [-1.0, 0.49, 0.51], direction: [1.0, 0.003, 0.001], from: u32::MAX };
    assert_eq!(tree.first(&ray, &mut search), None);
    assert!(!tree.is_met(ray.origin, ray.direction.map(|c| 3.0 * c), &mut search));
    assert_eq!((search.given_up, tree.most_steps), (2, FEW_STEPS));
    let steps = |mesh: Vec<_>| RayTree::new(&mesh, &Control::default()).unwrap().most_steps;
    assert_eq!([slivers(4000), pleats(4000), Vec::new()].map(steps), [MOST_STEPS; 3]);
}

/// A strip of so many faces that winds around an oblique axis, 80 faces a turn: sheets upon each other, each a half of a thousandth
/// of the whole further out.
fn wound(count: usize) -> Vec<[Vector; 3]> {
    let rows = [[0.36, -0.8, 0.48], [0.48, 0.6, 0.64], [-0.8, 0.0, 0.6]];
    let at = |nth: usize, height: f64| {
        let (share, turn) = (nth as f64 / count as f64, std::f64::consts::TAU * nth as f64 / 80.0);
        let point = [(1.0 + share) * turn.cos(), (1.0 + share) * turn.sin(), height];
        rows.map(|row| dot(row, point))
    };
    let quad = |k: usize| {
        let [[a, b], [c, d]] = [k, k + 2].map(|nth| [at(nth, 0.0), at(nth, 1.0)]);
        [[a, b, d], [a, d, c]]
    };
    (0..count).step_by(2).flat_map(quad).collect()
}

/// Two fans of pleats, one on the other's rim: a body of so many slivers.
fn two_fans(count: usize) -> Vec<[Vector; 3]> {
    let upper = pleats(count / 2);
    let lower = upper.iter().map(|&[_, a, b]| [[0.0, 0.0, -3.0], b, a]);
    upper.iter().copied().chain(lower).collect()
}

/// A cylinder of so many slivers around an oblique axis, twisted until it has a waist.
fn hyperboloid(count: usize) -> Vec<[Vector; 3]> {
    let rows = [[0.36, -0.8, 0.48], [0.48, 0.6, 0.64], [-0.8, 0.0, 0.6]];
    let half = count / 2;
    let at = |nth: usize, height: f64, twist: f64| {
        let turn = std::f64::consts::TAU * nth as f64 / half as f64 + twist;
        rows.map(|row| dot(row, [turn.cos(), turn.sin(), height]))
    };
    let side = |nth: usize| {
        let [a, b] = [nth, nth + 1].map(|nth| at(nth, -2.0, 0.0));
        let [c, d] = [nth, nth + 1].map(|nth| at(nth, 2.0, 2.5));
        [[a, b, d], [a, d, c]]
    };
    (0..half).flat_map(side).collect()
}

/// Faces at one edge, to points of rows of a hundred.
fn book(count: usize) -> Vec<[Vector; 3]> {
    let far = |nth: usize| [(nth % 100) as f64, (nth / 100 + 1) as f64, 0.0];
    (0..count).map(|nth| [[0.0; 3], [0.0, 0.0, 1.0], far(nth)]).collect()
}

#[test]
fn rays_among_faces_of_one_edge_end_early_where_they_would_meet_most_of_them() {
    let most = |count: usize| RayTree::new(&book(count), &Control::default()).unwrap().most_steps;
    assert_eq!([100, 1_000].map(most), [MOST_STEPS, FEW_STEPS]);
}

/// Boxes and faces that a ray from a face inwards is compared with, as a mean; every hundredth is compared with a search through all.
fn steps_a_ray(corners: &[[Vector; 3]]) -> f64 {
    let tree = RayTree::new(corners, &Control::default()).unwrap();
    let (mut search, mut rays) = (Search::default(), 0);
    for nth in (0..corners.len()).step_by(corners.len() / 400) {
        let [a, b, c] = corners[nth];
        let inwards = unit(cross(minus(b, a), minus(c, a))).map(|c| -c);
        let across = unit(minus(b, a));
        for tilt in [-1.5, -0.8, -0.3, 0.0, 0.2, 0.5, 1.0] {
            let direction = plus(inwards, tilt, across);
            let ray = Ray { origin: plus(mean([a, b, c]), 1e-4, inwards), direction, from: nth as u32 };
            let found = tree.first(&ray, &mut search);
            rays += 1;
            if rays % 100 == 0 {
                assert_eq!(found, first_of_all(corners, &ray));
            }
        }
    }
    assert_eq!(search.given_up, 0);
    search.steps as f64 / f64::from(rays)
}

#[test]
fn steps_among_sheets_upon_each_other_grow_like_the_logarithm() {
    type Mesh = (&'static str, fn(usize) -> Vec<[Vector; 3]>, f64);
    let meshes: [Mesh; 3] =
        [("wound", wound, 9.0), ("two fans", two_fans, 3.2), ("hyperboloid", hyperboloid, 13.8)];
    for (name, make, most_a_level) in meshes {
        for count in [400, 4_000, 40_000] {
            let (steps, levels) = (steps_a_ray(&make(count)), (count as f64).log2());
            println!("{name}, {count} faces: {steps:.1} steps a ray, {:.2} a level", steps / levels);
            assert!(steps <= most_a_level * levels, "{name}, {count} faces: {steps:.1} steps a ray");
        }
    }
}

#[test]
fn children_are_visited_by_distance_where_sheets_lie_upon_each_other_alone() {
    let order = |mesh: Vec<_>| RayTree::new(&mesh, &Control::default()).unwrap().order;
    assert_eq!([wound(4_000), two_fans(4_000), pleats(4_000)].map(order), [Order::NearestFirst; 3]);
    // A sphere of faces of one size.
    let at = |i: usize, k: usize| {
        let [turn, tilt] = [i, k].map(|nth| std::f64::consts::PI * nth as f64 / 40.0);
        [(2.0 * turn).cos() * tilt.sin(), (2.0 * turn).sin() * tilt.sin(), tilt.cos()]
    };
    let quad = |n: usize| {
        let [[a, b], [c, d]] = [n / 40, n / 40 + 1].map(|i| [at(i, n % 40), at(i, n % 40 + 1)]);
        [[a, b, d], [a, d, c]]
    };
    assert_eq!(order((0..1600).flat_map(quad).collect()), Order::DepthFirst);
}
