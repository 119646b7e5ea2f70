//! `segment armadillo.obj -o parts.ply --html parts.html` and `segment model.gltf --method fuzzy -k 8 -o parts.ply --membership p.npy`.

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, session};
use std::fmt::Write;
use std::path::Path;
use veloxel::io::{self, Matrix, PaintedMesh, ReadOptions, Reading};
use veloxel::jobs::{self, PartsMethodOptions, SegmentJob, SegmentOutputs};
use veloxel::pipelines::segment::{
    MembershipChoice, PartCount, SegmentMethod, SegmentRequest, SegmentResult, segment,
};
use veloxel::report::part_colours;
use veloxel::{TriangleMesh, Warnings};

/// Rings of a body with three bulges, from pole to pole.
const RINGS: usize = 30;
const CORNERS: usize = 24;

/// Writes a closed body, its sides squares.
fn write_body(path: &Path) {
    let mut text = String::new();
    for ring in 0..=RINGS {
        let along = ring as f64 / RINGS as f64;
        let radius =
            (std::f64::consts::PI * along).sin() * (1.0 + 0.6 * (6.0 * std::f64::consts::PI * along).cos());
        for corner in 0..CORNERS {
            let angle = std::f64::consts::TAU * corner as f64 / CORNERS as f64;
            let bulge = radius * (1.0 + 0.3 * (3.0 * angle).cos());
            let _ = writeln!(text, "v {} {} {}", bulge * angle.cos(), bulge * angle.sin(), 4.0 * along);
        }
    }
    for (ring, corner) in (0..RINGS * CORNERS).map(|i| (i / CORNERS, i % CORNERS)) {
        let [a, b] = [corner, (corner + 1) % CORNERS].map(|corner| ring * CORNERS + corner + 1);
        let _ = writeln!(text, "f {a} {b} {} {}", b + CORNERS, a + CORNERS);
    }
    io::write_text(path, &text).expect("a mesh should be written");
}

/// Writes what a pipeline found, as the job would.
fn write(folder: &Path, mesh: &TriangleMesh, found: &SegmentResult, membership: &str) {
    let rgb = part_colours(&found.labels, &found.certainty);
    let painted = PaintedMesh { mesh, rgb: &rgb, certainty: &found.certainty, segment: &found.labels };
    io::write_painted_mesh(folder.join("parts.ply"), &painted).expect("a mesh should be written");
    io::write_face_labels(folder.join("parts.seg"), &found.polygon_labels).expect("labels should be written");
    let of_parts = found.membership.as_ref().expect("membership was asked for");
    let columns: Vec<String> = (0..of_parts.columns()).map(|part| format!("part_{part}")).collect();
    let rows: Vec<&[f32]> = (0..of_parts.rows()).map(|triangle| of_parts.row(triangle)).collect();
    let matrix = Matrix { columns: &columns, rows: &rows };
    io::write_matrix(folder.join(membership), &matrix).expect("a matrix should be written");
}

fn compare(method: &str, count: PartCount, membership: &str) {
    let (own, job) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = own.path().join("body.obj");
    write_body(&file);
    let options = PartsMethodOptions::named(method).unwrap();
    let outputs = SegmentOutputs {
        painted: job.path().join("parts.ply"),
        labels: Some(job.path().join("parts.seg")),
        membership: Some(job.path().join(membership)),
        html: Some(job.path().join("parts.html")),
        ..SegmentOutputs::default()
    };
    let segment_job = SegmentJob {
        mesh: file.clone(),
        count,
        method: options.clone(),
        reading: ReadOptions::default(),
        command_line: String::new(),
        outputs,
    };
    let report = jobs::segment(&segment_job, &session()).unwrap().report;
    let mesh = io::read_surface(&file, Reading::default(), &mut Warnings::new()).unwrap();
    let session = session();
    let method = SegmentMethod::of(options.draft()).unwrap();
    let request = SegmentRequest { mesh: &mesh, count, method, membership: MembershipChoice::Computed };
    let found = without_files(|| segment(&request, &session)).unwrap();
    assert!(found.parts.len() > 1);
    write(own.path(), &mesh, &found, membership);
    for name in ["parts.ply", "parts.seg", membership] {
        assert_same_file(&own.path().join(name), &job.path().join(name));
    }
    assert_eq!((found.parts, found.mean_certainty), (report.segments, report.mean_certainty));
    assert_eq!(serde_json::Value::from(found.account.parameters), report.header.parameters);
}

#[test]
fn cuts_are_those_of_the_command() {
    alone(|| compare("cuts", PartCount::Chosen, "membership.csv"));
}

#[test]
fn fuzzy_parts_and_their_membership_are_those_of_the_command() {
    alone(|| compare("fuzzy", PartCount::Given(8), "p.npy"));
}

#[test]
fn a_table_of_memberships_has_a_name_for_each_part() {
    alone(|| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("body.obj");
        write_body(&file);
        let table = folder.path().join("m.csv");
        let outputs = SegmentOutputs {
            painted: folder.path().join("parts.ply"),
            membership: Some(table.clone()),
            ..SegmentOutputs::default()
        };
        let job = SegmentJob {
            mesh: file,
            count: PartCount::Given(3),
            method: PartsMethodOptions::named("fuzzy").unwrap(),
            reading: ReadOptions::default(),
            command_line: String::new(),
            outputs,
        };
        jobs::segment(&job, &session()).unwrap();
        let text = std::fs::read_to_string(&table).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines.len()), ("part_0,part_1,part_2", 1 + 2 * RINGS * CORNERS));
        let sum: f32 = lines[1].split(',').map(|cell| cell.parse::<f32>().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-5, "{}", lines[1]);
    });
}
