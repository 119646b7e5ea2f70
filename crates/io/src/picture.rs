//! PNG streams of finished pictures: what a page embeds, and what a colour wheel is saved as.

use crate::IoError;

/// The samples of a picture, row by row from the top, 8 bits each.
#[derive(Debug, Clone, Copy)]
pub enum Pixels<'a> {
    /// Red, green, blue.
    Rgb(&'a [u8]),
    /// Red, green, blue, opacity.
    Rgba(&'a [u8]),
    /// An index into colours of red, green, blue; entry 0 is transparent.
    Palette {
        /// Three bytes an entry, at most 256 entries.
        colours: &'a [u8],
        /// One byte a pixel.
        indices: &'a [u8],
    },
}

impl<'a> Pixels<'a> {
    fn layout(self) -> (png::ColorType, usize, &'a [u8]) {
        match self {
            Self::Rgb(samples) => (png::ColorType::Rgb, 3, samples),
            Self::Rgba(samples) => (png::ColorType::Rgba, 4, samples),
            Self::Palette { indices, .. } => (png::ColorType::Indexed, 1, indices),
        }
    }
}

/// A PNG stream of a picture of `width · height` pixels.
///
/// # Errors
/// [`IoError::Malformed`] if a side is 0 or above 2³¹ − 1, or the samples have another length.
pub fn encode_picture(width: usize, height: usize, pixels: Pixels<'_>) -> Result<Vec<u8>, IoError> {
    let malformed = |expected: String, got: String| IoError::Malformed {
        what: "picture".to_owned(),
        expected,
        got,
        path: "PNG".into(),
    };
    let (Ok(w @ 1..), Ok(h @ 1..)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(malformed("sides from 1 to 2^31 - 1".to_owned(), format!("{width} × {height}")));
    };
    let (colour, channels, samples) = pixels.layout();
    if width.checked_mul(height).and_then(|n| n.checked_mul(channels)) != Some(samples.len()) {
        let got = samples.len().to_string();
        return Err(malformed(format!("{channels} · {width} · {height} bytes"), got));
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, w, h);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(colour);
    encoder.set_compression(png::Compression::Balanced);
    if let Pixels::Palette { colours, .. } = pixels {
        encoder.set_palette(colours);
        encoder.set_trns(&[0u8][..]);
    }
    let refused = |e: png::EncodingError| malformed("what PNG can hold".to_owned(), e.to_string());
    let mut writer = encoder.write_header().map_err(refused)?;
    writer.write_image_data(samples).map_err(refused)?;
    writer.finish().map_err(refused)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_lengths_are_refused_and_palettes_have_their_hole() {
        assert!(matches!(encode_picture(2, 2, Pixels::Rgb(&[0; 11])), Err(IoError::Malformed { .. })));
        assert!(matches!(encode_picture(0, 2, Pixels::Rgb(&[])), Err(IoError::Malformed { .. })));
        let png =
            encode_picture(2, 1, Pixels::Palette { colours: &[0, 0, 0, 9, 8, 7], indices: &[0, 1] }).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        assert_eq!(reader.info().trns.as_deref(), Some(&[0u8][..]));
        let mut indices = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut indices).unwrap();
        assert_eq!(indices, [0, 1]);
    }
}
