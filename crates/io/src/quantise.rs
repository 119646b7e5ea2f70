//! Samples to 8 or 16 bits for picture formats, never silently.

use crate::IoError;
use std::path::Path;
use veloxel_core::{Dimension, Volume, WarningKind, Warnings};

/// Bits a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Eight,
    Sixteen,
}

/// A grey picture of whole numbers: 8 bit if every value lies in 0..=255 after rounding, else 16 bit.
pub(crate) struct Quantised {
    pub size: [u32; 2],
    pub depth: Depth,
    pub values: Vec<u16>,
}

impl Quantised {
    /// Rounds, clamps to 0..=65535, turns NaN to 0, and warns if any of that changed a sample.
    pub fn new(path: &Path, image: &Volume<f32>, warnings: &mut Warnings) -> Result<Self, IoError> {
        let [nx, ny, _] = image.grid().size();
        let (Dimension::Two, Ok(nx), Ok(ny)) =
            (image.grid().dimension(), u32::try_from(nx), u32::try_from(ny))
        else {
            return Err(IoError::Unsupported {
                what: format!("an image of {} in a picture format", image.grid().size_text()),
                hint: "write volumes as .nii.gz, .mha or .nrrd",
                path: path.to_owned(),
            });
        };
        let values: Vec<u16> = image.data().iter().map(|v| v.round() as u16).collect();
        let deep = values.iter().any(|&v| v > 255);
        let lost = image.data().iter().zip(&values).filter(|&(v, &q)| *v != f32::from(q)).count();
        if lost > 0 {
            warnings.push(
                WarningKind::Samples,
                format!(
                    "{}: {lost} of {} samples were rounded or clamped to whole numbers from 0 to {} \
                     (.tif, .nii.gz, .mha and .nrrd keep them)",
                    path.display(),
                    values.len(),
                    if deep { 65535 } else { 255 }
                ),
            );
        }
        Ok(Self { size: [nx, ny], depth: if deep { Depth::Sixteen } else { Depth::Eight }, values })
    }

    /// One byte a sample, or two with the high one first.
    pub fn big_endian_bytes(&self) -> Vec<u8> {
        match self.depth {
            Depth::Eight => self.values.iter().map(|&v| v as u8).collect(),
            Depth::Sixteen => self.values.iter().flat_map(|v| v.to_be_bytes()).collect(),
        }
    }
}
