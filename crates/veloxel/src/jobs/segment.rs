//! A mesh in, its parts out.

use super::output_plan::{Holds, OutputPlan};
use super::run_log::{RunLog, Stages, finish};
use super::segment_answers::{COLOURS, answers};
use super::segment_outputs::{part_mesh, part_rgb, whitened};
use super::segment_solve::{PartsWanted, Solved, solve};
use super::{DeviceOptions, JobRun, MethodOptions};
use crate::VeloxelError;
use std::path::PathBuf;
use veloxel_core::{TriangleMesh, WarningKind, Warnings};
use veloxel_gpu::{Cpu, Device};
use veloxel_io::{self as io, Kind, NpyWriter, PaintedMesh, Reading};
use veloxel_mesh::{CleanMesh, DualGraph, PartCount};
use veloxel_report::number::counted;
use veloxel_report::{RunHeader, SegmentReport, SegmentView, SegmentedPart, segment_html};

/// A mesh, and what to do with it.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentJob {
    /// The mesh.
    pub mesh: PathBuf,
    /// How many parts.
    pub count: PartCount,
    /// The method and its parameters: [`MethodOptions::of_parts`].
    pub method: MethodOptions,
    /// The mesh in the colours of its parts: `.ply` or `.glb`.
    pub output: PathBuf,
    /// The number of its part for each face of the mesh's file: `.seg`.
    pub labels: Option<PathBuf>,
    /// The probability of each part (columns) for each triangle (rows): `.npy`.
    pub membership: Option<PathBuf>,
    /// The page.
    pub html: Option<PathBuf>,
    /// A folder that gets each part as a mesh of its own.
    pub parts: Option<PathBuf>,
    /// JSON.
    pub report: Option<PathBuf>,
    /// Threads.
    pub device: DeviceOptions,
    /// How files are read.
    pub reading: Reading,
    /// The command as typed, for the report.
    pub command_line: String,
}

impl SegmentJob {
    fn plan(&self) -> OutputPlan {
        OutputPlan::default()
            .reads("mesh", [&self.mesh])
            .reads_settings(self.method.files())
            .writes("parts in colours", [&self.output], Holds::Samples(Kind::Surface))
            .writes("labels", &self.labels, Holds::Text)
            .writes("membership", &self.membership, Holds::Text)
            .writes("page", &self.html, Holds::Text)
            .writes("folder of parts", &self.parts, Holds::Folder)
            .members("folder of parts", &["part_"])
            .writes("report", &self.report, Holds::Text)
    }
}

/// What was found, as outputs and reports need it.
struct Found<'a> {
    mesh: &'a TriangleMesh,
    clean: &'a CleanMesh,
    graph: &'a DualGraph,
    parts: &'a Solved,
}

/// A colour, a certainty and a part for every triangle of the file.
struct Painting {
    rgb: Vec<[u8; 3]>,
    certainty: Vec<f32>,
    segment: Vec<u32>,
}

impl Painting {
    fn new(found: &Found<'_>) -> Self {
        let faces = || found.clean.face_of.iter().map(|&face| face as usize);
        let segment: Vec<u32> = faces().map(|face| found.parts.answer.labels[face]).collect();
        let certainty: Vec<f32> = faces().map(|face| found.parts.answer.certainty[face]).collect();
        let colour = |(&segment, &certainty): (&u32, &f32)| whitened(part_rgb(segment), certainty);
        Self { rgb: segment.iter().zip(&certainty).map(colour).collect(), certainty, segment }
    }

    fn of<'a>(&'a self, mesh: &'a TriangleMesh) -> PaintedMesh<'a> {
        PaintedMesh { mesh, rgb: &self.rgb, certainty: &self.certainty, segment: &self.segment }
    }
}

/// `veloxel segment`: the parts of a mesh.
///
/// # Errors
/// Anything that is wrong with the files or the parameters; [`VeloxelError::MeshFile`] for a mesh without area;
/// [`VeloxelError::Mesh`] for a number of parts that is not possible.
pub fn segment(job: &SegmentJob) -> Result<JobRun<SegmentReport>, VeloxelError> {
    let mut plan = job.plan();
    plan.check()?;
    let (device, mut log, Surface { mesh, clean, graph }) = open_and_load(job)?;
    let cpu = Cpu::new(job.device.threads)?;
    let wanted = PartsWanted { method: &job.method, count: job.count, membership: job.membership.is_some() };
    let parts = log.stages.time("solve", || solve(&wanted, &graph, &device, &cpu))?;
    if let PartCount::Given(asked) = job.count
        && asked != parts.answer.count
    {
        warn_of_count(asked, parts.answer.count, &clean, &mut log.warnings);
    }
    let all = Found { mesh: &mesh, clean: &clean, graph: &graph, parts: &parts };
    let painting = Painting::new(&all);
    log.stages.time("write", || write(&all, &painting.of(&mesh), &mut plan))?;
    let report = report(job, &all, log);
    finish(plan, report, |report| page(report, &all))
}

/// A mesh as it is and as it is worked on.
struct Surface {
    mesh: TriangleMesh,
    clean: CleanMesh,
    graph: DualGraph,
}

/// A GPU takes as long to open as a large mesh to read and clean: both at once.
fn open_and_load(job: &SegmentJob) -> Result<(Device, RunLog, Surface), VeloxelError> {
    let (mut stages, mut warnings) = (Stages::default(), Warnings::new());
    let (opened, surface) = std::thread::scope(|scope| {
        let opening = scope.spawn(|| job.device.open());
        let surface = load(job, &mut stages, &mut warnings);
        (opening.join().expect("opening a device should not panic"), surface)
    });
    let surface = surface?;
    let (device, report) = opened?;
    Ok((device, RunLog { device: report, stages, warnings }, surface))
}

