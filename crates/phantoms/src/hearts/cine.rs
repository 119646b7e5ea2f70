//! A short-axis cine of a beating left ventricle: bright blood, dark muscle, papillary muscles, a right ventricle, noise, a
//! bias field and tissue that leaves its slice; outlines and strain are known exactly.
//!
//! *Motion.* In a slice, with `r` the distance from the ventricle's axis, `a` the radius of the endocardium and `b` that of the
//! epicardium at end-diastole, a material point moves to `R² = r² − κ a² f(r)`, turned by an angle and shifted with the axis;
//! `f = 1` within the epicardium and falls to 0 at `REACH · b`; in the cavity `R = r √(1 − κ)`.
//! The muscle keeps its area, the cavity loses the share `κ`, and a circle of muscle is shortened by `√(1 − κ a²/r²) − 1`.

use crate::error::PhantomError;
use crate::hearts::beat;
use crate::noise::{Noise, mix, uniform};
use std::f64::consts::{PI, TAU};
use veloxel_core::{Contour, ContourSet, Dimension, Flow, Grid, Polygon, Sequence, Structure, Volume};

/// What a cine phantom looks like and how it beats.
#[derive(Debug, Clone, PartialEq)]
pub struct CineParams {
    /// The grid of every frame; slices of a volume are apart along z.
    pub grid: Grid,
    /// Frames over one beat, at least 2; frame 0 is end-diastole.
    pub frames: usize,
    /// Milliseconds between frames.
    pub frame_interval_ms: f64,
    /// Radius of the endocardium at end-diastole in the largest slice, mm.
    pub endo_mm: f64,
    /// Radius of the epicardium there, mm.
    pub epi_mm: f64,
    /// Share of the cavity's area that is ejected at end-systole, in [0, 0.8].
    pub ejection_fraction: f64,
    /// Rotation of the muscle at end-systole, radians, in [−0.5, 0.5].
    pub rotation_rad: f64,
    /// How far the axis moves at end-systole, mm.
    pub shift_mm: [f64; 2],
    /// Share of the muscle's texture that another texture has replaced at end-systole, as tissue passes through the slice, in
    /// [0, 1].
    pub fading: f64,
    /// Brightness of one border over that of the other, minus 1.
    pub bias: f64,
    /// Noise of each frame on its own.
    pub noise: Noise,
    /// Which texture.
    pub seed: u64,
}

impl Default for CineParams {
    /// One slice of 128² pixels of 1.25 mm, 20 frames of 40 ms, a cavity of 24 mm in a wall of 9 mm, ejecting 55 % of its area.
    fn default() -> Self {
        let grid = Grid::image(128, 128).and_then(|g| g.with_spacing_mm([1.25, 1.25, 1.0]));
        Self {
            grid: grid.expect("a grid of constants is possible"),
            frames: 20,
            frame_interval_ms: 40.0,
            endo_mm: 24.0,
            epi_mm: 33.0,
            ejection_fraction: 0.55,
            rotation_rad: 0.1,
            shift_mm: [1.5, -1.0],
            fading: 0.3,
            bias: 0.3,
            noise: Noise::Gaussian { sd: 0.02, seed: 3 },
            seed: 1,
        }
    }
}

/// The cine; frames, outlines and strains are computed when asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct CinePhantom {
    params: CineParams,
}

/// Number of points of an exact outline.
const OUTLINE_POINTS: usize = 240;
/// Radius beyond which the surroundings are at rest, in radii of the epicardium.
const REACH: f64 = 1.9;
/// The right ventricle: half its angle, and its width in radii of the epicardium.
const RV_HALF_ANGLE: f64 = 0.9;
const RV_WIDTH: f64 = 0.45;
/// Samples along each axis of a pixel.
const SUBPIXELS: usize = 3;

/// Radii in a slice at end-diastole, and how far the slice has contracted.
#[derive(Clone, Copy)]
struct State {
    endo: f64,
    epi: f64,
    ejected: f64,
    rotation: f64,
    shift: [f64; 2],
    fading: f64,
}

impl CinePhantom {
    /// A cine for these parameters.
    ///
    /// # Errors
    /// [`PhantomError::FrameCount`] or [`PhantomError::HeartParameter`].
    pub fn new(params: CineParams) -> Result<Self, PhantomError> {
        let parameters = [
            ("ejection_fraction", params.ejection_fraction, 0.0..=0.8),
            ("rotation_rad", params.rotation_rad, -0.5..=0.5),
            ("fading", params.fading, 0.0..=1.0),
            ("endo_mm over epi_mm", params.endo_mm / params.epi_mm, 0.2..=0.9),
        ];
        beat::check(params.frames, parameters)?;
        Ok(Self { params })
    }

