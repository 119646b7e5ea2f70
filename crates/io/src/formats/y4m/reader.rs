//! The luma of Y4M frames.

use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element, Scaling};
use crate::read::source::Source;
use crate::read::stream::frame_reader::FrameReader;
use veloxel_core::{Grid, Sequence, Volume, WarningKind};

const MAGIC: &str = "YUV4MPEG2";
const LINE_LIMIT: usize = 1024;

/// A stream after its header.
struct Y4mReader<'a> {
    source: Source<'a>,
    grid: Grid,
    luma: Element,
    bits: u32,
    range: LumaRange,
    /// Bytes a frame after its luma.
    chroma_bytes: u64,
    /// Bytes a frame after those: a byte of opacity for every pixel, where the stream has them.
    opacity_bytes: u64,
    /// Whether there was a frame.
    any: bool,
    frame_interval_ms: Option<f64>,
    sample_type: String,
}

/// What a header says.
#[derive(Default)]
struct Header<'a> {
    width: Option<usize>,
    height: Option<usize>,
    colour: &'a str,
    frame_interval_ms: Option<f64>,
    range: Option<LumaRange>,
}

/// Which samples are black and white.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LumaRange {
    /// 0 and the largest of the depth.
    Full,
    /// 16 and 235 of 8 bits, and the same with zeros appended of more.
    Video,
}

impl LumaRange {
    /// Brings samples to the full range of their depth, in whole numbers, so that every one of the video range stays distinct.
    fn stretch(self, samples: &mut [f32], bits: u32) {
        if self == Self::Video {
            let unit = (1u32 << (bits - 8)) as f32;
            let (white, gain) = (256.0 * unit - 1.0, (256.0 * unit - 1.0) / (219.0 * unit));
            for sample in samples {
                *sample = ((*sample - 16.0 * unit) * gain).round().clamp(0.0, white);
            }
        }
    }
}

impl<'a> Header<'a> {
    fn parse(line: &'a str, context: &mut Context) -> Result<Self> {
        let mut words = line.split_ascii_whitespace();
        let magic = words.next().unwrap_or("nothing");
        context.require(magic == MAGIC, "Y4M header", MAGIC, magic)?;
        let mut header = Self { colour: "420", ..Self::default() };
        for word in words {
            let (tag, value) = word.split_at_checked(1).unwrap_or_default();
            match tag {
                "W" => header.width = value.parse().ok(),
                "H" => header.height = value.parse().ok(),
                "C" => header.colour = value,
                "F" => header.frame_interval_ms = interval_ms(value),
                "X" if value.eq_ignore_ascii_case("COLORRANGE=FULL") => header.range = Some(LumaRange::Full),
                "X" if value.eq_ignore_ascii_case("COLORRANGE=LIMITED") => {
                    header.range = Some(LumaRange::Video)
                }
                "I" if !matches!(value, "p" | "?") => {
                    let text = format!("interlaced frames (I{value}) are taken as they are");
                    context.note(WarningKind::Samples, text);
                }
                // Pixel aspect and comments of programs say nothing about where samples lie.
                _ => {}
            }
        }
        Ok(header)
    }
}

