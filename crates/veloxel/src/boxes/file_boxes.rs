//! An image in a file, of which boxes are read.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use veloxel_core::{Grid, GridBox, Warnings};
use veloxel_io::PartialImage;
use veloxel_motion::{ImageBoxes, MotionError};

/// An image in a file, read by one thread at a time.
pub(crate) struct FileBoxes {
    grid: Grid,
    opened: Mutex<OpenedImage>,
}

struct OpenedImage {
    image: PartialImage,
    /// What was warned of boxes, the first of each kind: another box has other numbers.
    told: Warnings,
}

impl FileBoxes {
    pub fn new(image: PartialImage) -> Self {
        let grid = image.grid().clone();
        Self { grid, opened: Mutex::new(OpenedImage { image, told: Warnings::new() }) }
    }

    /// Where the image lies.
    pub fn whole_grid(&self) -> &Grid {
        &self.grid
    }

    /// What was warned of boxes.
    pub fn told(&self) -> Warnings {
        self.opened().told.clone()
    }

    fn opened(&self) -> MutexGuard<'_, OpenedImage> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ImageBoxes for FileBoxes {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn samples(&self, part: GridBox) -> Result<Cow<'_, [f32]>, MotionError> {
        let mut opened = self.opened();
        let OpenedImage { image, told } = &mut *opened;
        let mut warnings = Warnings::new();
        let samples = image.part(part, &mut warnings).map_err(|error| MotionError::elsewhere(&error))?;
        for warning in warnings.iter() {
            if told.iter().all(|known| known.kind != warning.kind) {
                let message = format!("{} (in one of the parts that were read)", warning.message);
                told.push(warning.kind, message);
            }
        }
        Ok(Cow::Owned(samples))
    }
}
