//! `veloxel compose`: fields and transforms as one.

use crate::commands::dry_run::show_boxes;
use crate::{Bar, BoxesArguments, Outcome, ReadingArguments, Run, followed, host_session, warn_and_note};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{MapsJob, compose, compose_dry_run};

/// Make one field or transform of several.
///
/// OUT(x) = LAST(… FIRST(x)): FIRST leads from the fixed image's space, LAST into the moving one's. Fields are displacement fields
/// as `warp` takes them, transforms .tfm, .mat or .txt. OUT is a transform (.tfm .mat .txt) if all are, else a field on the grid
/// of the first one; NaN where the way leads out of a field.
#[derive(Debug, Args)]
pub struct ComposeArguments {
    /// Fields and linear transforms, the first one first
    #[arg(value_name = "MAP", required = true)]
    maps: Vec<PathBuf>,

    /// Where the result goes
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// An image on whose grid the field lies; needed where a transform comes first and a field follows
    #[arg(long, value_name = "IMAGE")]
    grid: Option<PathBuf>,

    #[command(flatten)]
    boxes: BoxesArguments,

    #[command(flatten)]
    reading: ReadingArguments,
}

impl Run for ComposeArguments {
    fn run(self) -> Outcome {
        let Self { maps, output, grid, boxes, reading } = self;
        let job = MapsJob { maps, grid, output, reading: reading.reading()? };
        let session = boxes.memory.of(host_session());
        if boxes.dry_run {
            return show_boxes(&followed(&session, Bar::Shown, |session| compose_dry_run(&job, session))?);
        }
        warn_and_note(&followed(&session, Bar::Shown, |session| compose(&job, session))?);
        Ok(())
    }
}