/// Reads the header.
pub(crate) fn open<'a>(mut source: Source<'a>, context: &mut Context) -> Result<Box<dyn FrameReader + 'a>> {
    source.begin_header(context)?;
    let line = source.line(LINE_LIMIT, context)?.unwrap_or_default();
    let Header { width, height, colour, frame_interval_ms, range } = Header::parse(&line, context)?;
    let (Some(width), Some(height)) = (width, height) else {
        return Err(context.malformed("Y4M header", "a width (W) and a height (H)", line));
    };
    let grid = context.picture_grid(width, height)?;
    let space = ColourSpace::parse(colour).ok_or_else(|| {
        context.malformed("Y4M colour space", "C420, C411, C422, C444, C444alpha or Cmono", colour)
    })?;
    // As players take a stream that does not say.
    let unsaid = if space.chroma.planes == 0 { LumaRange::Full } else { LumaRange::Video };
    let range = range.unwrap_or(unsaid);
    if range == LumaRange::Video {
        let message = "luma of video range (black 16, white 235 of 255) was stretched to the full range";
        context.note(WarningKind::Note, message);
    }
    let luma = if space.bits > 8 { Element::U16 } else { Element::U8 };
    let chroma_bytes = space
        .chroma_samples([width as u64, height as u64])
        .and_then(|n| n.checked_mul(luma.bytes() as u64))
        .ok_or_else(|| context.malformed("Y4M frame", "one that fits in memory", grid.size_text()))?;
    let opacity_bytes = if space.opacity == Opacity::Stored { grid.len() as u64 } else { 0 };
    let (bits, any, sample_type) = (space.bits, false, format!("Y4M C{colour}"));
    Ok(Box::new(Y4mReader {
        source,
        grid,
        luma,
        bits,
        range,
        chroma_bytes,
        opacity_bytes,
        any,
        frame_interval_ms,
        sample_type,
    }))
}

/// Makes NaN of samples that the plane of opacity calls transparent, where that is asked for; notes that there are some.
fn leave_out_transparent(
    samples: &mut [f32],
    opacity: &[u8],
    grid: &Grid,
    context: &mut Context,
) -> Result<()> {
    if opacity.iter().any(|alpha| !OPAQUE.contains(alpha))
        && context.alpha(grid, opacity.iter().map(|alpha| *alpha > 0))?
    {
        let hidden = samples.iter_mut().zip(opacity).filter(|(_, alpha)| **alpha == 0);
        hidden.for_each(|(sample, _)| *sample = f32::NAN);
    }
    Ok(())
}

impl FrameReader for Y4mReader<'_> {
    fn next_frame(&mut self, context: &mut Context) -> Result<Option<Volume<f32>>> {
        let Some(line) = self.source.line(LINE_LIMIT, context)? else { return Ok(None) };
        let is_frame = line.split_ascii_whitespace().next() == Some("FRAME");
        context.require(is_frame, "Y4M frame", "a line that begins with FRAME", line.escape_debug())?;
        // As bytes first: a pipe's header is not a reason to make room for more than has come.
        let count = self.grid.len();
        let bytes = (count as u64).saturating_mul(self.luma.bytes() as u64);
        let bytes = self.source.take_bytes("the luma of a frame", bytes, context)?;
        let mut samples = context.room_for(count)?;
        self.luma.decode(&bytes, ByteOrder::Little, Scaling::NONE, &mut samples);
        self.range.stretch(&mut samples, self.bits);
        self.source.skip("the chroma of a frame", self.chroma_bytes, context)?;
        if self.opacity_bytes > 0 {
            let opacity = self.source.take_bytes("the opacity of a frame", self.opacity_bytes, context)?;
            leave_out_transparent(&mut samples, &opacity, &self.grid, context)?;
        }
        self.any = true;
        context.volume(self.grid.clone(), samples).map(Some)
    }

    fn frame_interval_ms(&self) -> Option<f64> {
        self.frame_interval_ms
    }

    fn sample_type(&self) -> String {
        self.sample_type.clone()
    }

    fn finish(self: Box<Self>, context: &mut Context) -> Result<()> {
        context.require(self.any, "Y4M stream", "at least one frame", "none")
    }
}

/// Milliseconds a frame of a rate such as `30000:1001`; `0:0` is unknown.
fn interval_ms(rate: &str) -> Option<f64> {
    let (frames, seconds) = rate.split_once(':')?;
    let (frames, seconds): (f64, f64) = (frames.parse().ok()?, seconds.parse().ok()?);
    Some(1e3 * seconds / frames).filter(|interval_ms| Sequence::INTERVALS_MS.contains(interval_ms))
}

/// How many samples of which depth stand beside the luma.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ColourSpace {
    bits: u32,
    chroma: Chroma,
    opacity: Opacity,
}

