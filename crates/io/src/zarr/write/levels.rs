//! The levels of an image: each has half the samples of the one before it along the axes where samples lie closest.

use super::axes::{axis_names, space_axes};
use crate::read::element::ByteOrder;
use crate::write::record::Record;
use crate::zarr::array::sample_type::SampleType;
use crate::zarr::array::{Array, ChunkKeys, Fill};
use crate::zarr::codecs::{Codecs, Stage};

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
    pub step: [usize; 3],
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
