//! A mesh's file in, files of its parts out.

mod mesh_info;

use super::{Account, JobRun, OutputContent, OutputPlan, OutputRole, PartsMethodOptions, Stages};
use crate::pipelines::segment::{self as pipeline, MembershipChoice, SegmentMethod, SegmentRequest};
use crate::pipelines::segment::{CutEnds, PartMesh, PartsTree, SegmentResult};
use crate::{Result, Session, VeloxelError};
pub use mesh_info::{MeshInfo, mesh_info};
use std::path::PathBuf;
use veloxel_core::{Stage, TriangleMesh, Warnings};
use veloxel_io::{self as io, ContentKind, Matrix, PaintedMesh, ReadOptions, Target};
use veloxel_mesh::{MeshError, PartCount};
use veloxel_report::{
    AnswerView, OwnParts, RunHeader, SegmentReport, SegmentView, part_colours, segment_html,
};

/// A mesh, and what to do with it.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentJob {
    /// The mesh.
    pub mesh: PathBuf,
    /// How many parts.
    pub count: PartCount,
    /// The method with its preset and settings.
    pub method: PartsMethodOptions,
    /// How files are read.
    pub reading: ReadOptions,
    /// The command as typed, for the report.
    pub command_line: String,
    /// Where everything goes.
    pub outputs: SegmentOutputs,
}

/// The files of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SegmentOutputs {
    /// The mesh in the colours of its parts: `.ply`, `.glb` with a node for each part, or `.obj` with a group for each.
    pub painted: PathBuf,
    /// The number of its part for each face of the mesh's file: `.seg` or `.txt`.
    pub labels: Option<PathBuf>,
    /// The probability of each part (columns) for each triangle (rows): `.npy` or `.csv`.
    pub membership: Option<PathBuf>,
    /// The probability that people give each triangle to its part: `.npy` or `.csv`.
    pub probability: Option<PathBuf>,
    /// The page.
    pub html: Option<PathBuf>,
    /// A folder that gets each part as a mesh of its own.
    pub parts: Option<PathBuf>,
    /// What becomes of the holes of these meshes.
    pub ends: CutEnds,
    /// JSON.
    pub report: Option<PathBuf>,
}

impl SegmentJob {
    /// The plan of its files, not checked yet.
    pub(super) fn plan(&self, session: &Session) -> OutputPlan {
        let SegmentOutputs { painted, labels, membership, probability, html, parts, report, .. } =
            &self.outputs;
        OutputPlan::of(session)
            .reads("mesh", [&self.mesh])
            .reads_settings(self.method.files())
            .writes(OutputRole::PaintedParts, [painted], OutputContent::Samples(ContentKind::Surface))
            .writes(OutputRole::Labels, labels, OutputContent::FaceLabels)
            .writes(OutputRole::Membership, membership, OutputContent::MatrixTable)
            .writes(OutputRole::Probability, probability, OutputContent::MatrixTable)
            .writes(OutputRole::Page, html, OutputContent::Text)
            .writes(OutputRole::Parts, parts, OutputContent::Folder)
            .members(OutputRole::Parts, ["part_"])
            .writes(OutputRole::Report, report, OutputContent::Text)
    }

    /// What is wrong with the mesh, with the file's name.
    fn of_its_mesh(&self, error: VeloxelError) -> VeloxelError {
        match error {
            VeloxelError::Mesh(
                source @ (MeshError::NoArea { .. } | MeshError::TooFar { .. } | MeshError::TooSmall { .. }),
            ) => VeloxelError::MeshFile { path: self.mesh.clone(), source },
            other => other,
        }
    }
}

/// `veloxel segment`: the parts of a mesh.
///
/// # Errors
/// Anything that is wrong with the files or the parameters; [`VeloxelError::MeshFile`] for a mesh without area;
/// [`VeloxelError::Mesh`] for a number of parts that is not possible; [`VeloxelError::Stopped`].
pub fn segment(job: &SegmentJob, session: &Session) -> Result<JobRun<SegmentReport>> {
    planned(job, session, job.plan(session).checked()?)
}

