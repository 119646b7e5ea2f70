//! Filters of images by the command.

use crate::workplace::Workplace;

const PICTURE: &str = "P2\n5 3\n255\n0 0 0 0 0\n0 0 200 0 0\n0 0 0 0 0\n";

#[test]
fn every_filter_writes_its_image() {
    let place = Workplace::new();
    place.write("point.pgm", PICTURE);
    for (arguments, size) in [
        (&["gaussian", "--sigma", "0.8"][..], "5 × 3"),
        (&["gaussian", "--sigma", "2,1"], "5 × 3"),
        (&["resample", "--size", "10,2"], "10 × 2"),
        (&["convolution", "--taps", "-1,3,-1"], "5 × 3"),
    ] {
        let job = ["filter", arguments[0], "point.pgm", "-o", "out.tif", "--device", "cpu"];
        place.run(&[&job[..], &arguments[1..]].concat()).succeeded();
        let run = place.run(&["info", "out.tif"]).succeeded();
        assert!(run.stdout.contains(size), "{arguments:?}: {}", run.stdout);
    }
}

#[test]
fn mistakes_are_one_line_and_leave_no_file() {
    let place = Workplace::new();
    place.write("point.pgm", PICTURE);
    for (arguments, says) in [
        (&["gaussian", "point.pgm", "-o", "out.tif"][..], "needs a standard deviation (--sigma)"),
        (&["gaussian", "point.pgm", "-o", "out.tif", "--sigma", "0"], "(0, 333]"),
        (&["gaussian", "point.pgm", "-o", "out.tif", "--sigma", "1", "--size", "4,4"], "does not use a size"),
        (&["gaussian", "point.pgm", "-o", "out.tif", "--sigma", "1,1,1"], "2 axes"),
        (&["resample", "point.pgm", "-o", "out.tif", "--size", "0,4"], "0 × 4"),
        (&["resample", "point.pgm", "-o", "out.tif", "--size", "4"], "2 axes"),
        (&["convolution", "point.pgm", "-o", "out.tif", "--taps", "1,2"], "odd"),
        (&["gaussian", "point.pgm", "-o", "point.pgm", "--sigma", "1"], "point.pgm is an input"),
        (&["gaussian", "none.pgm", "-o", "out.tif", "--sigma", "1"], "none.pgm"),
    ] {
        place.run(&[&["filter"], arguments].concat()).failed_with(&[says]);
    }
    let run = place.run(&["filter", "blur", "point.pgm", "-o", "out.tif"]);
    assert_eq!(run.code, Some(2));
    assert!(
        ["gaussian", "resample", "convolution"].iter().all(|name| run.stderr.contains(name)),
        "{}",
        run.stderr
    );
    assert!(!place.path("out.tif").exists());
}
