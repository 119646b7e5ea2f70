//! How many rows run at once on a GPU by default: as many as its free memory holds, seen from the headers of the rows' inputs.

use super::check::BatchPlan;
use super::row_job::RowJob;
use crate::jobs::FlowJob;
use crate::jobs::flow_job::inputs_one_by_one;
use crate::pipelines::at_once::{LEAST, at_once};
use crate::pipelines::memory_plan::memory_plan;
use crate::{Result, Session};
use std::collections::HashMap;
use std::path::PathBuf;
use veloxel_core::{Grid, Warnings};
use veloxel_io as io;

/// Rows at once on one GPU: with a fifth one the host reads and writes no faster (docs/status/performance.md).
const MOST: usize = 4;
/// More kinds of rows are not looked at.
const MOST_KINDS: usize = 32;

/// Rows of one method, start and kinds of inputs; the one with the largest image.
struct Kind<'a> {
    job: &'a FlowJob,
    grids: Vec<Grid>,
}

impl BatchPlan<'_> {
    /// How many rows of this run one GPU does at once; 1 where the memory that a row takes is not known before it is read, where it has a
    /// budget, and where too few rows are left to open the GPU again for.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute) if the session's device is not there.
    pub(super) fn rows_at_once(&self, session: &Session) -> Result<usize> {
        let free_bytes = session.device()?.free_bytes().map(|bytes| bytes as u64);
        Ok(self.fitting(session, free_bytes).unwrap_or(1))
    }

    /// How many rows are done at once in so much free memory; none where that is not known.
    fn fitting(&self, session: &Session, free_bytes: Option<u64>) -> Option<usize> {
        let rows = self.to_run();
        if free_bytes.is_none() || session.max_memory_bytes().is_some() || rows.len() < LEAST.0 {
            return None;
        }
        let (mut headers, mut kinds, mut voxels) = (HashMap::new(), Vec::<Kind<'_>>::new(), 0);
        for nth in rows {
            let RowJob::Flow(job) = &self.job.rows[nth].job else { return None };
            let grids = grids_of(job, &mut headers, session)?;
            voxels += grids[0].len();
            let known =
                kinds.iter().position(|kind| is_alike(kind.job, job, grids.len() == kind.grids.len()));
            match known {
                Some(nth) if kinds[nth].grids[0].len() >= grids[0].len() => {}
                Some(nth) => kinds[nth] = Kind { job, grids },
                None if kinds.len() == MOST_KINDS => return None,
                None => kinds.push(Kind { job, grids }),
            }
        }
        let needed = kinds.iter().map(|kind| kind.device_bytes(session)).collect::<Option<Vec<u64>>>();
        Some(at_once(MOST, voxels, needed?.into_iter().max(), free_bytes))
    }
}

impl Kind<'_> {
    /// Bytes of the device that its largest row takes; none where that is not known, or more than the device has.
    fn device_bytes(&self, session: &Session) -> Option<u64> {
        let (grids, method) = (self.grids.iter().collect::<Vec<_>>(), self.job.options.choice());
        let plan = memory_plan(&self.job.sketch(&grids, &method), session).ok()?;
        (plan.tiles.count() == 1).then_some(plan.device_bytes)
    }
}

/// Whether the memory of two rows differs by their grids alone.
fn is_alike(a: &FlowJob, b: &FlowJob, has_as_many_images: bool) -> bool {
    let masks = |job: &FlowJob| {
        let options = &job.options;
        [&options.mask, &options.moving_mask, &options.volume_mask].map(Option::is_some)
    };
    has_as_many_images
        && a.options.choice() == b.options.choice()
        && a.start.kind() == b.start.kind()
        && masks(a) == masks(b)
        && a.options.weight.is_some() == b.options.weight.is_some()
        && a.samples_moving() == b.samples_moving()
}

