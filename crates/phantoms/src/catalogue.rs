//! The named phantoms that every estimator is tried on.

use crate::centred::CentredFrame;
use crate::motions::affine::Affine;
use crate::motions::motion::{Composed, Motion};
use crate::motions::shell::{BeatingShell, ShellShape};
use crate::motions::sinusoid::Sinusoid;
use crate::motions::twist::{Twist, Vortex};
use crate::noise::Noise;
use crate::phantom::Phantom;
use crate::textures::texture::{SmoothTexture, SpeckleTexture, Texture};
use crate::textures::wall_texture::WallTexture;
use veloxel_core::{CoreError, Dimension, Grid};

/// A motion of the list; each is scaled to the grid so that it moves no interior voxel by more than 3 voxels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MotionKind {
    /// [`Affine::shift_vox`] by a fraction of voxels in every axis.
    Shift,
    /// [`Affine::rotation`] about z (2-D) or an oblique axis (3-D).
    Rotation,
    /// [`Affine`] with stretches and shears.
    Affine,
    /// [`Vortex`] (2-D) or [`Twist`] (3-D): det F = 1.
    Twist,
    /// [`BeatingShell`], circle (2-D) or sphere (3-D): det F = 1 in the muscle.
    BeatingShell,
    /// [`BeatingShell`] (circle or shortening cylinder), then [`Vortex`] or [`Twist`]: det F = 1 in the
    /// muscle.
    TwistingShell,
    /// [`Sinusoid`].
    Sinusoid,
}

/// A texture of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// The texture [`SmoothTexture`].
    Smooth,
    /// The texture [`SpeckleTexture`].
    Speckle,
    /// [`WallTexture`] for shells; the other motions have no wall and get [`SpeckleTexture`].
    Wall,
}

/// A phantom of the list, before it is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// The motion.
    pub motion: MotionKind,
    /// The texture.
    pub texture: TextureKind,
    /// The noise.
    pub noise: Noise,
}

impl MotionKind {
    /// Every motion.
    pub const ALL: [Self; 7] = [
        Self::Shift,
        Self::Rotation,
        Self::Affine,
        Self::Twist,
        Self::BeatingShell,
        Self::TwistingShell,
        Self::Sinusoid,
    ];
}

/// The noise of the noisy variants: the images' contrast is about five (smooth) to three (speckle) times as
/// large.
pub const NOISE: Noise = Noise::Gaussian { sd: 0.05, seed: 11 };

/// All cases: every motion on the smooth texture, some on speckle and walls, some with noise.
pub fn cases() -> Vec<Case> {
    use MotionKind::{BeatingShell, Shift, Sinusoid, TwistingShell};
    let case = |motion, texture, noise| Case { motion, texture, noise };
    let mut cases: Vec<_> =
        MotionKind::ALL.into_iter().map(|motion| case(motion, TextureKind::Smooth, Noise::None)).collect();
    cases.extend([Shift, Sinusoid].map(|motion| case(motion, TextureKind::Speckle, Noise::None)));
    cases.extend([BeatingShell, TwistingShell].map(|motion| case(motion, TextureKind::Wall, Noise::None)));
    cases.extend([Shift, BeatingShell, Sinusoid].map(|motion| case(motion, TextureKind::Smooth, NOISE)));
    cases.push(case(TwistingShell, TextureKind::Wall, NOISE));
    cases
}

/// All phantoms on a square or cubic grid of `size` voxels an axis, computed one after the other.
///
/// # Errors
/// [`CoreError::Size`] if the grid is not possible.
pub fn all(dimension: Dimension, size: usize) -> Result<impl Iterator<Item = Phantom>, CoreError> {
    let grid = isotropic_grid(dimension, size)?;
    Ok(cases().into_iter().map(move |case| case.build(&grid)))
}

/// A square or cubic grid of 1 mm voxels.
///
/// # Errors
/// [`CoreError::Size`].
pub fn isotropic_grid(dimension: Dimension, size: usize) -> Result<Grid, CoreError> {
    match dimension {
        Dimension::Two => Grid::image(size, size),
        Dimension::Three => Grid::volume(size, size, size),
    }
}

