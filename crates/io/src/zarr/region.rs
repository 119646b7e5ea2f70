//! Any part of an array, from the chunks that it touches; missing chunks are the fill value.

use crate::error::Result;
use crate::read::budget::Claim;
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element, Fit};
use crate::zarr::array::sample_type::SampleType;
use crate::zarr::array::{Array, Fill};
use crate::zarr::codecs::{self, CHECKSUM_BYTES, Codecs, Sharding, crc32c};
use crate::zarr::store::{Store, Value};
use std::ops::Range;

/// A part of an array.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    /// Its first sample along each axis.
    pub start: Vec<usize>,
    /// Its samples along each axis.
    pub size: Vec<usize>,
}

/// What was found on the way.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Chunks that were asked for.
    pub chunks: u64,
    /// Chunks among these that are not there.
    pub missing: u64,
    /// Whether samples were rounded to floats.
    pub is_rounded: bool,
    /// A whole number that is no label.
    pub beyond: Option<i128>,
}

/// What samples become in memory.
pub(crate) trait Sample: Copy + Default {
    /// Appends the samples of these bytes.
    fn decode(sample: SampleType, bytes: &[u8], order: ByteOrder, out: &mut Vec<Self>, tally: &mut Tally);
    /// The sample that a missing one is.
    fn filled(fill: Fill, tally: &mut Tally) -> Self;
}

impl Sample for f32 {
    fn decode(sample: SampleType, bytes: &[u8], order: ByteOrder, out: &mut Vec<Self>, tally: &mut Tally) {
        tally.is_rounded |= sample.floats(bytes, order, out) == Fit::Rounded;
    }

    fn filled(fill: Fill, _: &mut Tally) -> Self {
        fill.float
    }
}

impl Sample for f64 {
    fn decode(sample: SampleType, bytes: &[u8], order: ByteOrder, out: &mut Vec<Self>, tally: &mut Tally) {
        if sample.element() == Element::F64 {
            out.extend(bytes.chunks_exact(8).map(|bytes| Self::from_bits(order.number(bytes))));
            return;
        }
        let mut floats = Vec::with_capacity(bytes.len() / sample.bytes());
        f32::decode(sample, bytes, order, &mut floats, tally);
        out.extend(floats.into_iter().map(Self::from));
    }

    fn filled(fill: Fill, _: &mut Tally) -> Self {
        Self::from(fill.float)
    }
}

impl Sample for i32 {
    fn decode(sample: SampleType, bytes: &[u8], order: ByteOrder, out: &mut Vec<Self>, tally: &mut Tally) {
        let wholes = bytes.chunks_exact(sample.bytes()).map(|bytes| sample.whole(bytes, order));
        out.extend(wholes.map(|whole| label(whole, tally)));
    }

    fn filled(fill: Fill, tally: &mut Tally) -> Self {
        label(fill.whole.unwrap_or_default(), tally)
    }
}

fn label(whole: i128, tally: &mut Tally) -> i32 {
    i32::try_from(whole).unwrap_or_else(|_| {
        tally.beyond = Some(whole);
        0
    })
}

/// Where samples go: an array in memory, and how far its neighbours along each axis are apart.
pub(crate) struct Destination<'d, T> {
    pub samples: &'d mut [T],
    pub strides: &'d [usize],
}

/// Reads a part of an array into memory.
///
/// # Errors
/// [`IoError::Memory`](crate::IoError::Memory) for chunks beyond the budget, and what broken chunks cause.
pub(crate) fn read<T: Sample>(
    array: &Array,
    store: &Store,
    region: &Region,
    into: Destination<T>,
    tally: &mut Tally,
    context: &Context,
) -> Result<()> {
    let into = ReadInto { into, memory: &mut ReadMemory::default() };
    read_in_memory(array, store, region, into, tally, context)
}

/// Memory for chunks, which is used again.
#[derive(Default)]
pub(crate) struct ReadMemory<T> {
    bytes: Vec<u8>,
    spare: Vec<u8>,
    samples: Vec<T>,
}

