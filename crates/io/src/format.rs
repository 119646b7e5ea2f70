//! The description of a file format: one value a format, all of them listed in [`crate::formats`].

use crate::content::{ContentKind, Decoded};
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::layout::Layout;
use crate::read::source::Source;
use crate::read::stored::OpenStore;
use crate::read::stream::frame_reader::FrameReader;
use crate::write::painted_mesh::PaintedMesh;
use crate::write::record::Record;
use crate::write::target::Target;
use crate::write::video::{VideoEncoder, VideoShape};
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::Path;
use veloxel_core::{Dimension, Flow, Grid, Sequence, Volume, Warnings};

/// A file format. [`Format::from_path`] finds the one that a file name asks for.
///
/// To add one, write a file in `formats/` with such a value and list it in `formats/mod.rs`: reading, writing,
/// inspection, streams of frames, hints in messages, fuzzing and the tests of round trips take it from there.
pub struct Format {
    /// In reports: `meta-image`.
    pub(crate) name: &'static str,
    /// In messages: `MetaImage`.
    pub(crate) title: &'static str,
    /// Without the dot, in lower case.
    pub(crate) extensions: &'static [&'static str],
    /// What its files hold when they are read.
    pub(crate) reads: &'static [ContentKind],
    pub(crate) precision: FormatPrecision,
    /// Whether its files say where their voxels lie in the world.
    pub(crate) keeps_place: bool,
    /// What a file to be written can hold.
    pub(crate) limits: Limits,
    pub(crate) reader: Reader,
    /// The grid from the first bytes, where all of the file is read otherwise.
    pub(crate) read_grid: Option<ReadGrid>,
    /// Where headers may name files for their samples.
    pub(crate) names_data_files: Option<NamesDataFiles>,
    /// Where a file that is asked for as a field must not be taken for something else.
    pub(crate) read_flow: Option<Read>,
    /// A disparity in units of the format's own; none if the file is not one.
    pub(crate) read_disparity: Option<ReadDisparity>,
    pub(crate) write_image: Option<WriteImage>,
    /// Where labels are not written as an image of whole numbers.
    pub(crate) write_labels: Option<Write<Volume<i32>>>,
    pub(crate) write_flow: Option<Write<Flow>>,
    pub(crate) write_sequence: Option<Write<Sequence>>,
    /// Where disparities are not written as an image.
    pub(crate) write_disparity: Option<Write<Volume<f32>>>,
    /// Colours of 8 bits.
    pub(crate) write_rgb: Option<WriteRgb>,
    pub(crate) write_video: Option<WriteVideo>,
    /// A surface with values of its faces.
    pub(crate) write_painted: Option<WritePainted>,
}

/// Reads a whole file.
pub(crate) type Read = for<'a> fn(Source<'a>, &mut Context) -> Result<Decoded>;
pub(crate) type ReadDisparity = for<'a> fn(Source<'a>, &mut Context) -> Result<Option<Volume<f32>>>;
pub(crate) type ReadGrid = for<'a> fn(Source<'a>, &mut Context) -> Result<Grid>;
pub(crate) type ReadHeader = for<'a> fn(Source<'a>, &mut Context) -> Result<(Layout, Source<'a>)>;
pub(crate) type OpenFrames = for<'a> fn(Source<'a>, &mut Context) -> Result<Box<dyn FrameReader + 'a>>;
pub(crate) type Write<T> = fn(&Target, &T) -> Result<()>;
/// Writes an image; the samples that it must change are a warning.
pub(crate) type WriteImage = fn(&Target, &Volume<f32>, &mut Warnings) -> Result<()>;
/// The names of the files that a header gives for its samples, if they are not in the same.
pub(crate) type NamesDataFiles = fn(&mut Source, &Context) -> Vec<String>;
/// Size, and a triple a pixel.
pub(crate) type WriteRgb = fn(&Target, [usize; 2], &[u8]) -> Result<()>;
pub(crate) type WritePainted = fn(&Target, &PaintedMesh<'_>) -> Result<()>;
pub(crate) type WriteVideo = fn(&Target, VideoShape) -> Result<Box<dyn VideoEncoder>>;

/// How much of a file must be read to know what it holds.
#[derive(Clone, Copy)]
pub(crate) enum Reader {
    /// All of it.
    Whole(Read),
    /// The header: the source is left at the first sample.
    Header(ReadHeader),
    /// One frame after the other.
    Frames(OpenFrames),
    /// The metadata of a store of chunks: any part of its samples is read without the rest.
    #[cfg_attr(not(feature = "zarr"), expect(dead_code, reason = "no format without it"))]
    Store(OpenStore),
}

/// What becomes of a sample that is written and read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatPrecision {
    /// It stays the 32-bit float that it is.
    Float,
    /// It becomes a whole number of 8 or 16 bits.
    Whole,
    /// It changes: the format is for pictures that are looked at.
    Lossy,
}

/// The largest grid that a format holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub dimension: Dimension,
    /// Voxels along an axis.
    pub side: usize,
    /// What to do with a larger side.
    pub hint: &'static str,
}

/// A side that headers of 32 bits can hold.
const PICTURE_LIMITS: Limits =
    Limits { dimension: Dimension::Two, side: i32::MAX as usize, hint: "crop or shrink it first" };
