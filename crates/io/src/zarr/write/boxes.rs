//! An image or a field that is written box by box, so that it need not fit into memory; the bytes are those of one that is written at
//! once.

use super::axes::space_axes;
use super::chunks::{ChunkMemory, ChunkWriter, StoreWriter, write_box};
use super::coarser::CoarserChunks;
use super::levels::Pyramid;
use super::{check_place, write_metadata};
use crate::error::{IoError, Result};
use crate::read::element::Element;
use crate::write::publication::Publication;
use crate::write::record::{Record, fill, label_element};
use crate::write::target::Target;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use veloxel_core::{Grid, GridBox};

/// An image or a field on its way into a store, a folder that ends in `.zarr`.
#[derive(Debug)]
pub struct StoreBoxes {
    target: Target,
    grid: Grid,
    content: BoxContent,
    growth: Mutex<Growth>,
    /// Gives the store its name, unless that is done with other outputs.
    publication: Option<Publication>,
}

/// What is there of a store besides its files.
#[derive(Debug)]
struct Growth {
    /// Chunks that are made as boxes come.
    coarser: CoarserChunks,
    memory: ChunkMemory,
}

/// What is in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BoxContent {
    Image,
    /// Whole numbers of a type.
    Labels(Element),
    Field,
}

impl BoxContent {
    fn record(self, grid: &Grid) -> Record<'_> {
        match self {
            Self::Image => Record::image_on(grid),
            Self::Labels(element) => Record::labels_on(grid, element),
            Self::Field => Record::field_on(grid),
        }
    }
}

impl StoreBoxes {
    /// Whether what has this name can be written box by box.
    pub fn takes(path: &Path) -> bool {
        super::super::opened::is_store_name(path) && !super::is_archive(path)
    }

    /// Begins an image.
    ///
    /// # Errors
    /// [`IoError::Write`]; [`IoError::Unsupported`] for a name that is not a folder's.
    pub fn image(target: impl Into<Target>, grid: &Grid) -> Result<Self> {
        Self::begin(target.into(), grid, BoxContent::Image)
    }

    /// Begins labels between a least and a largest one, whole numbers that 32-bit floats hold: below 2^24 either way.
    ///
    /// # Errors
    /// As [`image`](Self::image).
    pub fn labels(target: impl Into<Target>, grid: &Grid, ends: [i32; 2]) -> Result<Self> {
        Self::begin(target.into(), grid, BoxContent::Labels(label_element(&ends)))
    }

    /// Begins a field.
    ///
    /// # Errors
    /// As [`image`](Self::image).
    pub fn field(target: impl Into<Target>, grid: &Grid) -> Result<Self> {
        Self::begin(target.into(), grid, BoxContent::Field)
    }

    fn begin(mut target: Target, grid: &Grid, content: BoxContent) -> Result<Self> {
        if !Self::takes(target.path()) {
            let what = "writing box by box under this name";
            return Err(IoError::unsupported(target.path(), what, "name a folder that ends in .ome.zarr"));
        }
        check_place(target.path())?;
        let mut publication = None;
        if !target.is_staged() {
            let mut own = Publication::of(target.files());
            target = own.target(target.path())?;
            publication = Some(own);
        }
        let coarser = CoarserChunks::of(&content.record(grid));
        let growth = Mutex::new(Growth { coarser, memory: ChunkMemory::default() });
        let begun = Self { target, grid: grid.clone(), content, growth, publication };
        let (store, record) = (begun.store()?, begun.record());
        write_metadata(&store, &Pyramid::of(&record), &record)?;
        Ok(begun)
    }

    /// Voxels along x, y and z that boxes begin at multiples of, and end at unless the grid ends there.
    pub fn step(&self) -> [usize; 3] {
        step_of(&self.record())
    }

    /// The [step](Self::step) of an image or a field on a grid, before one is begun.
    pub fn step_on(grid: &Grid) -> [usize; 3] {
        step_of(&Record::image_on(grid))
    }

