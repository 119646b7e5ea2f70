//! Where motion is estimated, as a face says it.

use crate::jobs::inputs::mask_file::MaskFile;
use std::path::Path;
use std::str::FromStr;
use veloxel_io::named_file;

/// Where motion is estimated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RegionInput {
    /// Around the outlines, or those that outline a region.
    #[default]
    Auto,
    /// All of the image.
    All,
    /// From pixel (x, y) on, so many along x and y.
    Pixels([usize; 4]),
    /// The rectangle around all that lies inside a mask, in any of its slices.
    Mask(MaskFile),
}

impl FromStr for RegionInput {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<usize> = text.split(',').filter_map(|n| n.trim().parse().ok()).collect();
        let is_file = || Path::new(text).extension().is_some() || named_file(Path::new(text)).exists();
        match (text, numbers[..].try_into()) {
            ("auto", _) => Ok(Self::Auto),
            ("all", _) => Ok(Self::All),
            (_, Ok(numbers)) => Ok(Self::Pixels(numbers)),
            _ if is_file() => MaskFile::parse(text).map(Self::Mask),
            _ => Err("expected auto, all, X,Y,WIDTH,HEIGHT in pixels, or the file of a mask".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_words_pixels_or_files() {
        assert_eq!("1, 2,30,40".parse(), Ok(RegionInput::Pixels([1, 2, 30, 40])));
        assert!(matches!("heart.nii.gz=1".parse(), Ok(RegionInput::Mask(file)) if file.labels.len() == 1));
        assert!("1,2,3".parse::<RegionInput>().is_err());
    }
}
