//! A BIDS folder as jobs.

use crate::workplace::{Workplace, pair};
use serde_json::Value;
use veloxel_core::{Dimension, Sequence};
use veloxel_phantoms::catalogue::isotropic_grid;

#[test]
fn a_bids_folder_becomes_derivatives() {
    let place = Workplace::new();
    let phantom = pair(&isotropic_grid(Dimension::Three, 16).unwrap());
    for (session, image) in [("1", &phantom.fixed), ("2", &phantom.moving)] {
        let folder = format!("data/sub-01/ses-{session}/anat");
        std::fs::create_dir_all(place.path(&folder)).unwrap();
        place.write_image(&format!("{folder}/sub-01_ses-{session}_T1w.nii.gz"), image);
    }
    std::fs::create_dir_all(place.path("data/sub-02/heart")).unwrap();
    let frames = vec![phantom.fixed.clone(), phantom.moving.clone(), phantom.fixed.clone()];
    let cine = Sequence::new(frames, None).unwrap();
    veloxel_io::write_sequence(place.path("data/sub-02/heart/sub-02_cine.nii.gz"), &cine).unwrap();
    let line =
        ["batch", "data", "-o", "out", "--option", "preset=fast", "--option", "init=none", "--device", "cpu"];
    // An option that a row's command refuses is refused for that row.
    place.run(&line).failed_with(&["row 2", "--init"]);
    let run = place.run(&["batch", "data", "-o", "out", "--option", "preset=fast", "--device", "cpu"]);
    assert_eq!(run.succeeded().stdout, "2 rows: 2 done: out/summary.html\n");
    let field = "out/sub-01/ses-2/anat/sub-01_ses-2_from-ses2T1w_to-ses1T1w_mode-image_xfm.nii.gz";
    assert!(place.path(field).exists());
    let cine = place.path("out/sub-02/heart/sub-02_from-cine_to-frame0_mode-image_xfm");
    assert!(cine.join("reference_000_002.nii.gz").exists());
    let description = std::fs::read_to_string(place.path("out/dataset_description.json")).unwrap();
    let description: Value = serde_json::from_str(&description).unwrap();
    assert_eq!(description["DatasetType"], "derivative");
}
