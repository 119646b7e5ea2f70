//! TIFF pictures: 8, 16 and 32-bit integers and floats, grey or colour, tiled or in strips; several pages are frames.
//!
//! *Specification*: Adobe, "TIFF Revision 6.0", 1992; uncompressed, PackBits, LZW and deflate.
//! Samples keep the file's own scale; colour becomes luminance ([`LUMA`](crate::read::luminance::LUMA)).
//! Written as one page of uncompressed 32-bit floats, which loses nothing.
//! *Not frames*: thumbnails, smaller versions and masks (SubfileType) are left out; channels of ImageJ's and OME's stacks are refused.
//! *Stacks of one page*: ImageJ's, whose images follow each other behind the first one.
//! *Upright*: the orientation is applied. Small samples are turned over where they are white, but not floats and single bits.
//! *Limits*: no palettes, CMYK or YCbCr; resolution tags are not read: pictures count in pixels.

mod directories;
mod fill_order;
mod packed;
mod pages;
mod survey;
#[cfg(test)]
mod tests;
mod twelve_bits;
mod whiteness;

use crate::asking::Asking;
use crate::content::ContentKind;
use crate::error::{IoError, Result};
use crate::format::{Format, FormatPrecision, Reader};
use crate::read::context::Context;
use crate::read::luminance::{Channels, Picture, Samples};
use crate::read::source::Source;
use crate::read::stream::frame_reader::FrameReader;
use crate::read::upright;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::{Cursor, Error, ErrorKind};
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::encoder::{TiffEncoder, colortype::Gray32Float};
use tiff::tags::CompressionMethod;
use tiff::{ColorType, TiffError, TiffUnsupportedError};
use veloxel_core::{Grid, Volume, WarningKind, Warnings};

pub(super) static FORMAT: Format = Format {
    reads: &[ContentKind::Image, ContentKind::Sequence],
    precision: FormatPrecision::Float,
    write_image: Some(write),
    read_grid: Some(read_grid),
    ..Format::picture("tiff", "TIFF", &["tif", "tiff"], Reader::Frames(open))
};

/// LZW can expand a little further than deflate: 4096-entry strings from 12 bits.
const MAX_RATIO: u64 = 2800;

/// Samples that become floats between two questions whether to go on.
const BLOCK: usize = 1 << 20;

type PageDecoder = Decoder<Asking<Cursor<Vec<u8>>>>;

/// The pages of a file.
struct Pages {
    decoder: PageDecoder,
    file_bytes: u64,
    /// Samples that so many bytes can stand for.
    possible: u64,
    any: bool,
    /// The number of the decoder's page.
    nth: usize,
    /// Pages of 12 bits, which the decoder takes for bytes, with their widths in pixels.
    twelve_bits: Vec<(usize, u32)>,
    /// Images of a stack behind the only page, and how many were read.
    stack: Option<packed::Stack>,
    /// Whether some page calls itself no part of another.
    has_frames: bool,
    /// Pages that are no frames.
    left_out: usize,
    /// Samples that the pages call no data.
    no_data: usize,
    /// What all pages declare to take as frames.
    declared_bytes: u64,
    sample_type: String,
}

/// The directory may stand behind the samples: the file is read, and no sample decoded.
fn read_grid(mut source: Source, context: &mut Context) -> Result<Grid> {
    let file = source.take_rest(context)?;
    let file_bytes = file.len() as u64;
    survey::check_directories(&file, context)?;
    let file = Asking::new(Cursor::new(file), context.control());
    let mut decoder = Decoder::new(file).map_err(|e| failure(e, file_bytes, context))?;
    while !pages::is_frame(&mut decoder) && decoder.more_images() {
        decoder.next_image().map_err(|e| failure(e, file_bytes, context))?;
    }
    if !pages::is_frame(&mut decoder) {
        decoder.seek_to_image(0).map_err(|e| failure(e, file_bytes, context))?;
    }
    let (nx, ny) = decoder.dimensions().map_err(|e| failure(e, file_bytes, context))?;
    let orientation = pages::orientation(&mut decoder, file_bytes, context)?;
    upright::shown_grid([nx as usize, ny as usize, 1], orientation, context)
}