    /// The parameters it was made from.
    pub fn params(&self) -> &CineParams {
        &self.params
    }

    /// How far the muscle has contracted in a frame: 0 at end-diastole, 1 at end-systole; periodic.
    pub fn activation(&self, frame: usize) -> f64 {
        beat::activation(frame, self.params.frames)
    }

    /// The frame nearest to end-systole.
    pub fn end_systole(&self) -> usize {
        beat::end_systole(self.params.frames)
    }

    /// All frames of one beat.
    pub fn sequence(&self) -> Sequence {
        let frames = (0..self.params.frames).map(|frame| self.frame(frame)).collect();
        Sequence::new(frames, Some(self.params.frame_interval_ms)).expect("frames of one grid, at least two")
    }

    /// One frame.
    pub fn frame(&self, frame: usize) -> Volume<f32> {
        let grid = self.params.grid.clone();
        let [nx, ny, nz] = grid.size();
        let states: Vec<State> = (0..nz).map(|slice| self.state(slice, frame)).collect();
        let bias =
            |x: f64, y: f64| 1.0 + self.params.bias * (0.6 * x / nx as f64 + 0.4 * y / ny as f64 - 0.5);
        let mut index = 0..;
        Volume::from_fn(grid, |[x, y, z]| {
            let mut sum = 0.0;
            for sub in 0..SUBPIXELS * SUBPIXELS {
                let part = |k: usize| (k as f64 + 0.5) / SUBPIXELS as f64 - 0.5;
                let p = [x as f64 + part(sub % SUBPIXELS), y as f64 + part(sub / SUBPIXELS)];
                let material = states[z].material_from_position(self.mm_from_px(p));
                sum += self.intensity(material, &states[z], z);
            }
            let value = sum / (SUBPIXELS * SUBPIXELS) as f64 * bias(x as f64, y as f64);
            (value + self.params.noise.at(frame as u64, index.next().unwrap_or(0))) as f32
        })
    }

    /// The exact outlines of endocardium, epicardium and right ventricle on every frame.
    pub fn contours(&self) -> ContourSet {
        let mut all = Vec::new();
        for slice in 0..self.params.grid.size()[2] {
            for frame in 0..self.params.frames {
                let state = self.state(slice, frame);
                for structure in [Structure::Endo, Structure::Epi, Structure::Rv] {
                    let point =
                        |i: usize| self.px_from_mm(state.position_from_material(state.outline(structure, i)));
                    let polygon = Polygon::new((0..OUTLINE_POINTS).map(point).collect());
                    let polygon = polygon.expect("a moved oval should be an outline");
                    all.push(Contour { structure, frame, slice, polygon });
                }
            }
        }
        ContourSet::new(all).expect("one outline should be made for every place")
    }

    /// Lagrangian strain around the cavity, and across the wall, relative to end-diastole; `depth` is 0 on the endocardium and
    /// 1 on the epicardium.
    pub fn strain(&self, slice: usize, frame: usize, depth: f64) -> [f64; 2] {
        let state = self.state(slice, frame);
        let radius = state.endo + depth * (state.epi - state.endo);
        let there = |r: f64| (r * r - state.ejected * state.endo * state.endo).sqrt();
        let thickness = there(state.epi) - there(state.endo);
        [there(radius) / radius - 1.0, thickness / (state.epi - state.endo) - 1.0]
    }

    /// The exact motion from end-diastole to a frame, voxels.
    pub fn motion(&self, frame: usize) -> Flow {
        Flow::from_fn(self.params.grid.clone(), |[x, y, z]| {
            let (rest, state) = (self.state(z as usize, 0), self.state(z as usize, frame));
            let material = rest.material_from_position(self.mm_from_px([x, y]));
            let [to_x, to_y] = self.px_from_mm(state.position_from_material(material));
            [to_x - x, to_y - y, 0.0]
        })
    }

    fn state(&self, slice: usize, frame: usize) -> State {
        let p = &self.params;
        let slices = p.grid.size()[2];
        // Slices grow smaller towards the last one, the apex.
        let along = if p.grid.dimension() == Dimension::Two { 0.0 } else { slice as f64 / slices as f64 };
        let (scale, active) = (1.0 - 0.5 * along * along, self.activation(frame));
        State {
            endo: p.endo_mm * scale,
            epi: p.epi_mm * scale,
            ejected: p.ejection_fraction * active,
            rotation: p.rotation_rad * active,
            shift: p.shift_mm.map(|mm| mm * active),
            fading: p.fading * active,
        }
    }

