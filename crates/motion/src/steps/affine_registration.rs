//! A linear start: the map of the fixed grid onto itself, voxel positions, that lines up the centres of mass of two images,
//! or their whole content by a rigid, a similarity or an affine map; each image may lie on a grid of its own.
//!
//! *Method*: Gauss-Newton on the data term of [`mod@crate::clg`], `Σ n (g · (δA x + δt) + I_t)²` with the normalisation
//! `n = 1/(|∇I|² + ζ²)`, coarse to fine, the step applied inside: `A ← A ∘ (I + δA, δt)`, for which the derivatives of the
//! warped image are the exact ones (inverse of none, forward compositional: Baker & Matthews, IJCV 56 (2004), section 3).
//! Rigid maps and similarities take the same equations, restricted to their unknowns ([`motion_group`](crate::steps)).
//! *Cost*: the finest level used has at most 2²¹ voxels; a step reads two images once.
//! *Limits*: maps whose determinant leaves [1/4, 4] are refused.

use crate::error::{MotionError, Result};
use crate::method::resident::ResidentMask;
use crate::steps::frame::{Frame, FrameSource};
use crate::steps::intensity::IntensityMap;
use crate::steps::motion_group::{AffineModel, MotionGroup};
use crate::steps::moving_image::{require_sampled, voxel_map};
use crate::steps::pyramid::{
    LevelGeometry, between_grids, between_levels, levels, mask_pyramid, match_voxel_size, moving_levels,
    pyramid,
};
use veloxel_core::Shape;
use veloxel_core::matrix3::{determinant, inverse};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::affine_normal_equations::{AffineNormalEquations, NormalEquations};
use veloxel_kernels::image::centre_of_mass::CentreOfMass;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine, Warp};

/// The finest level used has at most this many voxels: an affine map needs no more.
const MOST_VOXELS: usize = 1 << 21;
/// Gauss-Newton steps a level.
const STEPS: usize = 12;
/// A level ends when no corner of the grid moves by more than this, voxels of the level.
const STEP_TOLERANCE_VOX: f64 = 0.01;
/// ζ of the normalised constraint, intensity per voxel.
const ZETA: f32 = 0.1;

/// Finds the map `x → A x + t` between voxel positions of the fixed grid, such that the moving image there shows what the
/// fixed one shows at x.
///
/// # Errors
/// [`MotionError::Input`] if the images cannot be compared or hold NaN; [`MotionError::Affine`] if there is nothing to
/// align, or the map degenerates.
pub fn affine_registration(
    [fixed, moving]: [&Frame; 2],
    mask: Option<&ResidentMask>,
    model: AffineModel,
) -> Result<VoxelAffine> {
    let (device, grid) = (fixed.device(), fixed.grid());
    require_sampled(grid, moving.grid())?;
    fixed.require_finite("the fixed image", mask)?;
    moving.require_finite("the moving image", None)?;
    let map = fixed
        .map_within(mask)?
        .ok_or_else(|| MotionError::Affine { reason: "the fixed image is constant".to_owned() })?;
    let placed = voxel_map(grid, moving.grid());
    let shift = centre_of_mass_shift([fixed, moving], map, &invert(&placed)?)?;
    let start = VoxelAffine { offset: shift, ..VoxelAffine::IDENTITY };
    device.scope(|| {
        let all = levels(grid, 0.5, 64);
        let group = |level: &LevelGeometry| MotionGroup::of(model, grid, level.spacing_vox);
        if group(&all[0]).is_none() {
            return Ok(start);
        }
        let all_moving = moving_levels(moving.grid(), &placed, &all);
        let [fixed, moving] = [(fixed, &all), (moving, &all_moving)].map(|(frame, levels)| {
            let mapped = match_voxel_size(
                device,
                FrameSource::from(frame).mapped(map)?,
                Shape::of(frame.grid()),
                levels[0].shape,
            )?;
            pyramid(device, mapped, levels).map_err(MotionError::from)
        });
        let (fixed, moving) = (fixed?, moving?);
        let mask = mask.map(|m| mask_pyramid(device, m, &all)).transpose()?;
        let mut found = placed.after(&start);
        for (nth, level) in all.iter().enumerate().rev() {
            if level.shape.len() > MOST_VOXELS {
                break;
            }
            let weight = mask.as_ref().map(|m| &m[nth]);
            let levels = [level, &all_moving[nth]];
            let unmoved = determinant(&between_levels(&placed, levels).matrix);
            let Some(group) = group(level) else { break };
            let way = Alignment { levels, weight, unmoved, group: &group };
            found = align(device, &way, [&fixed[nth], &moving[nth]], found)?;
        }
        Ok(if placed == VoxelAffine::IDENTITY { found } else { invert(&placed)?.after(&found) })
    })
}