fn open<'a>(mut source: Source<'a>, context: &mut Context) -> Result<Box<dyn FrameReader + 'a>> {
    let mut file = source.take_rest(context)?;
    let file_bytes = file.len() as u64;
    let possible = file_bytes.saturating_mul(MAX_RATIO);
    let limit = usize::try_from(possible).unwrap_or(usize::MAX);
    let directories = survey::check_directories(&file, context)?;
    let kept = whiteness::keep_samples(&mut file, &directories);
    if kept > 0 {
        let text =
            format!("{kept} pages of floats or single bits call small samples white: they stay as they are");
        context.note(WarningKind::Samples, text);
    }
    let twelve_bits = twelve_bits::as_bytes(&mut file, &directories);
    let mut limits = Limits::default();
    limits.decoding_buffer_size = limit;
    limits.intermediate_buffer_size = limit;
    limits.ifd_value_size = file.len();
    let file = Asking::new(Cursor::new(file), context.control());
    let decoder = Decoder::new(file).map_err(|e| failure(e, file_bytes, context))?;
    let mut decoder = decoder.with_limits(limits);
    let survey::Survey { mut declared_bytes, pages, has_frames } =
        survey::declared_bytes(&mut decoder, file_bytes, context)?;
    let axes = pages::stack_axes(&mut decoder);
    let stack = if pages == 1 { packed::Stack::of(&mut decoder, axes, file_bytes, context)? } else { None };
    let images = stack.as_ref().map_or(pages, |stack| stack.images);
    let samples = decoder.find_tag_unsigned(tiff::tags::Tag::SamplesPerPixel).ok().flatten().unwrap_or(1);
    pages::check_axes(axes, images, samples, context)?;
    declared_bytes = declared_bytes.saturating_mul(if pages == 1 { images as u64 } else { 1 });
    let (any, sample_type, left_out, no_data) = (false, String::new(), 0, 0);
    let has_frames = stack.is_some() || has_frames;
    Ok(Box::new(Pages {
        decoder,
        file_bytes,
        possible,
        any,
        nth: 0,
        twelve_bits,
        has_frames,
        stack,
        left_out,
        no_data,
        declared_bytes,
        sample_type,
    }))
}

impl FrameReader for Pages {
    fn next_frame(&mut self, context: &mut Context) -> Result<Option<Volume<f32>>> {
        if let Some(stack) = &mut self.stack {
            self.sample_type = format!("{} × 1", stack.sample_name());
            return stack.next(&mut self.decoder, context);
        }
        loop {
            let is_first = !self.any;
            if self.any {
                if !self.decoder.more_images() {
                    return Ok(None);
                }
                self.decoder.next_image().map_err(|e| failure(e, self.file_bytes, context))?;
                self.nth += 1;
            }
            self.any = true;
            // The first page is what there is, where all call themselves something else.
            if is_first && !self.has_frames || pages::is_frame(&mut self.decoder) {
                return self.page(context).map(Some);
            }
            self.left_out += 1;
        }
    }

    fn declared_bytes(&self) -> u64 {
        self.declared_bytes
    }

    fn sample_type(&self) -> String {
        self.sample_type.clone()
    }

    fn finish(self: Box<Self>, context: &mut Context) -> Result<()> {
        if self.left_out > 0 {
            let text = format!("{} thumbnails, smaller versions or masks were left out", self.left_out);
            context.note(WarningKind::Header, text);
        }
        if self.no_data > 0 {
            let text =
                format!("{} samples are no data, as the file says (GDAL_NODATA): they are NaN", self.no_data);
            context.note(WarningKind::Samples, text);
        }
        Ok(())
    }
}

