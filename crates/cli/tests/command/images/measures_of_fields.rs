//! Maps of a field: the determinant of its Jacobian and its strain, in files.

use crate::workplace::Workplace;
use veloxel_core::{Flow, Grid, Warnings};
use veloxel_io::{Strictness, read_image, write_flow};

/// A field that stretches x by a tenth, on a grid whose x and y axes point to the left and to the back.
fn stretched() -> Flow {
    let grid = Grid::volume(6, 5, 4)
        .and_then(|grid| grid.with_spacing_mm([1.5, 1.0, 2.0]))
        .and_then(|grid| grid.with_direction([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]));
    Flow::from_fn(grid.expect("a grid"), |[x, _, z]| [0.1 * x, 0.0, 0.01 * z])
}

fn values(place: &Workplace, name: &str) -> Vec<f32> {
    read_image(&place.path(name), Strictness::Strict, &mut Warnings::new()).expect("a map").into_data()
}

#[test]
fn a_determinant_of_flipped_axes_is_that_of_the_motion() {
    let place = Workplace::new();
    write_flow(place.path("field.nii.gz"), &stretched()).expect("a field");
    let job = ["measure", "jacobian", "field.nii.gz", "-o", "det.mha", "--report", "det.json"];
    let run = place.run(&job).succeeded();
    assert!(run.stdout.contains("determinant") && run.stdout.contains("1.1110"), "{}", run.stdout);
    assert!(run.stdout.contains("60 cells between the voxels: none folds"), "{}", run.stdout);
    assert!(values(&place, "det.mha").iter().all(|value| (value - 1.111).abs() < 1e-4));
    let report = std::fs::read_to_string(place.path("det.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!((&report["axes"], &report["maps"][0]["known"]), (&3.into(), &120.into()));
    let cells = &report["cells"]["everywhere"];
    assert_eq!((&cells["certified"], &cells["folded"]), (&60.into(), &0.into()));
}

#[test]
fn strain_is_a_folder_of_components_and_principal_strains() {
    let place = Workplace::new();
    write_flow(place.path("field.nii.gz"), &stretched()).expect("a field");
    let run = place.run(&["measure", "strain", "field.nii.gz", "-o", "strain"]).succeeded();
    assert!(run.stdout.contains("strain_xx") && run.stdout.contains("0.1050"), "{}", run.stdout);
    for (name, expected) in
        [("strain_xx", 0.105), ("strain_xy", 0.0), ("principal_1", 0.105), ("principal_3", 0.0)]
    {
        let file = format!("strain/{name}.nii.gz");
        assert!(values(&place, &file).iter().all(|value| (value - expected).abs() < 1e-4), "{name}");
    }
    assert!(place.path("strain/report.json").exists());
    let again = place.run(&["measure", "strain", "strain/strain_xx.nii.gz", "-o", "strain"]);
    again.failed_with(&["is an input"]);
}

#[test]
fn pictures_are_measured_in_their_plane() {
    let place = Workplace::new();
    let field = Flow::from_fn(Grid::image(8, 6).expect("a grid"), |[x, y, _]| [0.2 * x, -2.0 * y, 0.0]);
    write_flow(place.path("field.flo"), &field).expect("a field");
    let run = place.run(&["measure", "jacobian", "field.flo", "-o", "det.pfm"]).succeeded();
    assert!(run.stdout.contains("100 %") && run.stdout.contains("35 cells folded"), "{}", run.stdout);
    place.run(&["measure", "strain", "field.flo", "-o", "strain"]).succeeded();
    assert!(values(&place, "strain/principal_1.pfm").iter().all(|value| (value - 0.22).abs() < 1e-5));
    assert!(!place.path("strain/strain_zz.pfm").exists());
    place.run(&["measure", "jacobian", "none.flo", "-o", "det.pfm"]).failed_with(&["none.flo"]);
    place.run(&["measure", "jacobian", "field.flo", "-o", "det.xyz"]).failed_with(&["det.xyz"]);
}
