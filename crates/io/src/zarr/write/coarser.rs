//! The coarser levels of a store. A chunk is made as soon as the chunks of the level before that it covers are written: these are read
//! back, one at a time.

use super::axes::space_axes;
use super::chunks::{ChunkWriter, of_space};
use super::levels::Pyramid;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::Element;
use crate::read::reading::{DataFiles, ReadOptions};
use crate::write::record::Record;
use crate::zarr::array::Array;
use crate::zarr::region::{
    self, Destination, Numbers, ReadInto, ReadMemory, Region, Sample, Tally, stored_strides,
};
use crate::zarr::store::{Folder, Store};
use std::collections::BTreeMap;
use veloxel_core::Warnings;

/// The most samples that become one: two along each axis.
const MOST_MERGED: usize = 8;

/// Chunks of the coarser levels that are not written yet.
#[derive(Debug)]
pub(super) struct CoarserChunks {
    /// For each level but the finest its chunks, and how many of the level before each of them still lacks.
    lacking: Vec<BTreeMap<Vec<usize>, usize>>,
}

impl CoarserChunks {
    /// All of them, of a store without a chunk.
    pub fn of(record: &Record) -> Self {
        let pyramid = Pyramid::of(record);
        let lacking = (1..pyramid.levels.len()).map(|level| {
            let pair = LevelPair::of(&pyramid, level, record);
            let mut counts = BTreeMap::new();
            let mut numbers =
                Numbers::of(&vec![0; pair.fine.shape.len()], &pair.fine.shape, &pair.fine.chunk);
            while let Some(number) = numbers.next() {
                if let Some(parent) = pair.parent(number) {
                    *counts.entry(parent).or_default() += 1;
                }
            }
            counts
        });
        Self { lacking: lacking.collect() }
    }

    /// Takes note that a chunk of the finest level is written, and writes those of coarser levels that lack nothing then.
    ///
    /// # Errors
    /// [`IoError::Write`](crate::IoError::Write), and what reading chunks back fails with.
    pub fn written(
        &mut self,
        writer: &mut ChunkWriter<'_, '_>,
        record: &Record,
        chunk: &[usize],
    ) -> Result<()> {
        let (pyramid, mut chunk) = (Pyramid::of(record), chunk.to_vec());
        for (nth, lacking) in self.lacking.iter_mut().enumerate() {
            let pair = LevelPair::of(&pyramid, nth + 1, record);
            let Some(parent) = pair.parent(&chunk) else { return Ok(()) };
            let Some(count) = lacking.get_mut(&parent) else { return Ok(()) };
            *count -= 1;
            if *count > 0 {
                return Ok(());
            }
            lacking.remove(&parent);
            pair.write(writer, record, &parent)?;
            chunk = parent;
        }
        Ok(())
    }

    /// Writes all that are left: chunks that were never written count as empty.
    ///
    /// # Errors
    /// As [`written`](Self::written).
    pub fn finish(self, writer: &mut ChunkWriter<'_, '_>, record: &Record) -> Result<()> {
        let pyramid = Pyramid::of(record);
        for (nth, lacking) in self.lacking.into_iter().enumerate() {
            let pair = LevelPair::of(&pyramid, nth + 1, record);
            lacking.keys().try_for_each(|chunk| pair.write(writer, record, chunk))?;
        }
        Ok(())
    }
}

/// Two levels of which the coarser one is made.
struct LevelPair {
    fine: Array,
    coarse: Array,
    /// Samples of the finer level along each axis for one of the coarser.
    steps: Vec<usize>,
    /// Axes before those of space, along which a chunk has one sample.
    lead: usize,
}

impl LevelPair {
    /// A level and the one before it.
    fn of(pyramid: &Pyramid, level: usize, record: &Record) -> Self {
        let [fine, coarse] = [level - 1, level].map(|level| pyramid.array(level, record));
        let ([x, y, z], space) = (pyramid.levels[level].step, space_axes(record));
        let lead = fine.shape.len() - space;
        let steps = std::iter::repeat_n(1, lead).chain([z, y, x][3 - space..].iter().copied()).collect();
        Self { fine, coarse, steps, lead }
    }

    /// The chunk that is made of a chunk of the finer level and others; none of one at the end whose samples have no partner.
    fn parent(&self, chunk: &[usize]) -> Option<Vec<usize>> {
        let axes = 0..chunk.len();
        let parent: Vec<usize> = axes
            .clone()
            .map(|a| chunk[a] * self.fine.chunk[a] / self.steps[a] / self.coarse.chunk[a])
            .collect();
        axes.into_iter().all(|a| parent[a] * self.coarse.chunk[a] < self.coarse.shape[a]).then_some(parent)
    }

