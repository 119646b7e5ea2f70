//! A beating, twisting left ventricle as a sequence of volumes, with the exact motion between any two frames.

use crate::centred::CentredFrame;
use crate::error::PhantomError;
use crate::hearts::beat;
use crate::hearts::heart_motion::{HeartGeometry, HeartMotion, HeartState};
use crate::hearts::heart_picture::HeartPicture;
use crate::motions::motion::Motion;
use crate::noise::Noise;
use crate::phantom::{Phantom, interior};
use crate::textures::texture::Texture;
use veloxel_core::{Dimension, Flow, Grid, Mask, Sequence, Volume};

/// What the heart phantom looks like and how it beats.
#[derive(Debug, Clone, PartialEq)]
pub struct HeartParams {
    /// The grid of every frame, 3-D; the heart is scaled to its shortest extent, its long axis is the world's
    /// z.
    pub grid: Grid,
    /// Frames over one beat, at least 2; frame 0 is end-diastole and frame `frames` would be frame 0 again.
    pub frames: usize,
    /// Milliseconds between frames.
    pub frame_interval_ms: f64,
    /// Share of the cavity's volume that is ejected at end-systole, in [0, 0.65]; normal hearts 0.5 to 0.7.
    pub ejection_fraction: f64,
    /// Share of its length by which the muscle shortens along the axis, in [0, 0.2]; normal 0.12 to 0.2.
    pub axial_shortening: f64,
    /// Angle between apex and base at end-systole, radians, in [−0.5, 0.5]; normal about 0.2 to 0.35.
    pub twist_rad: f64,
    /// Noise of each frame on its own.
    pub noise: Noise,
    /// Which speckle.
    pub seed: u64,
}

impl Default for HeartParams {
    /// 64³ voxels of 1.75 mm, 10 frames of a beat of 0.8 s: ejection fraction 0.55, shortening 15 %,
    /// twist 15°. From end-diastole to end-systole the muscle moves by up to 4.4 voxels, between neighbouring
    /// frames no voxel by more than 2.
    fn default() -> Self {
        let grid = Grid::volume(64, 64, 64).and_then(|g| g.with_spacing_mm([1.75; 3]));
        Self {
            grid: grid.expect("a grid of constants is possible"),
            frames: 10,
            frame_interval_ms: 80.0,
            ejection_fraction: 0.55,
            axial_shortening: 0.15,
            twist_rad: 15f64.to_radians(),
            noise: Noise::Gaussian { sd: 0.01, seed: 1 },
            seed: 1,
        }
    }
}

/// The sequence; frames, masks and motions are computed when asked for.
///
/// The picture is a function of material points everywhere, and every displacement is exact everywhere, in
/// the muscle (where det F = 1), in the cavity and in the surroundings; no vector is undefined.
#[derive(Debug, Clone, PartialEq)]
pub struct HeartPhantom {
    params: HeartParams,
    frame: CentredFrame,
    geometry: HeartGeometry,
    picture: HeartPicture,
}

impl HeartPhantom {
    /// Half of the extent that holds the whole heart, in units of its geometry.
    const HALF_EXTENT: f64 = 56.0;

    /// A heart for these parameters.
    ///
    /// # Errors
    /// [`PhantomError::NeedsVolume`], [`PhantomError::FrameCount`] or [`PhantomError::HeartParameter`].
    pub fn new(params: HeartParams) -> Result<Self, PhantomError> {
        if params.grid.dimension() != Dimension::Three {
            return Err(PhantomError::NeedsVolume { got: params.grid.size_text() });
        }
        let parameters = [
            ("ejection_fraction", params.ejection_fraction, 0.0..=0.65),
            ("axial_shortening", params.axial_shortening, 0.0..=0.2),
            ("twist_rad", params.twist_rad, -0.5..=0.5),
        ];
        beat::check(params.frames, parameters)?;
        let frame = CentredFrame::new(&params.grid);
        let geometry = HeartGeometry { unit_mm: frame.half_extent_mm() / Self::HALF_EXTENT };
        let picture = HeartPicture::new(&frame, geometry, params.seed);
        Ok(Self { params, frame, geometry, picture })
    }

