//! Samples that a decoder gives out in another arrangement: channels one after the other, several samples in a byte, and images behind
//! the only page.

use super::pages::StackAxes;
use super::{PageDecoder, failure};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element, Fit, Scaling};
use crate::read::luminance::{Channels, Picture, Samples};
use crate::read::upright;
use std::io::{Read, Seek, SeekFrom};
use tiff::decoder::{ChunkType, DecodingResult};
use tiff::tags::Tag;
use tiff::{TiffResult, TiffUnsupportedError, tags};
use veloxel_core::{Grid, Volume, WarningKind};

/// A page's columns, rows and channels.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageShape {
    pub size: [usize; 2],
    pub channels: usize,
}

impl PageShape {
    fn pixels(self) -> usize {
        self.size[0] * self.size[1]
    }
}

/// The samples of a page, channels of a pixel together.
pub(super) fn whole(decoder: &mut PageDecoder, shape: PageShape) -> TiffResult<DecodingResult> {
    let layout = decoder.image_buffer_layout()?;
    if layout.planes < 2 {
        return decoder.read_image();
    }
    if decoder.get_chunk_type() == ChunkType::Tile {
        return planar_tiles(decoder, shape);
    }
    // The other way gives the first plane alone.
    let mut samples = DecodingResult::U8(Vec::new());
    decoder.read_image_to_buffer(&mut samples)?;
    macro_rules! together {
        ($($kind:ident)*) => {
            match samples {
                $(DecodingResult::$kind(planar) => DecodingResult::$kind(interleaved(&planar, shape)),)*
            }
        };
    }
    Ok(together!(U8 U16 U32 U64 F16 F32 F64 I8 I16 I32 I64))
}

/// Samples of tiles that have one channel each: the decoder puts tiles of later channels together as if none were cut.
fn planar_tiles(decoder: &mut PageDecoder, shape: PageShape) -> TiffResult<DecodingResult> {
    macro_rules! of_kind {
        ($($kind:ident)*) => {
            match decoder.read_chunk(0)? {
                $(DecodingResult::$kind(_) => {
                    let samples = assembled(decoder, shape, |tile| match tile {
                        DecodingResult::$kind(tile) => tile,
                        _ => Vec::new(),
                    });
                    Ok(DecodingResult::$kind(samples?))
                })*
            }
        };
    }
    of_kind!(U8 U16 U32 U64 F16 F32 F64 I8 I16 I32 I64)
}

fn assembled<T: Copy + Default>(
    decoder: &mut PageDecoder,
    shape: PageShape,
    samples_of: impl Fn(DecodingResult) -> Vec<T>,
) -> TiffResult<Vec<T>> {
    let ([nx, ny], channels) = (shape.size, shape.channels);
    let (width, height) = decoder.chunk_dimensions();
    let [width, height] = [width as usize, height as usize].map(|side| side.max(1));
    let across = nx.div_ceil(width);
    let in_plane = across * ny.div_ceil(height);
    let mut out = vec![T::default(); shape.pixels() * channels];
    for nth in 0..in_plane * channels {
        let tile = samples_of(decoder.read_chunk(nth as u32)?);
        let (channel, place) = (nth / in_plane, nth % in_plane);
        let (x, y) = (place % across * width, place / across * height);
        // What lies beyond the picture is cut at the right, and at the bottom of some.
        let row_len = width.min(nx - x);
        for (row, samples) in tile.chunks_exact(row_len).take(height.min(ny - y)).enumerate() {
            let begin = (y + row) * nx + x;
            for (pixel, &sample) in samples.iter().enumerate() {
                out[(begin + pixel) * channels + channel] = sample;
            }
        }
    }
    Ok(out)
}

fn interleaved<T: Copy>(planar: &[T], shape: PageShape) -> Vec<T> {
    let pixels = shape.pixels();
    let planes = || (0..shape.channels).map(|channel| planar.get(channel * pixels..(channel + 1) * pixels));
    if planes().any(|plane| plane.is_none()) {
        return planar.to_vec();
    }
    (0..pixels)
        .flat_map(|pixel| (0..shape.channels).map(move |channel| planar[channel * pixels + pixel]))
        .collect()
}