    /// Writes a box: the samples of an image, x fastest, or labels, or of a field a slice for each axis, voxels. Chunks of coarser levels
    /// are written with the last box that they cover.
    ///
    /// # Errors
    /// [`IoError::Write`], [`IoError::Stopped`].
    ///
    /// # Panics
    /// If the box begins or ends within a chunk or beyond the grid, or a slice has another length or is missing.
    pub fn put(&self, part: GridBox, samples: &[impl AsRef<[f32]>]) -> Result<()> {
        self.put_of(part, part, samples)
    }

    /// Writes a box as [`put`](Self::put) does, of samples that lie in a larger one.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    ///
    /// # Panics
    /// As [`put`](Self::put).
    pub fn put_of(&self, part: GridBox, of: GridBox, samples: &[impl AsRef<[f32]>]) -> Result<()> {
        let (size, step, end) = (self.grid.size(), self.step(), part.end());
        let is_between = |a: usize| {
            part.begin[a].is_multiple_of(step[a])
                && (end[a] == size[a] || end[a].is_multiple_of(step[a]) && end[a] < size[a])
        };
        assert!((0..3).all(is_between), "a box should begin and end between chunks");
        assert!(
            samples.iter().all(|slice| slice.as_ref().len() == of.len()),
            "a sample should belong to every voxel"
        );
        let axes = self.grid.dimension().count();
        let slices = if self.content == BoxContent::Field { axes } else { 1 };
        assert_eq!(samples.len(), slices, "every component should have its samples");
        let record = self.record();
        let array = Pyramid::of(&record).array(0, &record);
        let spacing_mm = self.grid.spacing_mm();
        let row = |component: usize, voxel: [usize; 3], out: &mut [u8]| {
            // A plane in space has vectors of three components, the third of which is 0.
            let Some(slice) = samples.get(component) else { return };
            let [x, y, z] = [0, 1, 2].map(|a| voxel[a] - of.begin[a]);
            let own = &slice.as_ref()[x + of.size[0] * (y + of.size[1] * z)..];
            let along = |v: f32| (f64::from(v) * spacing_mm[component]) as f32;
            match self.content {
                BoxContent::Image => fill(own, f32::to_le_bytes, out),
                BoxContent::Field => fill(own, |v| along(v).to_le_bytes(), out),
                BoxContent::Labels(Element::U8) => fill(own, |v| [v as u8], out),
                BoxContent::Labels(Element::I16) => fill(own, |v| (v as i16).to_le_bytes(), out),
                BoxContent::Labels(_) => fill(own, |v| (v as i32).to_le_bytes(), out),
            }
        };
        let store = self.store()?;
        // A thread that panicked has left no chunk half.
        let mut growth = self.growth.lock().unwrap_or_else(PoisonError::into_inner);
        let Growth { coarser, memory } = &mut *growth;
        let mut writer = ChunkWriter { store: &store, memory };
        write_box(&mut writer, &array, &record, part, row, |writer, chunk| {
            coarser.written(writer, &record, chunk)
        })
    }

    /// Ends the store, once all boxes are written. It has its name then, unless its target is published with others.
    ///
    /// # Errors
    /// [`IoError::Write`], [`IoError::Stopped`].
    pub fn finish(self) -> Result<()> {
        let Self { target, grid, content, growth, publication } = self;
        let store = StoreWriter::create(target.place(), &target)?;
        let Growth { coarser, mut memory } = growth.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut writer = ChunkWriter { store: &store, memory: &mut memory };
        coarser.finish(&mut writer, &content.record(&grid))?;
        store.finish()?;
        let publish = |publication: Publication| publication.publish().map_err(|failed| failed.error);
        publication.map_or(Ok(()), publish)
    }

    fn store(&self) -> Result<StoreWriter<'_>> {
        StoreWriter::create(self.target.place(), &self.target)
    }

    fn record(&self) -> Record<'_> {
        self.content.record(&self.grid)
    }
}

fn step_of(record: &Record<'_>) -> [usize; 3] {
    let chunk = Pyramid::of(record).array(0, record).chunk;
    let mut step = [1; 3];
    let of_space = chunk.iter().rev().take(space_axes(record));
    of_space.zip(&mut step).for_each(|(size, step)| *step = *size);
    step
}
