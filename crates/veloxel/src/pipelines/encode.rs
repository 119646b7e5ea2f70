//! Results as files of whole numbers and pictures hold them.

use super::prepare::full_scale::full_scale;
use std::borrow::Cow;
use veloxel_core::{Control, Flow, Volume, WarningKind, Warnings};
use veloxel_report::number::text;
use veloxel_report::{FieldDrawing, FieldPicture, MapPicture, ReportError};

/// Whether the samples of an image are whole numbers above 1 at most, as those of cameras and scanners are: white is 255 or more.
pub(crate) fn is_in_whole_numbers(image: &Volume<f32>) -> bool {
    full_scale(image) > 1.0
}

/// An image that was sampled from `like`, for a file of whole numbers: within the range that `like` has, as interpolation goes a
/// little beyond it, and 0 where there is no value. Notes how many samples that changed; `name` is the file. Images of another
/// range are for the writer to say something about.
pub(crate) fn within_range_of<'a>(
    image: &'a Volume<f32>,
    like: &Volume<f32>,
    name: &str,
    warnings: &mut Warnings,
) -> Cow<'a, Volume<f32>> {
    let white = full_scale(like);
    if white <= 1.0 {
        return Cow::Borrowed(image);
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
        warnings.push(WarningKind::Note, format!("{name}: {count} of {} {what}", image.data().len()));
    }
    Cow::Owned(bounded)
}

/// A confidence from 0 to 255, rounded: pictures of whole numbers hold it like this without a warning, because that is what
/// they are for.
pub(crate) fn confidence_in_bytes(confidence: &Volume<f32>) -> Volume<f32> {
    confidence.map(|&c| (255.0 * c).round())
}

/// A field in the colours of the wheel on its image, a plane of a volume. Notes plane and scale; `name` is the file.
///
/// # Errors
/// As [`FieldDrawing::draw`].
pub(crate) fn colours_of(
    drawn: &DrawnField<'_>,
    name: &str,
    warnings: &mut Warnings,
    control: &Control,
) -> Result<MapPicture, ReportError> {
    let FieldPicture { picture, plane, scale, unit } =
        drawn.drawing.draw(drawn.flow, drawn.image, control)?;
    let plane = if plane.is_empty() { plane } else { format!("{plane}, ") };
    let message = format!("{name}: {plane}full colour at {} {unit}; longer vectors are darker", text(scale));
    warnings.push(WarningKind::Note, message);
    Ok(picture)
}

/// A field, its image, and how they are drawn.
pub(crate) struct DrawnField<'a> {
    pub flow: &'a Flow,
    pub image: &'a Volume<f32>,
    pub drawing: &'a FieldDrawing,
}