/// The shift, in voxels of the fixed grid, between the centres of mass of the mapped intensities.
fn centre_of_mass_shift(
    images: [&Frame; 2],
    map: IntensityMap,
    fixed_from_moving: &VoxelAffine,
) -> Result<[f64; 3]> {
    let [fixed, moving] = images.map(|image| {
        let shape = Shape::of(image.grid());
        let ((gain, offset), device) = (map.gain_and_offset(), image.device());
        CentreOfMass { shape, image: image.samples(), gain, offset }.run(device)?.get(device)
    });
    match (fixed?, moving?) {
        (Some(f), Some(m)) => {
            let m = fixed_from_moving.apply(m);
            Ok([0, 1, 2].map(|a| m[a] - f[a]))
        }
        _ => Err(MotionError::Affine { reason: "an image has no mass".to_owned() }),
    }
}

/// How a level of each image's pyramid is aligned.
struct Alignment<'a> {
    levels: [&'a LevelGeometry; 2],
    weight: Option<&'a Buffer>,
    /// The determinant of the level's map where nothing has moved.
    unmoved: f64,
    group: &'a MotionGroup,
}

/// Gauss-Newton on a level; `map` leads from voxels of the full fixed grid to those of the full moving one.
fn align(
    device: &Device,
    way: &Alignment<'_>,
    [fixed, moving]: [&Buffer; 2],
    map: VoxelAffine,
) -> Result<VoxelAffine> {
    let Alignment { levels, weight, unmoved, group } = *way;
    let [shape, moving_shape] = levels.map(|level| level.shape);
    let centre = shape.size.map(|n| 0.5 * (n as f64 - 1.0));
    let zero = device.zeros_field(shape.components(), shape.len())?;
    let mut warped = device.zeros(shape.len())?;
    let start = between_levels(&map, levels);
    let (mut on_level, mut best) = (start, start);
    let mut least = f64::INFINITY;
    for _ in 0..STEPS {
        let warp = Warp {
            shape,
            moving_shape,
            spacing_edges: levels[0].spacing_edges,
            interpolation: Interpolation::Linear,
            border: Border::Centres,
            cut: None,
            moving_from_fixed: on_level,
            moving,
            displacement: &zero,
            out: &mut warped,
        };
        warp.run(device)?;
        let equations = AffineNormalEquations { shape, centre, zeta: ZETA, fixed, warped: &warped, weight };
        let equations = equations.run(device)?.get(device)?;
        if equations.mean_energy >= least {
            break;
        }
        (least, best) = (equations.mean_energy, on_level);
        let Some(unknowns) = solve(&group.restricted(&equations)) else { break };
        let step = group.step(&unknowns, centre);
        on_level = on_level.after(&step);
        let det = determinant(&on_level.matrix) / unmoved;
        if !(0.25..=4.0).contains(&det.abs()) {
            let reason = format!("its determinant became {det:.3}");
            return Err(MotionError::Affine { reason });
        }
        let reach = farthest(&step, shape.components(), centre);
        if reach < STEP_TOLERANCE_VOX {
            best = on_level;
            break;
        }
    }
    Ok(between_grids(&best, levels))
}

