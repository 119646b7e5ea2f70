//! A field from a file; its Jacobian's determinant, or its strain, to files.

use super::{JobRun, OutputContent, OutputPlan, OutputRole};
use crate::pipelines::{self, DeformationResult};
use crate::{Result, Session};
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{Dimension, Flow, Stage, Warnings};
use veloxel_io::{self as io, ContentKind, ReadOptions};
use veloxel_measure::{FoldingCertificate, MapSummary, NamedMap};

/// A field, and where its measures go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasureJob {
    /// The field.
    pub flow: PathBuf,
    /// The map of the determinant, or the folder of the strain's maps.
    pub output: PathBuf,
    /// Everything measured, as JSON.
    pub report: Option<PathBuf>,
    /// How files are read.
    pub reading: ReadOptions,
}

/// The measures of a field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasureReport {
    /// The version of Veloxel.
    pub veloxel_version: &'static str,
    /// The field's file.
    pub flow: String,
    /// Number of axes along which the field was differentiated.
    pub axes: usize,
    /// Mean and range of every map, in the order of the files.
    pub maps: Vec<MapSummary>,
    /// The cells between the voxels by what is proven of them; none of a strain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<FoldingCertificate>,
    /// What there is to know of the files and the field.
    pub warnings: Warnings,
}

/// `veloxel measure jacobian`: the determinant of a field's Jacobian, voxel by voxel, and the cells between voxels that fold.
///
/// # Errors
/// As for every file; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn measure_jacobian(job: &MeasureJob, session: &Session) -> Result<JobRun<MeasureReport>> {
    let holds = OutputContent::Samples(ContentKind::Image);
    let plan = job.plan(session).writes(OutputRole::Output, [&job.output], holds);
    job.run(plan.checked()?, session, pipelines::jacobian_and_folding, |plan, maps, warnings| {
        maps.iter().try_for_each(|map| {
            plan.write(OutputRole::Output, |target| io::write_image(target, &map.volume, warnings))
        })
    })
}

/// `veloxel measure strain`: a file for each component of a field's strain tensor along the axes of its grid, and for each
/// principal strain; `.nii.gz`, or `.pfm` of pictures without a place in the world. `report.json` has means and ranges.
///
/// # Errors
/// As for every file; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn measure_strain(job: &MeasureJob, session: &Session) -> Result<JobRun<MeasureReport>> {
    let plan = job
        .plan(session)
        .writes(OutputRole::Folder, [&job.output], OutputContent::Folder)
        .members(OutputRole::Folder, ["strain_", "principal_", "report.json"]);
    job.run(plan.checked()?, session, pipelines::strain, |plan, maps, warnings| {
        plan.write(OutputRole::Folder, |folder| {
            maps.iter().try_for_each(|map| {
                let file = format!("{}.{}", map.name, extension(map));
                io::write_image(folder.join(file), &map.volume, warnings)
            })
        })
    })
}

/// The ending of a map's file.
fn extension(map: &NamedMap) -> &'static str {
    let grid = map.volume.grid();
    if grid.dimension() == Dimension::Two && grid.is_unplaced() { "pfm" } else { "nii.gz" }
}

impl MeasureJob {
    fn plan(&self, session: &Session) -> OutputPlan {
        OutputPlan::of(session).reads("flow", [&self.flow]).writes(
            OutputRole::Report,
            &self.report,
            OutputContent::Text,
        )
    }

    /// Reads the field, measures it, and writes the maps.
    fn run(
        &self,
        mut plan: OutputPlan,
        session: &Session,
        measure: impl FnOnce(&Flow, &Session) -> Result<DeformationResult>,
        write: impl FnOnce(&mut OutputPlan, &[NamedMap], &mut Warnings) -> Result<()>,
    ) -> Result<JobRun<MeasureReport>> {
        session.enter(Stage::Read)?;
        let mut warnings = Warnings::new();
        let flow = io::read_flow(&self.flow, session.reading(self.reading), &mut warnings)?;
        plan.check_grid(flow.grid())?;
        let found = measure(&flow, session)?;
        warnings.extend(found.account.warnings);
        session.enter(Stage::Write)?;
        write(&mut plan, &found.maps, &mut warnings)?;
        let report = MeasureReport {
            veloxel_version: env!("CARGO_PKG_VERSION"),
            flow: self.flow.display().to_string(),
            axes: found.axes,
            maps: found.maps.iter().map(|map| map.summary).collect(),
            cells: found.cells,
            warnings,
        };
        plan.publish(report, |_| Ok(String::new()))
    }
}