/// Whether a plane of opacity follows those of colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opacity {
    /// One byte a pixel, 0 where it is transparent.
    Stored,
    /// Every pixel is seen.
    Absent,
}

/// What programs write for opaque: the most, or the white of video range.
const OPAQUE: [u8; 2] = [235, 255];

/// Planes beside luma, each with every `steps[0]`-th column and every `steps[1]`-th row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Chroma {
    planes: u64,
    steps: [u64; 2],
}

impl ColourSpace {
    fn parse(name: &str) -> Option<Self> {
        let chroma = |base: &str| {
            let (planes, steps) = match base {
                "mono" => (0, [1, 1]),
                "420" | "420jpeg" | "420mpeg2" | "420paldv" => (2, [2, 2]),
                "411" => (2, [4, 1]),
                "422" => (2, [2, 1]),
                "444" | "444alpha" => (2, [1, 1]),
                _ => return None,
            };
            Some(Chroma { planes, steps })
        };
        if let Some(chroma) = chroma(name) {
            let opacity = if name == "444alpha" { Opacity::Stored } else { Opacity::Absent };
            return Some(Self { bits: 8, chroma, opacity });
        }
        let (base, bits) =
            name.strip_prefix("mono").map(|bits| ("mono", bits)).or_else(|| name.split_once('p'))?;
        let bits = bits.parse().ok().filter(|bits| (9..=16).contains(bits))?;
        let known = chroma(base).filter(|_| base != "444alpha");
        known.map(|chroma| Self { bits, chroma, opacity: Opacity::Absent })
    }