/// Where samples go, and the memory that they pass through.
pub(crate) struct ReadInto<'d, T> {
    pub into: Destination<'d, T>,
    pub memory: &'d mut ReadMemory<T>,
}

/// Reads as [`read`] does, and takes memory for chunks that other reads had.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_in_memory<T: Sample>(
    array: &Array,
    store: &Store,
    region: &Region,
    ReadInto { into, memory }: ReadInto<T>,
    tally: &mut Tally,
    context: &Context,
) -> Result<()> {
    let mut reader = Reader { array, region, into, tally, context, memory };
    let mut numbers = Numbers::of(&region.start, &region.size, &array.chunk);
    let together = Together::of(array, store, context);
    loop {
        let chunks: Vec<Vec<usize>> =
            std::iter::from_fn(|| numbers.next().map(<[usize]>::to_vec)).take(together.count).collect();
        if chunks.is_empty() {
            return Ok(());
        }
        let keys: Vec<String> = chunks.iter().map(|chunk| array.key(chunk)).collect();
        if keys.len() > 1 {
            store.ask_for(&keys, together.most_bytes, context)?;
        }
        for (chunk, key) in chunks.iter().zip(&keys) {
            context.check()?;
            let begin: Vec<usize> =
                chunk.iter().zip(&array.chunk).map(|(number, size)| number * size).collect();
            let value = store.value(key, context)?;
            match (value, &array.codecs.sharding) {
                (None, _) => reader.missing(&begin, &array.chunk),
                (Some(value), Some(sharding)) => reader.shard(value, sharding, &begin, key)?,
                (Some(mut value), None) => {
                    let part = Part { place: 0, length: value.length };
                    reader.chunk(&mut value, part, &array.codecs, &begin, &array.chunk, key)?;
                }
            }
        }
    }
}

/// Bytes that chunks which are asked for together take at most.
const MOST_TOGETHER_BYTES: u64 = 16 << 20;

/// How many chunks are asked for together, and the memory that they take meanwhile.
struct Together {
    count: usize,
    /// Bytes of one of them as it is stored; what is compressed takes hardly more than what is not.
    most_bytes: u64,
    _held: Option<Claim>,
}

impl Together {
    fn of(array: &Array, store: &Store, context: &Context) -> Self {
        let bytes = (array.chunk.iter().product::<usize>() * array.sample.bytes()) as u64;
        let most_bytes = bytes.saturating_add(bytes / 64 + 4096);
        let one = Self { count: 1, most_bytes, _held: None };
        // The parts of a shard are asked for together.
        let count = store.at_once().min((MOST_TOGETHER_BYTES / most_bytes) as usize);
        if count < 2 || array.codecs.sharding.is_some() {
            return one;
        }
        match context.scratch(most_bytes * count as u64) {
            Ok(held) => Self { count, _held: Some(held), ..one },
            Err(_) => one,
        }
    }
}

/// Bytes of a value.
#[derive(Clone, Copy)]
struct Part {
    place: u64,
    length: u64,
}

struct Reader<'r, T> {
    array: &'r Array,
    region: &'r Region,
    into: Destination<'r, T>,
    tally: &'r mut Tally,
    context: &'r Context<'r>,
    memory: &'r mut ReadMemory<T>,
}

