//! Colour to luminance by one rule: Rec. 601 luma of the stored values.
//!
//! `Y = 0.299 R + 0.587 G + 0.114 B` on the non-linear values as they stand in the file, in the file's own scale
//! (0..255 or 0..65535), as most image programs do. An alpha channel that is not opaque everywhere is a mask where that is
//! asked for ([`crate::read_image_and_mask`]), leaves pixels without data ([`crate::AlphaUse`]), or is dropped with a warning; colours are
//! taken as they stand.

use crate::content::{Content, Decoded};
use crate::error::Result;
use crate::read::context::Context;
use veloxel_core::{Grid, Volume, WarningKind};

/// Weights of red, green and blue (ITU-R BT.601).
pub(crate) const LUMA: [f64; 3] = [0.299, 0.587, 0.114];

/// What is said where colours are given up.
pub(crate) const COLOUR_NOTE: &str = "colour was turned to luminance (0.299 R + 0.587 G + 0.114 B)";

/// Pixels between two questions whether to go on.
const BLOCK: usize = 1 << 18;

/// Which channels a pixel has, in the order of their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channels {
    Grey,
    GreyAlpha,
    Rgb,
    Rgba,
}

impl Channels {
    pub fn count(self) -> usize {
        self as usize + 1
    }
}

/// Samples as a decoder gives them: no floats are made of those that go into a luminance.
pub(crate) enum Samples {
    Floats(Vec<f32>),
    Bytes(Vec<u8>),
    /// 16 bits, the high byte first.
    Words(Vec<u8>),
}

/// A decoded image before its colours are gone.
pub(crate) struct Picture {
    pub grid: Grid,
    pub channels: Channels,
    /// The value of an opaque alpha.
    pub opaque: f32,
    /// Interleaved.
    pub samples: Samples,
}

impl Picture {
    /// What a reader of pictures gives: the luminance, and the type that samples have in the file.
    pub fn decoded(self, sample: &str, context: &mut Context) -> Result<Decoded> {
        let sample_type = format!("{sample} × {}", self.channels.count());
        Ok(Decoded { content: Content::Image(self.into_luminance(context)?), sample_type })
    }

    pub(crate) fn into_luminance(self, context: &mut Context) -> Result<Volume<f32>> {
        let Self { grid, channels, opaque, samples } = self;
        let data = match samples {
            // Already what is wanted.
            Samples::Floats(samples) if channels == Channels::Grey => samples,
            Samples::Floats(samples) => grey(&grid, channels, opaque, |i| samples[i], context)?,
            Samples::Bytes(bytes) => grey(&grid, channels, opaque, |i| f32::from(bytes[i]), context)?,
            Samples::Words(bytes) => {
                let words = bytes.as_chunks::<2>().0;
                grey(&grid, channels, opaque, |i| f32::from(u16::from_be_bytes(words[i])), context)?
            }
        };
        context.volume(grid, data)
    }
}

/// The luminance of every pixel; `value` gives the interleaved samples.
fn grey(
    grid: &Grid,
    channels: Channels,
    opaque: f32,
    value: impl Fn(usize) -> f32,
    context: &mut Context,
) -> Result<Vec<f32>> {
    let (n, pixels) = (channels.count(), grid.len());
    let mut data = context.room_for(pixels)?;
    let alpha = matches!(channels, Channels::GreyAlpha | Channels::Rgba);
    let is_seen = |p: usize| value(p * n + n - 1) > 0.0;
    let is_cut = alpha && (0..pixels).any(|p| value(p * n + n - 1) != opaque);
    let leaves_out = is_cut && context.alpha(grid, (0..pixels).map(is_seen))?;
    let colour = |p: usize| [value(p * n), value(p * n + 1), value(p * n + 2)];
    let has_colours = matches!(channels, Channels::Rgb | Channels::Rgba);
    let coloured = |[r, g, b]: [f32; 3]| r != g || g != b;
    if has_colours && (0..pixels).any(|p| coloured(colour(p))) {
        context.note(WarningKind::Note, COLOUR_NOTE);
    }
    if has_colours && context.keeps_colours() {
        let mut kept = [context.room_for(pixels)?, context.room_for(pixels)?, context.room_for(pixels)?];
        for p in 0..pixels {
            kept.iter_mut().zip(colour(p)).for_each(|(channel, value)| channel.push(255.0 * value / opaque));
        }
        context.keep_colours(kept);
    }
    for first in (0..pixels).step_by(BLOCK) {
        context.check()?;
        let block = first..pixels.min(first + BLOCK);
        match has_colours {
            true => data.extend(block.map(|p| luma(colour(p)))),
            false => data.extend(block.map(|p| value(p * n))),
        }
    }
    if leaves_out {
        data.iter_mut().enumerate().filter(|(p, _)| !is_seen(*p)).for_each(|(_, sample)| *sample = f32::NAN);
    }
    Ok(data)
}

/// Rec. 601 luma; equal channels give exactly their value.
pub(crate) fn luma(rgb: [f32; 3]) -> f32 {
    LUMA.iter().zip(rgb).map(|(w, c)| w * f64::from(c)).sum::<f64>() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::reading::Strictness;
    use std::path::Path;
    use veloxel_core::Warnings;

    #[test]
    fn grey_as_colour_stays_exactly_grey() {
        assert!((0..=65535u16).all(|v| luma([f32::from(v); 3]) == f32::from(v)));
    }

    #[test]
    fn colour_and_alpha_are_said() {
        let mut warnings = Warnings::new();
        let mut context = Context::new(Path::new("a.png"), Strictness::Lenient, &mut warnings);
        let grid = Grid::image(2, 1).unwrap();
        let samples = vec![255.0, 0.0, 0.0, 255.0, 0.0, 255.0, 0.0, 0.0];
        let samples = Samples::Floats(samples);
        let picture = Picture { grid, channels: Channels::Rgba, opaque: 255.0, samples };
        let grey = picture.into_luminance(&mut context).unwrap();
        assert!((grey.data()[0] - 76.245).abs() < 1e-4 && (grey.data()[1] - 149.685).abs() < 1e-4);
        assert_eq!(warnings.iter().count(), 2);
    }
}
