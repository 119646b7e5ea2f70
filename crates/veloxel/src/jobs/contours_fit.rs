//! A file of clicks in, a file of outlines out.

use super::inputs::cine_place::{place_of, told_place};
use super::inputs::input_error::InputError;
use super::{OutputContent, OutputPlan, OutputRole};
use crate::pipelines::{GuidePointFit, GuidePointsRequest, guide_points};
use crate::{Result, Session};
use std::path::PathBuf;
use veloxel_core::{Contour, ContourSet, Stage, Warnings};
use veloxel_io::{self as io, ContourReading, CurvePoints, PlainNames, ReadOptions};

/// Clicks, and the outlines laid through them.
#[derive(Debug, Clone, PartialEq)]
pub struct ContoursFitJob {
    /// A few points of each outline, in order: files of outlines, or 3D Slicer's curves and lists of points.
    pub clicks: PathBuf,
    /// An image of the cine; none: the clicks' file describes it.
    pub cine: Option<PathBuf>,
    /// The frame of clicks that say none.
    pub frame: usize,
    /// What the names of plain texts mean.
    pub names: PlainNames,
    /// How outlines are laid through clicks.
    pub fit: GuidePointFit,
    /// The outlines, `.json` or `.csv`.
    pub output: PathBuf,
    /// How files are read.
    pub reading: ReadOptions,
}

/// Outlines that were laid through clicks.
#[derive(Debug, Clone, PartialEq)]
pub struct ContoursFitRun {
    /// The outlines.
    pub outlines: ContourSet,
    /// Number of clicks behind all of them.
    pub clicks: usize,
    /// What was assumed of the clicks.
    pub warnings: Warnings,
}

/// `veloxel contours fit`: outlines from a few clicked points each.
///
/// # Errors
/// As for every file; [`InputError::NoCine`] if neither the clicks' file nor `cine` says how far pixels lie from each other; as
/// [`guide_points`].
pub fn contours_fit(job: &ContoursFitJob, session: &Session) -> Result<ContoursFitRun> {
    job.fit.validate()?;
    let mut plan = OutputPlan::of(session)
        .reads("clicks", [&job.clicks])
        .reads("cine", &job.cine)
        .writes(OutputRole::Outlines, [&job.output], OutputContent::Outlines)
        .checked()?;
    session.enter(Stage::Read)?;
    let (mut warnings, reading) = (Warnings::new(), session.reading(job.reading));
    let options = ContourReading {
        frame: job.frame,
        names: job.names,
        curves: CurvePoints::Clicked,
        reading: reading.clone(),
        ..ContourReading::default()
    };
    let place = match &job.cine {
        Some(path) => Some(place_of(path, &reading, &mut warnings)?),
        None => told_place(&[&job.clicks], &options)?,
    };
    let Some(place) = place else {
        return Err(InputError::NoCine { outlines: job.clicks.clone() }.into());
    };
    let clicks = io::read_contours(&job.clicks, Some(&place), &options, &mut warnings)?.contours;
    let [sx, sy, _] = place.grid.spacing_mm();
    let request = GuidePointsRequest { clicks: &clicks, spacing_mm: [sx, sy], fit: job.fit };
    let outlines = guide_points(&request, session)?;
    session.enter(Stage::Write)?;
    plan.write(OutputRole::Outlines, |target| io::write_contours(target, &outlines, &place))?;
    plan.finish()?;
    let of = |contour: &Contour| contour.polygon.points_px().len();
    Ok(ContoursFitRun { outlines, clicks: clicks.contours().iter().map(of).sum(), warnings })
}
