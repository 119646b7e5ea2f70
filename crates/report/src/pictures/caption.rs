//! A strip below a picture of a video: a text about it, and a key of its colours.

use crate::pictures::colour::{Ramp, Rgb, wheel};
use crate::pictures::phase_pictures::MapPicture;
use font8x8::{BASIC_FONTS, LATIN_FONTS, UnicodeFonts};

/// Width and height of a letter, pixels.
const LETTER: usize = 8;
/// Space above and below a line of text, pixels.
const MARGIN: usize = 3;
/// Width of a picture, pixels, for each size of its letters.
const WIDTH_A_SIZE: usize = 640;
/// Width of a colour ramp, letters.
const RAMP_LETTERS: usize = 6;

const GROUND: Rgb = [24, 26, 31];
const INK: Rgb = [225, 227, 232];

/// The key of a picture's colours.
#[derive(Debug, Clone, PartialEq)]
pub enum ColourKey {
    /// No key: the text says everything.
    None,
    /// The wheel of directions, with this text for its rim.
    Wheel(String),
    /// The ramp of disparities between these two texts.
    Depth([String; 2]),
}

/// Adds a strip with a text and a key below the picture; a part without room is left out.
pub(crate) fn captioned(picture: MapPicture, text: &str, key: &ColourKey) -> MapPicture {
    let MapPicture { width, height, mut rgb } = picture;
    let size = width.div_ceil(WIDTH_A_SIZE).max(1);
    let strip_height = size * (LETTER + 2 * MARGIN);
    let mut strip = Strip { width, height: strip_height, size, at: size * MARGIN, rgb: Vec::new() };
    strip.rgb = GROUND.repeat(width * strip_height);
    strip.text(text);
    strip.at += size * LETTER;
    match key {
        ColourKey::None => {}
        ColourKey::Wheel(rim) => {
            strip.disc();
            strip.text(rim);
        }
        ColourKey::Depth([low, high]) => {
            strip.text(low);
            strip.ramp(Ramp::Depth);
            strip.text(high);
        }
    }
    rgb.extend(strip.rgb);
    MapPicture { width, height: height + strip_height, rgb }
}

/// Adds a strip as [`captioned`] does, and a second one for the key where both have no room in one.
pub(crate) fn captioned_in_lines(picture: MapPicture, text: &str, key: &ColourKey) -> MapPicture {
    let size = picture.width.div_ceil(WIDTH_A_SIZE).max(1);
    let letters = |text: &str| LETTER * text.chars().count();
    let of_key = match key {
        ColourKey::None => 0,
        ColourKey::Wheel(rim) => LETTER + 3 * MARGIN + letters(rim),
        ColourKey::Depth([low, high]) => letters(low) + letters(high) + RAMP_LETTERS * LETTER + 2 * MARGIN,
    };
    let needed = size * (MARGIN + letters(text) + LETTER + of_key);
    if text.is_empty() || needed <= picture.width {
        return captioned(picture, text, key);
    }
    captioned(captioned(picture, text, &ColourKey::None), "", key)
}

/// The strip, and the position of its next part.
struct Strip {
    width: usize,
    height: usize,
    size: usize,
    at: usize,
    rgb: Vec<u8>,
}

impl Strip {
    /// Colours pixels of a box that begins this far below the strip's upper edge; pixels beyond the strip are left out.
    fn draw(&mut self, top: usize, size: [usize; 2], colour: impl Fn(usize, usize) -> Option<Rgb>) {
        for y in 0..size[1].min(self.height - top) {
            for x in 0..size[0].min(self.width.saturating_sub(self.at)) {
                if let Some(colour) = colour(x, y) {
                    let at = 3 * ((top + y) * self.width + self.at + x);
                    self.rgb[at..at + 3].copy_from_slice(&colour);
                }
            }
        }
        self.at += size[0];
    }

    fn text(&mut self, text: &str) {
        let size = self.size;
        for letter in text.chars() {
            let glyph = BASIC_FONTS.get(letter).or_else(|| LATIN_FONTS.get(letter)).unwrap_or_default();
            let is_ink = |x: usize, y: usize| glyph[y / size] >> (x / size) & 1 == 1;
            self.draw(MARGIN * size, [LETTER * size; 2], |x, y| is_ink(x, y).then_some(INK));
        }
    }

    fn disc(&mut self) {
        let diameter = self.height - 2;
        let radius = 0.5 * diameter as f32;
        self.draw(1, [diameter; 2], |x, y| {
            let vector = [x, y].map(|c| (c as f32 + 0.5 - radius) / radius);
            (vector[0].hypot(vector[1]) <= 1.0).then(|| wheel(vector))
        });
        self.at += self.size * MARGIN;
    }

    fn ramp(&mut self, ramp: Ramp) {
        let (width, margin) = (RAMP_LETTERS * LETTER * self.size, MARGIN * self.size);
        self.at += margin;
        let colour = |x: usize, _| Some(ramp.at(x as f32 / (width - 1) as f32));
        self.draw(margin, [width, self.height - 2 * margin], colour);
        self.at += margin;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_stays_and_the_strip_says_what_it_is() {
        let picture = |width: usize| MapPicture { width, height: 2, rgb: vec![7; 6 * width] };
        let strip = |width: usize, text: &str, key: &ColourKey| {
            let captioned = captioned(picture(width), text, key);
            assert_eq!(captioned.rgb.len(), 3 * captioned.width * captioned.height);
            assert_eq!(captioned.rgb[..6 * width], vec![7; 6 * width]);
            captioned.rgb[6 * width..].as_chunks::<3>().0.to_vec()
        };
        let inked = |strip: &[Rgb]| strip.iter().filter(|c| **c == INK).count();
        let flow = strip(160, "flow", &ColourKey::None);
        assert_eq!(flow.len(), 160 * 14);
        assert!(inked(&flow) > 40);
        let key = strip(160, "flow", &ColourKey::Wheel("3 px".into()));
        assert!(inked(&key) > inked(&flow) && key.contains(&wheel([0.5 / 6.0, 0.5 / 6.0])));
        assert!(strip(300, "", &ColourKey::Depth(["1".into(), "9".into()])).contains(&Ramp::Depth.at(1.0)));
        assert!(inked(&strip(12, "flow", &ColourKey::None)) > 0, "what does not fit is left out");
        assert_eq!(captioned(picture(1920), "", &ColourKey::None).height, 2 + 42);
        let key = ColourKey::Wheel("10 mm".into());
        let [narrow, wide] =
            [128, 300].map(|width| captioned_in_lines(picture(width), "axial, z = 60", &key));
        assert_eq!([narrow.height, wide.height], [2 + 14 + 14, 2 + 14]);
        let second = narrow.rgb[3 * 128 * 16..].as_chunks::<3>().0;
        assert!(inked(second) > 40 && second.contains(&wheel([0.5 / 6.0, 0.5 / 6.0])), "its scale is said");
    }
}