fn load(job: &SegmentJob, stages: &mut Stages, warnings: &mut Warnings) -> Result<Surface, VeloxelError> {
    let mesh = stages.time("load", || io::read_surface(&job.mesh, job.reading, warnings))?;
    let clean = stages.time("clean", || CleanMesh::new(&mesh));
    let clean = clean.map_err(VeloxelError::of_mesh_file(&job.mesh))?;
    clean.report.warn(warnings);
    let graph = stages.time("graph", || DualGraph::new(&clean));
    Ok(Surface { mesh, clean, graph })
}

fn warn_of_count(asked: usize, count: usize, clean: &CleanMesh, warnings: &mut Warnings) {
    let components = clean.report.components;
    let why = if count > asked {
        format!("the mesh has {components} components, and no part spans two of them")
    } else {
        "there are no more of the least area (least_area)".to_owned()
    };
    let were = if asked == 1 { "was" } else { "were" };
    let are = if count == 1 { "is" } else { "are" };
    let text = format!("{} {were} asked for, and there {are} {count}: {why}", counted(asked, "part"));
    warnings.push(WarningKind::Content, text);
}

fn write(found: &Found<'_>, painted: &PaintedMesh<'_>, plan: &mut OutputPlan) -> Result<(), VeloxelError> {
    plan.write("parts in colours", |path| io::write_painted_mesh(path, painted))?;
    plan.write("labels", |path| io::write_face_labels(path, &file_labels(found, painted.segment)))?;
    if let Some(membership) = &found.parts.membership {
        plan.write("membership", |path| {
            let columns = found.parts.answer.count;
            let matrix = NpyWriter::create(path, found.clean.face_of.len(), columns)?;
            for (triangle, &face) in found.clean.face_of.iter().enumerate() {
                matrix.rows(triangle, &membership[face as usize * columns..(face as usize + 1) * columns]);
            }
            matrix.finish()
        })?;
    }
    plan.write("folder of parts", |folder| {
        let digits = found.parts.answer.count.saturating_sub(1).to_string().len().max(2);
        let name = |part: usize| folder.join(format!("part_{part:0digits$}.ply"));
        (0..found.parts.answer.count).try_for_each(|part| part_mesh(painted, part as u32, &name(part)))
    })
}

/// The page, whose colours at the run's number of parts are those of the files.
fn page(report: &SegmentReport, found: &Found<'_>) -> Result<String, VeloxelError> {
    let colours: Vec<[u8; 3]> = (0..COLOURS).map(part_rgb).collect();
    let (points, triangles) = (found.mesh.points(), found.mesh.triangles());
    let answers = answers(found.clean, found.graph, found.parts);
    Ok(segment_html(report, &SegmentView { points, triangles, answers: &answers, colours: &colours })?)
}

/// For each face of the file the part of its largest triangle.
fn file_labels(found: &Found<'_>, segment: &[u32]) -> Vec<u32> {
    let mut largest = vec![(-1.0, 0); found.mesh.file_face_count()];
    for (triangle, &segment) in segment.iter().enumerate() {
        let face = found.clean.face_of[triangle] as usize;
        // A triangle without an area of its own counts less than any with one.
        let stands = found.clean.source[face] as usize == triangle;
        let area = if stands { found.graph.areas[face] } else { 0.0 };
        let best = &mut largest[found.mesh.file_face(triangle)];
        if area > best.0 {
            *best = (area, segment);
        }
    }
    largest.into_iter().map(|(_, segment)| segment).collect()
}

fn report(job: &SegmentJob, found: &Found<'_>, log: RunLog) -> SegmentReport {
    let header = RunHeader {
        veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
        command_line: job.command_line.clone(),
        method: job.method.method_name().to_owned(),
        preset: Some(job.method.preset_name().to_owned()),
        device: log.device,
        parameters: found.parts.parameters.clone().into(),
        inputs: Vec::new(),
        stage_times: log.stages.0,
        warnings: log.warnings,
    };
    let mut segments: Vec<SegmentedPart> = (0..found.parts.answer.count as u32)
        .map(|part| SegmentedPart {
            part,
            triangles: 0,
            area_share: 0.0,
            thickness: 0.0,
            mean_certainty: 0.0,
            rgb: part_rgb(part),
        })
        .collect();
    for (face, &label) in found.parts.answer.labels.iter().enumerate() {
        let (segment, area) = (&mut segments[label as usize], found.graph.areas[face]);
        segment.triangles += 1;
        segment.area_share += area;
        segment.thickness += area * found.parts.thickness[face];
        segment.mean_certainty += area * f64::from(found.parts.answer.certainty[face]);
    }
    let mean_certainty = segments.iter().map(|segment| segment.mean_certainty).sum();
    for segment in &mut segments {
        segment.thickness /= segment.area_share;
        segment.mean_certainty /= segment.area_share;
    }
    SegmentReport {
        header,
        mesh: job.mesh.display().to_string(),
        faces: found.mesh.file_face_count(),
        cleaning: found.clean.report,
        parts: found.parts.answer.count,
        count_from: if job.count == PartCount::Chosen { "chosen" } else { "asked for" },
        mean_certainty,
        segments,
    }
}