/// The largest part of a step, voxels, an arm's length from the centre.
fn farthest(step: &VoxelAffine, d: usize, centre: [f64; 3]) -> f64 {
    let added = step.added();
    let moved = step.apply(centre);
    let shifts = (0..d).map(|r| (moved[r] - centre[r]).abs());
    let turns = (0..d).flat_map(|r| (0..d).map(move |c| (r, c)));
    turns.map(|(r, c)| added[r][c].abs() * centre[c].max(1.0)).chain(shifts).fold(0.0, f64::max)
}

/// Cholesky with a whiff of damping; none if the images hold too little to determine the map.
fn solve(equations: &NormalEquations) -> Option<Vec<f64>> {
    let n = equations.unknowns;
    let mut a = equations.matrix.clone();
    let mut x = equations.rhs.clone();
    for i in 0..n {
        a[i * n + i] *= 1.0 + 1e-6;
    }
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let value = a[i * n + j] - sum;
            if i == j {
                if value <= 0.0 || !value.is_finite() {
                    return None;
                }
                a[i * n + i] = value.sqrt();
            } else {
                a[i * n + j] = value / a[j * n + j];
            }
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| a[i * n + k] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[k * n + i] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i * n + i];
    }
    Some(x)
}

/// The inverse map.
///
/// # Errors
/// [`MotionError::Affine`] if there is none.
pub fn invert(map: &VoxelAffine) -> Result<VoxelAffine> {
    if determinant(&map.matrix).abs() < 1e-9 {
        return Err(MotionError::Affine { reason: "the map has no inverse".to_owned() });
    }
    let matrix = inverse(&map.matrix);
    let linear = VoxelAffine { matrix, offset: [0.0; 3] };
    Ok(VoxelAffine { matrix, offset: linear.apply(map.offset).map(|v| -v) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Grid, Volume};

    fn example() -> VoxelAffine {
        VoxelAffine {
            matrix: [[1.05, 0.1, 0.0], [-0.08, 0.95, 0.02], [0.0, 0.03, 1.1]],
            offset: [3.0, -2.0, 1.0],
        }
    }

    fn close(a: &VoxelAffine, b: &VoxelAffine, tolerance: f64) -> bool {
        [[0.0; 3], [50.0, 0.0, 0.0], [0.0, 50.0, 0.0], [0.0, 0.0, 50.0]].into_iter().all(|p| {
            let (a, b) = (a.apply(p), b.apply(p));
            (0..3).all(|c| (a[c] - b[c]).abs() < tolerance)
        })
    }

    #[test]
    fn levels_and_inverses_lead_back() {
        let map = example();
        let all = levels(&Grid::volume(70, 50, 33).unwrap(), 0.5, 9);
        let pair = [&all[1], &all[2]];
        assert!(close(&between_grids(&between_levels(&map, pair), pair), &map, 1e-9));
        let twice = invert(&map).and_then(|m| invert(&m)).unwrap();
        assert!(close(&twice, &map, 1e-9));
    }

    #[test]
    fn a_known_map_is_found() {
        let device = Device::cpu(2).unwrap();
        let grid = Grid::volume(64, 60, 56).unwrap();
        let blob = |p: [f64; 3], c: [f64; 3], s: f64| {
            (-(0..3).map(|a| ((p[a] - c[a]) / s).powi(2)).sum::<f64>()).exp()
        };
        let picture = |p: [f64; 3]| {
            (blob(p, [30.0, 28.0, 26.0], 14.0) + 0.7 * blob(p, [42.0, 36.0, 34.0], 6.0)
                - 0.5 * blob(p, [22.0, 34.0, 20.0], 7.0)
                + 0.6 * blob(p, [34.0, 16.0, 36.0], 8.0)) as f32
        };
        let truth = VoxelAffine {
            matrix: [[1.04, 0.06, 0.0], [-0.05, 0.97, 0.02], [0.01, 0.03, 1.03]],
            offset: [1.5, -1.0, 2.0],
        };
        let moving = Volume::from_fn(grid.clone(), |p| picture(p.map(|v| v as f64)));
        let fixed = Volume::from_fn(grid, |p| picture(truth.apply(p.map(|v| v as f64))));
        let images = [&fixed, &moving].map(|image| Frame::upload(&device, image).unwrap());
        let found = affine_registration(images.each_ref(), None, AffineModel::Affine).unwrap();
        assert!(close(&found, &truth, 0.1), "{found:?}");
    }

    #[test]
    fn rigid_maps_and_similarities_stay_such_on_oblique_voxels_of_unequal_sides() {
        let device = Device::cpu(2).unwrap();
        let (s, c) = 0.3f64.sin_cos();
        let grid = Grid::volume(60, 50, 36)
            .and_then(|g| g.with_spacing_mm([1.0, 1.2, 1.8]))
            .and_then(|g| g.with_direction([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
            .unwrap();
        let middle = grid.world_from_voxel([29.5, 24.5, 17.5]);
        let blob = |p: [f64; 3], at: [f64; 3], width: f64| {
            (-(0..3).map(|a| ((p[a] - middle[a] - at[a]) / width).powi(2)).sum::<f64>()).exp()
        };
        let picture = |p: [f64; 3]| {
            (blob(p, [0.0; 3], 15.0) + 0.7 * blob(p, [12.0, 8.0, 6.0], 6.0)
                - 0.5 * blob(p, [-9.0, 5.0, -8.0], 7.0)
                + 0.6 * blob(p, [3.0, -12.0, 9.0], 8.0)) as f32
        };
        for (model, scale) in [(AffineModel::Rigid, 1.0), (AffineModel::Similarity, 1.06)] {
            let (s, c) = 0.15f64.sin_cos();
            let turn = [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]].map(|row| row.map(|v| scale * v));
            let truth = |p: [f64; 3]| {
                let from = [0, 1, 2].map(|a| p[a] - middle[a]);
                let turned = veloxel_core::matrix3::apply(&turn, from);
                [0, 1, 2].map(|a| turned[a] + middle[a] + [1.5, -2.0, 1.0][a])
            };
            let world = |v: [usize; 3]| grid.world_from_voxel(v.map(|v| v as f64));
            let moving = Volume::from_fn(grid.clone(), |v| picture(world(v)));
            let fixed = Volume::from_fn(grid.clone(), |v| picture(truth(world(v))));
            let images = [&fixed, &moving].map(|image| Frame::upload(&device, image).unwrap());
            let found = affine_registration(images.each_ref(), None, model).unwrap();
            for corner in 0..8 {
                let at = [59.0, 49.0, 35.0];
                let voxel = [0, 1, 2].map(|a| if corner >> a & 1 == 1 { at[a] } else { 0.0 });
                let (there, expected) =
                    (found.apply(voxel), grid.voxel_from_world(truth(grid.world_from_voxel(voxel))));
                assert!(
                    (0..3).all(|a| (there[a] - expected[a]).abs() < 0.25),
                    "{model:?} {there:?} {expected:?}"
                );
            }
            // W = V M V⁻¹ is a turn times the scale, whatever was found.
            let (v, back) = (grid.world_from_voxel_matrix(), grid.voxel_from_world_matrix());
            let w = veloxel_core::matrix3::product(&veloxel_core::matrix3::product(&v, &found.matrix), &back);
            let size = determinant(&w).cbrt();
            for (a, b) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)] {
                let dot: f64 = w.iter().map(|row| row[a] * row[b]).sum::<f64>() / (size * size);
                assert!((dot - f64::from(u8::from(a == b))).abs() < 1e-9, "{model:?} {w:?}");
            }
            assert!(model == AffineModel::Similarity || (size - 1.0).abs() < 1e-9);
        }
    }
}
