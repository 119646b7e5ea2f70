//! Rasters of one plane, and PNG pictures that a page carries inside itself.

use crate::error::ReportError;
use crate::pictures::colour::{Ramp, Rgb};
use crate::pictures::planes::Plane;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use png::{BitDepth, ColorType, Compression, Encoder};
use veloxel_core::{Control, Stopped};

/// Longest side of a raster, pixels: longer planes are averaged down to it, so that a report stays small.
pub(crate) const LONGEST_SIDE: usize = 640;

/// Values of one plane in the order of the page, row by row from the top; NaN for a missing value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Raster<const N: usize> {
    pub columns: usize,
    pub rows: usize,
    pub values: Vec<[f32; N]>,
}

impl<const N: usize> Raster<N> {
    /// Samples a plane; every plane longer than `longest` is averaged down over its finite values.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn sample(
        plane: &Plane,
        longest: usize,
        at: impl Fn(usize) -> [f32; N],
        control: &Control,
    ) -> Result<Self, Stopped> {
        let (columns, rows) = plane.shape();
        let mut values = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            control.check()?;
            values.extend((0..columns).map(|column| at(plane.index(column, row))));
        }
        let full = Self { columns, rows, values };
        control.check()?;
        Ok(full.averaged(columns.div_ceil(longest).max(rows.div_ceil(longest))))
    }

    fn averaged(self, block: usize) -> Self {
        if block <= 1 {
            return self;
        }
        let (columns, rows) = (self.columns.div_ceil(block), self.rows.div_ceil(block));
        let mut values = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                let (mut sum, mut count) = ([0.0; N], 0usize);
                for r in row * block..((row + 1) * block).min(self.rows) {
                    for c in column * block..((column + 1) * block).min(self.columns) {
                        let v = self.values[r * self.columns + c];
                        if v.iter().all(|v| v.is_finite()) {
                            count += 1;
                            sum.iter_mut().zip(v).for_each(|(s, v)| *s += v);
                        }
                    }
                }
                values.push(sum.map(|s| if count == 0 { f32::NAN } else { s / count as f32 }));
            }
        }
        Self { columns, rows, values }
    }

    /// Whether a value is missing.
    pub(crate) fn has_gaps(&self) -> bool {
        self.values.iter().flatten().any(|v| !v.is_finite())
    }
}

/// Number of palette entries of a scalar picture; the entry before them is transparent.
const STEPS: usize = 160;

impl Raster<1> {
    /// A PNG data URI through a ramp from `low` to `high`; gaps are transparent.
    pub(crate) fn to_data_uri(&self, ramp: Ramp, low: f32, high: f32) -> Result<String, ReportError> {
        let last = STEPS as f32 - 1.0;
        let range = if high > low { high - low } else { 1.0 };
        let entry = |v: f32| match v.is_finite() {
            true => 1 + (last * (v - low) / range).round().clamp(0.0, last) as u8,
            false => 0,
        };
        let palette: Vec<u8> =
            std::iter::once([0; 3]).chain((0..STEPS).map(|i| ramp.at(i as f32 / last))).flatten().collect();
        let samples: Vec<u8> = self.values.iter().map(|&[v]| entry(v)).collect();
        png_data_uri(self.columns, self.rows, &samples, |encoder| {
            encoder.set_color(ColorType::Indexed);
            encoder.set_palette(&palette);
            encoder.set_trns(&[0u8][..]);
        })
    }
}

impl Raster<2> {
    /// A PNG data URI through any colouring of finite vectors; gaps are transparent.
    pub(crate) fn to_data_uri_by(&self, colour: impl Fn([f32; 2]) -> Rgb) -> Result<String, ReportError> {
        let pixel = |&[u, v]: &[f32; 2]| match (u + v).is_finite() {
            true => opaque(colour([u, v])),
            false => [0; 4],
        };
        let samples: Vec<u8> = self.values.iter().flat_map(pixel).collect();
        rgba_data_uri(self.columns, self.rows, &samples)
    }
}

/// A colour without transparency.
pub(crate) fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

/// A PNG data URI of red, green, blue, opacity samples.
pub(crate) fn rgba_data_uri(columns: usize, rows: usize, samples: &[u8]) -> Result<String, ReportError> {
    png_data_uri(columns, rows, samples, |encoder| encoder.set_color(ColorType::Rgba))
}

/// A data URI of 8-bit samples whose colours `prepare` declares.
fn png_data_uri<'a>(
    columns: usize,
    rows: usize,
    samples: &[u8],
    prepare: impl FnOnce(&mut Encoder<'a, &mut Vec<u8>>),
) -> Result<String, ReportError> {
    let mut png = Vec::new();
    let mut encoder = Encoder::new(&mut png, columns as u32, rows as u32);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    prepare(&mut encoder);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(samples)?;
    writer.finish()?;
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(png)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averaging_leaves_gaps_out() {
        let raster = Raster {
            columns: 3,
            rows: 2,
            values: [1.0, f32::NAN, f32::NAN, 3.0, 5.0, f32::NAN].map(|v| [v]).to_vec(),
        };
        let small = raster.averaged(2);
        assert_eq!((small.columns, small.rows), (2, 1));
        assert_eq!(small.values[0], [3.0]);
        assert!(small.values[1][0].is_nan() && small.has_gaps());
    }
}
