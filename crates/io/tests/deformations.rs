//! Deformations as other programs store them: the same field, or a refusal that names them.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use veloxel_core::{Flow, Grid, Warnings};
use veloxel_io::*;

/// Where the header ends and the samples begin.
const SAMPLES_AT: usize = 352;

fn field() -> Flow {
    let (s, c) = 0.3f64.sin_cos();
    let grid = Grid::volume(6, 5, 4)
        .and_then(|g| g.with_spacing_mm([1.5, 1.25, 2.0]))
        .and_then(|g| g.with_direction([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
        .unwrap()
        .with_origin_mm([-40.0, 25.0, 10.0]);
    Flow::from_fn(grid, |[x, y, z]| [0.5 + 0.1 * y, -1.0 + 0.2 * x, 0.3 * z])
}

/// The field in a NIfTI file whose header says other things, with vectors changed from LPS displacements at LPS positions.
fn foreign(intent: i16, name: &str, kind: f32, vector: impl Fn([f64; 3], [f64; 3]) -> [f64; 3]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("field.nii");
    let flow = field();
    write_flow(&path, &flow).unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    bytes[56..60].copy_from_slice(&kind.to_le_bytes());
    bytes[68..70].copy_from_slice(&intent.to_le_bytes());
    bytes[328..328 + name.len()].copy_from_slice(name.as_bytes());
    let (grid, displacement) = (flow.grid(), flow.displacement_mm());
    for i in 0..grid.len() {
        let at = grid.world_from_voxel(grid.position(i).map(|v| v as f64));
        let stored = vector(at, displacement.each_ref().map(|component| f64::from(component[i])));
        for (axis, value) in stored.into_iter().enumerate() {
            let place = SAMPLES_AT + 4 * (axis * grid.len() + i);
            bytes[place..place + 4].copy_from_slice(&(value as f32).to_le_bytes());
        }
    }
    bytes
}

fn read_field(bytes: &[u8]) -> Result<Flow> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign.nii");
    std::fs::write(&path, bytes).unwrap();
    read_flow(&path, Strictness::Strict, &mut Warnings::new())
}

fn ras([x, y, z]: [f64; 3]) -> [f64; 3] {
    [-x, -y, z]
}

fn position(at: [f64; 3], moved: [f64; 3]) -> [f64; 3] {
    ras([0, 1, 2].map(|axis| at[axis] + moved[axis]))
}

#[test]
fn positions_and_displacements_in_ras_become_the_field() {
    let expected = field();
    for (what, bytes) in [
        ("a plain field", foreign(1007, "", 0.0, |_, moved| moved)),
        ("ITK's displacements in RAS", foreign(1006, "", 0.0, |_, moved| ras(moved))),
        ("NiftyReg's deformation", foreign(1007, "NREG_TRANS", 0.0, position)),
        ("NiftyReg's displacement", foreign(1007, "NREG_TRANS", 1.0, |_, moved| ras(moved))),
        ("SPM's mapping", foreign(1007, "Mapping", 0.0, position)),
    ] {
        let found = read_field(&bytes).unwrap();
        let pairs = found.planar_vox().iter().zip(expected.planar_vox());
        let worst = pairs.fold(0.0f32, |worst, (a, b)| worst.max((a - b).abs()));
        assert!(worst < 1e-5, "{what}: {worst} voxels");
    }
}

#[test]
fn what_is_no_field_is_refused_by_name() {
    for (intent, name, kind, says) in [
        (1007, "NREG_TRANS", 2.0, "control points of NiftyReg"),
        (1007, "NREG_TRANS", 3.0, "velocity field"),
        (1007, "NREG_TRANS", 4.0, "velocity field"),
        (1007, "NREG_TRANS", 5.0, "spline velocities"),
        (1007, "NREG_TRANS", 9.0, "unknown kind"),
        (1007, "Velocity", 0.0, "velocity field"),
        (2006, "", 0.0, "FNIRT"),
        (2007, "", 0.0, "spline coefficients"),
        (2009, "", 0.0, "spline coefficients"),
        (2016, "", 0.0, "topup"),
        (1008, "", 0.0, "intent 1008"),
    ] {
        let refused = read_field(&foreign(intent, name, kind, |_, moved| moved)).unwrap_err().to_string();
        assert!(refused.contains(says), "{intent} {name} {kind}: {refused}");
    }
}

#[test]
fn positions_that_nothing_names_are_told() {
    let told = |intent: i16, vector: fn([f64; 3], [f64; 3]) -> [f64; 3]| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("foreign.nii");
        std::fs::write(&path, foreign(intent, "", 0.0, vector)).unwrap();
        let mut warnings = Warnings::new();
        read_flow(&path, Strictness::Lenient, &mut warnings).unwrap();
        warnings.iter().any(|warning| warning.message.contains("look like positions"))
    };
    for intent in [0, 1006, 1007] {
        assert!(told(intent, position), "{intent}");
        assert!(told(intent, |at, moved| [0, 1, 2].map(|axis| at[axis] + moved[axis])), "{intent}");
        assert!(
            !told(intent, |_, moved| moved) && !told(intent, |_, moved| moved.map(|v| 9.0 * v)),
            "{intent}"
        );
    }
}
