//! Frames one after the other, videos written and read back, and disparities in their formats.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use veloxel_core::{Grid, Sequence, Volume, Warnings};
use veloxel_io::*;

/// Videos that this build writes and reads.
const VIDEOS: &[&str] = if cfg!(feature = "gif") { &["a.y4m", "a.gif"] } else { &["a.y4m"] };

fn frame(first: u8) -> Volume<f32> {
    Volume::from_fn(Grid::image(5, 3).unwrap(), |[x, y, _]| f32::from(first) + (x + 5 * y) as f32)
}

/// Every frame, the interval, and how many warnings there were.
type Played = (Vec<Volume<f32>>, Option<f64>, usize);

fn all(source: &Path) -> Result<Played, IoError> {
    let mut warnings = Warnings::new();
    let mut stream = FrameStream::open(source, Strictness::Lenient, &mut warnings)?;
    let mut frames = Vec::new();
    while let Some(frame) = stream.next_frame(&mut warnings)? {
        frames.push(frame);
    }
    assert!(stream.next_frame(&mut warnings)?.is_none(), "an ended stream stays ended");
    Ok((frames, stream.frame_interval_ms(), warnings.iter().count()))
}

fn shape(colour: VideoColour) -> VideoShape {
    VideoShape { width: 5, height: 3, colour, rate: FrameRate { frames: 50, seconds: 1 } }
}

fn bytes(frame: &Volume<f32>) -> Vec<u8> {
    frame.data().iter().map(|&v| v as u8).collect()
}

#[test]
fn grey_videos_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    for name in VIDEOS {
        let path = folder.path().join(name);
        let mut writer = VideoWriter::create(&path, shape(VideoColour::Grey)).unwrap();
        for first in [0, 100, 200] {
            writer.push(&bytes(&frame(first))).unwrap();
        }
        assert!(!path.exists(), "a video appears whole");
        writer.finish().unwrap();
        let (frames, interval_ms, warnings) = all(&path).unwrap();
        assert_eq!(frames, [0, 100, 200].map(frame), "{name}");
        assert_eq!((interval_ms, warnings), (Some(20.0), 0), "{name}");
        let whole = read_sequence(&path, Strictness::Strict, &mut Warnings::new()).unwrap();
        assert_eq!(whole.frames(), frames, "{name}");
        assert_eq!(inspect(&path, Strictness::Lenient).unwrap().frames, 3);
    }
}

#[test]
fn coloured_videos_keep_their_luminance() {
    let folder = tempfile::tempdir().unwrap();
    for (name, colour) in
        [("a.y4m", VideoColour::Full), ("b.y4m", VideoColour::Half), ("a.gif", VideoColour::Full)]
    {
        if name == "a.gif" && !cfg!(feature = "gif") {
            continue;
        }
        let path = folder.path().join(name);
        let rgb: Vec<u8> = (0..15).flat_map(|i| [17 * i, 0, 255 - 17 * i]).collect();
        let mut writer = VideoWriter::create(&path, shape(colour)).unwrap();
        writer.push(&rgb).unwrap();
        writer.push(&rgb).unwrap();
        writer.finish().unwrap();
        let (frames, ..) = all(&path).unwrap();
        assert_eq!(frames.len(), 2);
        for (pixel, rgb) in frames[1].data().iter().zip(rgb.as_chunks::<3>().0) {
            let luma = 0.299 * f32::from(rgb[0]) + 0.114 * f32::from(rgb[2]);
            // Video range has fewer steps than the full one, to which it is stretched.
            let tolerance = if name.ends_with("gif") { 0.51 } else { 0.5 + 0.5 * 255.0 / 219.0 + 0.01 };
            assert!((pixel - luma).abs() <= tolerance, "{name}: {pixel} against {luma}");
        }
    }
}

#[test]
fn a_video_that_is_given_up_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for name in VIDEOS {
        let path = folder.path().join(name);
        let mut writer = VideoWriter::create(&path, shape(VideoColour::Full)).unwrap();
        assert!(matches!(writer.push(&[0; 7]), Err(IoError::Malformed { .. })));
        drop(writer);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(VideoWriter::create(folder.path().join("a.avi"), shape(VideoColour::Grey)).is_err());
}

#[test]
#[cfg(feature = "gif")]
fn a_picture_too_wide_for_gif_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let wide = VideoShape { width: 70_000, ..shape(VideoColour::Grey) };
    let refused = VideoWriter::create(folder.path().join("a.gif"), wide);
    assert!(matches!(refused, Err(IoError::Unsupported { .. })));
}