/// Samples of 1, 2, 4 or 12 bits, the highest bit first, rows at whole bytes.
pub(super) fn unpacked(
    decoder: &mut PageDecoder,
    shape: PageShape,
    bits: usize,
) -> TiffResult<DecodingResult> {
    let layout = decoder.image_buffer_layout()?;
    if layout.planes > 1 {
        return Err(
            TiffUnsupportedError::UnsupportedPlanarConfig(Some(tags::PlanarConfiguration::Planar)).into()
        );
    }
    let mut bytes = vec![0; layout.len];
    decoder.read_image_bytes(&mut bytes)?;
    let in_row = shape.size[0] * shape.channels;
    let stride = layout.row_stride.map_or((in_row * bits).div_ceil(8), |stride| stride.get());
    let sample = |row: &[u8], nth: usize| {
        let bit = |at: usize| row.get(at / 8).map_or(0, |byte| u16::from(byte >> (7 - at % 8) & 1));
        (nth * bits..(nth + 1) * bits).fold(0u16, |value, at| value << 1 | bit(at))
    };
    let rows = bytes.chunks(stride.max(1)).take(shape.size[1]);
    Ok(DecodingResult::U16(rows.flat_map(|row| (0..in_row).map(move |nth| sample(row, nth))).collect()))
}

/// Images of ImageJ's that follow each other behind the first, uncompressed, with one page for all.
pub(super) struct Stack {
    pub images: usize,
    grid: Grid,
    begin: u64,
    element: Element,
    order: ByteOrder,
    next: usize,
    orientation: u16,
}

impl Stack {
    /// The stack of a file's only page; none where it is one image.
    pub fn of(
        decoder: &mut PageDecoder,
        axes: StackAxes,
        file_bytes: u64,
        context: &Context,
    ) -> Result<Option<Self>> {
        let StackAxes { images, is_image_j: true, .. } = axes else { return Ok(None) };
        let fail = |e| failure(e, file_bytes, context);
        let mut number = |tag: Tag, otherwise: u64| -> Result<u64> {
            let found: Option<Vec<u64>> = decoder.find_tag_unsigned_vec(tag).map_err(fail)?;
            Ok(found.and_then(|values| values.first().copied()).unwrap_or(otherwise))
        };
        if images < 2 {
            return Ok(None);
        }
        let (compression, samples) = (number(Tag::Compression, 1)?, number(Tag::SamplesPerPixel, 1)?);
        let (bits, format) = (number(Tag::BitsPerSample, 1)?, number(Tag::SampleFormat, 1)?);
        let begin = number(Tag::StripOffsets, 0)?;
        let element = match (bits, format) {
            (8, 1) => Some(Element::U8),
            (16, 1) => Some(Element::U16),
            (32, 1) => Some(Element::U32),
            (16, 2) => Some(Element::I16),
            (32, 3) => Some(Element::F32),
            _ => None,
        };
        let Some(element) = element.filter(|_| compression == 1 && samples == 1) else {
            let what = format!("an ImageJ stack of {images} images behind one page, of this kind of samples");
            return Err(context.unsupported(what, "save it with a page for each image"));
        };
        let (nx, ny) = decoder.dimensions().map_err(fail)?;
        let grid = context.picture_grid(nx as usize, ny as usize)?;
        let needed = (grid.len() as u64).saturating_mul(element.bytes() as u64).saturating_mul(images as u64);
        context.require_bytes("the images of the stack", begin.saturating_add(needed), file_bytes)?;
        let order = match decoder.byte_order() {
            tags::ByteOrder::LittleEndian => ByteOrder::Little,
            tags::ByteOrder::BigEndian => ByteOrder::Big,
        };
        let orientation = super::pages::orientation(decoder, file_bytes, context)?;
        Ok(Some(Self { images, grid, begin, element, order, next: 0, orientation }))
    }

    pub fn sample_name(&self) -> &'static str {
        self.element.name()
    }

    /// The next image.
    pub fn next(&mut self, decoder: &mut PageDecoder, context: &mut Context) -> Result<Option<Volume<f32>>> {
        if self.next == self.images {
            return Ok(None);
        }
        let count = self.grid.len() * self.element.bytes();
        let at = self.begin + (self.next * count) as u64;
        self.next += 1;
        let mut bytes = context.room_for(count)?;
        bytes.resize(count, 0);
        let inner = decoder.inner();
        inner.seek(SeekFrom::Start(at)).map_err(|e| context.read(e))?;
        inner.read_exact(&mut bytes).map_err(|e| context.read(e))?;
        let mut samples = context.room_for(self.grid.len())?;
        if self.element.decode(&bytes, self.order, Scaling::NONE, &mut samples) == Fit::Rounded {
            let text = format!("{} samples were rounded to 32-bit floats", self.element.name());
            context.note(WarningKind::Samples, text);
        }
        let (grid, samples) = (self.grid.clone(), Samples::Floats(samples));
        let picture = Picture { grid, channels: Channels::Grey, opaque: 1.0, samples };
        upright::turned(picture, self.orientation, context)?.into_luminance(context).map(Some)
    }
}
