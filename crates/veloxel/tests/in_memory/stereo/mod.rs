//! `stereo left.png right.png -o d.pfm --confidence c.tif --mask m.png --truth t.pfm`.

mod cameras;

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, pictures, session};
use veloxel::io::{self, Strictness};
use veloxel::jobs::{self, PhaseOptions, StereoCameras, StereoJob};
use veloxel::pipelines::{StereoRequest, stereo};
use veloxel::report::DisparityDrawing;
use veloxel::{Mask, Volume, Warnings};

#[cfg_attr(not(feature = "tiff"), ignore = "needs the feature tiff")]
#[test]
fn the_disparity_is_that_of_the_command() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let file = |name: &str| place.path().join(name);
        let (left, right) = (
            pictures::write(place.path(), "left.png", 0.0),
            pictures::write(place.path(), "right.png", -3.0),
        );
        let grid = pictures::read(&left).grid().clone();
        let inside = Volume::from_fn(grid.clone(), |[x, ..]| if x < 70 { 255.0 } else { 0.0 });
        io::write_image(file("m.png"), &inside, &mut Warnings::new()).unwrap();
        let truth = Volume::from_fn(grid, |_| 3.0);
        io::write_disparity(file("t.pfm"), &truth).unwrap();
        let job = StereoJob {
            left: left.clone(),
            right: right.clone(),
            truth: Some(file("t.pfm")),
            truth_scale: None,
            mask: Some(file("m.png").into()),
            options: PhaseOptions::new().unwrap(),
            disparity: file("d.pfm"),
            confidence: Some(file("c.tif")),
            expected_error: Some(file("e.tif")),
            depth: None,
            cloud: None,
            rectified_left: None,
            rectified_right: None,
            picture: None,
            drawing: DisparityDrawing::default(),
            cameras: StereoCameras::Unknown,
            report: Some(file("r.json")),
            html: Some(file("p.html")),
        };
        let run = jobs::stereo(&job, &session()).unwrap();

        let [left, right] = [left, right].map(|path| pictures::read(&path));
        let mask: Mask = io::read_mask(&file("m.png"), Strictness::Lenient, &mut Warnings::new()).unwrap();
        let (session, method) = (session(), job.options.method.draft());
        let request = StereoRequest {
            mask: Some(&mask),
            truth_px: Some(&truth),
            ..StereoRequest::new(&left, &right, method)
        };
        let result = without_files(|| stereo(&request, &session)).unwrap();
        io::write_disparity(file("own.pfm"), &result.found.disparity_px).unwrap();
        io::write_image(file("own.tif"), &result.found.confidence, &mut Warnings::new()).unwrap();
        assert_same_file(&file("own.pfm"), &file("d.pfm"));
        assert_same_file(&file("own.tif"), &file("c.tif"));
        let expected_px = result.errors.of_each_px(&result.found.disparity_px, &result.found.confidence);
        io::write_image(file("own_e.tif"), &expected_px, &mut Warnings::new()).unwrap();
        assert_same_file(&file("own_e.tif"), &file("e.tif"));
        assert_eq!((result.range_px, result.error), (run.report.disparity_px, run.report.error));
        assert!(result.error.is_some_and(|error| error.absolute_px.mean < 0.2));
    });
}
