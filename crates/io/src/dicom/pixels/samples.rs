//! What stored samples stand for: their bits, their colours, the file's own table, a scale.
//!
//! *Specification*: DICOM PS3.3, sections C.7.6.3 (image pixels), C.7.5.1.1.2 (padding), C.11.1 (modality).

use super::codestreams::Shape;
use super::modality::{self, Table};
use crate::dicom::header::PlaneHeader;
use crate::read::luminance::LUMA;
use dicom_dictionary_std::tags;
use dicom_object::{DefaultDicomObject, Tag};
use dicom_pixeldata::{DecodedPixelData, PlanarConfiguration};

/// The values of a picture.
pub(super) struct PlaneSamples {
    pub values: Vec<f32>,
    pub sample_type: String,
    pub is_colour: bool,
    pub has_padding: bool,
    pub has_table: bool,
}

/// How the channels of a pixel are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colours {
    /// One channel.
    Grey,
    /// One channel, of places in a palette.
    Palette,
    Rgb,
    /// The first channel is the luminance.
    Luminance,
    /// Samples from 16 to 235, where two pixels share the other channels.
    HalvedVideo,
    /// Two pixels share all channels but the first.
    Halved,
}

/// How samples are stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coding {
    shape: Shape,
    stored_bits: u32,
    high_bit: u32,
    is_signed: bool,
    is_planar: bool,
    colours: Colours,
}

impl Coding {
    /// What a header says.
    pub fn of(object: &DefaultDicomObject, shape: Shape) -> Result<Self, String> {
        let word = |tag: Tag| object.get(tag).and_then(|element| element.to_int::<u16>().ok()).map(u32::from);
        let text = object.get(tags::PHOTOMETRIC_INTERPRETATION).and_then(|element| element.to_str().ok());
        let photometric = text.as_deref().unwrap_or("MONOCHROME2").trim_matches(['\0', ' ']).to_owned();
        let colours = match (shape.channels, photometric.as_str()) {
            // The colours of labels are for looking at them.
            (1, "PALETTE COLOR") if object.get(tags::SEGMENTATION_TYPE).is_some() => Colours::Grey,
            (1, "PALETTE COLOR") => Colours::Palette,
            (1, _) => Colours::Grey,
            (3, "RGB") => Colours::Rgb,
            (3, "YBR_FULL_422") if shape.bits == 8 => Colours::Halved,
            (3, "YBR_PARTIAL_422") if shape.bits == 8 => Colours::HalvedVideo,
            (
                3,
                "YBR_FULL" | "YBR_ICT" | "YBR_RCT" | "YBR_FULL_422" | "YBR_PARTIAL_422" | "YBR_PARTIAL_420",
            ) => Colours::Luminance,
            (channels, other) => return Err(format!("{channels} channels of {other}")),
        };
        let bits = shape.bits as u32;
        let stored_bits = word(tags::BITS_STORED).unwrap_or(bits);
        if ![1, 8, 16, 32].contains(&bits) || stored_bits == 0 || stored_bits > bits {
            return Err(format!("{stored_bits} bits of {bits}, where 1, 8, 16 or 32 are read"));
        }
        let high_bit = word(tags::HIGH_BIT).filter(|high| (stored_bits - 1..bits).contains(high));
        Ok(Self {
            shape,
            stored_bits,
            high_bit: high_bit.unwrap_or(stored_bits - 1),
            is_signed: word(tags::PIXEL_REPRESENTATION) == Some(1),
            is_planar: shape.channels > 1 && word(tags::PLANAR_CONFIGURATION) == Some(1),
            colours,
        })
    }

    /// Whether two pixels share a part of their colour.
    pub fn is_halved(self) -> bool {
        matches!(self.colours, Colours::Halved | Colours::HalvedVideo)
    }

    /// As a decoder gives samples out: colours turned into red, green and blue, unless it keeps them.
    pub fn decoded(self, decoded: &DecodedPixelData<'_>, keeps_colours: bool) -> Self {
        let is_planar = decoded.planar_configuration() == PlanarConfiguration::PixelFirst;
        let colours = match self.colours {
            Colours::Grey | Colours::Palette => self.colours,
            Colours::Rgb => Colours::Rgb,
            _ if keeps_colours => Colours::Luminance,
            _ => Colours::Rgb,
        };
        Self { is_planar: is_planar && self.shape.channels > 1, colours, ..self }
    }

    /// The type of a sample, as it is told.
    fn name(self) -> String {
        let sign = if self.is_signed { "i" } else { "u" };
        let channels = if self.shape.channels == 3 { " × 3" } else { "" };
        format!("{sign}{}{channels}", self.stored_bits)
    }
}

/// The bytes of a picture, low byte first.
pub(super) struct Stored<'a> {
    pub bytes: &'a [u8],
    pub first_bit: usize,
    pub coding: Coding,
}

