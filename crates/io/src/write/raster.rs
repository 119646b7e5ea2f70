//! Rounds samples to 8 or 16 bits for picture formats, with a warning where that changes them.

use crate::error::{IoError, Result};
use crate::read::luminance::{Channels, Samples};
use crate::write::target::Target;
use std::path::Path;
use veloxel_core::{Volume, WarningKind, Warnings};

/// Bits a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Eight,
    Sixteen,
}

/// Samples that are rounded between two questions whether to go on.
const BLOCK: usize = 1 << 20;

/// Pixels as whole numbers of 8 or 16 bits, rows from the top.
pub(crate) struct Raster {
    pub size: [usize; 2],
    pub channels: Channels,
    pub depth: Depth,
    /// Interleaved; 16-bit samples as two big-endian bytes.
    pub bytes: Vec<u8>,
}

impl Raster {
    /// A grey picture, 8 bit if every value lies in 0..=255 after rounding, else 16 bit: rounds with a note, clamps to
    /// 0..=65535 and turns NaN to 0 with a warning.
    ///
    /// # Errors
    /// [`IoError::Stopped`].
    pub(crate) fn quantised(target: &Target, image: &Volume<f32>, warnings: &mut Warnings) -> Result<Self> {
        let mut values: Vec<u16> = Vec::with_capacity(image.data().len());
        let (mut clamped, mut changed) = (0, 0);
        for block in image.data().chunks(BLOCK) {
            target.check()?;
            let first = values.len();
            values.extend(block.iter().map(|v| v.round() as u16));
            let pairs = || block.iter().zip(&values[first..]).map(|(v, q)| (*v, f32::from(*q)));
            // A difference of at most one half is rounding; NaN differs from everything.
            clamped += pairs().filter(|(v, q)| (v - q).abs() > 0.5 || v.is_nan()).count();
            changed += pairs().filter(|(v, q)| v != q).count();
        }
        let (deep, rounded) = (values.iter().any(|&v| v > 255), changed - clamped);
        let lost = [(WarningKind::Samples, clamped, "clamped"), (WarningKind::Note, rounded, "rounded")];
        for (kind, count, what) in lost.into_iter().filter(|(_, count, _)| *count > 0) {
            let message = format!(
                "{}: {count} of {} samples were {what} to whole numbers from 0 to {} \
                 (.tif, .nii.gz, .mha and .nrrd keep them)",
                target.path().display(),
                values.len(),
                if deep { 65535 } else { 255 }
            );
            warnings.push(kind, message);
        }
        let [nx, ny, _] = image.grid().size();
        let mut bytes: Vec<u8> = Vec::with_capacity(values.len() * if deep { 2 } else { 1 });
        for block in values.chunks(BLOCK) {
            target.check()?;
            match deep {
                true => bytes.extend(block.iter().flat_map(|v| v.to_be_bytes())),
                false => bytes.extend(block.iter().map(|&v| v as u8)),
            }
        }
        let depth = if deep { Depth::Sixteen } else { Depth::Eight };
        Ok(Self { size: [nx, ny], channels: Channels::Grey, depth, bytes })
    }

    /// Colours of 8 bits: `rgb` holds interleaved triples.
    pub fn rgb(path: &Path, size: [usize; 2], rgb: &[u8]) -> Result<Self> {
        let [width, height] = size;
        if width.checked_mul(height).and_then(|n| n.checked_mul(3)) != Some(rgb.len()) {
            let expected = format!("3 · {width} · {height} bytes");
            return Err(IoError::malformed(path, "RGB samples", expected, rgb.len()));
        }
        Ok(Self { size, channels: Channels::Rgb, depth: Depth::Eight, bytes: rgb.to_vec() })
    }

    /// Refuses samples of 16 bits in a format of 8.
    pub(crate) fn require_eight_bits(&self, path: &Path, title: &str) -> Result<()> {
        if self.depth == Depth::Sixteen {
            let what = format!("a value above 255 in a {title}");
            return Err(IoError::unsupported(path, what, "write .png, .tif or .pgm"));
        }
        Ok(())
    }

    /// The samples as they are stored.
    pub fn into_samples(self) -> Samples {
        match self.depth {
            Depth::Eight => Samples::Bytes(self.bytes),
            Depth::Sixteen => Samples::Words(self.bytes),
        }
    }
}