    fn write(&self, writer: &mut ChunkWriter<'_, '_>, record: &Record, chunk: &[usize]) -> Result<()> {
        let options = ReadOptions { data_files: DataFiles::Anywhere, ..ReadOptions::default() };
        let store = writer.store;
        let (reading, mut unsaid) = (store.target().files().reading(options), Warnings::new());
        let context = Context::new(store.target().path(), reading, &mut unsaid);
        let written = Store::Folder(Folder::own(store.root()));
        let halves = Halves { pair: self, written: &written, context: &context };
        let bytes = match record.element {
            Element::F32 => halves.chunk(chunk, mean, |v: f32, out| out.copy_from_slice(&v.to_le_bytes()))?,
            Element::U8 => halves.chunk(chunk, most_frequent, |v, out| out[0] = v as u8)?,
            Element::I16 => halves.chunk(chunk, most_frequent, |v, out| {
                out.copy_from_slice(&(v as i16).to_le_bytes());
            })?,
            _ => halves.chunk(chunk, most_frequent, |v, out| out.copy_from_slice(&v.to_le_bytes()))?,
        };
        writer.put(&self.coarse, chunk, &bytes)
    }
}

/// A chunk that is made of what is written.
struct Halves<'h, 'c> {
    pair: &'h LevelPair,
    written: &'h Store<'static>,
    context: &'h Context<'c>,
}

impl Halves<'_, '_> {
    /// The bytes of a coarse chunk; what lies beyond the array is 0.
    fn chunk<T: Sample>(
        &self,
        chunk: &[usize],
        merge: impl Fn(&mut [T]) -> T,
        put: impl Fn(T, &mut [u8]),
    ) -> Result<Vec<u8>> {
        let LevelPair { fine, coarse, steps, .. } = self.pair;
        let begin: Vec<usize> = chunk.iter().zip(&coarse.chunk).map(|(number, size)| number * size).collect();
        let end = |a: usize| (begin[a] + coarse.chunk[a]).min(coarse.shape[a]) * steps[a];
        let start: Vec<usize> = begin.iter().zip(steps).map(|(begin, step)| begin * step).collect();
        let size: Vec<usize> = (0..start.len()).map(|a| end(a) - start[a]).collect();
        let mut bytes = vec![0; coarse.chunk.iter().product::<usize>() * coarse.sample.bytes()];
        let (mut samples, mut memory) = (Vec::new(), ReadMemory::default());
        // Chunks are even along axes that are halved, or the only ones there: what becomes one sample lies in one of them.
        let mut numbers = Numbers::of(&start, &size, &fine.chunk);
        while let Some(number) = numbers.next() {
            let first: Vec<usize> =
                (0..start.len()).map(|a| start[a].max(number[a] * fine.chunk[a])).collect();
            let last = |a: usize| (start[a] + size[a]).min((number[a] + 1) * fine.chunk[a]);
            let part = Region { size: (0..first.len()).map(|a| last(a) - first[a]).collect(), start: first };
            self.read(&part, &mut samples, &mut memory)?;
            let place: Vec<usize> = part.start.iter().zip(steps).map(|(at, step)| at / step).collect();
            let place: Vec<usize> = place.iter().zip(&begin).map(|(at, begin)| at - begin).collect();
            self.merge([&place, &part.size], &samples, &mut bytes, &merge, &put);
        }
        Ok(bytes)
    }

    fn read<T: Sample>(&self, part: &Region, samples: &mut Vec<T>, memory: &mut ReadMemory<T>) -> Result<()> {
        let count = part.size.iter().product();
        if samples.capacity() < count {
            *samples = self.context.room_for(count)?;
        }
        samples.resize(count, T::default());
        let strides = stored_strides(&part.size, None);
        let into = ReadInto { into: Destination { samples, strides: &strides }, memory };
        let (fine, mut unsaid) = (&self.pair.fine, Tally::default());
        region::read_in_memory(fine, self.written, part, into, &mut unsaid, self.context)
    }

    /// Puts what becomes of the samples of a box, which has this size, to a place of a chunk.
    fn merge<T: Sample>(
        &self,
        [place, size]: [&[usize]; 2],
        samples: &[T],
        bytes: &mut [u8],
        merge: &impl Fn(&mut [T]) -> T,
        put: &impl Fn(T, &mut [u8]),
    ) {
        let &LevelPair { ref coarse, ref steps, lead, .. } = self.pair;
        let [kz, ky, kx] = of_space(&steps[lead..], 1);
        let [sz, sy, sx] = of_space(&size[lead..], 1);
        let [z0, y0, x0] = of_space(&place[lead..], 0);
        let [_, cy, cx] = of_space(&coarse.chunk[lead..], 1);
        let sample = coarse.sample.bytes();
        let mut block = [T::default(); MOST_MERGED];
        for (z, y) in (0..sz / kz).flat_map(|z| (0..sy / ky).map(move |y| (z, y))) {
            for x in 0..sx / kx {
                let mut count = 0;
                for (dz, dy) in (0..kz).flat_map(|dz| (0..ky).map(move |dy| (dz, dy))) {
                    let row = ((z * kz + dz) * sy + y * ky + dy) * sx + x * kx;
                    block[count..count + kx].copy_from_slice(&samples[row..row + kx]);
                    count += kx;
                }
                let at = (((z0 + z) * cy + y0 + y) * cx + x0 + x) * sample;
                put(merge(&mut block[..count]), &mut bytes[at..at + sample]);
            }
        }
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
