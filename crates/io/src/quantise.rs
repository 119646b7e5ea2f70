//! Samples to 8 or 16 bits for picture formats, never silently.

use crate::error::IoError;
use std::path::Path;
use veloxel_core::{Volume, WarningKind, Warnings};

/// Bits a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Eight,
    Sixteen,
}

/// A grey picture of whole numbers: 8 bit if every value lies in 0..=255 after rounding, else 16 bit.
pub(crate) struct Quantised {
    pub size: [usize; 2],
    pub depth: Depth,
    /// One byte a sample, or two with the high one first.
    pub bytes: Vec<u8>,
}

impl Quantised {
    /// Rounds, clamps to 0..=65535, turns NaN to 0, and warns if any of that changed a sample.
    pub fn new(path: &Path, image: &Volume<f32>, warnings: &mut Warnings) -> Self {
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
        let [nx, ny, _] = image.grid().size();
        let (depth, bytes) = if deep {
            (Depth::Sixteen, values.iter().flat_map(|v| v.to_be_bytes()).collect())
        } else {
            (Depth::Eight, values.iter().map(|&v| v as u8).collect())
        };
        Self { size: [nx, ny], depth, bytes }
    }

    /// Refuses samples of 16 bits in a format of 8.
    pub fn require_eight_bits(&self, path: &Path, title: &str) -> Result<(), IoError> {
        if self.depth == Depth::Sixteen {
            let what = format!("a value above 255 in a {title}");
            return Err(IoError::unsupported(path, what, "write .png, .tif or .pgm"));
        }
        Ok(())
    }
}
