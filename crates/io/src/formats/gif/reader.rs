//! GIF frames, drawn over each other.

use crate::asking::Asking;
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::luminance::{COLOUR_NOTE, luma};
use crate::read::source::Source;
use crate::read::stream::frame_reader::FrameReader;
use gif::{ColorOutput, DecodeOptions, Decoder, DecodingError, DisposalMethod, Frame};
use std::io::{Cursor, ErrorKind};
use veloxel_core::{Grid, Volume, WarningKind};

/// Codes of 12 bits stand for at most 4095 pixels each.
const MAX_PIXELS_PER_BYTE: u64 = 2731;
const MAX_FRAME_PIXELS: u64 = 1 << 26;
/// How many times its first picture a canvas may be: the rest would be black that costs hours of work.
const MAX_CANVAS_PICTURES: u64 = 1000;
const MAX_SEQUENCE_PIXELS: u64 = 1 << 28;

/// An animation that is being played.
struct GifReader {
    decoder: Decoder<Asking<Cursor<Vec<u8>>>>,
    file_bytes: u64,
    grid: Grid,
    /// Luminance; NaN where nothing was drawn yet.
    canvas: Vec<f32>,
    /// The frame before the next one, which says what is done with it then.
    last: Option<Frame<'static>>,
    /// The canvas before that frame was drawn, if its disposal restores it.
    before: Vec<f32>,
    indices: Vec<u8>,
    frame_interval_ms: Option<f64>,
    frames: usize,
    uneven: bool,
}

/// The part of a canvas that a frame covers, row by row.
fn rows<'a>(
    canvas: &'a mut [f32],
    grid: &Grid,
    frame: &Frame,
) -> impl Iterator<Item = &'a mut [f32]> + use<'a> {
    let [left, top, width, height] = [frame.left, frame.top, frame.width, frame.height].map(usize::from);
    let rows = canvas.chunks_exact_mut(grid.size()[0]).skip(top).take(height);
    rows.map(move |row| &mut row[left..left + width])
}

pub(super) fn open<'a>(mut source: Source<'a>, context: &mut Context) -> Result<Box<dyn FrameReader + 'a>> {
    let file = source.take_rest(context)?;
    let file_bytes = file.len() as u64;
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.check_frame_consistency(true);
    let decoder = options
        .read_info(Asking::new(Cursor::new(file), context.control()))
        .map_err(|e| failure(e, file_bytes, context))?;
    let grid = context.picture_grid(decoder.width().into(), decoder.height().into())?;
    let pixels = grid.len() as u64;
    let what = format!("a GIF of {}", grid.size_text());
    let hint = "frames have at most 2^26 pixels: crop or shrink it first";
    context.support(pixels <= MAX_FRAME_PIXELS, what, hint)?;
    let possible = file_bytes.saturating_mul(MAX_PIXELS_PER_BYTE);
    context.require_bytes("the GIF image data", pixels, possible)?;
    context.claim(4 * pixels)?;
    Ok(Box::new(GifReader {
        decoder,
        file_bytes,
        canvas: vec![f32::NAN; grid.len()],
        grid,
        last: None,
        before: Vec::new(),
        indices: Vec::new(),
        frame_interval_ms: None,
        frames: 0,
        uneven: false,
    }))
}

impl FrameReader for GifReader {
    fn next_frame(&mut self, context: &mut Context) -> Result<Option<Volume<f32>>> {
        let next = self.decoder.next_frame_info().map_err(|e| failure(e, self.file_bytes, context))?;
        let Some(frame) = next.cloned() else { return Ok(None) };
        self.time((frame.delay > 0).then(|| 10.0 * f64::from(frame.delay)), context);
        // The picture and what its disposal brings back stay; indices go.
        let canvas = self.grid.len() as u64;
        context.claim(4 * canvas)?;
        let is_restored = matches!(frame.dispose, DisposalMethod::Previous);
        let drawn = u64::from(frame.width) * u64::from(frame.height);
        let restored = if is_restored { 4 * canvas } else { 0 };
        let _scratch = context.scratch(restored + 2 * drawn)?;
        let is_filled = self.frames > 0 || canvas <= drawn.saturating_mul(MAX_CANVAS_PICTURES);
        let expected = format!("at most {MAX_CANVAS_PICTURES} times its first picture");
        context.require(is_filled, "GIF canvas", expected, self.grid.size_text())?;
        self.indices.resize(drawn as usize, 0);
        let read = self.decoder.read_into_buffer(&mut self.indices);
        read.map_err(|e| failure(e, self.file_bytes, context))?;
        self.dispose();
        if is_restored {
            self.before = self.canvas.clone();
        }
        let colours = self.colours(context)?;
        self.draw(&frame, &colours);
        self.last = Some(frame);
        self.frames += 1;
        self.picture(context).map(Some)
    }