/// Makes samples of a number unknown; how many there are.
fn mark_unknown(samples: &mut [f32], number: f32) -> usize {
    let unknown = samples.iter_mut().filter(|sample| **sample == number);
    unknown.map(|sample| *sample = f32::NAN).count()
}

/// The names of methods of compression that no reader here has, by their numbers.
const COMPRESSIONS: [(u16, &str); 11] = [
    (2, "CCITT run lengths"),
    (3, "CCITT T.4 fax"),
    (4, "CCITT T.6 fax"),
    (34661, "JBIG"),
    (34712, "JPEG 2000"),
    (34887, "LERC"),
    (34892, "JPEG (lossy DNG)"),
    (34925, "LZMA"),
    (34933, "PNG"),
    (34934, "JPEG XR"),
    (50002, "JPEG XL"),
];

/// A method of compression by its name.
fn compression_name(method: CompressionMethod) -> String {
    let number = method.to_u16();
    let name = COMPRESSIONS.iter().find(|(own, _)| *own == number);
    name.map_or_else(|| format!("{method:?}"), |(_, name)| (*name).to_owned())
}

impl Pages {
    fn page(&mut self, context: &mut Context) -> Result<Volume<f32>> {
        let fail = |e: TiffError, context: &Context| failure(e, self.file_bytes, context);
        pages::check_age_of_lzw(&mut self.decoder, context)?;
        let (nx, ny) = self.decoder.dimensions().map_err(|e| fail(e, context))?;
        let of_twelve_bits = self.twelve_bits.iter().find(|(nth, _)| *nth == self.nth);
        let nx = of_twelve_bits.map_or(nx, |(_, width)| *width);
        let grid = context.picture_grid(nx as usize, ny as usize)?;
        let colour = self.decoder.colortype().map_err(|e| fail(e, context))?;
        let channels = match colour {
            ColorType::Gray(_) => Channels::Grey,
            ColorType::GrayA(_) => Channels::GreyAlpha,
            ColorType::Multiband { num_samples: 2, .. } if pages::has_alpha(&mut self.decoder) => {
                Channels::GreyAlpha
            }
            ColorType::RGB(_) => Channels::Rgb,
            ColorType::RGBA(_) => Channels::Rgba,
            other => {
                let what = format!("TIFF colour type {other:?}");
                return Err(context.unsupported(what, "convert it to grey or RGB"));
            }
        };
        let count = grid.len() as u64 * channels.count() as u64;
        context.require_bytes("the image data", count, self.possible)?;
        // As they are stored, of 8 bytes at most, and as floats.
        context.claim(count.saturating_mul(4))?;
        let stored_bytes = colour.bit_depth().div_ceil(8);
        let _scratch = context.scratch(count.saturating_mul(stored_bytes.into()))?;
        let orientation = pages::orientation(&mut self.decoder, self.file_bytes, context)?;
        let shape = packed::PageShape { size: [nx as usize, ny as usize], channels: channels.count() };
        let bits = if of_twelve_bits.is_some() { 12 } else { colour.bit_depth() };
        let samples = match bits {
            1 | 2 | 4 | 12 => packed::unpacked(&mut self.decoder, shape, bits.into()),
            _ if ![8, 16, 32, 64].contains(&bits) => {
                let what = format!("a TIFF of {bits} bits a sample");
                return Err(context.unsupported(what, "convert it to 8, 16 or 32 bits"));
            }
            _ => packed::whole(&mut self.decoder, shape),
        };
        let samples = samples.map_err(|e| fail(e, context))?;
        let Floats { mut samples, name, opaque } = floats(samples, context)?;
        if let Some(number) = pages::no_data(&mut self.decoder).filter(|_| channels == Channels::Grey) {
            self.no_data += mark_unknown(&mut samples, number as f32);
        }
        context.require(samples.len() as u64 == count, "samples", count.to_string(), samples.len())?;
        self.sample_type = format!("{name} × {}", channels.count());
        let picture = Picture { grid, channels, opaque, samples: Samples::Floats(samples) };
        upright::turned(picture, orientation, context)?.into_luminance(context)
    }
}

