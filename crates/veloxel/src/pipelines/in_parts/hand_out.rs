//! From kept tiles to boxes of the field, which are measured on their way out, each as soon as all tiles that reach into it are kept.

use super::outcome::{MARGIN_VOX, Measured};
use super::{BOX_VOX, FieldOutput};
use crate::pipelines::boxes::boxes;
use crate::{Result, Session, VeloxelError};
use veloxel_core::{Grid, Stopped, Threads};
use veloxel_gpu::Device;
use veloxel_motion::{FinalBoxes, FlowInTiles, KeptTile, MotionError, SampleMemory, TileFollower, TileStore};

/// Hands a field out while its tiles are estimated, on one thread beside them.
pub(super) struct HandOut<'a> {
    boxes: FinalBoxes,
    measured: Measured<'a>,
    output: &'a mut dyn FieldOutput,
    /// The thread beside tiles.
    alone: Device,
    memory: SampleMemory,
    /// Whether it does so beside tiles, and not once all are kept.
    is_beside: bool,
    /// What it failed with, in full.
    failure: Option<VeloxelError>,
}

impl<'a> HandOut<'a> {
    /// Nothing of a field between these grids is handed out yet.
    ///
    /// # Errors
    /// [`ComputeError::Threads`](veloxel_gpu::ComputeError::Threads) where no thread can be started.
    pub fn new(
        grids: [&'a Grid; 2],
        output: &'a mut dyn FieldOutput,
        is_beside: bool,
        session: &Session,
    ) -> Result<Self> {
        let all = boxes(grids[0].size(), [BOX_VOX; 3], 1);
        Ok(Self {
            boxes: FinalBoxes::of(grids[0], all, MARGIN_VOX),
            measured: Measured::new(grids),
            output,
            alone: Device::cpu(1)?.controlled_by(session.control().clone()),
            memory: SampleMemory::default(),
            is_beside,
            failure: None,
        })
    }

    /// What a run failed with that ended with this error.
    pub fn failed(&mut self, error: VeloxelError) -> VeloxelError {
        self.failure.take().unwrap_or(error)
    }

    /// The field in numbers.
    pub fn measured(self) -> Measured<'a> {
        self.measured
    }

    /// Hands out what is left once all tiles are found.
    ///
    /// # Errors
    /// What tiles and output fail with, and [`VeloxelError::Stopped`].
    pub fn rest(&mut self, found: &FlowInTiles, store: &dyn TileStore, session: &Session) -> Result<()> {
        // No tile needs the threads any more.
        let device = session.device()?;
        if found.tiles().is_empty() {
            self.boxes.take_all();
        }
        let count = self.boxes.left();
        while self.next(store, device, session.threads())? {
            session.control().step(1.0 - self.boxes.left() as f64 / count as f64, [None; 2])?;
        }
        assert_eq!(self.boxes.left(), 0, "every box should have its tiles");
        Ok(())
    }
}

impl HandOut<'_> {
    /// Hands out the next box, if there is one that all tiles are kept of.
    fn next(&mut self, store: &dyn TileStore, device: &Device, threads: Threads<'_>) -> Result<bool> {
        let Self { boxes, measured, output, memory, .. } = self;
        device.check()?;
        let Some((own, seen)) = boxes.next(store, memory)? else { return Ok(false) };
        measured.add(own, &seen, device, threads, memory)?;
        output.put(own, &seen)?;
        seen.give_back(memory);
        Ok(true)
    }
}

impl TileFollower for HandOut<'_> {
    fn kept(&mut self, tile: KeptTile) {
        self.boxes.add(tile);
    }

    fn go_on(&mut self, store: &dyn TileStore) -> Result<bool, MotionError> {
        if !self.is_beside {
            return Ok(false);
        }
        let alone = self.alone.clone();
        self.next(store, &alone, Threads::of(None, alone.control())).map_err(|error| {
            self.failure = Some(error);
            MotionError::Stopped(Stopped)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipelines::DenseError;
    use veloxel_core::GridBox;
    use veloxel_motion::{FlowPart, FoundTile, KeptBeginning, TileAccount};

    /// A store in which every sample of the nth component is n, and the confidence 3.
    struct Even;

    impl TileStore for Even {
        fn kept(&self, _: GridBox) -> Option<TileAccount> {
            None
        }

        fn keep(&mut self, _: &FoundTile) -> Result<(), MotionError> {
            Ok(())
        }

        fn beginning(&self) -> Result<Option<KeptBeginning>, MotionError> {
            Ok(None)
        }

        fn keep_beginning(&mut self, _: &KeptBeginning) -> Result<(), MotionError> {
            Ok(())
        }

        fn samples(&self, _: KeptTile, part: GridBox, planes: &mut [Vec<f32>]) -> Result<(), MotionError> {
            planes.iter_mut().enumerate().for_each(|(nth, plane)| plane.resize(part.len(), nth as f32));
            Ok(())
        }
    }

    /// Takes so many boxes.
    struct Taking {
        most: usize,
        taken: Vec<GridBox>,
    }

    impl FieldOutput for Taking {
        fn put(&mut self, own: GridBox, seen: &FlowPart) -> Result<()> {
            if self.taken.len() == self.most {
                return Err(DenseError::in_parts("take another box", None).into());
            }
            let planes = seen.components_vox.iter().chain([&seen.confidence]);
            assert!(planes.enumerate().all(|(nth, plane)| *plane == vec![nth as f32; seen.part.len()]));
            self.taken.push(own);
            Ok(())
        }
    }

    #[test]
    fn boxes_follow_their_tiles_and_a_failure_is_told_as_the_output_tells_it() {
        let session = Session::on(Device::cpu(1).unwrap());
        let grid = &Grid::volume(140, 70, 17).unwrap();
        let slab = |begin: usize, end: usize| GridBox { begin: [begin, 0, 0], size: [end - begin, 70, 17] };
        // Each says all of what it reaches here: that shares add up is seen elsewhere.
        let tile = |core: GridBox| KeptTile { core, reach: core };
        let mut output = Taking { most: 4, taken: Vec::new() };
        let mut hand_out = HandOut::new([grid; 2], &mut output, true, &session).unwrap();
        assert_eq!(hand_out.go_on(&Even), Ok(false));
        hand_out.kept(tile(slab(0, 140)));
        for _ in 0..4 {
            assert_eq!(hand_out.go_on(&Even), Ok(true));
        }
        assert_eq!(hand_out.go_on(&Even), Err(MotionError::Stopped(Stopped)));
        let told = hand_out.failed(MotionError::Stopped(Stopped).into()).to_string();
        assert!(told.contains("take another box"), "{told}");
        assert_eq!(output.taken.len(), 4);
        // Afterwards, where there is no room beside tiles.
        let mut output = Taking { most: 100, taken: Vec::new() };
        let mut hand_out = HandOut::new([grid; 2], &mut output, false, &session).unwrap();
        hand_out.kept(tile(slab(0, 140)));
        assert_eq!(hand_out.go_on(&Even), Ok(false));
        let alone = hand_out.alone.clone();
        assert!(matches!(hand_out.next(&Even, &alone, session.threads()), Ok(true)));
        // A stop ends it before the next box.
        let mut output = Taking { most: 100, taken: Vec::new() };
        let mut hand_out = HandOut::new([grid; 2], &mut output, true, &session).unwrap();
        hand_out.kept(tile(slab(0, 140)));
        assert_eq!(hand_out.go_on(&Even), Ok(true));
        session.control().stop();
        assert_eq!(hand_out.go_on(&Even), Err(MotionError::Stopped(Stopped)));
        assert_eq!(output.taken.len(), 1);
    }
}