    fn frame_interval_ms(&self) -> Option<f64> {
        self.frame_interval_ms
    }

    fn sample_type(&self) -> String {
        "palette of 256 colours".to_owned()
    }

    fn most_frames(&self) -> u64 {
        MAX_SEQUENCE_PIXELS / self.grid.len() as u64
    }

    fn finish(self: Box<Self>, context: &mut Context) -> Result<()> {
        context.require(self.frames > 0, "GIF", "at least one picture", "none")?;
        let reader = self.decoder.into_inner();
        let ahead = reader.buffer().len() as u64;
        let read = reader.into_inner().into_inner().position().saturating_sub(ahead);
        context.trailing(Some(self.file_bytes.saturating_sub(read)));
        Ok(())
    }
}

impl GifReader {
    fn time(&mut self, interval_ms: Option<f64>, context: &mut Context) {
        if self.frames == 0 {
            self.frame_interval_ms = interval_ms;
        } else if self.frame_interval_ms != interval_ms && !self.uneven {
            self.uneven = true;
            let text = "frames last unequally long: one time between frames is not known";
            self.frame_interval_ms = None;
            context.note(WarningKind::Header, text);
        }
    }

    fn dispose(&mut self) {
        let Some(last) = self.last.take() else { return };
        match last.dispose {
            DisposalMethod::Any | DisposalMethod::Keep => {}
            DisposalMethod::Previous => self.canvas = std::mem::take(&mut self.before),
            DisposalMethod::Background => {
                rows(&mut self.canvas, &self.grid, &last).for_each(|row| row.fill(f32::NAN));
            }
        }
    }

    /// The luminance of every index.
    fn colours(&self, context: &mut Context) -> Result<Vec<f32>> {
        let palette = self.decoder.palette().map_err(|e| failure(e, self.file_bytes, context))?;
        let colours = palette.as_chunks::<3>().0;
        if self.frames == 0 && colours.iter().any(|[r, g, b]| r != g || g != b) {
            context.note(WarningKind::Note, COLOUR_NOTE);
        }
        Ok(colours.iter().map(|rgb| luma(rgb.map(f32::from))).collect())
    }

    /// An index beyond the palette is black.
    fn draw(&mut self, frame: &Frame, colours: &[f32]) {
        let indices = self.indices.chunks_exact(usize::from(frame.width).max(1));
        for (row, indices) in rows(&mut self.canvas, &self.grid, frame).zip(indices) {
            for (pixel, &index) in row.iter_mut().zip(indices) {
                if Some(index) != frame.transparent {
                    *pixel = colours.get(usize::from(index)).copied().unwrap_or(0.0);
                }
            }
        }
    }

    fn picture(&self, context: &mut Context) -> Result<Volume<f32>> {
        let has_holes = self.canvas.iter().any(|v| v.is_nan());
        if has_holes && context.takes_alpha() {
            if context.alpha(&self.grid, self.canvas.iter().map(|v| !v.is_nan()))? {
                return context.volume(self.grid.clone(), self.canvas.clone());
            }
        } else if self.frames == 1 && has_holes {
            context.note(WarningKind::Samples, "transparent parts were read as black");
        }
        let data = self.canvas.iter().map(|&v| if v.is_nan() { 0.0 } else { v }).collect();
        context.volume(self.grid.clone(), data)
    }
}

