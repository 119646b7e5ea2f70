//! An image's file in, a file of the filtered image out.

use super::{OutputContent, OutputPlan, OutputRole};
use crate::pipelines::filter::{self as pipeline, Filter, FilterRequest, FilterSettings};
use crate::{Result, Session};
use std::path::PathBuf;
use veloxel_core::{Stage, Warnings};
use veloxel_io::{self as io, ContentKind, ReadOptions};

/// An image, and what is done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterJob {
    /// One of the names of [`FILTERS`](crate::pipelines::filter::FILTERS).
    pub name: String,
    /// The filter's settings.
    pub settings: FilterSettings,
    /// The image.
    pub input: PathBuf,
    /// The result: `.tif` and volumes keep floats.
    pub output: PathBuf,
    /// How files are read.
    pub reading: ReadOptions,
}

/// `veloxel filter`: an image, filtered.
///
/// # Errors
/// As for every file, and [`pipeline::filter`]; [`VeloxelError::Filter`](crate::VeloxelError::Filter) before any file is read for
/// settings that are no filter.
pub fn filter(job: &FilterJob, session: &Session) -> Result<Warnings> {
    let filter = Filter::of(&job.name, &job.settings)?;
    let mut plan = OutputPlan::of(session)
        .reads("image", [&job.input])
        .writes(OutputRole::Output, [&job.output], OutputContent::Samples(ContentKind::Image))
        .checked()?;
    session.enter(Stage::Read)?;
    let mut warnings = Warnings::new();
    let image = io::read_image(&job.input, session.reading(job.reading), &mut warnings)?;
    plan.check_grid(image.grid())?;
    let name = job.input.display().to_string();
    let request = FilterRequest { image: (&image).into(), filter: &filter, name: &name };
    let found = pipeline::filter(&request, session)?;
    warnings.extend(found.account.warnings);
    session.enter(Stage::Write)?;
    plan.write(OutputRole::Output, |target| io::write_image(target, &found.image, &mut warnings))?;
    plan.finish()?;
    Ok(warnings)
}
