//! A store that takes boxes.

use crate::Result;
use crate::pipelines::boxes::BoxSink;
use veloxel_core::GridBox;
use veloxel_io::StoreBoxes;

impl BoxSink for StoreBoxes {
    fn step(&self) -> [usize; 3] {
        Self::step(self)
    }

    fn put(&self, part: GridBox, slices: &[Vec<f32>]) -> Result<()> {
        Ok(Self::put(self, part, slices)?)
    }
}