fn planned(job: &SegmentJob, session: &Session, mut plan: OutputPlan) -> Result<JobRun<SegmentReport>> {
    session.enter(Stage::Read)?;
    let (mut stages, mut warnings) = (Stages::default(), Warnings::new());
    // The reader's share of a run's memory, where nothing less is asked for.
    let max_decode_bytes = job.reading.max_decode_bytes.or(session.max_memory_bytes());
    let reading = session.reading(ReadOptions { max_decode_bytes, ..job.reading });
    let mesh = stages.time("load", || io::read_surface(&job.mesh, reading, &mut warnings))?;
    let membership =
        if job.outputs.membership.is_some() { MembershipChoice::Computed } else { MembershipChoice::LeftOut };
    let method = SegmentMethod::of(job.method.draft())?;
    let request = SegmentRequest { mesh: &mesh, count: job.count, method, membership };
    let mut found = pipeline::segment(&request, session).map_err(|error| job.of_its_mesh(error))?;
    stages.merge(std::mem::take(&mut found.account.stages));
    warnings.extend(std::mem::take(&mut found.account.warnings));
    session.enter(Stage::Write)?;
    stages.time("write", || write(&mesh, &found, job.outputs.ends, &mut plan))?;
    let account = Account { stages, warnings, ..std::mem::take(&mut found.account) };
    let report = report(job, &mesh, &found, account);
    plan.publish(report, |report| page(report, &mesh, &found, session))
}

fn write(mesh: &TriangleMesh, found: &SegmentResult, ends: CutEnds, plan: &mut OutputPlan) -> Result<()> {
    let rgb = part_colours(&found.labels, &found.certainty);
    let painted = PaintedMesh { mesh, rgb: &rgb, certainty: &found.certainty, segment: &found.labels };
    plan.write(OutputRole::PaintedParts, |target| io::write_painted_mesh(target, &painted))?;
    plan.write(OutputRole::Labels, |target| io::write_face_labels(target, &found.polygon_labels))?;
    if let Some(membership) = &found.membership {
        let columns: Vec<String> = (0..membership.columns()).map(|part| format!("part_{part}")).collect();
        let rows: Vec<_> = (0..membership.rows()).map(|triangle| membership.row(triangle)).collect();
        plan.write(OutputRole::Membership, |target| {
            io::write_matrix(target, &Matrix { columns: &columns, rows: &rows })
        })?;
    }
    if let Some(probability) = &found.probability {
        let rows: Vec<_> = probability.chunks(1).collect();
        plan.write(OutputRole::Probability, |target| {
            io::write_matrix(target, &Matrix { columns: &["probability".to_owned()], rows: &rows })
        })?;
    }
    plan.write(OutputRole::Parts, |folder| {
        let count = found.parts.len();
        let digits = count.saturating_sub(1).to_string().len().max(2);
        (0..count).try_for_each(|part| {
            let own = found.part_mesh(mesh, part as u32, ends)?;
            write_part(&own, folder.join(format!("part_{part:0digits$}.ply")))
        })
    })
}

fn write_part(own: &PartMesh, target: Target) -> Result<()> {
    let rgb = part_colours(&own.labels, &own.certainty);
    let painted = PaintedMesh { mesh: &own.mesh, rgb: &rgb, certainty: &own.certainty, segment: &own.labels };
    Ok(io::write_painted_mesh(target, &painted)?)
}

/// The page, whose colours at the run's number of parts are those of the files.
fn page(
    report: &SegmentReport,
    mesh: &TriangleMesh,
    found: &SegmentResult,
    session: &Session,
) -> Result<String> {
    let answers: Vec<AnswerView<'_>> = found.trees.iter().map(answer_view).collect();
    let (points, triangles) = (mesh.points(), mesh.triangles());
    let view = SegmentView { points, triangles, file_faces: mesh.file_faces(), answers: &answers };
    Ok(segment_html(report, &view, session.control())?)
}

fn answer_view(tree: &PartsTree) -> AnswerView<'_> {
    AnswerView {
        role: tree.role,
        name: tree.name,
        parts: tree.parts,
        finest: &tree.finest,
        finest_parts: tree.finest_parts,
        merges: &tree.merges,
        numbers: &tree.numbers,
        certainty: &tree.certainty,
        thickness: &tree.thickness,
        least_area: tree.least_area,
        own: tree.own.as_ref().map(|own| OwnParts { labels: &own.labels, numbers: &own.numbers }),
    }
}

fn report(job: &SegmentJob, mesh: &TriangleMesh, found: &SegmentResult, account: Account) -> SegmentReport {
    SegmentReport {
        header: RunHeader {
            veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
            command_line: job.command_line.clone(),
            method: job.method.method_name().to_owned(),
            preset: Some(job.method.preset_name().to_owned()),
            device: account.device,
            parameters: account.parameters.into(),
            inputs: Vec::new(),
            stage_times: account.stages.0,
            warnings: account.warnings,
        },
        mesh: job.mesh.display().to_string(),
        faces: mesh.file_face_count(),
        cleaning: found.cleaning,
        parts: found.parts.len(),
        count_from: if job.count == PartCount::Chosen { "chosen" } else { "asked for" },
        mean_certainty: found.mean_certainty,
        segments: found.parts.clone(),
    }
}
