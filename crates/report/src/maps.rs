//! Panels of maps over one image plane, with layers that the reader switches between.

use super::colour::{Ramp, Rgb, orientation_wheel, phase_wheel, wheel};
use super::number::{self, nice_ceiling};
use super::overlay::Canvas;
use super::panel::{Legend, MOTION_WHEEL, NO_ESTIMATE, Panel, Picture, Scaled, image, wheel_uri};
use super::picture::{LONGEST_SIDE, Raster};
use super::planes::planes_through;
use crate::ReportError;
use crate::metrics::finite_quantiles;
use veloxel_core::{Flow, Grid, Volume};

/// A map over a picture's grid, and how it is coloured.
#[derive(Clone, Copy)]
pub(super) enum Map<'a> {
    /// Values through a ramp.
    Scalar(&'a Volume<f32>, Scaled),
    /// Angles (radians) through a wheel, as strong as the energy is there.
    Angle(&'a Volume<f32>, &'a Volume<f32>, Wheel),
    /// A field in the plane through the wheel of directions, full colour at so many pixels.
    Motion(&'a Flow, f64),
}

/// Colours of angles.
#[derive(Clone, Copy)]
pub(super) struct Wheel {
    /// How often the colours repeat in a whole turn.
    times: f32,
    pub colour: fn([f32; 2]) -> Rgb,
}

impl Wheel {
    /// Half a turn has the same colour.
    pub const ORIENTATION: Self = Self { times: 2.0, colour: orientation_wheel };
    pub const PHASE: Self = Self { times: 1.0, colour: phase_wheel };

    /// The vector that [`colour`](Self::colour) takes.
    pub fn vector(self, angle_rad: f32, strength: f32) -> [f32; 2] {
        let (sin, cos) = (self.times * angle_rad).sin_cos();
        [cos, sin].map(|c| c * strength)
    }
}

impl Map<'_> {
    fn grid(&self) -> &Grid {
        match self {
            Self::Scalar(volume, _) | Self::Angle(volume, ..) => volume.grid(),
            Self::Motion(flow, _) => flow.grid(),
        }
    }

    /// The wheel of directions, for fields of so many pixels.
    pub fn motion_legend(scale_px: f64) -> Result<Legend, ReportError> {
        let note = format!("rim: {} px; longer vectors are darker", number::text(scale_px));
        Ok(Legend::Wheel { uri: wheel_uri(wheel)?, alt: MOTION_WHEEL, note })
    }

    /// A PNG data URI, and whether something is missing in it.
    fn to_data_uri(self) -> Result<(String, bool), ReportError> {
        let plane = &planes_through(self.grid(), [0; 3])[0];
        match self {
            Self::Scalar(volume, scaled) => {
                let raster = Raster::sample(plane, LONGEST_SIDE, |i| [volume.data()[i]]);
                let uri = raster.to_data_uri(scaled.ramp, scaled.low as f32, scaled.high as f32)?;
                Ok((uri, raster.has_gaps()))
            }
            Self::Angle(angle, energy, wheel) => {
                let strength = strength(energy);
                // As vectors, angles can be averaged where a picture is shrunk.
                let vector = |i: usize| wheel.vector(angle.data()[i], strength(energy.data()[i]));
                let raster = Raster::sample(plane, LONGEST_SIDE, vector);
                Ok((raster.to_data_uri_by(wheel.colour)?, raster.has_gaps()))
            }
            Self::Motion(flow, scale_px) => {
                let vector = |i: usize| plane.page_vector_mm(flow.vector_vox(i));
                let raster = Raster::sample(plane, LONGEST_SIDE, vector);
                let colour = |v: [f32; 2]| wheel(v.map(|c| c / scale_px as f32));
                Ok((raster.to_data_uri_by(colour)?, raster.has_gaps()))
            }
        }
    }
}

