//! A mesh in, its parts out.

use super::segment_colours::{COLOURS, answers, part_mesh, part_rgb, whitened};
use super::segment_solve::{Answer, PartsTask, Solved};
use super::{Account, Holds, JobRun, OutputPlan, Result, RunOptions, Stages, VeloxelError};
use std::path::PathBuf;
use veloxel_core::{TriangleMesh, WarningKind, Warnings};
use veloxel_gpu::Cpu;
use veloxel_io::{self as io, Kind, NpyWriter, PaintedMesh};
use veloxel_mesh::{CleanMesh, DualGraph, PartCount};
use veloxel_report::number::counted;
use veloxel_report::{SegmentReport, SegmentView, SegmentedPart, segment_html};

/// A mesh, and what to do with it.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentJob {
    /// The mesh.
    pub mesh: PathBuf,
    /// How many parts.
    pub count: PartCount,
    /// Threads, files and the method with its parameters: [`MethodOptions::of_parts`](super::MethodOptions::of_parts).
    pub options: RunOptions,
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
}

impl SegmentJob {
    fn plan(&self) -> Result<OutputPlan> {
        OutputPlan::default()
            .reads("mesh", [&self.mesh])
            .reads_options(&self.options)
            .writes("parts in colours", [&self.output], Holds::Samples(Kind::Surface))
            .writes("labels", &self.labels, Holds::Text)
            .writes("membership", &self.membership, Holds::Text)
            .writes("page", &self.html, Holds::Text)
            .writes("folder of parts", &self.parts, Holds::Folder)
            .members("folder of parts", &["part_"])
            .writes("report", &self.report, Holds::Text)
            .checked()
    }
}

/// A mesh as it is and as it is worked on.
struct Surface {
    mesh: TriangleMesh,
    clean: CleanMesh,
    graph: DualGraph,
}

/// A colour, a certainty and a part for every triangle of the file.
struct Painting {
    rgb: Vec<[u8; 3]>,
    certainty: Vec<f32>,
    segment: Vec<u32>,
}

impl Painting {
    fn new(clean: &CleanMesh, answer: &Answer) -> Self {
        let faces = || clean.face_of.iter().map(|&face| face as usize);
        let segment: Vec<u32> = faces().map(|face| answer.labels[face]).collect();
        let certainty: Vec<f32> = faces().map(|face| answer.certainty[face]).collect();
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
pub fn segment(job: &SegmentJob) -> Result<JobRun<SegmentReport>> {
    let mut plan = job.plan()?;
    let options = &job.options;
    let load = |stages: &mut Stages, warnings: &mut Warnings| load(job, stages, warnings);
    let (device, mut log, surface) = options.device.start_and_load(load)?;
    let cpu = Cpu::new(options.device.threads)?;
    let (method, graph, membership) = (&options.method, &surface.graph, job.membership.is_some());
    let task = PartsTask { method, count: job.count, membership, graph, device: &device, cpu: &cpu };
    let parts = log.stages.time("solve", || task.solve())?;
    if let PartCount::Given(asked) = job.count
        && asked != parts.answer.count
    {
        warn_of_count(asked, parts.answer.count, &surface.clean, &mut log.warnings);
    }
    let painting = Painting::new(&surface.clean, &parts.answer);
    log.stages.time("write", || write(&surface, &parts, &painting.of(&surface.mesh), &mut plan))?;
    let report = report(job, &surface, &parts, log);
    plan.publish(report, |report| page(report, &surface, &parts))
}

fn load(job: &SegmentJob, stages: &mut Stages, warnings: &mut Warnings) -> Result<Surface> {
    let mesh = stages.time("load", || io::read_surface(&job.mesh, job.options.reading, warnings))?;
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

fn write(
    Surface { mesh, clean, graph }: &Surface,
    Solved { answer, membership, .. }: &Solved,
    painted: &PaintedMesh<'_>,
    plan: &mut OutputPlan,
) -> Result<()> {
    plan.write("parts in colours", |path| io::write_painted_mesh(path, painted))?;
    plan.write("labels", |path| {
        io::write_face_labels(path, &file_labels(mesh, clean, graph, painted.segment))
    })?;
    if let Some(membership) = membership {
        plan.write("membership", |path| {
            let matrix = NpyWriter::create(path, clean.face_of.len(), answer.count)?;
            for (triangle, &face) in clean.face_of.iter().enumerate() {
                let first = face as usize * answer.count;
                matrix.rows(triangle, &membership[first..first + answer.count]);
            }
            matrix.finish()
        })?;
    }
    plan.write("folder of parts", |folder| {
        let digits = answer.count.saturating_sub(1).to_string().len().max(2);
        let name = |part: usize| folder.join(format!("part_{part:0digits$}.ply"));
        (0..answer.count).try_for_each(|part| part_mesh(painted, part as u32, &name(part)))
    })
}

/// The page, whose colours at the run's number of parts are those of the files.
fn page(report: &SegmentReport, surface: &Surface, parts: &Solved) -> Result<String> {
    let Surface { mesh, clean, graph } = surface;
    let colours: Vec<[u8; 3]> = (0..COLOURS).map(part_rgb).collect();
    let (points, triangles, answers) = (mesh.points(), mesh.triangles(), answers(clean, graph, parts));
    Ok(segment_html(report, &SegmentView { points, triangles, answers: &answers, colours: &colours })?)
}

/// For each face of the file the part of its largest triangle.
fn file_labels(mesh: &TriangleMesh, clean: &CleanMesh, graph: &DualGraph, segment: &[u32]) -> Vec<u32> {
    let mut largest = vec![(-1.0, 0); mesh.file_face_count()];
    for (triangle, &segment) in segment.iter().enumerate() {
        let face = clean.face_of[triangle] as usize;
        // A triangle without an area of its own counts less than any with one.
        let stands = clean.source[face] as usize == triangle;
        let area = if stands { graph.areas[face] } else { 0.0 };
        let best = &mut largest[mesh.file_face(triangle)];
        if area > best.0 {
            *best = (area, segment);
        }
    }
    largest.into_iter().map(|(_, segment)| segment).collect()
}

fn report(job: &SegmentJob, surface: &Surface, parts: &Solved, log: Account) -> SegmentReport {
    let Solved { answer, thickness, .. } = parts;
    let mut segments: Vec<SegmentedPart> = (0..answer.count as u32)
        .map(|part| SegmentedPart {
            part,
            triangles: 0,
            area_share: 0.0,
            thickness: 0.0,
            mean_certainty: 0.0,
            rgb: part_rgb(part),
        })
        .collect();
    for (face, &label) in answer.labels.iter().enumerate() {
        let (segment, area) = (&mut segments[label as usize], surface.graph.areas[face]);
        segment.triangles += 1;
        segment.area_share += area;
        segment.thickness += area * thickness[face];
        segment.mean_certainty += area * f64::from(answer.certainty[face]);
    }
    let mean_certainty = segments.iter().map(|segment| segment.mean_certainty).sum();
    for segment in &mut segments {
        segment.thickness /= segment.area_share;
        segment.mean_certainty /= segment.area_share;
    }
    let options = &job.options;
    SegmentReport {
        header: options.header(options.method.method_name(), parts.parameters.clone(), log, Vec::new()),
        mesh: job.mesh.display().to_string(),
        faces: surface.mesh.file_face_count(),
        cleaning: surface.clean.report,
        parts: answer.count,
        count_from: if job.count == PartCount::Chosen { "chosen" } else { "asked for" },
        mean_certainty,
        segments,
    }
}
