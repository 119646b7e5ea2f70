//! Disparity, orientation and phase as pictures, for PNG files and videos.

use crate::error::ReportError;
use crate::pictures::colour::{Ramp, Rgb};
use crate::pictures::maps::{Wheel, strength};
use veloxel_core::Volume;
use veloxel_measure::finite_quantiles;

/// Colour of pixels without an estimate: a grey that no map uses.
pub(crate) const NEUTRAL: Rgb = [118, 118, 118];

/// A map in colours.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPicture {
    /// Pixels per row.
    pub width: usize,
    /// Number of rows, downwards.
    pub height: usize,
    /// Red, green, blue of every pixel, row by row.
    pub rgb: Vec<u8>,
}

impl MapPicture {
    fn of(map: &Volume<f32>, colour: impl Fn(usize, f32) -> Rgb) -> Self {
        let [width, height, _] = map.grid().size();
        let shown = |(i, &v): (usize, &f32)| if v.is_finite() { colour(i, v) } else { NEUTRAL };
        Self {
            width,
            height,
            rgb: map.data().iter().take(width * height).enumerate().flat_map(shown).collect(),
        }
    }
}

/// A disparity (pixels) in colours: near is light, far is dark, pixels without an estimate are grey.
///
/// `range`: the disparities at the dark and the light end; without it, those that 1 % and 99 % of the values do not
/// exceed. Videos pass one range for all frames.
pub fn disparity_rgb(disparity_px: &Volume<f32>, range: Option<[f64; 2]>) -> MapPicture {
    let found = || finite_quantiles(disparity_px.data().iter().copied(), [0.01, 0.99]);
    let [low, high] = range.or_else(found).unwrap_or([0.0, 1.0]);
    let extent = if high > low { high - low } else { 1.0 };
    MapPicture::of(disparity_px, |_, d| Ramp::Depth.at(((f64::from(d) - low) / extent) as f32))
}

/// Orientations (radians, with a period of half a turn) in colours, as bright as their energy is large; pixels without an
/// estimate are grey.
///
/// # Errors
/// [`ReportError::Core`] if the two lie on different grids.
pub fn orientation_rgb(
    orientation_rad: &Volume<f32>,
    energy: &Volume<f32>,
) -> Result<MapPicture, ReportError> {
    angles(orientation_rad, energy, Wheel::ORIENTATION)
}

/// Phases (radians) in colours, as strong as their energy is large: light on bright lines, dark on dark ones, red and blue on
/// the two kinds of edges; pixels without an estimate are grey.
///
/// # Errors
/// As [`orientation_rgb`].
pub fn phase_rgb(phase_rad: &Volume<f32>, energy: &Volume<f32>) -> Result<MapPicture, ReportError> {
    angles(phase_rad, energy, Wheel::PHASE)
}

fn angles(angle_rad: &Volume<f32>, energy: &Volume<f32>, wheel: Wheel) -> Result<MapPicture, ReportError> {
    angle_rad.grid().require_same(energy.grid(), "angle and energy")?;
    let strength = strength(energy);
    Ok(MapPicture::of(angle_rad, |i, angle| {
        let of = |e: f32| if e.is_finite() { strength(e) } else { 0.0 };
        (wheel.colour)(wheel.vector(angle, energy.data().get(i).map_or(0.0, |&e| of(e))))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn row(values: &[f32]) -> Volume<f32> {
        Volume::new(Grid::image(values.len(), 1).unwrap(), values.to_vec()).unwrap()
    }

    #[test]
    fn near_is_light_and_no_estimate_is_grey() {
        let picture = disparity_rgb(&row(&[0.0, 10.0, f32::NAN, 99.0]), Some([0.0, 10.0]));
        let pixel = |i: usize| &picture.rgb[3 * i..3 * i + 3];
        assert!(pixel(0)[1] < 40 && pixel(1)[1] > 200);
        assert_eq!((pixel(2), pixel(3)), (&NEUTRAL[..], pixel(1)));
        assert_eq!((picture.width, picture.height), (4, 1));
        let empty = disparity_rgb(&row(&[f32::NAN]), None);
        assert_eq!(empty.rgb, NEUTRAL);
    }

    #[test]
    fn angles_are_as_strong_as_their_energy() {
        let (angle, energy) = (row(&[0.0, 0.0, f32::NAN]), row(&[4.0, 0.0, 4.0]));
        let picture = orientation_rgb(&angle, &energy).unwrap();
        assert_eq!(picture.rgb[..6], [255, 0, 0, 0, 0, 0]);
        assert_eq!(picture.rgb[6..], NEUTRAL);
        let picture = phase_rgb(&angle, &energy).unwrap();
        assert!(picture.rgb[0] > 240 && picture.rgb[3] == 128);
        assert!(phase_rgb(&angle, &row(&[1.0])).is_err());
    }
}