    fn middle_px(&self) -> [f64; 2] {
        let [nx, ny, _] = self.params.grid.size();
        // A little to the right: the right ventricle is to the left.
        [0.54 * (nx as f64 - 1.0), 0.5 * (ny as f64 - 1.0)]
    }

    fn mm_from_px(&self, p: [f64; 2]) -> [f64; 2] {
        let (middle, spacing) = (self.middle_px(), self.params.grid.spacing_mm());
        [0, 1].map(|a: usize| spacing[a] * (p[a] - middle[a]))
    }

    fn px_from_mm(&self, p: [f64; 2]) -> [f64; 2] {
        let (middle, spacing) = (self.middle_px(), self.params.grid.spacing_mm());
        [0, 1].map(|a: usize| p[a] / spacing[a] + middle[a])
    }

    /// The brightness at a point: blood 0.85, muscle around 0.3, surroundings between.
    fn intensity(&self, [x, y]: [f64; 2], state: &State, slice: usize) -> f64 {
        let r = x.hypot(y);
        let texture = |seed: u64, length: f64| {
            waves([x, y], length, mix(self.params.seed ^ mix(seed + 31 * slice as u64)))
        };
        let muscle = || {
            let own = texture(1, 9.0) + texture(2, 6.0);
            let passing = texture(3, 9.0) + texture(4, 6.0);
            0.28 + 0.06 * (own + state.fading * (passing - own))
        };
        if r < state.endo {
            let papillary = [2.3f64, 4.6].map(|angle| {
                let centre = [0.72 * state.endo * angle.cos(), 0.72 * state.endo * angle.sin()];
                (x - centre[0]).hypot(y - centre[1]) < 0.13 * state.endo
            });
            let is_papillary = papillary.contains(&true);
            return if is_papillary { muscle() } else { 0.85 + 0.03 * texture(5, 9.0) };
        }
        if r < state.epi {
            return muscle();
        }
        let from_septum = (y.atan2(x) - PI).rem_euclid(TAU);
        let from_septum = from_septum.min(TAU - from_septum);
        if from_septum < RV_HALF_ANGLE && r < state.rv_radius(from_septum) {
            return 0.8 + 0.03 * texture(6, 9.0);
        }
        0.45 + 0.12 * texture(7, 14.0) + 0.06 * texture(8, 8.0)
    }
}

impl State {
    /// How far the right ventricle reaches at an angle from the septum's middle.
    fn rv_radius(&self, from_septum: f64) -> f64 {
        let share = (0.5 * PI * from_septum / RV_HALF_ANGLE).cos().max(0.0);
        self.epi * (1.06 + RV_WIDTH * share)
    }

    /// A point of an outline at end-diastole.
    fn outline(&self, structure: Structure, nth: usize) -> [f64; 2] {
        let turn = TAU * nth as f64 / OUTLINE_POINTS as f64;
        let (radius, angle) = match structure {
            Structure::Rv => {
                // Out along its far side, back along the epicardium.
                let half = 0.5 * OUTLINE_POINTS as f64;
                let share = nth as f64 / half;
                if share < 1.0 {
                    let from = RV_HALF_ANGLE * (2.0 * share - 1.0);
                    (self.rv_radius(from.abs()), PI + from)
                } else {
                    (self.epi, PI + RV_HALF_ANGLE * (3.0 - 2.0 * share))
                }
            }
            Structure::Epi => (self.epi, turn),
            _ => (self.endo, turn),
        };
        [radius * angle.cos(), radius * angle.sin()]
    }

    /// The squared radius after contraction, `R²`, from `r²`.
    fn contracted(&self, u: f64) -> f64 {
        let (a2, b2) = (self.endo * self.endo, self.epi * self.epi);
        if u < a2 {
            return u * (1.0 - self.ejected);
        }
        let share = ((u - b2) / (b2 * (REACH * REACH - 1.0))).clamp(0.0, 1.0);
        u - self.ejected * a2 * (1.0 - share * share * (3.0 - 2.0 * share))
    }

    fn position_from_material(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let u = x * x + y * y;
        let scale = if u > 0.0 { (self.contracted(u) / u).sqrt() } else { 1.0 };
        let follows = self.follows(u);
        let (s, c) = (self.rotation * follows).sin_cos();
        let moved = [scale * (c * x - s * y), scale * (s * x + c * y)];
        [0, 1].map(|k: usize| moved[k] + follows * self.shift[k])
    }

    /// The share of the heart's motion that a point follows: 1 near the heart, 0 where everything rests.
    fn follows(&self, u: f64) -> f64 {
        let b2 = self.epi * self.epi;
        let share = ((u - 2.3 * b2) / (5.0 * b2)).clamp(0.0, 1.0);
        1.0 - share * share * (3.0 - 2.0 * share)
    }

