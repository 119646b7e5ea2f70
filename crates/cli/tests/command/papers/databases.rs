//! `veloxel phantom`: one in its folder, and databases of many.

use crate::workplace::Workplace;

#[test]
fn one_phantom_lies_in_the_folder_itself() {
    let place = Workplace::new();
    let run = place.run(&["phantom", "shift", "--size", "16,16", "-o", "one"]).succeeded();
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), ["one/fixed.tif", "one/moving.tif", "one/truth.flo"]);
}

#[test]
fn names_and_seeds_make_a_database() {
    let place = Workplace::new();
    let made = |more: &[&str]| {
        let own = ["phantom", "shift", "twist", "--size", "16,16", "-o", "database"];
        place.run(&[&own[..], more].concat()).succeeded().stdout.lines().count()
    };
    assert_eq!(made(&["--seeds", "2", "--texture", "speckle", "--noise", "0.05"]), 2 * 2 * 3);
    let read = |file: &str| std::fs::read(place.path(&format!("database/{file}"))).expect(file);
    for name in ["shift", "twist"] {
        assert_ne!(read(&format!("{name}_01/fixed.tif")), read(&format!("{name}_02/fixed.tif")));
        assert_eq!(read(&format!("{name}_01/truth.flo")), read(&format!("{name}_02/truth.flo")));
    }
    assert_eq!(made(&[]), 2 * 3);
    assert!(place.path("database/twist/truth.flo").exists());
}

#[test]
fn what_has_no_seed_leaves_nothing_behind() {
    let place = Workplace::new();
    let job = ["phantom", "shift", "edge-to-line", "--size", "16,16", "--seeds", "2", "-o", "database"];
    place.run(&job).failed_with(&["edge-to-line", "does not use a seed"]);
    assert!(place.names().is_empty(), "{:?}", place.names());
}