impl Stored<'_> {
    /// Sample `nth` with all of its bits.
    fn raw(&self, nth: usize) -> u32 {
        let data = self.bytes;
        match self.coding.shape.bits {
            1 => {
                let bit = self.first_bit + nth;
                u32::from(data[bit / 8] >> (bit % 8) & 1)
            }
            8 => u32::from(data[nth]),
            16 => u32::from(u16::from_le_bytes([data[2 * nth], data[2 * nth + 1]])),
            _ => u32::from_le_bytes([data[4 * nth], data[4 * nth + 1], data[4 * nth + 2], data[4 * nth + 3]]),
        }
    }

    /// The number that the stored bits are; bits beside them may hold anything.
    fn number(&self, raw: u32) -> i64 {
        let Coding { stored_bits, high_bit, is_signed, .. } = self.coding;
        let raw = raw << (31 - high_bit);
        if is_signed {
            i64::from(raw as i32 >> (32 - stored_bits))
        } else {
            i64::from(raw >> (32 - stored_bits))
        }
    }

    fn value(&self, nth: usize) -> f64 {
        self.number(self.raw(nth)) as f64
    }

    /// The luminance of a pixel.
    fn luminance(&self, pixel: usize) -> f64 {
        let Coding { shape, is_planar, colours, .. } = self.coding;
        let channel =
            |c: usize| self.value(if is_planar { c * shape.pixels() + pixel } else { 3 * pixel + c });
        match colours {
            Colours::Rgb => {
                let luminance: f64 = (0..3).map(|c| LUMA[c] * channel(c)).sum();
                luminance
            }
            // Two luminances, then what both pixels share.
            Colours::Halved => self.value(pixel / 2 * 4 + pixel % 2),
            Colours::HalvedVideo => (self.value(pixel / 2 * 4 + pixel % 2) - 16.0) * 255.0 / 219.0,
            _ => channel(0),
        }
    }
}

/// The values of stored samples, or what is wrong with the file's tables.
pub(super) fn of_stored(
    stored: &Stored<'_>,
    object: &DefaultDicomObject,
    plane: &PlaneHeader,
) -> Result<PlaneSamples, String> {
    let coding = stored.coding;
    let pixels = coding.shape.pixels();
    let scaled = |v: f64| (plane.slope * v + plane.intercept) as f32;
    let sample_type = coding.name();
    if coding.colours == Colours::Palette {
        let palette = modality::palette(object)?;
        let values = (0..pixels).map(|nth| palette.value(stored.number(stored.raw(nth))) as f32).collect();
        return Ok(PlaneSamples {
            values,
            sample_type,
            is_colour: true,
            has_padding: false,
            has_table: false,
        });
    }
    if coding.colours != Colours::Grey {
        let values = (0..pixels).map(|nth| stored.luminance(nth) as f32).collect();
        return Ok(PlaneSamples {
            values,
            sample_type,
            is_colour: true,
            has_padding: false,
            has_table: false,
        });
    }
    let table = modality::of_modality(object, &plane.modality)?;
    let turned = |v: i64| match (plane.is_inverted, coding.is_signed) {
        (false, _) => v,
        (true, true) => -1 - v,
        (true, false) => (1i64 << coding.stored_bits) - 1 - v,
    };
    let in_table = |table: &Table, v: i64| {
        let value = table.value(v);
        if plane.is_inverted { f64::from((1u32 << table.bits) - 1) - value } else { value }
    };
    let padding = Padding::of(plane, coding);
    let value = |nth: usize| {
        let raw = stored.raw(nth);
        let number = stored.number(raw);
        match &table {
            _ if padding.is_some_and(|padding| padding.holds(number, raw)) => f32::NAN,
            Some(table) => in_table(table, number) as f32,
            None => scaled(turned(number) as f64),
        }
    };
    let values = (0..pixels).map(value).collect();
    let (has_padding, has_table) = (padding.is_some(), table.is_some());
    Ok(PlaneSamples { values, sample_type, is_colour: false, has_padding, has_table })
}

/// Stored samples that are no data.
#[derive(Debug, Clone, Copy)]
struct Padding {
    range: [i64; 2],
    /// The bits of the value, where it does not fit into those that are stored.
    raw: Option<u32>,
}

impl Padding {
    fn of(plane: &PlaneHeader, coding: Coding) -> Option<Self> {
        let [least, most] = plane.padding?;
        let bits = coding.shape.bits as u32;
        // An unsigned 63536 is the -2000 of signed samples of 16 bits.
        let signed = |v: i64| if coding.is_signed && v >= 1 << (bits - 1) { v - (1i64 << bits) } else { v };
        let (a, b) = (signed(least), signed(most));
        let fits = (0..1i64 << coding.stored_bits).contains(&a) || coding.is_signed;
        let raw = (!fits && least == most).then_some((least & ((1i64 << bits) - 1)) as u32);
        Some(Self { range: [a.min(b), a.max(b)], raw })
    }

    fn holds(self, number: i64, raw: u32) -> bool {
        (self.range[0]..=self.range[1]).contains(&number) || self.raw == Some(raw)
    }
}

/// The values of a picture of floats; those of the file's padding are no data.
pub(super) fn of_floats(stored: &[f64], object: &DefaultDicomObject, plane: &PlaneHeader) -> PlaneSamples {
    let padding = float_padding(object);
    let value = |v: &f64| match padding {
        Some([least, most]) if (least..=most).contains(v) => f32::NAN,
        _ => (plane.slope * v + plane.intercept) as f32,
    };
    PlaneSamples {
        values: stored.iter().map(value).collect(),
        sample_type: "float".to_owned(),
        is_colour: false,
        has_padding: padding.is_some(),
        has_table: false,
    }
}

/// The range of floats that are no data.
fn float_padding(object: &DefaultDicomObject) -> Option<[f64; 2]> {
    let number = |tag: Tag| object.get(tag)?.to_float64().ok();
    let either = |single: Tag, double: Tag| number(single).or_else(|| number(double));
    let value = either(tags::FLOAT_PIXEL_PADDING_VALUE, tags::DOUBLE_FLOAT_PIXEL_PADDING_VALUE)?;
    let limit = either(tags::FLOAT_PIXEL_PADDING_RANGE_LIMIT, tags::DOUBLE_FLOAT_PIXEL_PADDING_RANGE_LIMIT);
    let limit = limit.unwrap_or(value);
    Some([value.min(limit), value.max(limit)])
}