impl<T: Sample> Reader<'_, T> {
    /// Samples of a chunk that is not there.
    fn missing(&mut self, begin: &[usize], size: &[usize]) {
        self.tally.chunks += 1;
        self.tally.missing += 1;
        let value = T::filled(self.array.fill, self.tally);
        let cut = Cut::of(self.region, begin, size);
        // Every sample is the same one.
        let walk = Walk { size: &cut.size, from: &vec![0; size.len()], to: self.into.strides };
        let first = cut.place_in_region(self.into.strides);
        walk.copy(0, &[value], first, self.into.samples);
    }

    /// Samples of a chunk.
    fn chunk(
        &mut self,
        value: &mut Value,
        part: Part,
        codecs: &Codecs,
        begin: &[usize],
        size: &[usize],
        key: &str,
    ) -> Result<()> {
        self.tally.chunks += 1;
        let count: usize = size.iter().product();
        let expected = count * self.array.sample.bytes();
        // As they are stored, after each codec, and as samples.
        let needed =
            part.length.saturating_add(2 * expected as u64).saturating_add((count * size_of::<T>()) as u64);
        let _held = self.context.scratch(needed)?;
        let ReadMemory { bytes, spare, samples } = &mut *self.memory;
        value.take(part.place, part.length, bytes, self.context)?;
        codecs::undo(&codecs.stages, [bytes, spare], expected, key, self.context)?;
        samples.clear();
        T::decode(self.array.sample, bytes, codecs.order, samples, self.tally);
        let strides = stored_strides(size, codecs.transposed.as_deref());
        let cut = Cut::of(self.region, begin, size);
        let walk = Walk { size: &cut.size, from: &strides, to: self.into.strides };
        let first = cut.place_in_region(self.into.strides);
        walk.copy(cut.place_in_chunk(&strides), samples, first, self.into.samples);
        Ok(())
    }

    /// The inner chunks of a shard that the region touches.
    fn shard(&mut self, mut value: Value, sharding: &Sharding, begin: &[usize], key: &str) -> Result<()> {
        let shard = &self.array.chunk;
        let counts: Vec<usize> =
            shard.iter().zip(&sharding.chunk).map(|(shard, chunk)| shard / chunk).collect();
        let count: usize = counts.iter().product();
        let index_bytes = (count * 16 + sharding.index_checksums * CHECKSUM_BYTES) as u64;
        let _held = self.context.scratch(index_bytes)?;
        self.context.require_bytes("the index of a shard", index_bytes, value.length)?;
        let place = if sharding.is_at_start { 0 } else { value.length - index_bytes };
        let mut index = Vec::new();
        value.take(place, index_bytes, &mut index, self.context)?;
        let (entries, checksums) = index.split_at(count * 16);
        if let Some(checksum) = checksums.first_chunk::<CHECKSUM_BYTES>() {
            let is_right = crc32c(entries).to_le_bytes() == *checksum;
            self.context.require(
                is_right,
                format!("the index of shard {key}"),
                "its checksum",
                "another one",
            )?;
        }
        let cut = Cut::of(self.region, begin, shard);
        let steps = stored_strides(&counts, None);
        let numbers = || Numbers::of(&cut.inside, &cut.size, &sharding.chunk);
        let parts = parts_of(numbers(), &steps, entries, sharding);
        let bytes = parts.iter().map(|part| part.end - part.start).fold(0, u64::saturating_add);
        let _together = if parts.len() > 1 && bytes <= MOST_TOGETHER_BYTES {
            let held = self.context.scratch(bytes);
            if held.is_ok() {
                value.ask_for(&parts, self.context)?;
            }
            held.ok()
        } else {
            None
        };
        let mut numbers = numbers();
        while let Some(inner) = numbers.next() {
            let nth: usize = inner.iter().zip(&steps).map(|(number, step)| number * step).sum();
            let entry = &entries[16 * nth..16 * (nth + 1)];
            let [place, length] = [0, 8].map(|at| sharding.index_order.number(&entry[at..at + 8]));
            let inner_begin =
                inner.iter().zip(&sharding.chunk).zip(begin).map(|((n, size), begin)| begin + n * size);
            let inner_begin: Vec<usize> = inner_begin.collect();
            if place == u64::MAX && length == u64::MAX {
                self.missing(&inner_begin, &sharding.chunk);
                continue;
            }
            let part = Part { place, length };
            self.chunk(&mut value, part, &sharding.codecs, &inner_begin, &sharding.chunk, key)?;
        }
        Ok(())
    }
}

/// Where the chunks of a shard lie that are to be read, by the entries of its index.
fn parts_of(mut numbers: Numbers, steps: &[usize], entries: &[u8], sharding: &Sharding) -> Vec<Range<u64>> {
    let mut parts = Vec::new();
    while let Some(inner) = numbers.next() {
        let nth: usize = inner.iter().zip(steps).map(|(number, step)| number * step).sum();
        let [place, length] =
            [0, 8].map(|at| sharding.index_order.number(&entries[16 * nth + at..16 * nth + at + 8]));
        if let Some(end) = place.checked_add(length) {
            parts.push(place..end);
        }
    }
    parts
}

