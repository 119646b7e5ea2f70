//! Raw frames, one after the other.

use super::head::Head;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::Fit;
use crate::read::source::Source;
use crate::read::stream::frame_reader::FrameReader;
use veloxel_core::{Volume, WarningKind};

/// What a head begins with: a pipe tells by it that raw frames follow.
pub(crate) const FIRST_BYTE: u8 = b'{';
/// A longer head is none.
const LINE_LIMIT: usize = 1 << 16;

/// A stream after its head.
struct RawFrames<'a> {
    source: Source<'a>,
    head: Head,
    /// The bytes of a frame, in memory that the next one takes again.
    bytes: Vec<u8>,
    /// Frames so far.
    count: u64,
}

/// Reads the head.
pub(crate) fn open<'a>(mut source: Source<'a>, context: &mut Context) -> Result<Box<dyn FrameReader + 'a>> {
    source.begin_header(context)?;
    let line = source.line(LINE_LIMIT, context)?.unwrap_or_default();
    let head = Head::parse(&line, context)?;
    Ok(Box::new(RawFrames { source, head, bytes: Vec::new(), count: 0 }))
}

impl FrameReader for RawFrames<'_> {
    fn next_frame(&mut self, context: &mut Context) -> Result<Option<Volume<f32>>> {
        let Head { grid, stored, frames, .. } = &self.head;
        let (count, element) = (grid.len(), stored.element);
        let is_over = match frames {
            Some(frames) => self.count == *frames,
            None => self.source.is_at_end(context)?,
        };
        if is_over {
            return Ok(None);
        }
        let bytes = (count as u64).saturating_mul(element.bytes() as u64);
        self.source.take_into(&mut self.bytes, "a raw frame", bytes, context)?;
        let mut samples = context.room_for(count)?;
        if element.decode(&self.bytes, stored.order, stored.scaling, &mut samples) == Fit::Rounded {
            let text = format!("{} samples were rounded to 32-bit floats", element.name());
            context.note(WarningKind::Samples, text);
        }
        self.count += 1;
        context.volume(grid.clone(), samples).map(Some)
    }

    fn frame_interval_ms(&self) -> Option<f64> {
        self.head.interval_ms
    }

    fn sample_type(&self) -> String {
        self.head.stored.element.name().to_owned()
    }

    fn declared_bytes(&self) -> u64 {
        // Of a file no more than what its length holds.
        let frame = (self.head.grid.len() as u64).saturating_mul(self.head.stored.element.bytes() as u64);
        let frames = self.source.bytes_known().unwrap_or(0) / frame.max(1);
        frames.saturating_mul(size_of::<f32>() as u64).saturating_mul(self.head.grid.len() as u64)
    }

    fn finish(self: Box<Self>, context: &mut Context) -> Result<()> {
        context.require(self.count > 0, "stream of raw frames", "at least one frame", "none")?;
        // A pipe that has given all of its frames may stay open.
        if self.source.bytes_known().is_some() { self.source.finish(context) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::reading::Strictness;
    use std::path::Path;
    use veloxel_core::Warnings;

    fn frames(bytes: &[u8]) -> (Result<Vec<Volume<f32>>>, usize) {
        let mut warnings = Warnings::new();
        let mut context = Context::new(Path::new("a.frames"), Strictness::Lenient, &mut warnings);
        // As a pipe: nobody knows how long it is.
        let read = |context: &mut Context| {
            let mut reader = open(Source::from_stream(bytes, context.control()), context)?;
            let frames =
                std::iter::from_fn(|| reader.next_frame(context).transpose()).collect::<Result<_, _>>()?;
            reader.finish(context).map(|()| frames)
        };
        let frames = read(&mut context);
        (frames, warnings.urgent().count())
    }

    fn stream(head: &str, frames: &[&[u8]]) -> Vec<u8> {
        [head.as_bytes(), b"\n", &frames.concat()].concat()
    }

    #[test]
    fn frames_are_what_the_head_says() {
        // A volume, and one that is a voxel thick along y: a plane.
        for (shape, size, spacing_mm) in
            [("[2, 2, 3]", [3, 2, 2], [0.5, 1.0, 2.0]), ("[2, 1, 3]", [3, 2, 1], [0.5, 2.0, 1.0])]
        {
            let head = r#"{"shape": SHAPE, "dtype": ">i2", "spacing_mm": [0.5, 1, 2], "origin_mm": [1, 2, 3], "interval_ms": 40}"#;
            let count = size.iter().product::<usize>() as i16;
            let frame: Vec<u8> = (-1..count - 1).flat_map(i16::to_be_bytes).collect();
            let (read, warnings) = frames(&stream(&head.replace("SHAPE", shape), &[&frame, &frame]));
            let read = read.unwrap();
            assert_eq!((read.len(), warnings), (2, 0));
            assert_eq!(read[1].data()[..6], [-1.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
            let grid = read[0].grid();
            assert_eq!(
                (grid.size(), grid.spacing_mm(), grid.origin_mm()),
                (size, spacing_mm, [1.0, 2.0, 3.0])
            );
        }
        let (read, _) =
            frames(&stream(r#"{"shape":[2,2],"dtype":"uint8","colour":"none"}"#, &[&[1, 2, 3, 4]]));
        assert_eq!(read.unwrap()[0].data(), [1.0, 2.0, 3.0, 4.0]);
        // What follows the last frame of a pipe is not waited for.
        let (read, _) = frames(&stream(r#"{"shape":[2,2],"dtype":"uint8","frames":1}"#, &[&[1, 2, 3, 4, 5]]));
        assert_eq!(read.unwrap().len(), 1);
    }

    #[test]
    fn a_stream_ends_between_frames_or_it_is_cut_short() {
        let bytes = stream(r#"{"shape":[2,3],"dtype":"uint16"}"#, &[&[1; 12], &[2; 12]]);
        let head = bytes.len() - 24;
        for length in head..=bytes.len() {
            let (read, _) = frames(&bytes[..length]);
            let is_whole = length == bytes.len() || length == head + 12;
            assert_eq!(read.is_ok(), is_whole, "{length} of {}: {read:?}", bytes.len());
        }
    }

    #[test]
    fn heads_that_make_no_sense_are_refused_in_one_line() {
        for (head, word) in [
            ("", "head"),
            ("hello", "head"),
            ("[1, 2]", "head"),
            (r#"{"dtype": "float32"}"#, "shape"),
            (r#"{"shape": [0, 4], "dtype": "float32"}"#, "shape"),
            (r#"{"shape": [1, 2, 3, 4], "dtype": "float32"}"#, "shape"),
            (r#"{"shape": [2, 2]}"#, "dtype"),
            (r#"{"shape": [2, 2], "dtype": "complex64"}"#, "complex64"),
            (r#"{"shape": [2, 2], "dtype": "é"}"#, "dtype"),
            (r#"{"shape": [2, 2], "dtype": "u1", "spacing_mm": 3}"#, "spacing_mm"),
            (r#"{"shape": [2, 2, 2], "dtype": "u1", "spacing_mm": [1, 1]}"#, "spacing_mm"),
            (r#"{"shape": [2, 2], "dtype": "u1", "interval_ms": -1}"#, "interval_ms"),
            (r#"{"shape": [2, 2], "dtype": "u1", "frames": 0}"#, "number"),
            (r#"{"shape": [2, 2], "dtype": "u1", "frames": 99}"#, "cut short"),
            (r#"{"shape": [4000000000, 4000000000, 4000000000], "dtype": "u1"}"#, ""),
            (r#"{"shape": [40000, 40000, 40000], "dtype": "u1"}"#, ""),
        ] {
            let error = frames(&stream(head, &[&[0; 64]])).0.unwrap_err().to_string();
            assert!(error.contains(word) && error.lines().count() == 1, "{head}: {error}");
        }
    }
}