/// The grids of a row's images, by their headers; none where they are not to be had so.
fn grids_of(
    job: &FlowJob,
    headers: &mut HashMap<PathBuf, Option<Grid>>,
    session: &Session,
) -> Option<Vec<Grid>> {
    let inputs = inputs_one_by_one(job).ok()?;
    let reading = session.reading(job.options.reading);
    let mut grid = |path: &PathBuf| {
        let known = headers.entry(path.clone());
        // A folder of slices has a header in each of its files.
        let has_one = !path.is_dir() || io::is_store(path);
        let read = || has_one.then(|| io::read_grid(path, &reading, &mut Warnings::new()).ok()).flatten();
        known.or_insert_with(read).clone()
    };
    inputs.into_iter().map(&mut grid).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceOptions;
    use crate::jobs::{BatchJob, FailedRows, FlowOutputs, JobRow, JobsSource, WarpJob, check_batch};
    use std::path::Path;
    use veloxel_core::Volume;

    const GIB: u64 = 1 << 30;

    fn row(number: usize, job: RowJob) -> JobRow {
        JobRow { row: number, line: None, text: number.to_string(), job }
    }

    /// Rows of pairs with these fixed images, of which each has a field of its own.
    fn pairs(folder: &Path, images: &[PathBuf]) -> Vec<JobRow> {
        let pair = |(nth, image): (usize, &PathBuf)| {
            let outputs =
                FlowOutputs { flow: folder.join(format!("out/{nth}.nii")), ..FlowOutputs::default() };
            let job = FlowJob { inputs: vec![image.clone(); 2], outputs, ..FlowJob::default() };
            row(nth + 1, RowJob::Flow(Box::new(job)))
        };
        images.iter().enumerate().map(pair).collect()
    }

    fn fitting(folder: &Path, rows: Vec<JobRow>, free_bytes: u64) -> Option<usize> {
        let session = Session::open(&DeviceOptions { name: Some("cpu".to_owned()), threads: 1 }).unwrap();
        let job = BatchJob {
            jobs: "jobs.csv".to_owned(),
            source: JobsSource::Rows,
            rows,
            folder: folder.join("out"),
            shard: "1/1".parse().unwrap(),
            failed: FailedRows::Kept,
        };
        let plan = check_batch(&job, &session, &|_, error| error.to_string()).unwrap();
        plan.fitting(&session, Some(free_bytes))
    }

    #[test]
    fn as_many_rows_run_at_once_as_the_largest_of_them_allows() {
        let folder = tempfile::tempdir().unwrap();
        let image = |name: &str, side: usize| {
            let path = folder.path().join(name);
            let grid = Grid::volume(side, side, side).unwrap();
            io::write_image(&path, &Volume::from_fn(grid, |[x, ..]| x as f32), &mut Warnings::new()).unwrap();
            path
        };
        let (small, large) = (image("small.mha", 64), image("large.mha", 96));
        let of =
            |images: &[PathBuf], free_bytes| fitting(folder.path(), pairs(folder.path(), images), free_bytes);
        assert_eq!(of(&vec![small.clone(); 64], 80 * GIB), Some(MOST));
        assert_eq!(of(&vec![small.clone(); 64], GIB / 16), Some(1));
        // Too little work, and too few rows.
        assert_eq!(of(&vec![small.clone(); 63], 80 * GIB), Some(1));
        assert_eq!(of(&vec![large.clone(); 7], 80 * GIB), None);
        // One large row among small ones decides.
        let few = |images: &[PathBuf]| (1..200).find(|n| of(images, n * GIB / 32) == Some(MOST)).unwrap();
        let mut mixed = vec![small.clone(); 64];
        let of_small = few(&mixed);
        mixed[40] = large;
        assert!(few(&mixed) > 2 * of_small);
        // Rows of other commands say nothing of their memory.
        let mut rows = pairs(folder.path(), &mixed);
        let (input, output) = (folder.path().join("points.csv"), folder.path().join("out/points.csv"));
        std::fs::write(&input, "x,y,z\n1,2,3\n").unwrap();
        let warp = WarpJob { flow: small, input, output, reading: io::ReadOptions::default() };
        rows.push(row(65, RowJob::WarpPoints(warp)));
        assert_eq!(fitting(folder.path(), rows, 80 * GIB), None);
    }
}
