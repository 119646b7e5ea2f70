//! `veloxel measure`: what a field does to volumes and lengths.

use crate::{Bar, Outcome, ReadingArguments, Run, followed, host_session, print, table, warn_and_note};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use veloxel::Result;
use veloxel::Session;
use veloxel::jobs::{JobRun, MeasureJob, MeasureReport, measure_jacobian, measure_strain};
use veloxel::report::number::{counted, percent};

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
    ) -> Result<MeasureReport> {
        let Self { flow, report, reading } = self;
        let job = MeasureJob { flow, output, report, reading: reading.reading() };
        Ok(followed(&host_session(), Bar::Shown, |session| measure(&job, session))?.report)
    }
}

impl Run for MeasureArguments {
    fn run(self) -> Outcome {
        let (report, folds) = match self.what {
            What::Jacobian { field, output } => (field.measure(output, measure_jacobian)?, true),
            What::Strain { field, output } => (field.measure(output, measure_strain)?, false),
        };
        print(&text(&report, folds.then_some("folded")))?;
        warn_and_note(&report.warnings);
        Ok(())
    }
}

/// Mean and range of every map; `not_positive` is what values of 0 and below are called, where they mean something.
fn text(report: &MeasureReport, not_positive: Option<&str>) -> String {
    let number =
        |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.4}"));
    let rows = report.maps.iter().map(|map| {
        let range = [map.min, map.max].map(|value| number(value.map(f64::from)));
        let mut row = vec![map.name.to_owned(), number(map.mean)];
        row.extend(range);
        row.extend(not_positive.map(|_| percent(map.not_positive as f64 / map.known.max(1) as f64)));
        row
    });
    let head = ["map", "mean", "smallest", "largest"].into_iter().chain(not_positive);
    let mut text = table(&head.collect::<Vec<_>>(), rows);
    if let Some(map) = report.maps.first().filter(|map| map.unknown > 0) {
        text.push_str(&format!("{} without a value\n", counted(map.unknown, "voxel")));
    }
    text
}
