//! Fields and what they are applied to, images, labels or points, from files; the result to a file.

#[cfg(feature = "zarr")]
mod in_parts;

use super::inputs::input_error::InputError;
use super::{BoxesDryRun, OutputContent, OutputPlan, OutputRole, name};
use crate::pipelines::prepare::grids::OutsideFill;
use crate::pipelines::{
    self, FieldWork, FinerImage, Interpolation, LabelChoice, MovedPoints, WarpImageRequest,
    WarpLabelsRequest, WarpNames, WarpResult, move_points, warp_plan,
};
use crate::{Result, Session};
use std::path::PathBuf;
use veloxel_core::{Flow, Stage, Warnings};
use veloxel_io::{self as io, ContentKind, IoError, PointFile, ReadOptions, Target};

/// A field, what it moves, and where the result goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarpJob {
    /// The field.
    pub flow: PathBuf,
    /// The image (or labels) that it points into, or points in the space that it lives on.
    pub input: PathBuf,
    /// The result, on the field's grid.
    pub output: PathBuf,
    /// How files are read.
    pub reading: ReadOptions,
}

impl WarpJob {
    /// The plan of its files, not checked yet; `holds` says what the result is.
    pub(super) fn plan(&self, holds: OutputContent, session: &Session) -> OutputPlan {
        OutputPlan::of(session).reads("flow", [&self.flow]).reads("input", [&self.input]).writes(
            OutputRole::Output,
            [&self.output],
            holds,
        )
    }

    /// Refuses points that would be written as another kind of file than they come from.
    ///
    /// # Errors
    /// [`InputError::PointsFormat`].
    pub(super) fn require_alike_points(&self) -> Result<(), InputError> {
        if PointFile::are_alike(&self.input, &self.output) {
            return Ok(());
        }
        Err(InputError::PointsFormat { input: self.input.clone(), output: self.output.clone() })
    }

    /// Checks the files, reads the field, does the work, and writes what comes of it.
    fn run<T>(
        &self,
        holds: OutputContent,
        session: &Session,
        work: impl FnOnce(&Flow, &mut Warnings) -> Result<T>,
        write: impl FnOnce(Target, T, &mut Warnings) -> Result<(), IoError>,
    ) -> Result<Warnings> {
        let mut plan = self.plan(holds, session).checked()?;
        session.enter(Stage::Read)?;
        let mut warnings = Warnings::new();
        let flow = io::read_flow(&self.flow, session.reading(self.reading), &mut warnings)?;
        plan.check_grid(flow.grid())?;
        let done = work(&flow, &mut warnings)?;
        session.enter(Stage::Write)?;
        plan.write(OutputRole::Output, |target| write(target, done, &mut warnings))?;
        plan.finish()?;
        Ok(warnings)
    }
}

/// How an image is looked up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WarpSampling {
    /// How samples between voxels are found.
    pub interpolation: Interpolation,
    /// What becomes of an image that is finer than the field's grid.
    pub finer: FinerImage,
    /// What the result holds where the image has no sample or the field is unknown.
    pub outside: OutsideFill,
}

/// `veloxel warp image`. Where field, image and result do not fit into the session's budget of memory, on the processor, and the result
/// goes to a folder named `.ome.zarr`, all are read and written in boxes. Where INPUT has no sample or the field is unknown the result holds what `sampling` says.
///
/// # Errors
/// As for every file, and [`pipelines::warp_image`].
pub fn warp_image(job: &WarpJob, sampling: WarpSampling, session: &Session) -> Result<Warnings> {
    #[cfg(feature = "zarr")]
    if in_parts::is_in_parts(job, session)? {
        return in_parts::image(job, sampling, session);
    }
    let work = |flow: &Flow, warnings: &mut Warnings| {
        let image = io::read_image(&job.input, session.reading(job.reading), warnings)?;
        let (input, output) = (job.input.display().to_string(), name(&job.output));
        let (strictness, names) = (job.reading.strictness, WarpNames { image: &input, warped: &output });
        let image = (&image).into();
        let WarpSampling { interpolation, finer, outside } = sampling;
        let request = WarpImageRequest { flow, image, interpolation, finer, outside, strictness, names };
        let WarpResult { warped, account } = pipelines::warp_image(&request, session)?;
        warnings.extend(account.warnings);
        Ok(warped)
    };
    job.run(OutputContent::Samples(ContentKind::Image), session, work, |target, moved, warnings| {
        io::write_image(target, &moved, warnings)
    })
}