/// Voxels of 0.8 × 1.2 × 2 mm over about the same field of view, an origin off the grid, and axes that are
/// turned: about z in 2-D, about all three axes in 3-D.
///
/// # Errors
/// [`CoreError::Size`].
pub fn oblique_grid(dimension: Dimension, size: usize) -> Result<Grid, CoreError> {
    let spacing = [0.8, 1.2, 2.0];
    let counts = spacing.map(|h| ((size as f64 / h).round() as usize).max(1));
    let (grid, turn) = match dimension {
        Dimension::Two => (Grid::image(counts[0], counts[1])?, Affine::rotation([0.0, 0.0, 1.0], 0.3)),
        Dimension::Three => {
            (Grid::volume(counts[0], counts[1], counts[2])?, Affine::rotation([0.4, -0.5, 1.0], 0.35))
        }
    };
    Ok(grid.with_spacing_mm(spacing)?.with_direction(turn.gradient)?.with_origin_mm([-31.0, 42.5, 7.25]))
}

impl Case {
    /// The case in words: `rotation 3-D, smooth, noisy`.
    pub fn name(&self, dimension: Dimension) -> String {
        let motion = match self.motion {
            MotionKind::Shift => "shift",
            MotionKind::Rotation => "rotation",
            MotionKind::Affine => "affine",
            MotionKind::Twist => "twist",
            MotionKind::BeatingShell => "beating shell",
            MotionKind::TwistingShell => "beating, twisting shell",
            MotionKind::Sinusoid => "sinusoid",
        };
        let texture = match self.texture {
            TextureKind::Smooth => "smooth",
            TextureKind::Speckle => "speckle",
            TextureKind::Wall => "wall",
        };
        let noise = if self.noise == Noise::None { "" } else { ", noisy" };
        format!("{motion} {}-D, {texture}{noise}", dimension.count())
    }

    /// Computes the phantom on any grid (2-D grids: in the world's x-y plane).
    pub fn build(&self, grid: &Grid) -> Phantom {
        const SEED: u64 = 2;
        self.build_textured(grid, SEED)
    }

    /// Computes the phantom with the texture of a seed: the same motion of other speckle, waves or wall.
    pub fn build_textured(&self, grid: &Grid, texture_seed: u64) -> Phantom {
        let frame = CentredFrame::new(grid);
        let texture: Box<dyn Texture> = match (self.texture, self.motion) {
            (TextureKind::Smooth, _) => Box::new(SmoothTexture::new(&frame, texture_seed)),
            (TextureKind::Wall, MotionKind::BeatingShell) => {
                Box::new(WallTexture::new(&frame, beating_shell(&frame), texture_seed))
            }
            (TextureKind::Wall, MotionKind::TwistingShell) => {
                Box::new(WallTexture::new(&frame, shortening_shell(&frame), texture_seed))
            }
            (TextureKind::Wall | TextureKind::Speckle, _) => {
                Box::new(SpeckleTexture::new(&frame, texture_seed))
            }
        };
        let motion = motion(self.motion, &frame);
        Phantom::new(grid, motion.as_ref(), texture.as_ref(), self.noise).named(self.name(grid.dimension()))
    }
}

