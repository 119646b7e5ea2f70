//! `veloxel invert`: the way back.

use crate::commands::dry_run::show_boxes;
use crate::{Bar, BoxesArguments, Outcome, ReadingArguments, Run, followed, host_session, warn_and_note};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{MapsJob, invert, invert_dry_run};

/// Invert a field or a transform.
///
/// Where FIELD leads from x to y, OUT leads from y to x, to 0.0001 voxel of FIELD. NaN where nothing inside of FIELD's grid leads
/// to y. A field that folds has no inverse and is refused with the count of its folded cells.
#[derive(Debug, Args)]
pub struct InvertArguments {
    /// A displacement field, or a linear transform: .tfm .mat .txt
    #[arg(value_name = "FIELD")]
    field: PathBuf,

    /// Where the inverse goes: a field, or a transform of a transform
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// An image on whose grid OUT lies, such as MOVING; FIELD's own grid without
    #[arg(long, value_name = "IMAGE")]
    grid: Option<PathBuf>,

    #[command(flatten)]
    boxes: BoxesArguments,

    #[command(flatten)]
    reading: ReadingArguments,
}

impl Run for InvertArguments {
    fn run(self) -> Outcome {
        let Self { field, output, grid, boxes, reading } = self;
        let job = MapsJob { maps: vec![field], grid, output, reading: reading.reading()? };
        let session = boxes.memory.of(host_session());
        if boxes.dry_run {
            return show_boxes(&followed(&session, Bar::Shown, |session| invert_dry_run(&job, session))?);
        }
        warn_and_note(&followed(&session, Bar::Shown, |session| invert(&job, session))?);
        Ok(())
    }
}