#[test]
fn folders_patterns_files_and_sequences_are_streams() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (i, name) in ["f2.png", "f10.png", "f1.png"].iter().enumerate() {
        write_image(at(name), &frame(i as u8), &mut Warnings::new()).unwrap();
    }
    let expected = [2, 0, 1].map(frame);
    assert_eq!(all(folder.path()).unwrap().0, expected);
    assert_eq!(all(&at("f*.png")).unwrap().0, expected);
    assert_eq!(all(&at("f?.png")).unwrap().0, expected[..2]);
    assert_eq!(all(&at("f1.png")).unwrap().0, expected[..1]);
    let sequence = Sequence::new(expected.to_vec(), Some(40.0)).unwrap();
    write_sequence(at("cine.nii"), &sequence).unwrap();
    let (frames, interval_ms, _) = all(&at("cine.nii")).unwrap();
    assert_eq!((frames.as_slice(), interval_ms), (&expected[..], Some(40.0)));
    let (none, missing) = (all(&at("g*.png")).unwrap_err(), all(&at("none.png")).unwrap_err());
    assert!(matches!(none, IoError::NoFrames { .. }), "{none}");
    assert!(matches!(missing, IoError::Open { .. }), "{missing}");
}

#[test]
fn frames_of_another_size_end_the_stream_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write_image(folder.path().join("a.png"), &frame(0), &mut Warnings::new()).unwrap();
    let larger = Volume::from_fn(Grid::image(6, 3).unwrap(), |_| 1.0);
    write_image(folder.path().join("b.png"), &larger, &mut Warnings::new()).unwrap();
    let error = all(folder.path()).unwrap_err().to_string();
    assert!(error.contains("b.png") && error.contains("6 × 3"), "{error}");
}

#[test]
fn a_warning_is_given_once_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.png", "b.png", "c.png"] {
        write_rgb_png(folder.path().join(name), 1, 1, &[255, 0, 0]).unwrap();
    }
    assert_eq!(all(folder.path()).unwrap().2, 1);
}

fn disparity() -> Volume<f32> {
    let mut d = Volume::from_fn(Grid::image(5, 3).unwrap(), |[x, y, _]| 0.25 + x as f32 + 10.5 * y as f32);
    d.data_mut()[7] = f32::NAN;
    d
}

#[test]
fn disparities_keep_their_values_and_gaps() {
    let folder = tempfile::tempdir().unwrap();
    for extension in ["pfm", "png", "tif", "nrrd"] {
        if extension == "tif" && !cfg!(feature = "tiff") {
            continue;
        }
        let path = folder.path().join(format!("d.{extension}"));
        write_disparity(&path, &disparity()).unwrap();
        let back = read_disparity(&path, None, Strictness::Strict, &mut Warnings::new()).unwrap();
        for (a, b) in disparity().data().iter().zip(back.data()) {
            assert!(a == b || (a.is_nan() && b.is_nan()), "{extension}: {a} against {b}");
        }
    }
    let path = folder.path().join("e.png");
    for value in [-1.0, 256.0] {
        let error = write_disparity(&path, &disparity().map(|_| value)).unwrap_err();
        assert!(matches!(error, IoError::Unsupported { .. }), "{error}");
    }
    write_disparity(&path, &disparity().map(|_| 0.0)).unwrap();
    let back = read_disparity(&path, None, Strictness::Strict, &mut Warnings::new()).unwrap();
    assert_eq!(back.data()[0], 1.0 / 256.0, "standstill is not the same as unknown");
}

#[test]
fn pictures_of_disparities_need_their_scale() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("truth.png");
    let stored = Volume::from_fn(Grid::image(3, 1).unwrap(), |[x, ..]| 40.0 * x as f32);
    write_image(&path, &stored, &mut Warnings::new()).unwrap();
    let read = |scale| read_disparity(&path, scale, Strictness::Strict, &mut Warnings::new());
    let truth = read(Some(8.0)).unwrap();
    assert!(truth.data()[0].is_nan());
    assert_eq!(truth.data()[1..], [5.0, 10.0]);
    let error = read(None).unwrap_err().to_string();
    assert!(error.contains("multiplied by"), "{error}");
    assert!(read(Some(0.0)).is_err() && read(Some(f32::NAN)).is_err());
}
