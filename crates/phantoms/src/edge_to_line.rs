//! A circle whose kind of feature changes from a step edge on one side to a line on the other.
//!
//! *Paper*: K. Pauwels et al., IEEE Transactions on Computers 61(7), 2012, Figure 5 and Table 4, doi 10.1109/TC.2011.120. The
//! paper shows its picture and does not say how it is made.
//!
//! *Ours* is a sum of odd harmonics of the distance from the circle, `128 + 80 Σ sin(n·k·(r − R) + φ)/n`: all of them agree in
//! the phase φ on the circle, which goes from 0 (edge) to π/2 (line) and back as the direction goes around. Intensities are
//! about 128 ± 190.

use std::f32::consts::{FRAC_PI_2, PI, TAU};
use veloxel_core::{CoreError, Grid, Volume};

/// Wavelength of the first harmonic, pixels; the last one is a little above two pixels.
const WAVELENGTH: f32 = 64.0;
const HARMONICS: usize = 29;
/// The circle's radius as a share of the short side.
const RADIUS: f32 = 0.375;
/// Distance from the circle up to which a pixel's features are those of the circle, pixels.
const BAND_PX: f32 = 2.0;

/// The picture, before it is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeToLine {
    grid: Grid,
    radius: f32,
}

/// The local features of a place, as [`EdgeToLine::features`] gives them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrueFeatures {
    /// Direction across the edge or line, [0, 2π), of a period of π, radians.
    pub orientation_rad: f32,
    /// Phase as seen along the direction that lies in [0, π), radians: 0 a bright line, ±π/2 edges.
    pub phase_rad: f32,
}

impl EdgeToLine {
    /// A picture of `(nx, ny)` pixels with the circle in its middle.
    ///
    /// # Errors
    /// [`CoreError::Size`].
    pub fn new([nx, ny]: [usize; 2]) -> Result<Self, CoreError> {
        let grid = Grid::image(nx, ny)?;
        Ok(Self { grid, radius: RADIUS * nx.min(ny) as f32 })
    }

    /// The circle's radius, pixels.
    pub fn radius_px(&self) -> f32 {
        self.radius
    }

    /// The place `(x, y)`, pixels, in a direction (radians, from x towards y) and at a distance from the centre, pixels.
    pub fn place(&self, direction_rad: f32, distance_px: f32) -> [f32; 2] {
        let (sin, cos) = direction_rad.sin_cos();
        let [x, y] = self.centre();
        [x + distance_px * cos, y + distance_px * sin]
    }

    /// The picture.
    pub fn image(&self) -> Volume<f32> {
        Volume::from_fn(self.grid.clone(), |[x, y, _]| {
            let [dx, dy] = self.offset_from_centre([x as f32, y as f32]);
            let (distance, phase) = (dx.hypot(dy) - self.radius, kind(dy.atan2(dx)));
            let harmonic = |n: usize| (n as f32 * TAU / WAVELENGTH * distance + phase).sin() / n as f32;
            128.0 + 80.0 * (1..=HARMONICS).step_by(2).map(harmonic).sum::<f32>()
        })
    }

    /// The features at a place near the circle, pixels, for filters of four pixels' period.
    pub fn features(&self, place_px: [f32; 2]) -> TrueFeatures {
        let [dx, dy] = self.offset_from_centre(place_px);
        let direction = dy.atan2(dx);
        let moved = TAU / 4.0 * (dx.hypot(dy) - self.radius);
        // The sum is of sines, phases are of cosines; seen from the other side a wave runs backwards.
        let outwards = kind(direction) - FRAC_PI_2 + moved;
        let orientation_rad = direction.rem_euclid(TAU);
        TrueFeatures { orientation_rad, phase_rad: if orientation_rad < PI { outwards } else { -outwards } }
    }

    /// Orientation, [0, π), and phase, (−π, π], of the pixels within two pixels of the circle, radians; NaN elsewhere.
    pub fn maps(&self) -> [Volume<f32>; 2] {
        let map = |value: &dyn Fn(TrueFeatures) -> f32| {
            Volume::from_fn(self.grid.clone(), |[x, y, _]| {
                let place = [x as f32, y as f32];
                let [dx, dy] = self.offset_from_centre(place);
                match (dx.hypot(dy) - self.radius).abs() <= BAND_PX {
                    true => value(self.features(place)),
                    false => f32::NAN,
                }
            })
        };
        [
            map(&|features| features.orientation_rad.rem_euclid(PI)),
            map(&|features| PI - (PI - features.phase_rad).rem_euclid(TAU)),
        ]
    }

    fn centre(&self) -> [f32; 2] {
        let [nx, ny, _] = self.grid.size();
        [nx, ny].map(|n| 0.5 * (n as f32 - 1.0))
    }

    fn offset_from_centre(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let [cx, cy] = self.centre();
        [x - cx, y - cy]
    }
}

/// The phase φ of the feature in a direction, radians.
fn kind(direction: f32) -> f32 {
    0.25 * PI * (1.0 - direction.cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_on_the_right_and_a_line_on_the_left() {
        let circle = EdgeToLine::new([256, 256]).unwrap();
        let image = circle.image();
        let at = |direction: f32, offset: f32| {
            let [x, y] = circle.place(direction, circle.radius_px() + offset).map(|c| c.round() as usize);
            *image.at([x, y, 0])
        };
        // An edge is high on one side and low on the other; a line is higher than both.
        assert!(at(0.0, 3.0) > 128.0 + 40.0 && at(0.0, -3.0) < 128.0 - 40.0);
        assert!(at(PI, 0.0) > at(PI, 3.0) + 60.0 && at(PI, 0.0) > at(PI, -3.0) + 60.0);
    }

    #[test]
    fn maps_hold_the_band_around_the_circle_alone() {
        let circle = EdgeToLine::new([96, 64]).unwrap();
        let [orientation, phase] = circle.maps();
        let known = orientation.data().iter().filter(|v| v.is_finite()).count();
        let band = TAU * circle.radius_px() * 2.0 * BAND_PX;
        assert!((known as f32 - band).abs() < 0.1 * band, "{known} of {band}");
        assert!(orientation.data().iter().filter(|v| v.is_finite()).all(|v| (0.0..PI).contains(v)));
        assert!(phase.data().iter().filter(|v| v.is_finite()).all(|v| *v > -PI && *v <= PI));
        assert_eq!(known, phase.data().iter().filter(|v| v.is_finite()).count());
    }
}
