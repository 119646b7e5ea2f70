//! Calibrations as OpenCV, Kalibr and ROS write them: one rig in every layout.

use super::*;
use crate::Strictness;

const INTRINSICS: &str = "%YAML:1.0
---
M1: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 500., 0., 320., 0., 503., 240., 0., 0., 1. ]
D1: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ -0.28, 0.07, 2.0000000000000001e-04, -1e-4,
       0. ]
M2: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 507., 0., 315., 0., 510., 243., 0., 0., 1. ]
D2: !!opencv-matrix
   rows: 1
   cols: 4
   dt: d
   data: [ -0.2, 0.05, 0., 0. ]
";
const EXTRINSICS: &str = "%YAML:1.0
---
R: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]
T: !!opencv-matrix
   rows: 3
   cols: 1
   dt: d
   data: [ -0.12, 0., 0. ]
";
const KALIBR: &str = "cam0:
  cam_overlaps: [1]
  camera_model: pinhole
  distortion_coeffs: [-0.28, 0.07, 0.0002, -0.0001]
  distortion_model: radtan
  intrinsics: [500.0, 503.0, 320.0, 240.0]
  resolution: [640, 480]
  rostopic: /cam0/image_raw
cam1:
  T_cn_cnm1:
  - [1.0, 0.0, 0.0, -0.12]
  - [0.0, 1.0, 0.0, 0.0]
  - [0.0, 0.0, 1.0, 0.0]
  - [0.0, 0.0, 0.0, 1.0]
  camera_model: pinhole
  distortion_coeffs: [-0.2, 0.05, 0.0, 0.0]
  distortion_model: radtan
  intrinsics: [507.0, 510.0, 315.0, 243.0]
  resolution: [640, 480]
";

fn ros(k: [f64; 4], d: &str, shift: f64) -> String {
    let [fx, fy, cx, cy] = k;
    format!(
        "image_width: 640\nimage_height: 480\ncamera_name: one\ncamera_matrix:\n  rows: 3\n  cols: 3\n  data: [{fx}, 0, {cx}, 0, \
         {fy}, {cy}, 0, 0, 1]\ndistortion_model: plumb_bob\ndistortion_coefficients:\n  rows: 1\n  cols: 5\n  data: [{d}]\n\
         rectification_matrix:\n  rows: 3\n  cols: 3\n  data: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nprojection_matrix:\n  rows: 3\n  cols: 4\n  \
         data: [500, 0, 320, {shift}, 0, 500, 240, 0, 0, 0, 1, 0]\n"
    )
}

fn read(files: &[(&str, &str)]) -> Result<(StereoRig, Warnings)> {
    let folder = tempfile::tempdir().unwrap();
    let paths = files.iter().map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    });
    let (paths, mut warnings) = (paths.collect::<Vec<_>>(), Warnings::new());
    read_calibration(&paths, Strictness::Lenient, &mut warnings).map(|rig| (rig, warnings))
}

fn json(rows: &str) -> String {
    format!(
        "{{\"M1\": [[500,0,320],[0,503,240],[0,0,1]], \"M2\": [[507,0,315],[0,510,243],[0,0,1]], {rows}}}"
    )
}

#[cfg(feature = "yaml")]
#[test]
fn one_rig_in_every_layout() {
    let (opencv, _) = read(&[("intrinsics.yml", INTRINSICS), ("extrinsics.yml", EXTRINSICS)]).unwrap();
    assert_eq!((opencv.left.focal_px, opencv.left.centre_px), ([500.0, 503.0], [320.0, 240.0]));
    assert_eq!(opencv.translation_m, [-0.12, 0.0, 0.0]);
    let (kalibr, _) = read(&[("camchain.yaml", KALIBR)]).unwrap();
    assert_eq!(kalibr.left.size_px, Some([640, 480]));
    let left = ros([500.0, 503.0, 320.0, 240.0], "-0.28, 0.07, 0.0002, -0.0001, 0.0", 0.0);
    let right = ros([507.0, 510.0, 315.0, 243.0], "-0.2, 0.05, 0, 0, 0", -60.0);
    let (ros, _) = read(&[("left.yaml", &left), ("right.yaml", &right)]).unwrap();
    assert_eq!(ros, kalibr);
    let unsized_camera = |camera: veloxel_core::Camera| veloxel_core::Camera { size_px: None, ..camera };
    let (left, right) = (unsized_camera(kalibr.left), unsized_camera(kalibr.right));
    assert_eq!(opencv, StereoRig { left, right, ..kalibr });
    let together = format!("{INTRINSICS}{}", EXTRINSICS.trim_start_matches("%YAML:1.0\n---\n"));
    assert_eq!(read(&[("both.yaml", &together)]).unwrap().0, opencv);
}

