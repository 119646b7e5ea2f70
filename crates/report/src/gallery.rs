//! The page of pictures over one image plane: headline numbers, panels with layers, and the run.

use super::RunHeader;
use super::cards::Card;
use super::colour::{Ramp, orientation_wheel, phase_wheel};
use super::html::{STYLE, render};
use super::number;
use super::overlay::Canvas;
use super::panel::{Legend, Panel, Picture, Scaled, image, wheel_uri};
use super::picture::{LONGEST_SIDE, Raster};
use super::planes::Planes;
use super::tables::{self, Table, TimeShare};
use crate::ReportError;
use crate::metrics::quantile;
use serde::Serialize;
use veloxel_core::Volume;

/// What the page shows.
pub(super) struct Gallery<'a> {
    pub title: &'static str,
    pub subtitle: String,
    pub header: &'a RunHeader,
    pub cards: Vec<Card>,
    pub panels: Vec<Panel>,
    pub tables: Vec<(&'static str, Table)>,
}

#[derive(Serialize)]
struct Page<'a> {
    style: &'static str,
    title: &'static str,
    subtitle: &'a str,
    run: &'a RunHeader,
    warnings: Vec<(&'static str, &'a str)>,
    cards: &'a [Card],
    card_columns: usize,
    panels: &'a [Panel],
    tables: &'a [(&'static str, Table)],
    parameters: Vec<(String, String)>,
    inputs: Table,
    times: Vec<TimeShare>,
}

impl Gallery<'_> {
    /// The page.
    ///
    /// # Errors
    /// [`ReportError::Page`] should not occur.
    pub fn to_html(&self) -> Result<String, ReportError> {
        let page = Page {
            style: STYLE,
            title: self.title,
            subtitle: &self.subtitle,
            run: self.header,
            warnings: super::html::warnings(&self.header.warnings),
            cards: &self.cards,
            card_columns: super::html::card_columns(self.cards.len()),
            panels: &self.panels,
            tables: &self.tables,
            parameters: tables::parameters(&self.header.parameters),
            inputs: tables::inputs(&self.header.inputs),
            times: tables::times(&self.header.stage_times),
        };
        render(include_str!("gallery.html"), &page)
    }
}

/// A map over a picture's grid, and how it is coloured.
#[derive(Clone, Copy)]
pub(super) enum Map<'a> {
    /// Values through a ramp.
    Scalar(&'a Volume<f32>, Scaled),
    /// Orientations (radians, a half turn is none) as strong as the energy is there.
    Orientation(&'a Volume<f32>, &'a Volume<f32>),
    /// Phases (radians) as strong as the energy is there.
    Phase(&'a Volume<f32>, &'a Volume<f32>),
}

impl Map<'_> {
    fn volume(&self) -> &Volume<f32> {
        match self {
            Self::Scalar(volume, _) | Self::Orientation(volume, _) | Self::Phase(volume, _) => volume,
        }
    }

    /// A PNG data URI, and whether something is missing in it.
    fn to_data_uri(self) -> Result<(String, bool), ReportError> {
        let planes = Planes::through(self.volume().grid(), [0; 3]).0;
        let plane = &planes[0];
        // As vectors, angles can be averaged where a picture is shrunk.
        let turning = |angle: &Volume<f32>, energy: &Volume<f32>, times: f32| {
            let strength = strength(energy);
            Raster::sample(plane, LONGEST_SIDE, |i| {
                let (sin, cos) = (times * angle.data()[i]).sin_cos();
                [cos, sin].map(|c| c * strength(energy.data()[i]))
            })
        };
        match self {
            Self::Scalar(volume, scaled) => {
                let raster = Raster::sample(plane, LONGEST_SIDE, |i| [volume.data()[i]]);
                let uri = raster.to_data_uri(scaled.ramp, scaled.low as f32, scaled.high as f32)?;
                Ok((uri, raster.has_gaps()))
            }
            Self::Orientation(angle, energy) => {
                let raster = turning(angle, energy, 2.0);
                Ok((raster.to_data_uri_by(orientation_wheel)?, raster.has_gaps()))
            }
            Self::Phase(angle, energy) => {
                let raster = turning(angle, energy, 1.0);
                Ok((raster.to_data_uri_by(phase_wheel)?, raster.has_gaps()))
            }
        }
    }
}

/// How strongly a response of some energy is coloured, 0 to 1: by amplitude, full where 5 % of the responses are.
pub(super) fn strength(energy: &Volume<f32>) -> impl Fn(f32) -> f32 + use<> {
    let full = typical_maximum(energy, 0.95).max(f64::MIN_POSITIVE) as f32;
    move |energy| (energy / full).max(0.0).sqrt().min(1.0)
}

/// The value that only a share of the finite ones exceeds; 0 if there are none.
pub(super) fn typical_maximum(volume: &Volume<f32>, share: f64) -> f64 {
    let mut values: Vec<f32> = volume.data().iter().copied().filter(|v| v.is_finite()).collect();
    if values.is_empty() { 0.0 } else { quantile(&mut values, share) }
}

/// A panel whose layers the reader switches between; one layer needs no switch.
pub(super) fn panel(
    (title, caption): (&'static str, &str),
    layers: &[(&'static str, Map<'_>)],
    legend: Option<Legend>,
) -> Result<Panel, ReportError> {
    let mut has_gaps = false;
    let mut content = String::new();
    let mut frame = Canvas { width: 1.0, height: 1.0, units_per_mm: 1.0 };
    for (k, (_, map)) in layers.iter().enumerate() {
        if k == 0 {
            let planes = Planes::through(map.volume().grid(), [0; 3]).0;
            let longest = planes[0].across.extent_mm().max(planes[0].down.extent_mm());
            frame = Canvas::of(&planes[0], longest);
        }
        let (uri, gaps) = map.to_data_uri()?;
        has_gaps |= gaps;
        let picture = image(&uri, frame, "");
        content.push_str(&match layers.len() {
            1 => picture,
            _ => format!(r#"<g class="layer layer-{k}">{picture}</g>"#),
        });
    }
    let Canvas { width, height, .. } = frame;
    let svg = format!(
        r#"<svg class="picture" viewBox="0 0 {width:.1} {height:.1}" role="img" aria-label="{title}"><rect class="gap" width="100%" height="100%"/>{content}</svg>"#
    );
    Ok(Panel {
        title,
        caption: caption.to_owned(),
        pictures: vec![Picture { svg, width: (width * 10.0).round() / 10.0, label: String::new() }],
        layers: if layers.len() > 1 { layers.iter().map(|(name, _)| *name).collect() } else { Vec::new() },
        first_layer: 0,
        legend,
        has_gaps,
    })
}

/// Orientations around a disc: opposite directions are one.
pub(super) fn orientation_legend() -> Result<Legend, ReportError> {
    let uri = wheel_uri(|[right, down]| {
        let (sin, cos) = (2.0 * down.atan2(right)).sin_cos();
        orientation_wheel([cos, sin].map(|c| c * right.hypot(down)))
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
    Scaled { ramp, low: 0.0, high: number::nice_ceiling(typical_maximum(volume, 0.99)) }
}

/// The grey ramp of a picture, between its 0.5 and 99.5 percentiles.
pub(super) fn grey(volume: &Volume<f32>) -> Scaled {
    Scaled { ramp: Ramp::Grey, low: typical_maximum(volume, 0.005), high: typical_maximum(volume, 0.995) }
}