pub(crate) const VOLUME_LIMITS: Limits =
    Limits { dimension: Dimension::Three, side: usize::MAX, ..PICTURE_LIMITS };

impl Format {
    /// A format of pictures of whole numbers that is read and not written.
    pub(crate) const fn picture(
        name: &'static str,
        title: &'static str,
        extensions: &'static [&'static str],
        reader: Reader,
    ) -> Self {
        Self {
            name,
            title,
            extensions,
            reads: &[ContentKind::Image],
            precision: FormatPrecision::Whole,
            keeps_place: false,
            limits: PICTURE_LIMITS,
            reader,
            read_grid: None,
            names_data_files: None,
            read_flow: None,
            read_disparity: None,
            write_image: None,
            write_labels: None,
            write_flow: None,
            write_sequence: None,
            write_disparity: None,
            write_rgb: None,
            write_video: None,
            write_painted: None,
        }
    }

    /// A format of surfaces.
    pub(crate) const fn surface(
        name: &'static str,
        title: &'static str,
        extensions: &'static [&'static str],
        read: Read,
    ) -> Self {
        Self {
            reads: &[ContentKind::Surface],
            precision: FormatPrecision::Float,
            ..Self::picture(name, title, extensions, Reader::Whole(read))
        }
    }

    /// A format of volumes and fields in the world's millimetres that `W` writes.
    pub(crate) const fn volume<W: WriteRecord>(
        name: &'static str,
        title: &'static str,
        extensions: &'static [&'static str],
        reader: Reader,
    ) -> Self {
        Self {
            reads: &[ContentKind::Image, ContentKind::Sequence, ContentKind::Flow],
            precision: FormatPrecision::Float,
            keeps_place: true,
            limits: VOLUME_LIMITS,
            write_image: Some(|target, image, _| W::write(target, &Record::image(image))),
            write_labels: Some(|target, labels| W::write(target, &Record::labels(labels))),
            write_flow: Some(|target, flow| W::write(target, &Record::flow(flow))),
            ..Self::picture(name, title, extensions, reader)
        }
    }

    /// Its name in JSON: `meta-image`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The endings of its files' names, without the dot, in lower case.
    pub fn extensions(&self) -> &'static [&'static str] {
        self.extensions
    }

    /// What becomes of a sample that is written and read again.
    pub fn precision(&self) -> FormatPrecision {
        self.precision
    }

    /// Whether a file of it may hold this when it is read.
    pub fn reads(&self, kind: ContentKind) -> bool {
        self.reads.contains(&kind)
    }

    /// Whether this can be written.
    pub fn writes(&self, kind: ContentKind) -> bool {
        match kind {
            ContentKind::Image => self.write_image.is_some(),
            ContentKind::Sequence => self.write_sequence.is_some(),
            ContentKind::Flow => self.write_flow.is_some(),
            ContentKind::Mesh => false,
            ContentKind::Surface => self.write_painted.is_some(),
        }
    }

    /// Whether labels can be written: whole numbers that must not change.
    pub fn writes_labels(&self) -> bool {
        self.write_labels.is_some()
            || (self.write_image.is_some() && self.precision != FormatPrecision::Lossy)
    }

    /// Whether a video can be written frame by frame.
    pub fn writes_videos(&self) -> bool {
        self.write_video.is_some()
    }

    /// Whether it holds volumes; other formats hold pictures alone.
    pub fn holds_volumes(&self) -> bool {
        self.limits.dimension == Dimension::Three
    }

    /// Whether its files say where their voxels lie in the world: spacing, origin and direction. Others count in pixels or voxels.
    pub fn keeps_place(&self) -> bool {
        self.keeps_place
    }

    /// Refuses a grid that it cannot hold, whatever is on it.
    pub(crate) fn check_grid(&self, path: &Path, grid: &Grid) -> Result<()> {
        self.check_dimension(path, grid.dimension())?;
        let [nx, ny, nz] = grid.size();
        self.check_side(path, nx.max(ny).max(nz))
    }

    /// Refuses volumes where pictures alone can be written.
    pub(crate) fn check_dimension(&self, path: &Path, dimension: Dimension) -> Result<()> {
        if dimension == Dimension::Three && !self.holds_volumes() {
            let what = format!("a volume as {}, a format of pictures,", self.title);
            return Err(IoError::unsupported(path, what, "write volumes as .nii.gz, .mha or .nrrd"));
        }
        Ok(())
    }

    /// Refuses an axis that is too long for its headers.
    pub(crate) fn check_side(&self, path: &Path, side: usize) -> Result<()> {
        let Limits { side: limit, hint, .. } = self.limits;
        if side > limit {
            let what = format!("an axis of {side} in {} (limit: {limit})", self.title);
            return Err(IoError::unsupported(path, what, hint));
        }
        Ok(())
    }
}

/// What writes a volume format: images, labels, fields and, where the format has a time axis, sequences.
pub(crate) trait WriteRecord {
    /// Writes all of it or nothing.
    fn write(target: &Target, record: &Record) -> Result<()>;
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

/// Its title: `MetaImage`.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title)
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
