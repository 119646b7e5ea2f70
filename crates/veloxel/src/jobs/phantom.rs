//! Phantoms by their names, written to a folder: images, true fields, labels and outlines; one, or a database of many.

use super::{OutputContent, OutputPlan, OutputRole};
use crate::pipelines::{self, PhantomContent, PhantomPart, PhantomRequest, PhantomSettings};
use crate::{Result, Session};
use std::path::PathBuf;
use veloxel_core::{Dimension, Stage, Warnings};
use veloxel_io::{self as io, CinePlace, Target};

/// Phantoms, and where they go.
#[derive(Debug, Clone, PartialEq)]
pub struct PhantomJob {
    /// Names of [`PHANTOMS`](crate::pipelines::PHANTOMS), at least one.
    pub names: Vec<String>,
    /// Size, texture and noise of each.
    pub settings: PhantomSettings,
    /// How many of each there are, with the seeds from 1 on; none: one, with the seed of the settings.
    pub seeds: Option<u64>,
    /// The folder for their files. One phantom's lie in it, those of several in folders of their own: `shift`, `shift_01`.
    pub folder: PathBuf,
}

/// The files of phantoms, in the order in which they were written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhantomRun {
    /// Their paths.
    pub written: Vec<PathBuf>,
    /// What the formats could not keep.
    pub warnings: Warnings,
}

impl PhantomJob {
    /// The folder of each phantom within that of the job, empty for the job's own, its name and its settings.
    fn phantoms(&self) -> Vec<(String, &str, PhantomSettings)> {
        let of_seeds = |name: &'_ String| -> Vec<(String, PhantomSettings)> {
            let Some(count) = self.seeds else {
                let folder = if self.names.len() > 1 { name.clone() } else { String::new() };
                return vec![(folder, self.settings.clone())];
            };
            let of = |seed| {
                (format!("{name}_{seed:02}"), PhantomSettings { seed: Some(seed), ..self.settings.clone() })
            };
            (1..=count).map(of).collect()
        };
        let named = |name| of_seeds(name).into_iter().map(move |(folder, own)| (folder, name.as_str(), own));
        self.names.iter().flat_map(named).collect()
    }
}

/// Makes phantoms and writes them: pictures as `.tif` (32-bit floats) with fields as `.flo`, volumes and their fields as
/// `.nii.gz`, labels as `.png` or `.nii.gz`, outlines as `.json`.
///
/// # Errors
/// As [`pipelines::phantom`] for any of them; [`VeloxelError::Io`](crate::VeloxelError::Io) if the folder cannot be written, or is a file.
/// Nothing is left behind then.
pub fn phantom(job: &PhantomJob, session: &Session) -> Result<PhantomRun> {
    let mut plan =
        OutputPlan::of(session).writes(OutputRole::Folder, [&job.folder], OutputContent::Folder).checked()?;
    let folder = plan.target(OutputRole::Folder)?.expect("the folder should be planned");
    let mut run = PhantomRun::default();
    session.enter(Stage::Write)?;
    for (own, name, settings) in job.phantoms() {
        let place = folder.join(&own);
        std::fs::create_dir_all(place.place())
            .map_err(|source| io::IoError::Write { path: job.folder.join(&own), source })?;
        let request = PhantomRequest { name, settings: &settings };
        pipelines::phantom(&request, session, &mut |part| {
            let file = file(&part);
            write(place.join(&file), part.content, &mut run.warnings)?;
            run.written.push(job.folder.join(&own).join(file));
            Ok(())
        })?;
    }
    plan.finish()?;
    Ok(run)
}

/// The name of a part's file.
fn file(part: &PhantomPart) -> String {
    let by = |dimension, picture: &'static str| if dimension == Dimension::Two { picture } else { "nii.gz" };
    let extension = match &part.content {
        PhantomContent::Image(image) => by(image.grid().dimension(), "tif"),
        PhantomContent::Labels(labels) => by(labels.grid().dimension(), "png"),
        PhantomContent::Flow(flow) => by(flow.grid().dimension(), "flo"),
        PhantomContent::Sequence(_) => "nii.gz",
        PhantomContent::Contours { .. } => "json",
    };
    format!("{}.{extension}", part.name)
}

fn write(target: Target, content: PhantomContent, warnings: &mut Warnings) -> Result<()> {
    match content {
        PhantomContent::Image(image) => io::write_image(target, &image, warnings)?,
        PhantomContent::Labels(labels) => io::write_labels(target, &labels)?,
        PhantomContent::Flow(flow) => io::write_flow(target, &flow)?,
        PhantomContent::Sequence(sequence) => io::write_sequence(target, &sequence)?,
        PhantomContent::Contours { outlines, grid, frames, frame_interval_ms } => {
            let frame_interval_ms = Some(frame_interval_ms);
            let place = CinePlace { grid, frames, frame_interval_ms, images: Vec::new() };
            io::write_contours(target, &outlines, &place)?;
        }
    }
    Ok(())
}