/// A motion of the list, scaled to a grid.
pub fn motion(kind: MotionKind, frame: &CentredFrame) -> Box<dyn Motion> {
    let planar = frame.grid().dimension() == Dimension::Two;
    let half_mm = frame.half_extent_mm();
    let vox_mm = voxel_mm(frame);
    // An angle that moves the rim of the largest ball by so many voxels.
    let angle = |vox: f64| vox * vox_mm / half_mm;
    match kind {
        MotionKind::Shift => Box::new(Affine::shift_vox(frame, [1.7, -1.2, if planar { 0.0 } else { 0.8 }])),
        MotionKind::Rotation => {
            let axis = if planar { [0.0, 0.0, 1.0] } else { [0.3, -0.2, 1.0] };
            Box::new(Affine::rotation(axis, angle(1.8)))
        }
        MotionKind::Affine => {
            let e = angle(1.0);
            let mut gradient =
                [[1.0 + e, 0.4 * e, -0.3 * e], [-0.5 * e, 1.0 - 0.8 * e, 0.3 * e], [0.3 * e, 0.2 * e, 1.0]];
            if planar {
                gradient = [[1.0 + e, 0.4 * e, 0.0], [-0.5 * e, 1.0 - 0.8 * e, 0.0], [0.0, 0.0, 1.0]];
            }
            Box::new(Affine::linear(gradient))
        }
        MotionKind::Twist if planar => {
            let radius_mm = 0.4 * half_mm;
            Box::new(Vortex { angle_rad: 2.5 * vox_mm / (0.61 * radius_mm), radius_mm })
        }
        MotionKind::Twist => Box::new(twist(frame, 1.8)),
        MotionKind::BeatingShell => Box::new(beating_shell(frame)),
        MotionKind::TwistingShell if planar => {
            let radius_mm = 0.6 * half_mm;
            let second = Vortex { angle_rad: vox_mm / (0.61 * radius_mm), radius_mm };
            Box::new(Composed { first: shortening_shell(frame), second })
        }
        MotionKind::TwistingShell => {
            Box::new(Composed { first: shortening_shell(frame), second: twist(frame, 0.9) })
        }
        MotionKind::Sinusoid => {
            let amplitude = 1.7 * vox_mm;
            let amplitude_mm = [amplitude, amplitude, if planar { 0.0 } else { amplitude }];
            Box::new(Sinusoid { amplitude_mm, wavelength_mm: 1.6 * half_mm })
        }
    }
}

/// A torsion that moves the rim of the top plane of the largest ball's cube by so many voxels.
fn twist(frame: &CentredFrame, vox: f64) -> Twist {
    Twist { rate_rad_per_mm: vox * voxel_mm(frame) / frame.half_extent_mm().powi(2) }
}

fn beating_shell(frame: &CentredFrame) -> BeatingShell {
    shell(frame, ShellShape::Sphere, 2.4)
}

/// A circle in 2-D; in 3-D a cylinder that gets shorter, so that its ends move by a voxel.
fn shortening_shell(frame: &CentredFrame) -> BeatingShell {
    let axial_stretch = 1.0 - voxel_mm(frame) / frame.half_extent_mm();
    shell(frame, ShellShape::Cylinder { axial_stretch }, 2.2)
}

/// A shell whose inside moves by so many voxels (or what the cavity allows on small grids).
fn shell(frame: &CentredFrame, shape: ShellShape, vox: f64) -> BeatingShell {
    let half_mm = frame.half_extent_mm();
    let (inner_mm, outer_mm) = (0.42 * half_mm, 0.75 * half_mm);
    let after_mm = (inner_mm - vox * voxel_mm(frame)).max(0.84 * inner_mm);
    match frame.grid().dimension() {
        Dimension::Two => BeatingShell::circle(inner_mm, outer_mm, after_mm),
        Dimension::Three => BeatingShell::new(shape, inner_mm, outer_mm, after_mm),
    }
}