fn failure(error: DecodingError, file_bytes: u64, context: &Context) -> IoError {
    match error {
        DecodingError::UnexpectedEof => context.truncated("the GIF stream", file_bytes + 1, file_bytes),
        DecodingError::Io(e) if e.kind() == ErrorKind::UnexpectedEof => {
            context.truncated("the GIF stream", file_bytes + 1, file_bytes)
        }
        other => context.malformed("GIF stream", "a whole and valid one", other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Content;
    use crate::read::reading::{AlphaUse, ReadOptions, Reading, Strictness};
    use crate::read::stream::frame_reader;
    use std::path::Path;
    use veloxel_core::Warnings;

    /// Black, red, white and transparent.
    const PALETTE: [u8; 12] = [0, 0, 0, 255, 0, 0, 255, 255, 255, 9, 9, 9];

    fn animation(frames: &[gif::Frame<'_>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = gif::Encoder::new(&mut bytes, 3, 1, &PALETTE).unwrap();
        frames.iter().for_each(|frame| encoder.write_frame(frame).unwrap());
        drop(encoder);
        bytes
    }

    #[test]
    fn a_canvas_of_nothing_is_refused() {
        let mut bytes = animation(&[frame(0, &[1, 2, 0], DisposalMethod::Keep)]);
        for (width, allowed) in [(3000u16, true), (3001, false), (65535, false)] {
            bytes[6..8].copy_from_slice(&width.to_le_bytes());
            // Bytes enough for so many pixels.
            bytes.resize(200, 0x3b);
            assert_eq!(read_all(&bytes).0.is_ok(), allowed, "{width}");
        }
    }

    fn frame(left: u16, indices: &[u8], dispose: DisposalMethod) -> gif::Frame<'static> {
        gif::Frame {
            left,
            width: indices.len() as u16,
            height: 1,
            delay: 4,
            dispose,
            transparent: Some(3),
            buffer: indices.to_vec().into(),
            ..gif::Frame::default()
        }
    }

    fn read_all(bytes: &[u8]) -> (Result<Content>, Vec<String>) {
        let mut warnings = Warnings::new();
        let mut context = Context::new(Path::new("a.gif"), Strictness::Lenient, &mut warnings);
        let reader = open(Source::from_bytes(bytes), &mut context);
        let content = reader.and_then(|r| frame_reader::read_all(r, &mut context)).map(|d| d.content);
        (content, warnings.iter().map(|w| w.message.clone()).collect())
    }

    #[test]
    fn frames_are_drawn_over_each_other_as_the_file_says() {
        let bytes = animation(&[
            frame(0, &[2, 2, 2], DisposalMethod::Keep),
            frame(1, &[1, 3], DisposalMethod::Previous),
            frame(0, &[0], DisposalMethod::Background),
            frame(2, &[0], DisposalMethod::Keep),
        ]);
        let (content, warnings) = read_all(&bytes);
        let Content::Sequence(sequence) = content.unwrap() else { panic!("a sequence") };
        let frames: Vec<&[f32]> = sequence.frames().iter().map(Volume::data).collect();
        let red = 76.245;
        assert_eq!(frames, [&[255.0; 3][..], &[255.0, red, 255.0], &[0.0, 255.0, 255.0], &[0.0, 255.0, 0.0]]);
        assert_eq!(sequence.frame_interval_ms(), Some(40.0));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }

    #[test]
    fn what_is_transparent_or_uneven_is_said() {
        let mut second = frame(0, &[2, 2, 2], DisposalMethod::Keep);
        second.delay = 9;
        let (content, warnings) = read_all(&animation(&[frame(0, &[3, 2, 2], DisposalMethod::Keep), second]));
        assert!(content.is_ok());
        assert!(warnings.iter().any(|w| w.contains("transparent")), "{warnings:?}");
        assert!(warnings.iter().any(|w| w.contains("unequally")), "{warnings:?}");
    }

    #[test]
    fn what_was_never_drawn_has_no_data_where_that_is_asked_for() {
        let bytes = animation(&[
            frame(0, &[3, 2, 2], DisposalMethod::Keep),
            frame(0, &[3, 1, 3], DisposalMethod::Keep),
            frame(0, &[0, 3, 3], DisposalMethod::Keep),
        ]);
        let mut warnings = Warnings::new();
        let reading = Reading::alone(ReadOptions { alpha: AlphaUse::NoData, ..ReadOptions::default() });
        let mut context = Context::new(Path::new("a.gif"), reading, &mut warnings);
        let mut reader = open(Source::from_bytes(&bytes), &mut context).unwrap();
        let known = (0..3).map(|_| reader.next_frame(&mut context).unwrap().unwrap().data()[0].is_nan());
        assert_eq!(known.collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn a_canvas_that_the_bytes_cannot_fill_is_refused() {
        let mut bytes = animation(&[frame(0, &[2, 2, 2], DisposalMethod::Keep)]);
        bytes[6..10].copy_from_slice(&[0x00, 0x10, 0x00, 0x10]);
        let (content, _) = read_all(&bytes);
        assert!(matches!(content, Err(IoError::Truncated { .. })), "{content:?}");
        bytes[6..10].copy_from_slice(&[0xff; 4]);
        let (content, _) = read_all(&bytes);
        assert!(matches!(content, Err(IoError::Unsupported { .. })), "{content:?}");
    }
}