/// What a chunk and a region share.
struct Cut {
    /// Its first sample, counted from the chunk's.
    inside: Vec<usize>,
    /// Its first sample, counted from the region's.
    within_region: Vec<usize>,
    size: Vec<usize>,
}

impl Cut {
    fn of(region: &Region, begin: &[usize], size: &[usize]) -> Self {
        let axes = 0..begin.len();
        let first: Vec<usize> = axes.clone().map(|a| begin[a].max(region.start[a])).collect();
        let end = axes.clone().map(|a| (begin[a] + size[a]).min(region.start[a] + region.size[a]));
        let shared = end.zip(&first).map(|(end, first)| end.saturating_sub(*first)).collect();
        Self {
            inside: axes.clone().map(|a| first[a] - begin[a]).collect(),
            within_region: axes.map(|a| first[a] - region.start[a]).collect(),
            size: shared,
        }
    }

    fn place_in_chunk(&self, strides: &[usize]) -> usize {
        self.inside.iter().zip(strides).map(|(at, stride)| at * stride).sum()
    }

    fn place_in_region(&self, strides: &[usize]) -> usize {
        self.within_region.iter().zip(strides).map(|(at, stride)| at * stride).sum()
    }
}

/// Samples of a box, from one order of axes to another.
struct Walk<'w> {
    size: &'w [usize],
    from: &'w [usize],
    to: &'w [usize],
}

impl Walk<'_> {
    fn copy<T: Copy>(&self, from_place: usize, from: &[T], to_place: usize, to: &mut [T]) {
        let ([count, inner @ ..], [from_step, ..], [to_step, ..]) = (self.size, self.from, self.to) else {
            return;
        };
        if !inner.is_empty() {
            let rest = Walk { size: inner, from: &self.from[1..], to: &self.to[1..] };
            for nth in 0..*count {
                rest.copy(from_place + nth * from_step, from, to_place + nth * to_step, to);
            }
        } else if (*from_step, *to_step) == (1, 1) {
            to[to_place..to_place + count].copy_from_slice(&from[from_place..from_place + count]);
        } else {
            for nth in 0..*count {
                to[to_place + nth * to_step] = from[from_place + nth * from_step];
            }
        }
    }
}

/// How far neighbours along each axis are apart in a chunk of this size.
pub(crate) fn stored_strides(size: &[usize], transposed: Option<&[usize]>) -> Vec<usize> {
    let (mut strides, mut step) = (vec![0; size.len()], 1);
    for nth in (0..size.len()).rev() {
        let axis = transposed.map_or(nth, |order| order[nth]);
        strides[axis] = step;
        step *= size[axis];
    }
    strides
}

/// The numbers of the chunks that a box touches, in the order of their keys.
pub(crate) struct Numbers {
    first: Vec<usize>,
    last: Vec<usize>,
    next: Option<Vec<usize>>,
    current: Vec<usize>,
}

impl Numbers {
    pub fn of(start: &[usize], size: &[usize], chunk: &[usize]) -> Self {
        let first: Vec<usize> = start.iter().zip(chunk).map(|(start, chunk)| start / chunk).collect();
        let last = start.iter().zip(size).zip(chunk);
        let last = last.map(|((start, size), chunk)| (start + size).saturating_sub(1) / chunk).collect();
        let is_empty = size.contains(&0);
        Self { next: (!is_empty).then(|| first.clone()), current: Vec::new(), first, last }
    }

    /// The next one; none behind the last.
    pub fn next(&mut self) -> Option<&[usize]> {
        self.current = self.next.take()?;
        let mut following = self.current.clone();
        for axis in (0..following.len()).rev() {
            if following[axis] < self.last[axis] {
                following[axis] += 1;
                self.next = Some(following);
                break;
            }
            following[axis] = self.first[axis];
        }
        Some(&self.current)
    }
}
