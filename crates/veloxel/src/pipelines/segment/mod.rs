//! A mesh in, its parts out.

mod answer;
mod facts;
mod membership;
pub(in crate::pipelines) mod memory;
mod method;
mod parts;

use crate::pipelines::account::Account;
use crate::{Result, Session};
pub use answer::{PartsTree, TreelessParts};
pub use facts::{SurfaceFacts, surface_facts};
pub use membership::{Membership, MembershipChoice};
pub use method::SegmentMethod;
use method::{Found, PartsTask};
pub use parts::{CutEnds, PartMesh};
use veloxel_core::{CleaningReport, Stage, TriangleMesh, WarningKind, Warnings};
use veloxel_gpu::{Cpu, Device, DeviceKind};
use veloxel_mesh::{CleanMesh, DualGraph, part_probabilities};
pub use veloxel_mesh::{
    CutsParams, CutsPreset, FirstMedoids, FuzzyParams, FuzzyPreset, PARTS_METHODS, PartCount, PartsDraft,
    PartsMethod,
};
use veloxel_report::SegmentedPart;
use veloxel_report::number::counted;

/// A mesh, and what is to be found of it.
#[derive(Debug, Clone)]
pub struct SegmentRequest<'a> {
    /// The mesh.
    pub mesh: &'a TriangleMesh,
    /// How many parts.
    pub count: PartCount,
    /// How parts are found.
    pub method: SegmentMethod,
    /// Whether the probability of every part is wanted for each triangle.
    pub membership: MembershipChoice,
}

impl<'a> SegmentRequest<'a> {
    /// As many parts as the mesh shows, by cuts with their standard parameters.
    pub fn new(mesh: &'a TriangleMesh) -> Self {
        let (count, membership) = (PartCount::Chosen, MembershipChoice::default());
        Self { mesh, count, method: SegmentMethod::default(), membership }
    }
}

/// The parts of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentResult {
    /// The part of each triangle of the mesh, from 0 on.
    pub labels: Vec<u32>,
    /// How certain each triangle's part is, 0 to 1.
    pub certainty: Vec<f32>,
    /// The probability that people give each triangle to its part, by its certainty; none of a method that no mesh was measured with
    /// ([`part_probabilities`]).
    pub probability: Option<Vec<f32>>,
    /// The part of each polygon that the mesh was made from: that of its largest triangle.
    pub polygon_labels: Vec<u32>,
    /// The probability of each part for each triangle, where it is wanted.
    pub membership: Option<Membership>,
    /// What there is to say of each part, in the order of their numbers.
    pub parts: Vec<SegmentedPart>,
    /// Mean certainty over the area.
    pub mean_certainty: f64,
    /// What was found and mended before.
    pub cleaning: CleaningReport,
    /// The tree of parts; after it that of cuts, where another method has it beside its own.
    pub trees: Vec<PartsTree>,
    /// How the run went.
    pub account: Account,
}

/// Finds the parts of a mesh.
///
/// ```
/// use veloxel::pipelines::segment::{SegmentRequest, segment};
/// use veloxel::{Device, Session, TriangleMesh};
///
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].to_vec();
/// let mesh = TriangleMesh::new(points, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].to_vec())?;
/// let session = Session::on(Device::cpu(1)?);
/// let found = segment(&SegmentRequest::new(&mesh), &session)?;
/// assert_eq!(found.labels.len(), 4);
/// # Ok::<(), veloxel::VeloxelError>(())
/// ```
///
/// # Errors
/// [`VeloxelError::Mesh`](crate::VeloxelError::Mesh) for a mesh without area, one that takes more memory than the session allows or
/// than there is, or a number of parts that is not possible, and of the device; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn segment(request: &SegmentRequest<'_>, session: &Session) -> Result<SegmentResult> {
    session.enter(Stage::Solve)?;
    let mut account = Account::begin(session)?;
    let (mesh, device) = (request.mesh, session.device()?);
    memory::check_room(mesh, session)?;
    let clean = account.stages.time("clean", || CleanMesh::new(mesh, session.control()))?;
    clean.report.warn(&mut account.warnings);
    let graph = account.stages.time("graph", || DualGraph::new(&clean, session.control()))?;
    let cpu = cpu_of(device, session)?;
    let task = PartsTask { request, graph: &graph, device, cpu: &cpu };
    let found = account.stages.time("solve", || task.solve())?;
    session.enter(Stage::Measure)?;
    account.parameters = found.parameters.clone();
    warn_of_rays(found.rays_given_up, &mut account.warnings);
    if let PartCount::Given(asked) = request.count
        && asked != found.answer.count
    {
        warn_of_count(asked, found.answer.count, &clean, &mut account.warnings);
    }
    let probability = part_probabilities(request.method.name(), &found.answer.certainty);
    let mut found = result(mesh, &clean, &graph, found, account);
    let of_triangle = |of_face: Vec<f32>| clean.face_of.iter().map(|&face| of_face[face as usize]).collect();
    found.probability = probability.map(of_triangle);
    Ok(found)
}

/// The threads of the processor: those of the device, if it is one.
pub(in crate::pipelines) fn cpu_of(device: &Device, session: &Session) -> Result<Cpu> {
    Ok(match device.kind() {
        DeviceKind::Cpu(cpu) => cpu.clone(),
        DeviceKind::Gpu(_) => {
            Cpu::new(session.device_report()?.threads)?.controlled_by(session.control().clone())
        }
    })
}

/// Says so if rays through the body passed too many faces to be followed to their ends.
pub(in crate::pipelines) fn warn_of_rays(given_up: usize, warnings: &mut Warnings) {
    if given_up > 0 {
        let text = format!(
            "{} through the body passed so many faces that {} given up: thickness and lines of sight say little where many faces \
             are needles or lie through each other; a mesh of rounder faces, without those inside of others, has them",
            counted(given_up, "ray"),
            if given_up == 1 { "it was" } else { "they were" }
        );
        warnings.push(WarningKind::Content, text);
    }
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

/// The result for the triangles of the mesh, from what was found for faces of the cleaned mesh.
fn result(
    mesh: &TriangleMesh,
    clean: &CleanMesh,
    graph: &DualGraph,
    found: Found,
    account: Account,
) -> SegmentResult {
    let faces = || clean.face_of.iter().map(|&face| face as usize);
    let labels: Vec<u32> = faces().map(|face| found.answer.labels[face]).collect();
    let parts = parts::measured(&found, graph);
    SegmentResult {
        certainty: faces().map(|face| found.answer.certainty[face]).collect(),
        probability: None,
        polygon_labels: parts::polygon_labels(mesh, clean, graph, &labels),
        labels,
        membership: found.membership.as_ref().map(|of_face| Membership::new(of_face, clean)),
        mean_certainty: parts.mean_certainty,
        parts: parts.segments,
        cleaning: clean.report,
        trees: answer::trees(clean, graph, &found),
        account,
    }
}
