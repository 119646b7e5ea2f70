//! Fields drawn as pictures: plane, scale, ground and key.

use crate::workplace::{Workplace, small_volume};
use veloxel_core::{Volume, Warnings};
use veloxel_io::{Strictness, read_image};

const PAIR: [&str; 9] = ["flow", "a.mha", "b.mha", "-o", "f.mha", "--preset", "fast", "--device", "cpu"];

fn read(place: &Workplace, name: &str) -> Volume<f32> {
    read_image(&place.path(name), Strictness::Lenient, &mut Warnings::new()).expect("a picture")
}

#[test]
fn a_volume_shows_the_plane_that_is_asked_for() {
    let place = Workplace::new();
    let phantom = small_volume();
    place.write_image("a.mha", &phantom.fixed);
    place.write_image("b.mha", &phantom.moving);
    let [nx, ny, nz] = phantom.fixed.grid().size();
    let run =
        |more: &[&str]| place.run(&[&PAIR[..], &["--picture", "p.png", "--report", "r.json"], more].concat());
    let noted = |words: &str| {
        let report = std::fs::read_to_string(place.path("r.json")).expect("a report");
        assert!(report.contains(words), "{words} is missing");
    };
    run(&[]).succeeded();
    noted("p.png: axial, z = ");
    assert_eq!(read(&place, "p.png").grid().size()[..2], [nx, ny]);
    run(&["--plane", "y=2", "--scale", "2.5"]).succeeded();
    noted("p.png: coronal, y = 2, full colour at 2.5 mm");
    assert_eq!(read(&place, "p.png").grid().size()[0], nx);
    let plain = read(&place, "p.png");
    run(&["--plane", "y=2", "--scale", "2.5", "--overlay"]).succeeded();
    assert!(read(&place, "p.png") != plain, "the image shows through");
    run(&["--plane", "y=2", "--scale", "2.5", "--wheel"]).succeeded();
    assert!(read(&place, "p.png").grid().size()[1] > plain.grid().size()[1], "a strip below");
    let position = format!("z={nz}");
    run(&["--plane", &position]).failed_with(&["no plane z = "]);
    for wrong in [&["--plane", "w=3"][..], &["--scale", "0"]] {
        assert_eq!(run(wrong).code, Some(2), "{wrong:?}");
    }
    assert_eq!(place.run(&[&PAIR[..], &["--wheel"]].concat()).code, Some(2), "without a picture");
}
