//! Boxes of an image or a field, read without the rest: neither need fit into memory.

use crate::content::Content;
use crate::error::{IoError, Result};
use crate::format::Reader;
use crate::formats::lookup::{has_grid, require_to_read};
use crate::read::context::Context;
use crate::read::element::Stored;
use crate::read::input::Input;
use crate::read::layout::{Arrangement, AxisOrder, Layout, Meaning, VectorKind};
use crate::read::reading::Reading;
use crate::read::source::Source;
use crate::read::stored::{OpenStore, StorePlace, StoredSamples};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use veloxel_core::{Flow, Grid, GridBox, Warnings};

/// An image, or a frame of a sequence, of which boxes are read.
///
/// OME-Zarr reads the chunks that a box touches; NIfTI, MetaImage and NRRD without compression read the rows of it.
pub struct PartialImage {
    file: PartialFile,
    frame: usize,
}

impl PartialImage {
    /// Opens an image, of a sequence the frame that its name asks for (`cine.ome.zarr@5`). What the header gives to know is said now.
    ///
    /// # Errors
    /// As [`read_grid`](crate::read_grid); [`IoError::Unsupported`] for a file that must be read as a whole; [`IoError::Kind`] for
    /// fields and for sequences without a frame.
    pub fn open(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Self> {
        let input = Input::of(path);
        let file = PartialFile::open(&input, reading.into(), "an image", warnings)?;
        let layout = &file.layout;
        input.require(layout.frames)?;
        let numbers = input.frames.unwrap_or_default().of(layout.frames);
        let is_image = layout.meaning == Meaning::Scalar && numbers.len() == 1;
        if !is_image {
            let got = format!("{} frames or components", numbers.len() * layout.components());
            return Err(IoError::kind(&input.path, "an image", got, "name one frame, as in cine.ome.zarr@5"));
        }
        Ok(Self { file, frame: numbers[0] })
    }

    /// The grid of the whole image.
    pub fn grid(&self) -> &Grid {
        &self.file.layout.grid
    }

    /// The samples of a box, x fastest.
    ///
    /// # Errors
    /// [`IoError::Memory`], [`IoError::Truncated`], [`IoError::Read`], and what broken chunks cause.
    ///
    /// # Panics
    /// If the box reaches beyond the grid.
    pub fn part(&self, part: GridBox, warnings: &mut Warnings) -> Result<Vec<f32>> {
        self.file.with_context(part, warnings, |file, context| match &file.place {
            Place::Store(stored) => stored.part(self.frame, part, context),
            Place::File(place) => file.rows(place, self.frame, part, context),
        })
    }
}

/// A displacement field of which boxes are read, from the formats of [`PartialImage`].
pub struct PartialFlow {
    file: PartialFile,
}

impl PartialFlow {
    /// Opens a field of vectors in a volume. What the header gives to know is said now.
    ///
    /// # Errors
    /// As [`read_flow`](crate::read_flow); [`IoError::Unsupported`] for a file that must be read as a whole, which fields of pictures and
    /// of positions are.
    pub fn open(path: &Path, reading: impl Into<Reading>, warnings: &mut Warnings) -> Result<Self> {
        const WHAT: &str = "a displacement field";
        let file = PartialFile::open(&Input::of(path), reading.into(), WHAT, warnings)?;
        let layout = &file.layout;
        match layout.meaning {
            Meaning::Vector { kind: VectorKind::Displacement, components: 3, .. } if layout.frames <= 1 => {
                Ok(Self { file })
            }
            Meaning::Vector { .. } => {
                let hint = "parts are read of one field of a volume whose vectors are displacements";
                Err(IoError::unsupported(&file.path, "reading this field in parts", hint))
            }
            _ => {
                let got = format!("{} frames of one component", layout.frames);
                Err(IoError::kind(&file.path, WHAT, got, "give a vector volume"))
            }
        }
    }

    /// The grid of the whole field.
    pub fn grid(&self) -> &Grid {
        &self.file.layout.grid
    }

