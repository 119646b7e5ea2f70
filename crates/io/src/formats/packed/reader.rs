//! Reads a picture's flow, disparity or magnitude out of its 63 bits a pixel.

use super::codes::{DISPARITY, FLOW, displacement_px, energy, energy_step};
use crate::content::{Content, Decoded};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::source::Source;
use crate::text::json;
use serde_json::Value;
use veloxel_core::{Grid, Volume};

const WHAT: &str = "head of a packed picture";
const EXPECTED: &str = "{\"packed\": 63, \"width\": …, \"height\": …, \"fields\": […], \"white\": …}";
const LINE_LIMIT: usize = 1 << 12;
/// Pixels between two questions whether to go on.
const PIXELS_BETWEEN: usize = 1 << 18;

/// A picture as it is in the file.
struct Packed {
    grid: Grid,
    fields: Vec<String>,
    energy_step: f32,
    bytes: Vec<u8>,
}

impl Packed {
    fn read(mut source: Source, context: &mut Context) -> Result<Self> {
        source.begin_header(context)?;
        let line = source.line(LINE_LIMIT, context)?.unwrap_or_default();
        let head = json::parse(line.as_bytes(), WHAT, EXPECTED, context)?;
        let wrong = || context.malformed(WHAT, EXPECTED, &line);
        let side = |key| head[key].as_u64().and_then(|n| usize::try_from(n).ok()).ok_or_else(wrong);
        context.require(head["packed"] == 63, WHAT, EXPECTED, &line)?;
        let white = head["white"].as_f64().map(|white| white as f32);
        let white = white.filter(|white| white.is_finite() && *white > 0.0).ok_or_else(wrong)?;
        let names: Option<Vec<_>> =
            head["fields"].as_array().and_then(|names| names.iter().map(name).collect());
        let fields = names.filter(|names| !names.is_empty()).ok_or_else(wrong)?;
        let grid = context.picture_grid(side("width")?, side("height")?)?;
        let bytes = (grid.len() as u64).saturating_mul(size_of::<u64>() as u64);
        let bytes = source.take_bytes("the packed pixels", bytes, context)?;
        source.finish(context)?;
        Ok(Self { grid, fields, energy_step: energy_step(white), bytes })
    }

    fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field == name)
    }

    fn pixels(&self) -> impl Iterator<Item = u64> {
        self.bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// A number of every pixel.
    fn map(&self, of: impl Fn(u64) -> f32, context: &Context) -> Result<Volume<f32>> {
        let mut samples = context.room_for(self.grid.len())?;
        for (nth, pixel) in self.pixels().enumerate() {
            if nth.is_multiple_of(PIXELS_BETWEEN) {
                context.check()?;
            }
            samples.push(of(pixel));
        }
        context.volume(self.grid.clone(), samples)
    }

    fn disparity_px(&self, context: &Context) -> Result<Volume<f32>> {
        self.map(|pixel| displacement_px(DISPARITY, pixel), context)
    }
}

fn name(value: &Value) -> Option<String> {
    value.as_str().filter(|name| ["flow", "disparity", "features"].contains(name)).map(str::to_owned)
}

/// The flow of a picture, else its disparity, else the energy of its filters.
pub(super) fn read(source: Source, context: &mut Context) -> Result<Decoded> {
    let packed = Packed::read(source, context)?;
    if packed.has("flow") {
        let vectors = packed.pixels().map(|pixel| FLOW.map(|part| displacement_px(part, pixel)));
        return Decoded::flow(packed.grid.clone(), vectors, "63 bits", context);
    }
    let image = match packed.has("disparity") {
        true => packed.disparity_px(context)?,
        false => packed.map(|pixel| energy(pixel, packed.energy_step), context)?,
    };
    Ok(Decoded { content: Content::Image(image), sample_type: "63 bits".to_owned() })
}

/// The disparity of a picture, pixels; none where it was not packed.
pub(super) fn disparity(source: Source, context: &mut Context) -> Result<Option<Volume<f32>>> {
    let packed = Packed::read(source, context)?;
    packed.has("disparity").then(|| packed.disparity_px(context)).transpose()
}
