//! Results as pictures: a warped image as its input was, a confidence, and a field in colours; and what white is in a picture.

use crate::pipelines::prepare::full_scale::full_scale;
use std::path::Path;
use veloxel_core::{Dimension, Flow, Volume, WarningKind, Warnings};
use veloxel_io::{self as io, Format, IoError, Precision};
use veloxel_report::colour_wheel_rgb;
use veloxel_report::number::text;

/// Writes an image that was sampled from `like`: formats of whole numbers get the range that `like` has, as interpolation goes
/// a little beyond it, and 0 where there is no value; others get the samples as they are.
pub(super) fn write_sampled(
    path: &Path,
    image: &Volume<f32>,
    like: &Volume<f32>,
    warnings: &mut Warnings,
) -> Result<(), IoError> {
    let is_whole = Format::from_path(path).is_some_and(|format| format.precision() != Precision::Float);
    let white = full_scale(like);
    // Samples of another range are for the writer to say something about.
    if !is_whole || white <= 1.0 {
        return io::write_image(path, image, warnings);
    }
    let (mut beyond, mut unknown) = (0usize, 0usize);
    let bounded = image.map(|&v| {
        unknown += usize::from(v.is_nan());
        beyond += usize::from(v.round() < 0.0 || v.round() > white);
        if v.is_nan() { 0.0 } else { v.clamp(0.0, white) }
    });
    let changes = [
        (beyond, format!("samples were clamped to 0..{white}, beyond which interpolation took them")),
        (unknown, "samples without a value were written as 0".to_owned()),
    ];
    for (count, what) in changes.into_iter().filter(|(count, _)| *count > 0) {
        let message = format!("{}: {count} of {} {what}", path.display(), image.data().len());
        warnings.push(WarningKind::Note, message);
    }
    io::write_image(path, &bounded, warnings)
}

/// Writes a field in the colours of the wheel; of a volume the plane along z that moves most.
pub(super) fn write_colours(path: &Path, flow: &Flow, warnings: &mut Warnings) -> Result<(), IoError> {
    let [nx, ny, nz] = flow.grid().size();
    let motion = |z: usize| {
        let plane = (z * nx * ny..(z + 1) * nx * ny).filter(|&i| flow.is_valid(i));
        plane.map(|i| flow.vector_vox(i)).map(|[u, v, _]| f64::from(u.hypot(v))).sum::<f64>()
    };
    let z = (0..nz).max_by(|&a, &b| motion(a).total_cmp(&motion(b))).unwrap_or(0);
    let picture = colour_wheel_rgb(flow, z, None);
    let (plane, unit) = match flow.grid().dimension() {
        Dimension::Two => (String::new(), "px"),
        Dimension::Three => (format!("plane z = {z}, "), "voxels"),
    };
    let scale = text(picture.scale_vox);
    let message =
        format!("{}: {plane}full colour at {scale} {unit}; longer vectors are darker", path.display());
    warnings.push(WarningKind::Note, message);
    io::write_rgb(path, [picture.width, picture.height], &picture.rgb)
}

/// Refuses a confidence where its samples would not stay what they are.
pub(super) fn check_keeps_samples(path: &Path) -> Result<(), IoError> {
    match Format::from_path(path) {
        Some(format) if format.precision() == Precision::Lossy => Err(IoError::unsupported(
            path,
            format!("a confidence as {format}, which changes samples,"),
            "write .png, .tif, .nii.gz, .mha or .nrrd",
        )),
        _ => Ok(()),
    }
}

/// Writes a confidence: pictures of whole numbers hold [0, 1] as 0 to 255, rounded without a warning, because that is
/// what they are for.
pub(super) fn write_confidence(
    path: &Path,
    confidence: &Volume<f32>,
    warnings: &mut Warnings,
) -> Result<(), IoError> {
    match Format::from_path(path) {
        Some(format) if format.precision() == Precision::Whole => {
            io::write_image(path, &confidence.map(|&c| (255.0 * c).round()), warnings)
        }
        _ => io::write_image(path, confidence, warnings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;
    use veloxel_io::Strictness;

    #[test]
    fn eight_bits_stay_eight_bits() {
        let folder = tempfile::tempdir().unwrap();
        let row = |values: [f32; 4]| Volume::new(Grid::image(4, 1).unwrap(), values.to_vec()).unwrap();
        let (like, image) = (row([0.0, 10.0, 255.0, 7.0]), row([-3.0, 10.4, 261.0, f32::NAN]));
        let written = |name: &str| {
            let (path, mut warnings) = (folder.path().join(name), Warnings::new());
            write_sampled(&path, &image, &like, &mut warnings).unwrap();
            assert_eq!(warnings.urgent().count(), 0, "{warnings:?}");
            let mut ignored = Warnings::new();
            let sample_type = io::inspect(&path, io::Strictness::Lenient).unwrap().sample_type;
            (io::read_image(&path, Strictness::Lenient, &mut ignored).unwrap().into_data(), sample_type)
        };
        assert_eq!(written("a.png"), (vec![0.0, 10.0, 255.0, 0.0], "u8 × 1".to_owned()));
        assert_eq!(written("a.tif").0[..3], [-3.0, 10.4, 261.0]);
    }

    #[test]
    fn white_is_the_top_of_a_usual_range() {
        let of =
            |top: f32| full_scale(&Volume::from_fn(Grid::image(2, 1).unwrap(), |[x, ..]| top * x as f32));
        assert_eq!([0.7, 200.0, 1023.0, 1e6].map(of), [1.0, 255.0, 65535.0, 1e6]);
    }
}