/// `veloxel warp labels`; 0 where the field leaves the image or is unknown.
///
/// # Errors
/// As for every file, and [`pipelines::warp_labels`].
pub fn warp_labels(job: &WarpJob, choice: LabelChoice, session: &Session) -> Result<Warnings> {
    #[cfg(feature = "zarr")]
    if in_parts::is_in_parts(job, session)? {
        return in_parts::labels(job, choice, session);
    }
    let work = |flow: &Flow, warnings: &mut Warnings| {
        let labels = io::read_labels(&job.input, session.reading(job.reading), warnings)?;
        let request = WarpLabelsRequest { flow, labels: &labels, choice, strictness: job.reading.strictness };
        let WarpResult { warped, account } = pipelines::warp_labels(&request, session)?;
        warnings.extend(account.warnings);
        Ok(warped)
    };
    job.run(OutputContent::Samples(ContentKind::Image), session, work, |target, moved, _| {
        io::write_labels(target, &moved)
    })
}

/// Tells what [`warp_image`] or [`warp_labels`] would do, and reads nothing but headers.
///
/// # Errors
/// As these: what can be known before the samples are read.
pub fn warp_dry_run(job: &WarpJob, work: FieldWork, session: &Session) -> Result<BoxesDryRun> {
    let plan = job.plan(OutputContent::Samples(ContentKind::Image), session);
    plan.check()?;
    session.enter(Stage::Read)?;
    let (mut warnings, reading) = (Warnings::new(), session.reading(job.reading));
    let mut grid = |path| io::read_grid(path, &reading, &mut warnings);
    let (field, image) = (grid(&job.flow)?, grid(&job.input)?);
    plan.check_grid(&field)?;
    #[cfg(feature = "zarr")]
    let step = in_parts::is_in_parts(job, session)?.then(|| io::StoreBoxes::step_on(&field));
    #[cfg(not(feature = "zarr"))]
    let step = None;
    let memory = warp_plan([&field, &image], step, session)?;
    BoxesDryRun::of(work, memory, &field, &plan, warnings, session)
}

/// How many points a run moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointsRun {
    /// In the file.
    pub points: usize,
    /// Without a position in the file.
    pub undefined: usize,
    /// Outside of the field, or where it is unknown.
    pub outside: usize,
}

/// `veloxel warp points`: a file of points ([`PointFile`]) with its points moved; what cannot be moved becomes `NaN`, or
/// *undefined* in markups.
///
/// # Errors
/// As [`PointFile::read`]; [`InputError::PointsFormat`] if the result would be named as another kind of file.
pub fn warp_points(job: &WarpJob, session: &Session) -> Result<(PointsRun, Warnings)> {
    job.require_alike_points()?;
    let mut run = PointsRun { points: 0, undefined: 0, outside: 0 };
    let work = |flow: &Flow, _: &mut Warnings| {
        let file = PointFile::read(&job.input, flow.grid().dimension(), session.reading(job.reading))?;
        let MovedPoints { points, undefined, outside } = move_points(flow, &file.points(), session)?;
        run = PointsRun { points: points.len(), undefined, outside };
        Ok((file, points))
    };
    let write =
        |target, (file, points): (PointFile, Vec<io::Point>), _: &mut Warnings| file.write(target, &points);
    let warnings = job.run(OutputContent::Points, session, work, write)?;
    Ok((run, warnings))
}
