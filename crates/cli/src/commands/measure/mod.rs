//! `veloxel measure`: what a field does to volumes and lengths.

mod text;

use crate::{Bar, Fallible, Outcome, ReadingArguments, Run, followed, host_session, print, warn_and_note};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use veloxel::jobs::{JobRun, MeasureJob, MeasureReport, measure_jacobian, measure_strain};
use veloxel::{Result, Session};

/// Measure what a field does to volumes and lengths, voxel by voxel.
#[derive(Debug, Args)]
pub struct MeasureArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The determinant of the field's Jacobian: 1 keeps the volume, 2 doubles it, 0 and below folds
    ///
    /// Volumes are those of the moving image by those of the fixed one, on which the field lives. Vectors and derivatives are in
    /// the axes of the field's grid, so that flipped and oblique axes change nothing. NaN where the field is unknown.
    /// The cells between the voxels are counted as proven not to fold, folded or undecided, for the field that is linear between
    /// voxels; the JSON has the counts.
    Jacobian {
        #[command(flatten)]
        field: Field,
        /// The map: .nii.gz, .mha, .nrrd, .npy, or .pfm and .tif of pictures
        #[arg(short, long, value_name = "OUT")]
        output: PathBuf,
    },
    /// The Green-Lagrange strain tensor and the principal strains
    ///
    /// FOLDER gets strain_xx, strain_xy, … along the axes x, y and z of the field's grid (lengths in millimetres), and
    /// principal_1 (the largest) to principal_3, which belong to no axes. A line that becomes L times as long has the strain
    /// (L² - 1) / 2 along itself. Volumes are .nii.gz, pictures .pfm; report.json has means and ranges. What moves in its planes
    /// alone is measured in them.
    Strain {
        #[command(flatten)]
        field: Field,
        /// The folder of the maps; made if it is not there
        #[arg(short, long, value_name = "FOLDER")]
        output: PathBuf,
    },
}

#[derive(Debug, Args)]
struct Field {
    /// The displacement field
    #[arg(value_name = "FIELD")]
    flow: PathBuf,
    /// Means and ranges, as JSON
    #[arg(long, value_name = "OUT.json")]
    report: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArguments,
}

impl Field {
    fn measure(
        self,
        output: PathBuf,
        measure: fn(&MeasureJob, &Session) -> Result<JobRun<MeasureReport>>,
    ) -> Fallible<MeasureReport> {
        let Self { flow, report, reading } = self;
        let job = MeasureJob { flow, output, report, reading: reading.reading()? };
        Ok(followed(&host_session(), Bar::Shown, |session| measure(&job, session))?.report)
    }
}

impl Run for MeasureArguments {
    fn run(self) -> Outcome {
        let (report, folds) = match self.what {
            What::Jacobian { field, output } => (field.measure(output, measure_jacobian)?, true),
            What::Strain { field, output } => (field.measure(output, measure_strain)?, false),
        };
        print(&text::of(&report, folds.then_some("folded")))?;
        warn_and_note(&report.warnings);
        Ok(())
    }
}