#[test]
fn the_left_camera_is_the_one_that_stands_left() {
    let right_first = json("\"R\": [[1,0,0],[0,1,0],[0,0,1]], \"T\": [0.12, 0, 0]");
    let (rig, warnings) = read(&[("k.json", &right_first)]).unwrap();
    assert_eq!((rig.left.focal_px, rig.translation_m[0]), ([507.0, 510.0], -0.12));
    assert!(warnings.iter().any(|w| w.message.contains("to the left of the first")));
}

#[test]
fn a_wrong_file_is_told_in_one_line() {
    let identity = "\"R\": [[1,0,0],[0,1,0],[0,0,1]]";
    let lines = [
        (json(identity), "T: expected a matrix"),
        (json(&format!("{identity}, \"T\": [1, 2]")), "T: expected 3 numbers, got 2"),
        (json(&format!("{identity}, \"T\": [-1, \"x\", 0]")), "expected numbers"),
        (json("\"R\": [[2,0,0],[0,1,0],[0,0,1]], \"T\": [-1, 0, 0]"), "a rotation matrix"),
        (json(&format!("{identity}, \"T\": [0, 0, 0]")), "a length above 0"),
        (
            json(&format!("{identity}, \"T\": [-1, 0, 0], \"D1\": [1, 2, 3]")),
            "4, 5, 8, 12 or 14 coefficients",
        ),
        (
            json(&format!("{identity}, \"T\": [-1, 0, 0], \"D1\": [0], \"distortion_model\": \"omni\"")),
            "lens model omni",
        ),
        ("{\"a\": 1}".to_owned(), "got a"),
        ("[1".to_owned(), "JSON"),
    ];
    for (text, said) in lines {
        let refused = read(&[("k.json", &text)]).unwrap_err().to_string();
        assert!(refused.contains(said) && refused.contains("k.json") && !refused.contains('\n'), "{refused}");
    }
    assert!(read(&[("k.txt", "")]).unwrap_err().to_string().contains(".yaml .yml .json"));
    let xml = read(&[("k.xml", "<?xml version=\"1.0\"?>\n<opencv_storage>")]).unwrap_err().to_string();
    assert!(xml.contains("as XML") && xml.contains(".yml or .json"), "{xml}");
    assert!(read(&[]).is_err());
}

#[test]
fn a_unit_that_is_hardly_metres_is_said() {
    let millimetres = json("\"R\": [[1,0,0],[0,1,0],[0,0,1]], \"T\": [-120, 0, 0]");
    let (rig, warnings) = read(&[("k.json", &millimetres)]).unwrap();
    assert!(warnings.urgent().any(|w| w.message.contains("taken as metres")));
    assert!((rig.with_baseline_m(0.12).translation_m[0] + 0.12).abs() < 1e-15);
}

#[cfg(feature = "yaml")]
#[test]
fn other_cameras_of_kalibr_are_refused() {
    let omni = KALIBR.replacen("pinhole", "omni", 1);
    assert!(read(&[("c.yaml", &omni)]).unwrap_err().to_string().contains("camera model omni of cam0"));
    let alone = KALIBR.split("cam1:").next().unwrap();
    assert!(read(&[("c.yaml", alone)]).unwrap_err().to_string().contains("cam1: expected a value"));
}