    fn chroma_samples(self, [width, height]: [u64; 2]) -> Option<u64> {
        let Chroma { planes, steps: [x, y] } = self.chroma;
        width.div_ceil(x).checked_mul(height.div_ceil(y))?.checked_mul(planes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::reading::{AlphaUse, ReadOptions, Reading, Strictness};
    use std::path::Path;
    use veloxel_core::Warnings;

    fn frames(bytes: &[u8]) -> (Result<Vec<Volume<f32>>>, usize) {
        let mut warnings = Warnings::new();
        let mut context = Context::new(Path::new("a.y4m"), Strictness::Lenient, &mut warnings);
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

    /// Two frames of 3 × 5 in a colour space with so many bytes of chroma, the luma counting up from `first`.
    fn stream(colour: &str, deep: bool, chroma: usize) -> Vec<u8> {
        let mut bytes =
            format!("YUV4MPEG2 W3 H5 F30000:1001 Ip A1:1 {colour} XCOMMENT XCOLORRANGE=FULL\n").into_bytes();
        for first in [0u16, 100] {
            bytes.extend(b"FRAME Ixyz\n");
            for sample in first..first + 15 {
                bytes.extend(if deep { (40 * sample).to_le_bytes().to_vec() } else { vec![sample as u8] });
            }
            bytes.extend(vec![128u8; chroma]);
        }
        bytes
    }

    #[test]
    fn luma_is_found_in_every_colour_space() {
        for (colour, deep, chroma) in [
            ("", false, 12),
            ("C420jpeg", false, 12),
            ("C420mpeg2", false, 12),
            ("C420paldv", false, 12),
            ("C411", false, 10),
            ("C422", false, 20),
            ("C444", false, 30),
            ("Cmono", false, 0),
            ("Cmono12", true, 0),
            ("C420p10", true, 24),
            ("C422p12", true, 40),
            ("C444p16", true, 60),
        ] {
            let (read, warnings) = frames(&stream(colour, deep, chroma));
            let read = read.unwrap();
            let scale = if deep { 40.0 } else { 1.0 };
            assert_eq!((read.len(), warnings), (2, 0), "{colour}");
            assert_eq!((read[0].data()[14], read[1].data()[0]), (14.0 * scale, 100.0 * scale), "{colour}");
        }
    }

    #[test]
    fn transparent_pixels_have_no_data_where_that_is_asked_for() {
        let read = |alpha: AlphaUse, opacity: [u8; 3]| {
            let mut bytes = b"YUV4MPEG2 W3 H1 C444alpha XCOLORRANGE=FULL\nFRAME\n".to_vec();
            bytes.extend([10, 20, 30, 128, 128, 128, 128, 128, 128]);
            bytes.extend(opacity);
            let mut warnings = Warnings::new();
            let options = ReadOptions { alpha, ..ReadOptions::default() };
            let mut context = Context::new(Path::new("a.y4m"), Reading::alone(options), &mut warnings);
            let mut reader = open(Source::from_bytes(&bytes), &mut context).unwrap();
            let frame = reader.next_frame(&mut context).unwrap().unwrap();
            let none = reader.next_frame(&mut context).unwrap();
            assert!(none.is_none());
            let known: Vec<_> = frame.data().iter().map(|v| !v.is_nan()).collect();
            (known, warnings.iter().count())
        };
        assert_eq!(read(AlphaUse::NoData, [0, 255, 9]), (vec![false, true, true], 1));
        assert_eq!(read(AlphaUse::Dropped, [0, 255, 9]), (vec![true; 3], 1));
        assert_eq!(read(AlphaUse::NoData, [255, 235, 255]), (vec![true; 3], 0));
    }

    #[test]
    fn a_stream_ends_between_frames_or_it_is_cut_short() {
        let bytes = stream("C420jpeg", false, 12);
        let header = bytes.iter().position(|&b| b == b'\n').unwrap() + 1;
        let frame = (bytes.len() - header) / 2;
        for length in 0..bytes.len() {
            let (read, _) = frames(&bytes[..length]);
            assert_eq!(read.is_ok(), length == header + frame, "{length} of {}: {read:?}", bytes.len());
        }
    }

    #[test]
    fn headers_that_make_no_sense_are_refused() {
        for header in [
            "",
            "YUV4MPEG H1 W1\n",
            "YUV4MPEG2 W3\n",
            "YUV4MPEG2 W0 H5\n",
            "YUV4MPEG2 W3 H5 C421\n",
            "YUV4MPEG2 W3 H5 C420p99\n",
            "YUV4MPEG2 W99999999999 H99999999999 C444\nFRAME\n",
            "YUV4MPEG2 W60000 H60000 C444\nFRAME\nxyz",
        ] {
            assert!(frames(header.as_bytes()).0.is_err(), "{header}");
        }
        let (read, warnings) = frames(b"YUV4MPEG2 W1 H1 It Cmono\nFRAME\nx");
        assert_eq!((read.unwrap().len(), warnings), (1, 1));
    }

    #[test]
    fn the_streams_own_tag_says_what_black_and_white_are() {
        let luma = |colour: &str, tag: &str, samples: &[u8]| {
            let mut bytes = format!("YUV4MPEG2 W3 H1 {colour} {tag}\nFRAME\n").into_bytes();
            bytes.extend(samples);
            bytes.extend(vec![128u8; if colour == "Cmono" { 0 } else { 4 }]);
            frames(&bytes).0.unwrap()[0].data().to_vec()
        };
        let samples = [16, 81, 235];
        let (as_they_are, stretched) = ([16.0, 81.0, 235.0], [0.0, 76.0, 255.0]);
        assert_eq!(luma("C420jpeg", "XCOLORRANGE=FULL", &samples), as_they_are);
        assert_eq!(luma("C420jpeg", "XYSCSS=420JPEG XCOLORRANGE=LIMITED", &samples), stretched);
        assert_eq!(luma("C420jpeg", "", &samples), stretched, "as players take it");
        assert_eq!(luma("Cmono", "", &samples), as_they_are, "grey is full");
        assert_eq!(luma("Cmono", "XCOLORRANGE=LIMITED", &[0, 16, 255]), [0.0, 0.0, 255.0]);
    }

    #[test]
    fn rates_become_intervals() {
        assert_eq!((interval_ms("25:1"), interval_ms("0:0"), interval_ms("x")), (Some(40.0), None, None));
    }
}