/// The finest spacing: 3 voxels of it are at most 3 voxels in any direction.
fn voxel_mm(frame: &CentredFrame) -> f64 {
    let spacing = frame.grid().spacing_mm();
    spacing[..frame.grid().dimension().count()].iter().copied().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_testkit::tolerances;

    fn grids() -> Vec<Grid> {
        [(Dimension::Two, 64), (Dimension::Three, 32)]
            .into_iter()
            .flat_map(|(d, n)| [isotropic_grid(d, n).unwrap(), oblique_grid(d, n).unwrap()])
            .collect()
    }

    #[test]
    fn every_motion_stays_below_three_voxels_on_every_grid() {
        for grid in grids() {
            for kind in MotionKind::ALL {
                let case = Case { motion: kind, texture: TextureKind::Smooth, noise: Noise::None };
                let p = case.build(&grid);
                let length = |i: usize| p.truth.vector_vox(i).iter().map(|d| d * d).sum::<f32>().sqrt();
                let peak = (0..grid.len()).filter(|&i| p.interior.data()[i]).map(length).fold(0f32, f32::max);
                assert!((0.8..=3.001).contains(&peak), "{} on {}: {peak}", p.name, grid.size_text());
                assert!(p.interior.count() * 6 > grid.len(), "{}: {} interior", p.name, p.interior.count());
                assert!(p.muscle.as_ref().is_none_or(|m| m.count() * 20 > grid.len()), "{}", p.name);
            }
        }
    }

    #[test]
    fn no_motion_leaves_a_planar_grid_or_folds() {
        for grid in grids() {
            let frame = CentredFrame::new(&grid);
            for kind in MotionKind::ALL {
                let motion = motion(kind, &frame);
                for i in (0..grid.len()).step_by(29) {
                    let position = frame.position_mm(i);
                    let numeric =
                        crate::motions::motion::checks::numeric_determinant(motion.as_ref(), position);
                    assert!(numeric > 0.2, "{kind:?} on {}: {numeric} at {position:?}", grid.size_text());
                    if motion.in_muscle(position) == Some(true) || kind == MotionKind::Twist {
                        assert!(
                            (numeric - 1.0).abs() < tolerances::ISOCHORIC_DETERMINANT,
                            "{kind:?} {numeric}"
                        );
                    }
                    if grid.dimension() == Dimension::Two {
                        let d = frame.vector_vox(motion.displacement_mm(position));
                        assert!(d[2].abs() < 1e-12, "{kind:?} leaves the plane");
                    }
                }
            }
        }
    }

    #[test]
    fn the_fixed_image_is_the_moving_one_at_the_target() {
        // Cubic interpolation costs the smooth texture a few thousandths; a wrong sign or grid would cost a
        // tenth.
        let grid = isotropic_grid(Dimension::Two, 48).unwrap();
        for case in cases().into_iter().filter(|c| c.noise == Noise::None && c.texture == TextureKind::Smooth)
        {
            let p = case.build(&grid);
            let errors: Vec<f64> = (0..grid.len())
                .filter(|&i| p.interior.data()[i])
                .map(|i| {
                    let ([x, y, _], d) = (grid.position(i), p.truth.vector_vox(i));
                    let seen = cubic_at(&p.moving, x as f64 + f64::from(d[0]), y as f64 + f64::from(d[1]));
                    (seen - f64::from(p.fixed.data()[i])).abs()
                })
                .collect();
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            assert!(mean < 0.006, "{}: {mean}", p.name);
        }
    }

    fn cubic_at(volume: &veloxel_core::Volume<f32>, x: f64, y: f64) -> f64 {
        let weights = |t: f64| {
            [
                t * (-1.0 + t * (2.0 - t)) / 2.0,
                1.0 + t * t * (-5.0 + 3.0 * t) / 2.0,
                t * (1.0 + t * (4.0 - 3.0 * t)) / 2.0,
                t * t * (t - 1.0) / 2.0,
            ]
        };
        let (wx, wy) = (weights(x.fract()), weights(y.fract()));
        let at = |i: usize, j: usize| f64::from(*volume.at([x as usize + i - 1, y as usize + j - 1, 0]));
        (0..4).map(|j| wy[j] * (0..4).map(|i| wx[i] * at(i, j)).sum::<f64>()).sum()
    }

    #[test]
    fn noise_is_added_where_the_name_says_so() {
        let grid = isotropic_grid(Dimension::Two, 32).unwrap();
        let shift =
            |noise| Case { motion: MotionKind::Shift, texture: TextureKind::Smooth, noise }.build(&grid);
        let (clean, noisy) = (shift(Noise::None), shift(NOISE));
        let difference = |a: &veloxel_core::Volume<f32>, b: &veloxel_core::Volume<f32>| {
            let square: f32 = a.data().iter().zip(b.data()).map(|(a, b)| (a - b) * (a - b)).sum();
            (square / a.data().len() as f32).sqrt()
        };
        assert!((difference(&clean.fixed, &noisy.fixed) - 0.05).abs() < 0.005);
        assert!((difference(&clean.moving, &noisy.moving) - 0.05).abs() < 0.005);
        assert_eq!(noisy.name, "shift 2-D, smooth, noisy");
    }

    #[test]
    fn names_are_unique() {
        let names: Vec<_> = all(Dimension::Two, 16).unwrap().map(|p| p.name).collect();
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
        assert_eq!(names.len(), cases().len());
    }
}