    /// The parameters it was made from.
    pub fn params(&self) -> &HeartParams {
        &self.params
    }

    /// Frames over one beat.
    pub fn frame_count(&self) -> usize {
        self.params.frames
    }

    /// Which frame is nearest to end-systole, the smallest cavity.
    pub fn end_systole(&self) -> usize {
        beat::end_systole(self.params.frames)
    }

    /// How far the muscle has contracted in frame `index`: 0 at end-diastole, 1 at end-systole.
    ///
    /// `½ − ½ cos 2πs` with `s = t + 0.11 sin² πt`: systole takes two fifths of the beat, which is periodic.
    pub fn activation(&self, index: usize) -> f64 {
        beat::activation(index, self.params.frames)
    }

    /// Frame `index` (modulo the beat): the picture at end-diastole carried along by the motion, plus noise.
    pub fn frame(&self, index: usize) -> Volume<f32> {
        let state = self.state(index);
        let image = (index % self.params.frames) as u64;
        self.frame.volume(|i, position_mm| {
            let value = self.picture.intensity(state.material_from_position(position_mm));
            (value + self.params.noise.at(image, i)) as f32
        })
    }

    /// All frames of one beat.
    pub fn sequence(&self) -> Sequence {
        let frames = (0..self.params.frames).map(|i| self.frame(i)).collect();
        Sequence::new(frames, Some(self.params.frame_interval_ms)).expect("frames of one grid, at least two")
    }

    /// Voxels of frame `index` whose centre lies in the muscle.
    pub fn muscle(&self, index: usize) -> Mask {
        let state = self.state(index);
        self.frame.volume(|_, position_mm| self.geometry.in_muscle(state.material_from_position(position_mm)))
    }

    /// Voxels of frame `index` whose centre lies in the ventricle's cavity.
    pub fn cavity(&self, index: usize) -> Mask {
        let state = self.state(index);
        self.frame.volume(|_, position_mm| self.geometry.in_cavity(state.material_from_position(position_mm)))
    }

    /// The exact motion from frame `fixed` to frame `moving`, on the grid, in voxels; finite everywhere.
    pub fn motion(&self, fixed: usize, moving: usize) -> Flow {
        let motion = self.motion_between(fixed, moving);
        self.frame.flow(|position_mm| motion.displacement_mm(position_mm))
    }

    /// The exact motion from frame `fixed` to frame `moving` as a function of the position.
    pub(crate) fn motion_between(&self, fixed: usize, moving: usize) -> HeartMotion {
        HeartMotion { from: self.state(fixed), to: self.state(moving) }
    }

    /// Two frames as an image pair with its truth and the fixed frame's muscle.
    pub fn pair(&self, fixed: usize, moving: usize) -> Phantom {
        let truth = self.motion(fixed, moving);
        Phantom {
            name: format!("heart, frame {fixed} to {moving}"),
            fixed: self.frame(fixed),
            moving: self.frame(moving),
            interior: interior(&truth, Phantom::MARGIN_VOX),
            truth,
            muscle: Some(self.muscle(fixed)),
        }
    }

