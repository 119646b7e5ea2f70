//! The levels of an image: each has half the samples of the one before it along the axes where samples lie closest.

use super::axes::{axis_names, space_axes};
use super::chunks::StoreWriter;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element};
use crate::read::reading::Reading;
use crate::write::record::Record;
use crate::zarr::array::sample_type::SampleType;
use crate::zarr::array::{Array, ChunkKeys, Fill};
use crate::zarr::codecs::{Codecs, Stage};
use crate::zarr::region::{self, Destination, Numbers, Region, Sample, Tally, stored_strides};
use crate::zarr::store::{Folder, Store};
use veloxel_core::Warnings;

/// A level whose longest side is shorter has no coarser one.
const LAST_SIDE: usize = 128;
/// Sides of chunks of volumes and of pictures.
const CHUNK_VOLUME: usize = 64;
const CHUNK_PICTURE: usize = 512;
/// Axes whose samples lie so many times further apart than the closest ones keep theirs.
const FAR: f64 = 1.5;

/// The levels of an image.
pub(super) struct Pyramid {
    pub levels: Vec<LevelShape>,
}

/// A level: samples along x, y and z, how many of the finest level's each of them is, and how many of the level before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LevelShape {
    pub size: [usize; 3],
    pub factor: [usize; 3],
    step: [usize; 3],
}

impl Pyramid {
    pub fn of(record: &Record) -> Self {
        let finest = LevelShape { size: record.grid.size(), factor: [1; 3], step: [1; 3] };
        let mut levels = vec![finest];
        let spacing = record.grid.spacing_mm();
        loop {
            let last = levels[levels.len() - 1];
            let long = last.size.into_iter().max().unwrap_or_default();
            let apart = [0, 1, 2].map(|a| spacing[a] * last.factor[a] as f64);
            let is_wide = |a: &usize| last.size[*a] > 1;
            let closest = (0..3).filter(is_wide).map(|a| apart[a]).fold(f64::INFINITY, f64::min);
            let step = [0, 1, 2].map(|a| if is_wide(&a) && apart[a] <= FAR * closest { 2 } else { 1 });
            if long <= LAST_SIDE || step == [1; 3] {
                return Self { levels };
            }
            let size = [0, 1, 2].map(|a| last.size[a] / step[a]);
            levels.push(LevelShape { size, factor: [0, 1, 2].map(|a| last.factor[a] * step[a]), step });
        }
    }

    /// The array of a level.
    pub fn array(&self, level: usize, record: &Record) -> Array {
        let space = space_axes(record);
        let side = if space == 2 { CHUNK_PICTURE } else { CHUNK_VOLUME };
        let [x, y, z] = self.levels[level].size;
        let sizes = [z, y, x];
        let mut shape: Vec<usize> = lead(record);
        let mut chunk: Vec<usize> = shape.iter().map(|_| 1).collect();
        shape.extend(&sizes[3 - space..]);
        chunk.extend(sizes[3 - space..].iter().map(|size| side.min(*size)));
        let names = axis_names(record).into_iter().map(|name| Some(name.to_owned())).collect();
        Array {
            node: level.to_string(),
            shape,
            chunk,
            sample: SampleType::Number(record.element),
            fill: Fill::ZERO,
            keys: ChunkKeys { is_marked: true, separator: '/' },
            codecs: Codecs {
                transposed: None,
                order: ByteOrder::Little,
                sharding: None,
                stages: vec![Stage::Blosc],
            },
            names,
        }
    }
}

/// Frames or components, the axis before those of space, if there is more than one.
fn lead(record: &Record) -> Vec<usize> {
    [record.frames, record.components].into_iter().filter(|count| *count > 1).collect()
}

