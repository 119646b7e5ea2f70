//! Images and fields in files, of which boxes are read.

use crate::Result;
use crate::Session;
use crate::jobs::name;
use crate::pipelines::DenseError;
use crate::pipelines::boxes::FlowBoxes;
use std::borrow::Cow;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use veloxel_core::{Flow, Grid, GridBox, Warnings};
use veloxel_io::{IoError, PartialFlow, PartialImage, Reading};
use veloxel_motion::{ImageBoxes, MotionError};

/// An image or a field in a file, read by one thread at a time.
pub(crate) struct FileBoxes<T> {
    grid: Grid,
    opened: Mutex<Opened<T>>,
}

struct Opened<T> {
    file: T,
    /// What was warned of boxes, the first of each kind: another box has other numbers.
    told: Warnings,
}

impl FileBoxes<PartialImage> {
    /// Opens an image.
    ///
    /// # Errors
    /// [`DenseError::InParts`] for a file that must be read as a whole; as [`PartialImage::open`].
    pub fn image(path: &Path, reading: &Reading, session: &Session, warnings: &mut Warnings) -> Result<Self> {
        let file = possible(PartialImage::open(path, reading.clone(), warnings), path, session)?;
        Ok(Self::of(file.grid().clone(), file))
    }
}

impl FileBoxes<PartialFlow> {
    /// Opens a field.
    ///
    /// # Errors
    /// [`DenseError::InParts`] for a file that must be read as a whole; as [`PartialFlow::open`].
    pub fn flow(path: &Path, reading: &Reading, session: &Session, warnings: &mut Warnings) -> Result<Self> {
        let file = possible(PartialFlow::open(path, reading.clone(), warnings), path, session)?;
        Ok(Self::of(file.grid().clone(), file))
    }
}

/// A file that was opened; the refusal of one that must be read as a whole says what would do.
fn possible<T>(opened: Result<T, IoError>, path: &Path, session: &Session) -> Result<T> {
    if let Err(IoError::Unsupported { .. }) = opened {
        let what = format!(
            "read {}, of which no part can be read without the rest: convert it to .ome.zarr, or to .nii, .mha or .nrrd without \
             compression",
            name(path)
        );
        return Err(DenseError::in_parts(&what, session.max_memory_bytes()).into());
    }
    Ok(opened?)
}

impl<T> FileBoxes<T> {
    fn of(grid: Grid, file: T) -> Self {
        Self { grid, opened: Mutex::new(Opened { file, told: Warnings::new() }) }
    }

    /// Where the image or the field lies.
    pub fn whole_grid(&self) -> &Grid {
        &self.grid
    }

    /// What was warned of boxes.
    pub fn told(&self) -> Warnings {
        self.opened().told.clone()
    }

    fn opened(&self) -> MutexGuard<'_, Opened<T>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a box, and keeps what is warned of it.
    fn read<R>(&self, read: impl FnOnce(&T, &mut Warnings) -> Result<R, IoError>) -> Result<R, IoError> {
        let mut opened = self.opened();
        let Opened { file, told } = &mut *opened;
        let mut warnings = Warnings::new();
        let found = read(file, &mut warnings)?;
        for warning in warnings.iter() {
            if told.iter().all(|known| known.kind != warning.kind) {
                let message = format!("{} (in one of the parts that were read)", warning.message);
                told.push(warning.kind, message);
            }
        }
        Ok(found)
    }
}

impl ImageBoxes for FileBoxes<PartialImage> {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn samples(&self, part: GridBox) -> Result<Cow<'_, [f32]>, MotionError> {
        let samples = self.read(|image, warnings| image.part(part, warnings));
        Ok(Cow::Owned(samples.map_err(|error| MotionError::elsewhere(&error))?))
    }
}

impl FlowBoxes for FileBoxes<PartialFlow> {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn part(&self, part: GridBox) -> Result<Flow> {
        Ok(self.read(|field, warnings| field.part(part, warnings))?)
    }
}