    fn state(&self, index: usize) -> HeartState {
        let activation = self.activation(index);
        HeartState {
            geometry: self.geometry,
            ejected: self.params.ejection_fraction * activation,
            stretch: 1.0 - self.params.axial_shortening * activation,
            twist_rad: self.params.twist_rad * activation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motions::motion::Motion;
    use veloxel_testkit::tolerances;

    fn small() -> HeartPhantom {
        let (s, c) = 0.2f64.sin_cos();
        let grid = Grid::volume(32, 30, 36)
            .and_then(|g| g.with_spacing_mm([3.5, 3.6, 3.2]))
            .and_then(|g| g.with_direction([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
            .unwrap();
        HeartPhantom::new(HeartParams { grid, noise: Noise::None, frames: 8, ..HeartParams::default() })
            .unwrap()
    }

    #[test]
    fn a_material_point_has_the_same_intensity_in_every_frame() {
        let heart = small();
        let (fixed, motion) = (heart.frame(1), heart.motion_between(1, 4));
        let there = heart.state(4);
        for i in (0..fixed.data().len()).step_by(37) {
            let p = heart.frame.position_mm(i);
            let d = motion.displacement_mm(p);
            let target = [0, 1, 2].map(|a| p[a] + d[a]);
            let seen = heart.picture.intensity(there.material_from_position(target));
            assert!((seen - f64::from(fixed.data()[i])).abs() < tolerances::EXACT_INTENSITY, "voxel {i}");
        }
    }

    #[test]
    fn the_cavity_ejects_what_was_asked_for_and_the_muscle_keeps_its_volume() {
        let heart = HeartPhantom::new(HeartParams { noise: Noise::None, ..HeartParams::default() }).unwrap();
        let es = heart.end_systole();
        let share = |a: usize, b: usize| b as f64 / a as f64;
        let ejected = 0.55 * heart.activation(es);
        assert!(heart.activation(es) > 0.95);
        let cavity = share(heart.cavity(0).count(), heart.cavity(es).count());
        assert!((cavity - (1.0 - ejected)).abs() < 0.01, "cavity {cavity}");
        let muscle = share(heart.muscle(0).count(), heart.muscle(es).count());
        assert!((muscle - 1.0).abs() < 0.01, "muscle {muscle}");
    }

    #[test]
    fn the_beat_is_periodic_and_a_frame_does_not_move_onto_itself() {
        let heart = small();
        assert_eq!(heart.frame(0), heart.frame(8));
        assert_eq!(heart.activation(0), 0.0);
        let flow = heart.motion(3, 3);
        assert!(flow.planar_vox().iter().all(|d| d.abs() < 1e-9));
    }

    #[test]
    fn the_motion_is_physiological_in_size() {
        let heart = HeartPhantom::new(HeartParams::default()).unwrap();
        let (flow, muscle) = (heart.motion(0, heart.end_systole()), heart.muscle(0));
        let length = |i: usize| flow.vector_vox(i).iter().map(|d| d * d).sum::<f32>().sqrt();
        let in_muscle = (0..muscle.data().len()).filter(|&i| muscle.data()[i]).map(length);
        let (peak, sum, n) = in_muscle.fold((0f32, 0f32, 0), |(m, s, n), d| (m.max(d), s + d, n + 1));
        assert!(peak > 3.0 && peak < 4.5, "peak {peak} voxels");
        assert!(sum / n as f32 > 1.5, "mean {} voxels", sum / n as f32);
        let edge = (0..flow.grid().len())
            .filter(|&i| flow.grid().position(i)[0] == 0)
            .map(length)
            .fold(0f32, f32::max);
        let step = |k: usize| {
            let flow = heart.motion(k, k + 1);
            let square = |i: usize| flow.vector_vox(i).iter().map(|d| d * d).sum::<f32>();
            (0..flow.grid().len()).map(square).fold(0f32, f32::max).sqrt()
        };
        let largest = [1, 2, 5].map(step).into_iter().fold(0f32, f32::max);
        assert!((1.0..2.0).contains(&largest), "{largest} voxels between frames");
        assert!(edge < 0.5, "the left border moves by {edge} voxels");
    }

    #[test]
    fn impossible_hearts_are_refused() {
        let with = |change: fn(&mut HeartParams)| {
            let mut params = HeartParams::default();
            change(&mut params);
            HeartPhantom::new(params)
        };
        assert!(matches!(with(|p| p.frames = 1), Err(PhantomError::FrameCount { got: 1 })));
        assert!(matches!(
            with(|p| p.grid = Grid::image(9, 9).unwrap()),
            Err(PhantomError::NeedsVolume { .. })
        ));
        let refused = with(|p| p.ejection_fraction = 0.9);
        assert!(matches!(refused, Err(PhantomError::HeartParameter { name: "ejection_fraction", .. })));
        assert!(matches!(with(|p| p.twist_rad = f64::NAN), Err(PhantomError::HeartParameter { .. })));
    }
}