    /// The material point at a position, found by fixed points: the shift fades slowly, and the radius after contraction grows
    /// with the radius before.
    fn material_from_position(&self, p: [f64; 2]) -> [f64; 2] {
        let mut material = [0, 1].map(|k: usize| p[k] - self.shift[k]);
        for _ in 0..60 {
            let there = self.position_from_material(material);
            let off = [0, 1].map(|k: usize| p[k] - there[k]);
            if off[0].hypot(off[1]) < 1e-9 {
                break;
            }
            // The slope of the radius is steep within and flat without: half a step is safe, a whole one quick.
            material = [0, 1].map(|k: usize| material[k] + 0.8 * off[k]);
        }
        material
    }
}

/// A smooth pattern in about [−1, 1] of a wavelength in mm.
fn waves([x, y]: [f64; 2], length: f64, seed: u64) -> f64 {
    let wave = |nth: u64| {
        let angle = TAU * uniform(seed, 2 * nth);
        let k = TAU / length * (0.8 + 0.4 * uniform(seed, 2 * nth + 40));
        (k * (x * angle.cos() + y * angle.sin()) + TAU * uniform(seed, 2 * nth + 1)).sin()
    };
    (0..5).map(wave).sum::<f64>() / 5f64.sqrt() * 0.7
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet() -> CinePhantom {
        let grid = Grid::volume(64, 60, 3).and_then(|g| g.with_spacing_mm([2.5, 2.5, 8.0])).unwrap();
        CinePhantom::new(CineParams {
            grid,
            noise: Noise::None,
            frames: 8,
            fading: 0.0,
            bias: 0.0,
            ..CineParams::default()
        })
        .unwrap()
    }

    #[test]
    fn outlines_have_the_areas_that_were_asked_for() {
        let (cine, contours) = (quiet(), quiet().contours());
        let es = cine.end_systole();
        let area = |structure, slice, frame| {
            contours.get(structure, slice, frame).unwrap().polygon.signed_area_px2()
        };
        for slice in 0..3 {
            let ejected = 0.55 * cine.activation(es);
            let ratio = area(Structure::Endo, slice, es) / area(Structure::Endo, slice, 0);
            assert!((ratio - (1.0 - ejected)).abs() < 1e-6, "{ratio}");
            let wall = |frame| area(Structure::Epi, slice, frame) - area(Structure::Endo, slice, frame);
            assert!((wall(es) / wall(0) - 1.0).abs() < 1e-3);
        }
        assert_eq!(contours.contours().len(), 3 * 3 * 8);
        let [circumferential, radial] = cine.strain(0, es, 0.0);
        assert!(
            (circumferential - ((1.0 - 0.55 * cine.activation(es)).sqrt() - 1.0)).abs() < 1e-9
                && radial > 0.2
        );
    }

    #[test]
    fn the_inverse_is_exact_and_material_keeps_its_brightness() {
        let cine = quiet();
        let es = cine.end_systole();
        let state = cine.state(1, es);
        for i in 0..400 {
            let p = [-60.0 + 6.0 * f64::from(i % 20), -57.0 + 6.0 * f64::from(i / 20)];
            let q = state.material_from_position(state.position_from_material(p));
            assert!((0..2).all(|k| (p[k] - q[k]).abs() < 1e-6), "{p:?} {q:?}");
        }
        // Well inside the wall, the motion leads to the same brightness.
        let (first, then, motion) = (cine.frame(0), cine.frame(es), cine.motion(es));
        let [cx, cy] = cine.middle_px();
        for degrees in [0, 45, 120, 260, 330] {
            let angle = f64::from(degrees).to_radians();
            let at = [cx + 11.4 * angle.cos(), cy + 11.4 * angle.sin()].map(|v| v.round() as usize);
            let i = first.grid().index([at[0], at[1], 0]);
            let d = motion.vector_vox(i);
            let to = [0, 1].map(|k| (at[k] as f32 + d[k]).round() as usize);
            assert!((first.data()[i] - then.at([to[0], to[1], 0])).abs() < 0.15);
        }
        assert!(motion.planar_vox().iter().all(|v| v.is_finite()));
    }

    #[test]
    fn impossible_cines_are_refused() {
        let with = |change: fn(&mut CineParams)| {
            let mut params = CineParams::default();
            change(&mut params);
            CinePhantom::new(params)
        };
        assert!(with(|p| p.frames = 1).is_err() && with(|p| p.ejection_fraction = 0.9).is_err());
        assert!(with(|p| p.endo_mm = 40.0).is_err() && with(|p| p.fading = f64::NAN).is_err());
    }
}
