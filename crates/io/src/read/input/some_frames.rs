//! Some frames of a file whose frames lie one behind the other: no other samples are held.

use crate::content::Content;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::input::Input;
use crate::read::layout::{Arrangement, AxisOrder, Layout, Meaning};
use crate::read::source::Source;

/// Whether the samples of a frame lie together, and those of the next behind them.
pub(crate) fn lie_in_order(layout: &Layout) -> bool {
    layout.frames > 1
        && layout.meaning == Meaning::Scalar
        && layout.arrangement == Arrangement::Planar
        && layout.axis_order == AxisOrder::XFastest
}

/// Reads the frames that are asked for, from a source at the first sample of the first frame.
///
/// # Errors
/// [`IoError::NoSuchFrame`](crate::IoError::NoSuchFrame); as for all frames.
pub(crate) fn read_some(
    layout: Layout,
    mut source: Source,
    input: &Input,
    context: &mut Context,
) -> Result<Content> {
    let count = layout.frames;
    input.require(count)?;
    let numbers = input.frames.unwrap_or_default().of(count);
    let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
    let frame_bytes = layout.sample_bytes(context)? / count as u64;
    source.skip("the frames before", first as u64 * frame_bytes, context)?;
    let held_count = last - first + 1;
    let held = Layout { frames: held_count, ..layout };
    let samples = source.samples(held.sample_count(context)?, held.stored, context)?;
    context.require_bytes("the sample data", (count - 1 - last) as u64 * frame_bytes, source.available())?;
    let own = Input { frames: input.frames.map(|selection| selection.stepping(held_count)), ..input.clone() };
    own.content(held.content(samples, context)?, context)
}

#[cfg(test)]
mod tests {
    use crate::{Content, ReadOptions, Reading, Strictness, read, read_image, write_sequence};
    use veloxel_core::{Grid, Sequence, Volume, Warnings};

    #[test]
    fn frames_of_a_file_are_those_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let grid = Grid::volume(30, 20, 10).unwrap();
        let frame = |t: usize| Volume::from_fn(grid.clone(), move |[x, y, z]| (t * 1000 + x + y * z) as f32);
        let cine = Sequence::new((0..6).map(frame).collect(), Some(20.0)).unwrap();
        // Six frames are more than may be held, two of them are not.
        let few =
            || Reading::alone(ReadOptions { max_decode_bytes: Some(120_000), ..ReadOptions::default() });
        for extension in ["nii", "nii.gz", "nrrd", "npy"] {
            let path = |part: &str| folder.path().join(format!("c.{extension}{part}"));
            write_sequence(path("").as_path(), &cine).unwrap();
            let mut warnings = Warnings::new();
            let one = read_image(&path("@4"), few(), &mut warnings).unwrap();
            assert_eq!(one.data(), cine.frames()[4].data(), "{extension}");
            let some = read(&path("@1:6:3"), Strictness::Strict, &mut warnings).unwrap();
            let Content::Sequence(some) = some else { panic!("two frames") };
            let expected = [1, 4].map(|t| cine.frames()[t].data());
            assert!(some.frames().iter().map(Volume::data).eq(expected), "{extension}");
            assert_eq!(some.frame_interval_ms(), (extension != "npy").then_some(60.0));
            assert!(warnings.is_empty() && read(&path(""), few(), &mut warnings).is_err(), "{extension}");
            assert!(read(&path("@6"), few(), &mut warnings).is_err());
        }
    }
}