/// The length of motion, pixels, that gets full colour: a round number that 99 % of the vectors do not exceed.
pub(super) fn motion_scale(flow: &Flow) -> f64 {
    let valid = (0..flow.grid().len()).filter(|&i| flow.is_valid(i)).map(|i| flow.vector_vox(i));
    finite_quantiles(valid.map(|[u, v, _]| u.hypot(v)), [0.99]).map_or(1.0, |[most]| nice_ceiling(most))
}

/// How strongly a response of some energy is coloured, 0 to 1: by amplitude, full where 5 % of the responses are.
pub(super) fn strength(energy: &Volume<f32>) -> impl Fn(f32) -> f32 + use<> {
    let full = typical_maximum(energy, 0.95).max(f64::MIN_POSITIVE) as f32;
    move |energy| (energy / full).max(0.0).sqrt().min(1.0)
}

/// The value that only a share of the finite ones exceeds; 0 if there are none.
fn typical_maximum(volume: &Volume<f32>, share: f64) -> f64 {
    finite_quantiles(volume.data().iter().copied(), [share]).map_or(0.0, |[most]| most)
}

/// A panel of one map through a ramp, with its legend.
pub(super) fn scalar_panel(
    title: &'static str,
    caption: &str,
    map: &Volume<f32>,
    scaled: Scaled,
    note: &str,
) -> Result<Panel, ReportError> {
    panel(title, caption, &[("", Map::Scalar(map, scaled))], Some(scaled.legend(note)))
}

/// A panel whose layers the reader switches between; one layer needs no switch.
pub(super) fn panel(
    title: &'static str,
    caption: &str,
    layers: &[(&'static str, Map<'_>)],
    legend: Option<Legend>,
) -> Result<Panel, ReportError> {
    let plane = &planes_through(layers[0].1.grid(), [0; 3])[0];
    let frame = Canvas::of(plane, plane.across.extent_mm().max(plane.down.extent_mm()));
    let mut has_gaps = false;
    let mut content = String::new();
    for (k, (_, map)) in layers.iter().enumerate() {
        let (uri, gaps) = map.to_data_uri()?;
        has_gaps |= gaps;
        let picture = image(&uri, frame, "");
        content.push_str(&match layers.len() {
            1 => picture,
            _ => format!(r#"<g class="layer layer-{k}">{picture}</g>"#),
        });
    }
    Ok(Panel {
        title,
        caption: caption.to_owned(),
        pictures: vec![Picture::framed(frame, title, &content)],
        layers: if layers.len() > 1 { layers.iter().map(|(name, _)| *name).collect() } else { Vec::new() },
        legend,
        gap: if has_gaps { NO_ESTIMATE } else { "" },
        ..Panel::default()
    })
}

/// Orientations around a disc: opposite directions are one.
pub(super) fn orientation_legend() -> Result<Legend, ReportError> {
    let uri = wheel_uri(|[right, down]| {
        orientation_wheel(Wheel::ORIENTATION.vector(down.atan2(right), right.hypot(down)))
    })?;
    Ok(Legend::Wheel {
        uri,
        alt: "Colours of orientations around a disc, black in its middle",
        note: "a colour lies in the direction across the edge or line; dark: little energy".to_owned(),
    })
}

/// Phases around a disc, 0 to the right.
pub(super) fn phase_legend() -> Result<Legend, ReportError> {
    Ok(Legend::Wheel {
        uri: wheel_uri(phase_wheel)?,
        alt: "Colours of phases around a disc, grey in its middle",
        note: "light: bright line (0); dark: dark line (π); red and blue: the two edges (±π/2)".to_owned(),
    })
}

/// A ramp from 0 to a round number that 99 % of the values do not exceed.
pub(super) fn from_zero(volume: &Volume<f32>, ramp: Ramp) -> Scaled {
    Scaled { ramp, low: 0.0, high: nice_ceiling(typical_maximum(volume, 0.99)) }
}

/// The grey ramp of a picture, between its 0.5 and 99.5 percentiles.
pub(super) fn grey(volume: &Volume<f32>) -> Scaled {
    Scaled { ramp: Ramp::Grey, low: typical_maximum(volume, 0.005), high: typical_maximum(volume, 0.995) }
}