    /// The vectors of a box on a grid of its own, as [`read_flow`](crate::read_flow) gives them.
    ///
    /// # Errors
    /// As [`PartialImage::part`].
    ///
    /// # Panics
    /// If the box reaches beyond the grid.
    pub fn part(&self, part: GridBox, warnings: &mut Warnings) -> Result<Flow> {
        self.file.with_context(part, warnings, |file, context| {
            let mut layout = Layout { grid: file.layout.grid.part(part), ..file.layout.clone() };
            let samples = match &file.place {
                Place::Store(stored) => stored.vectors(part, context)?,
                Place::File(place) if layout.arrangement == Arrangement::Planar => {
                    let mut planes = Vec::new();
                    for component in 0..layout.components() {
                        planes.extend(file.rows(place, component, part, context)?);
                    }
                    planes
                }
                Place::File(place) => file.rows(place, 0, part, context)?,
            };
            layout.frames = 1;
            match layout.content(samples, context)? {
                Content::Flow(flow) => Ok(flow),
                other => Err(context.malformed("the content", "a displacement field", other.describe())),
            }
        })
    }
}

/// A file of which boxes are read.
struct PartialFile {
    path: PathBuf,
    reading: Reading,
    layout: Layout,
    place: Place,
}

enum Place {
    Store(Box<dyn StoredSamples>),
    File(FilePlace),
}

/// Samples from a byte of a file on.
struct FilePlace {
    file: Mutex<Arc<File>>,
    first: u64,
}

impl PartialFile {
    fn open(input: &Input, reading: Reading, what: &'static str, warnings: &mut Warnings) -> Result<Self> {
        let reading = input.reading(reading);
        let format = require_to_read(&input.path, what, has_grid)?;
        let mut context = Context::new(&input.path, reading.clone(), warnings);
        let opened = match format.reader {
            Reader::Store(open) => owned_store(open, &input.path, &mut context),
            Reader::Header(header) => header(Source::open(&input.path, context.files())?, &mut context)
                .and_then(|(layout, source)| in_file(layout, source, &mut context)),
            Reader::Whole(_) | Reader::Frames(_) => Err(read_whole(&context)),
        };
        let (layout, place) = context.settled(opened)?;
        Ok(Self { path: input.path.clone(), reading, layout, place })
    }

    /// Reads something of a box.
    fn with_context<T>(
        &self,
        part: GridBox,
        warnings: &mut Warnings,
        read: impl FnOnce(&Self, &mut Context) -> Result<T>,
    ) -> Result<T> {
        let size = self.layout.grid.size();
        let is_within = (0..3).all(|a| part.begin[a] + part.size[a] <= size[a]);
        assert!(is_within, "a box should lie within its grid");
        let mut context = Context::new(&self.path, self.reading.clone(), warnings);
        let found = read(self, &mut context);
        context.settled(found)
    }

    /// The rows of a box in a frame or, where components stand one after the other, in a component.
    fn rows(
        &self,
        FilePlace { file, first }: &FilePlace,
        frame: usize,
        part: GridBox,
        context: &Context,
    ) -> Result<Vec<f32>> {
        let Stored { element, order, scaling } = self.layout.stored;
        let [nx, ny, nz] = self.layout.grid.size();
        let GridBox { begin: [x, y, z], size: [sx, sy, sz] } = part;
        let together = match self.layout.arrangement {
            Arrangement::Interleaved => self.layout.components(),
            Arrangement::Planar => 1,
        };
        let mut samples = context.room_for(sx * sy * sz * together)?;
        // Rows that follow one another are one.
        let (run, runs_a_plane) = if sx == nx { (sx * sy, 1) } else { (sx, sy) };
        let voxel_bytes = element.bytes() * together;
        let _held = context.scratch((run * voxel_bytes) as u64)?;
        let mut bytes = vec![0; run * voxel_bytes];
        let file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file: &File = &file;
        for plane in z..z + sz {
            for row in 0..runs_a_plane {
                context.check()?;
                let at = x + nx * (y + row + ny * (plane + nz * frame));
                let place = first + (at * voxel_bytes) as u64;
                let read = file.seek(SeekFrom::Start(place)).and_then(|_| file.read_exact(&mut bytes));
                read.map_err(|error| context.read(error))?;
                context.control().count_bytes(bytes.len() as u64);
                element.decode(&bytes, order, scaling, &mut samples);
            }
        }
        Ok(samples)
    }
}

/// A store that is open as long as it is read.
fn owned_store(open: OpenStore, path: &Path, context: &mut Context) -> Result<(Layout, Place)> {
    let stored = open(StorePlace::Path(path.to_owned()), context)?;
    Ok((stored.layout().clone(), Place::Store(stored)))
}

/// Where the samples lie that a header describes.
fn in_file(layout: Layout, source: Source, context: &mut Context) -> Result<(Layout, Place)> {
    let needed = layout.sample_bytes(context)?;
    let is_in_order = layout.axis_order == AxisOrder::XFastest;
    let Some((file, first)) = source.place().filter(|_| is_in_order) else { return Err(read_whole(context)) };
    source.require_bytes("the sample data", needed, context)?;
    Ok((layout, Place::File(FilePlace { file: Mutex::new(file), first })))
}

fn read_whole(context: &Context) -> IoError {
    let hint = "convert it to .ome.zarr, or to .nii, .mha or .nrrd without compression";
    context.unsupported("reading this file in parts", hint)
}