struct Floats {
    samples: Vec<f32>,
    /// The type that they had.
    name: &'static str,
    /// Its largest value.
    opaque: f32,
}

fn floats(samples: DecodingResult, context: &mut Context) -> Result<Floats> {
    macro_rules! is_rounded {
        ($float:expr, $value:expr, u64) => {
            $float as i128 != i128::from($value)
        };
        ($float:expr, $value:expr, i64) => {
            $float as i128 != i128::from($value)
        };
        ($float:expr, $value:expr, $type:ident) => {
            f64::from($float) != f64::from($value) && !$float.is_nan()
        };
    }
    macro_rules! floats {
        ($values:expr, $type:ident, $opaque:expr) => {{
            let mut samples: Vec<f32> = Vec::with_capacity($values.len());
            for block in $values.chunks(BLOCK) {
                context.check()?;
                samples.extend(block.iter().map(|&v| v as f32));
            }
            // NaN is equal to nothing, itself included.
            if samples.iter().zip(&$values).any(|(&f, &v)| is_rounded!(f, v, $type)) {
                let text = concat!(stringify!($type), " samples were rounded to 32-bit floats");
                context.note(WarningKind::Samples, text);
            }
            Ok(Floats { samples, name: stringify!($type), opaque: $opaque as f32 })
        }};
    }
    match samples {
        DecodingResult::U8(v) => floats!(v, u8, u8::MAX),
        DecodingResult::I8(v) => floats!(v, i8, i8::MAX),
        DecodingResult::U16(v) => floats!(v, u16, u16::MAX),
        DecodingResult::I16(v) => floats!(v, i16, i16::MAX),
        DecodingResult::U32(v) => floats!(v, u32, u32::MAX),
        DecodingResult::I32(v) => floats!(v, i32, i32::MAX),
        DecodingResult::F32(samples) => Ok(Floats { samples, name: "f32", opaque: 1.0 }),
        DecodingResult::F64(v) => floats!(v, f64, 1.0),
        DecodingResult::F16(v) => {
            let samples = v.iter().map(|half| half.to_f32()).collect();
            Ok(Floats { samples, name: "f16", opaque: 1.0 })
        }
        DecodingResult::U64(v) => floats!(v, u64, u64::MAX),
        DecodingResult::I64(v) => floats!(v, i64, i64::MAX),
    }
}

fn failure(error: TiffError, file_bytes: u64, context: &Context) -> IoError {
    match error {
        TiffError::IoError(e) if e.kind() == ErrorKind::UnexpectedEof => {
            context.truncated("the TIFF stream", file_bytes + 1, file_bytes)
        }
        TiffError::UnsupportedError(TiffUnsupportedError::UnsupportedCompressionMethod(method)) => {
            let what = format!("compression by {}", compression_name(method));
            context.unsupported(what, "save it uncompressed, or with LZW, deflate or PackBits")
        }
        TiffError::UnsupportedError(e) => {
            let what = e.to_string();
            context.unsupported(what.trim_end_matches(" is unsupported"), "convert it to plain grey or RGB")
        }
        other => context.malformed("TIFF stream", "a whole and valid one", other),
    }
}

/// Writes one page of 32-bit floats.
fn write(target: &Target, image: &Volume<f32>, _: &mut Warnings) -> Result<()> {
    let [nx, ny, _] = image.grid().size();
    let mut bytes = Asking::new(Cursor::new(Vec::new()), target.files().control());
    TiffEncoder::new(&mut bytes)
        .and_then(|mut encoder| encoder.write_image::<Gray32Float>(nx as u32, ny as u32, image.data()))
        .map_err(|e| target.fail()(Error::other(e)))?;
    whole_file::write_bytes(target, &bytes.into_inner().into_inner())
}
