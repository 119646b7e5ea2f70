//! A panel of pictures: maps in frames, a legend, and the parts that every panel has.

use crate::error::ReportError;
use crate::number;
use crate::pictures::colour::{Ramp, Rgb, hex};
use crate::pictures::overlay::Canvas;
use crate::pictures::picture::{opaque, rgba_data_uri};
use serde::Serialize;

/// One map over all planes, with its legend.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Panel {
    pub title: &'static str,
    pub caption: String,
    pub pictures: Vec<Picture>,
    /// Names of the layers, if the reader can switch between them.
    pub layers: Vec<&'static str>,
    /// The layer shown at first.
    pub first_layer: usize,
    pub legend: Option<Legend>,
    /// Text of the legend for hatched places; empty if there are none.
    pub gap: &'static str,
    /// Number of pictures in a row, if they are slices of one stack; else 0.
    pub columns: usize,
}

impl Panel {
    /// Sets the text for hatched places, if there are any.
    pub(crate) fn gaps_are(mut self, name: &'static str) -> Self {
        if !self.gap.is_empty() {
            self.gap = name;
        }
        self
    }
}

/// Text shown for hatched places when no other reason was given.
pub(crate) const NO_ESTIMATE: &str = "no estimate";

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Picture {
    pub svg: String,
    /// Share of the row's width, so that planes keep one scale.
    pub width: f64,
    pub label: String,
}

impl Picture {
    /// A picture with hatching below, which shows through gaps, and the content above.
    pub(crate) fn framed(canvas: Canvas, name: &str, content: &str) -> Self {
        let Canvas { width, height, .. } = canvas;
        let svg = format!(
            r#"<svg class="picture" viewBox="0 0 {width:.1} {height:.1}" role="img" aria-label="{name}"><rect class="gap" width="100%" height="100%"/>{content}</svg>"#
        );
        Self { svg, width: (width * 10.0).round() / 10.0, label: String::new() }
    }
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Legend {
    Wheel { uri: String, alt: &'static str, note: String },
    Ramp { gradient: String, low: String, middle: String, high: String, note: String },
}

/// A ramp between two values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scaled {
    pub ramp: Ramp,
    pub low: f64,
    pub high: f64,
}

impl Scaled {
    /// The ramp of confidences, from 0 (none) to 1 (full).
    pub const CONFIDENCE: Self = Self { ramp: Ramp::Sequential, low: 0.0, high: 1.0 };

    /// A ramp of signed values up to a limit.
    pub(crate) fn around_zero(limit: f64) -> Self {
        Self { ramp: Ramp::Difference, low: -limit, high: limit }
    }

    pub(crate) fn legend(self, note: &str) -> Legend {
        let stops: Vec<String> = (0..=12).map(|i| hex(self.ramp.at(i as f32 / 12.0))).collect();
        Legend::Ramp {
            gradient: stops.join(","),
            low: number::text(self.low),
            middle: number::text(0.5 * (self.low + self.high)),
            high: number::text(self.high),
            note: note.to_owned(),
        }
    }
}

pub(crate) fn image(uri: &str, canvas: Canvas) -> String {
    let Canvas { width, height, .. } = canvas;
    format!(r#"<image width="{width:.1}" height="{height:.1}" preserveAspectRatio="none" href="{uri}"/>"#)
}

/// Description of the wheel of directions.
pub(crate) const MOTION_WHEEL: &str =
    "Colour wheel: red to the right, yellow down, cyan to the left, violet up";

/// A legend's wheel: the colour at a place is that of the vector (right, down) from the centre to there.
pub(crate) fn wheel_uri(wheel: impl Fn([f32; 2]) -> Rgb) -> Result<String, ReportError> {
    const SIDE: usize = 128;
    let radius = 0.5 * SIDE as f32;
    let mut samples = Vec::with_capacity(4 * SIDE * SIDE);
    for i in 0..SIDE * SIDE {
        let offset = |k: usize| (k as f32 + 0.5 - radius) / (radius - 1.0);
        let vector = [offset(i % SIDE), offset(i / SIDE)];
        let length = vector[0].hypot(vector[1]);
        // the last pixel before the rim fades out
        let [r, g, b, _] = opaque(wheel(vector.map(|v| v / length.max(1.0))));
        let opacity = ((1.0 - length) * radius + 0.5).clamp(0.0, 1.0);
        samples.extend([r, g, b, (255.0 * opacity) as u8]);
    }
    rgba_data_uri(SIDE, SIDE, &samples)
}