/// Writes a level from the one before it.
pub(super) fn write(
    store: &StoreWriter,
    pyramid: &Pyramid,
    level: usize,
    record: &Record,
    reading: Reading,
    unsaid: &mut Warnings,
) -> Result<()> {
    let context = Context::new(store.target().path(), reading, unsaid);
    let [fine, coarse] = [level - 1, level].map(|level| pyramid.array(level, record));
    let axes = fine.shape.len();
    let [x, y, z] = pyramid.levels[level].step;
    let space = space_axes(record);
    let steps: Vec<usize> =
        vec![1; axes - space].into_iter().chain([z, y, x][3 - space..].iter().copied()).collect();
    let written = Store::Folder(Folder::own(store.root()));
    let halves = Halves { fine: &fine, coarse: &coarse, steps: &steps, written: &written, context: &context };
    let mut numbers = Numbers::of(&vec![0; axes], &coarse.shape, &coarse.chunk);
    while let Some(chunk) = numbers.next() {
        let bytes = match record.element {
            Element::F32 => halves.chunk(chunk, mean, |v: f32, out| out.extend(v.to_le_bytes()))?,
            Element::U8 => halves.chunk(chunk, most_frequent, |v, out| out.push(v as u8))?,
            Element::I16 => {
                halves.chunk(chunk, most_frequent, |v, out| out.extend((v as i16).to_le_bytes()))?
            }
            _ => halves.chunk(chunk, most_frequent, |v, out| out.extend(v.to_le_bytes()))?,
        };
        store.put_chunk(&coarse, chunk, &bytes)?;
    }
    Ok(())
}

/// Two levels of which the coarser one is made.
struct Halves<'h, 'c> {
    fine: &'h Array,
    coarse: &'h Array,
    /// Samples of the finer level along each axis for one of the coarser.
    steps: &'h [usize],
    written: &'h Store<'static>,
    context: &'h Context<'c>,
}

impl Halves<'_, '_> {
    /// The bytes of a coarse chunk; what lies beyond the array is 0.
    fn chunk<T: Sample>(
        &self,
        chunk: &[usize],
        merge: impl Fn(&mut [T]) -> T,
        append: impl Fn(T, &mut Vec<u8>),
    ) -> Result<Vec<u8>> {
        let (coarse, axes) = (self.coarse, 0..self.steps.len());
        let begin: Vec<usize> = axes.clone().map(|a| chunk[a] * coarse.chunk[a]).collect();
        let size: Vec<usize> =
            axes.clone().map(|a| coarse.chunk[a].min(coarse.shape[a] - begin[a])).collect();
        let region = Region {
            start: axes.clone().map(|a| begin[a] * self.steps[a]).collect(),
            size: axes.clone().map(|a| size[a] * self.steps[a]).collect(),
        };
        let strides = stored_strides(&region.size, None);
        let mut samples = self.context.room_for::<T>(0)?;
        samples.resize(region.size.iter().product(), T::default());
        let into = Destination { samples: &mut samples, strides: &strides };
        region::read(self.fine, self.written, &region, into, &mut Tally::default(), self.context)?;
        let zero = vec![0; self.steps.len()];
        let one = vec![1; self.steps.len()];
        let mut bytes = Vec::with_capacity(coarse.chunk.iter().product::<usize>() * coarse.sample.bytes());
        let mut block = Vec::with_capacity(8);
        let mut places = Numbers::of(&zero, &coarse.chunk, &one);
        while let Some(place) = places.next() {
            if (0..place.len()).any(|a| place[a] >= size[a]) {
                append(T::default(), &mut bytes);
                continue;
            }
            let first: usize = (0..place.len()).map(|a| place[a] * self.steps[a] * strides[a]).sum();
            block.clear();
            let mut within = Numbers::of(&zero, self.steps, &one);
            while let Some(step) = within.next() {
                block.push(
                    samples[first + step.iter().zip(&strides).map(|(n, stride)| n * stride).sum::<usize>()],
                );
            }
            append(merge(&mut block), &mut bytes);
        }
        Ok(bytes)
    }
}

/// The mean of the samples that are known.
fn mean(block: &mut [f32]) -> f32 {
    let known = block.iter().filter(|v| !v.is_nan());
    let (sum, count) = known.fold((0.0f64, 0u32), |(sum, count), v| (sum + f64::from(*v), count + 1));
    (sum / f64::from(count)) as f32
}

/// The label that most samples have, the least of several.
fn most_frequent(block: &mut [i32]) -> i32 {
    block.sort_unstable();
    let mut best = (0, 0);
    for same in block.chunk_by(|a, b| a == b) {
        if same.len() > best.0 {
            best = (same.len(), same[0]);
        }
    }
    best.1
}
