//! Results as pictures: a warped image as its input was, a confidence, and a field in colours.

use crate::Result;
use crate::pipelines::encode::{DrawnField, colours_of, confidence_in_bytes, within_range_of};
use std::path::Path;
use veloxel_core::{Volume, Warnings};
use veloxel_io::{self as io, Format, FormatPrecision, IoError, Target};

/// Writes an image that was sampled from `like`: formats of whole numbers get the range that `like` has, and 0 where there is no
/// value; others get the samples as they are.
pub(crate) fn write_sampled(
    target: &Target,
    image: &Volume<f32>,
    like: &Volume<f32>,
    warnings: &mut Warnings,
) -> Result<(), IoError> {
    let path = target.path();
    if Format::from_path(path).is_some_and(|format| format.precision() != FormatPrecision::Float) {
        let bounded = within_range_of(image, like, &path.display().to_string(), warnings);
        return io::write_image(target, &bounded, warnings);
    }
    io::write_image(target, image, warnings)
}

/// Writes a field in the colours of the wheel; of a volume one plane.
pub(crate) fn write_colours(target: &Target, drawn: &DrawnField<'_>, warnings: &mut Warnings) -> Result<()> {
    let name = target.path().display().to_string();
    let picture = colours_of(drawn, &name, warnings, target.files().control())?;
    Ok(io::write_rgb(target, [picture.width, picture.height], &picture.rgb)?)
}

/// Refuses a confidence where its samples would not stay what they are.
pub(crate) fn check_keeps_samples(path: &Path) -> Result<(), IoError> {
    match Format::from_path(path) {
        Some(format) if format.precision() == FormatPrecision::Lossy => Err(IoError::unsupported(
            path,
            format!("a confidence as {format}, which changes samples,"),
            "write .png, .tif, .nii.gz, .mha or .nrrd",
        )),
        _ => Ok(()),
    }
}

/// Writes a confidence: pictures of whole numbers hold [0, 1] as 0 to 255.
pub(crate) fn write_confidence(
    target: &Target,
    confidence: &Volume<f32>,
    warnings: &mut Warnings,
) -> Result<(), IoError> {
    match Format::from_path(target.path()) {
        Some(format) if format.precision() == FormatPrecision::Whole => {
            io::write_image(target, &confidence_in_bytes(confidence), warnings)
        }
        _ => io::write_image(target, confidence, warnings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;
    use veloxel_io::Strictness;

    #[cfg_attr(not(feature = "tiff"), ignore = "needs the feature tiff")]
    #[test]
    fn eight_bits_stay_eight_bits() {
        let folder = tempfile::tempdir().unwrap();
        let row = |values: [f32; 4]| Volume::new(Grid::image(4, 1).unwrap(), values.to_vec()).unwrap();
        let (like, image) = (row([0.0, 10.0, 255.0, 7.0]), row([-3.0, 10.4, 261.0, f32::NAN]));
        let written = |name: &str| {
            let (path, mut warnings) = (folder.path().join(name), Warnings::new());
            write_sampled(&(&path).into(), &image, &like, &mut warnings).unwrap();
            assert_eq!(warnings.urgent().count(), 0, "{warnings:?}");
            let mut ignored = Warnings::new();
            let sample_type = io::inspect(&path, io::Strictness::Lenient).unwrap().sample_type;
            (io::read_image(&path, Strictness::Lenient, &mut ignored).unwrap().into_data(), sample_type)
        };
        assert_eq!(written("a.png"), (vec![0.0, 10.0, 255.0, 0.0], "u8 × 1".to_owned()));
        assert_eq!(written("a.tif").0[..3], [-3.0, 10.4, 261.0]);
    }
}
