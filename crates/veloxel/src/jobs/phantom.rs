//! A phantom by its name, written to a folder: images, true fields, labels and outlines.

use super::{OutputContent, OutputPlan, OutputRole};
use crate::pipelines::{self, PhantomContent, PhantomPart, PhantomRequest, PhantomSettings};
use crate::{Result, Session};
use std::path::PathBuf;
use veloxel_core::{Dimension, Stage, Warnings};
use veloxel_io::{self as io, CinePlace, Target};

/// A phantom, and where it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct PhantomJob {
    /// One of the names of [`PHANTOMS`](crate::pipelines::PHANTOMS).
    pub name: String,
    /// Its size, texture and noise.
    pub settings: PhantomSettings,
    /// The folder for its files.
    pub folder: PathBuf,
}

/// The files of a phantom, in the order in which they were written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhantomRun {
    /// Their paths.
    pub written: Vec<PathBuf>,
    /// What the formats could not keep.
    pub warnings: Warnings,
}

/// Makes a phantom and writes it: pictures as `.tif` (32-bit floats) with fields as `.flo`, volumes and their fields as
/// `.nii.gz`, labels as `.png` or `.nii.gz`, outlines as `.json`.
///
/// # Errors
/// As [`pipelines::phantom`]; [`VeloxelError::Io`](crate::VeloxelError::Io) if the folder cannot be written, or is a file.
/// Nothing is left behind then.
pub fn phantom(job: &PhantomJob, session: &Session) -> Result<PhantomRun> {
    let mut plan =
        OutputPlan::of(session).writes(OutputRole::Folder, [&job.folder], OutputContent::Folder).checked()?;
    let folder = plan.target(OutputRole::Folder)?.expect("the folder should be planned");
    let mut run = PhantomRun::default();
    session.enter(Stage::Write)?;
    let request = PhantomRequest { name: &job.name, settings: &job.settings };
    pipelines::phantom(&request, session, &mut |part| {
        let file = file(&part);
        write(folder.join(&file), part.content, &mut run.warnings)?;
        run.written.push(job.folder.join(file));
        Ok(())
    })?;
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
