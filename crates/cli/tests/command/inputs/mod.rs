//! Inputs: frames and series by name; and no output replaces a file that the run reads, whatever led to it: a folder, a header, a
//! scene, a link.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

mod frames;
mod holes;
mod info_of_texts;
mod outlines;
mod series;

use crate::dicom_cine;
use crate::workplace::Workplace;
use std::fs;

/// Checks that a command is refused before its work, and that a file stays as it is.
fn refused(place: &Workplace, arguments: &[&str], kept: &str) {
    let (names, before) = (place.names(), fs::read(place.path(kept)).unwrap());
    place.run(arguments).failed_with(&["is an input"]);
    assert_eq!(fs::read(place.path(kept)).unwrap(), before, "{arguments:?} replaced {kept}");
    assert_eq!(place.names(), names, "{arguments:?}");
}

#[test]
fn images_of_dicom_folders_are_inputs() {
    let place = Workplace::new();
    dicom_cine::write_cine(&place, "cine");
    dicom_cine::write_cine(&place, "export/series");
    let options = ["-o", "out", "--sequence", "consecutive", "--preset", "fast", "--device", "cpu"];
    let flow = |more: &[&'static str]| [&["flow"], more, &options].concat();
    refused(&place, &flow(&["cine", "--report", "cine/IM0002"]), "cine/IM0002");
    refused(&place, &flow(&["export", "--html", "export/series/IM0003"]), "export/series/IM0003");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("cine/IM0002", place.path("link.json")).unwrap();
        refused(&place, &flow(&["cine", "--report", "link.json"]), "cine/IM0002");
        fs::hard_link(place.path("cine/IM0004"), place.path("second.html")).unwrap();
        refused(&place, &flow(&["cine", "--html", "second.html"]), "cine/IM0004");
    }
    // What lies beside the images and is none of them may be replaced, as by an earlier run.
    place.write("cine/report.json", "earlier");
    place.run(&flow(&["cine", "--report", "cine/report.json", "-q"])).succeeded();
    assert_ne!(fs::read_to_string(place.path("cine/report.json")).unwrap(), "earlier");
}

#[test]
fn files_that_scenes_and_headers_name_are_inputs() {
    let place = Workplace::new();
    let scene = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
        "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"mesh.bin"}]}"#;
    let mut json = scene.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF".to_vec();
    for word in [2, 20 + json.len() as u32, json.len() as u32, 0x4e4f_534a] {
        glb.extend(word.to_le_bytes());
    }
    glb.extend(json);
    place.write("mesh.glb", glb);
    place.write("mesh.gltf", scene);
    let points = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    place.write("mesh.bin", points.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
    for scene in ["mesh.glb", "mesh.gltf"] {
        refused(&place, &["segment", scene, "-o", "p.ply", "--report", "mesh.bin", "-q"], "mesh.bin");
    }
    fs::create_dir(place.path("parts")).unwrap();
    let header =
        "NRRD0004\ntype: uchar\ndimension: 2\nsizes: 16 16\nencoding: raw\ndata file: parts/of.raw\n\n";
    place.write("a.nhdr", header);
    place.write("parts/of.raw", [7; 256]);
    refused(&place, &["flow", "a.nhdr", "a.nhdr", "-o", "f.flo", "--report", "parts/of.raw"], "parts/of.raw");
}

#[test]
fn outlines_that_a_folder_holds_are_inputs() {
    let place = Workplace::new();
    dicom_cine::write_cine(&place, "cine");
    fs::create_dir(place.path("out")).unwrap();
    place.write("out/endo_frame0.txt", "8 8\n20 8\n20 16\n8 16\n");
    fs::create_dir(place.path("outlines")).unwrap();
    place.write("outlines/endo_frame0.txt", "8 8\n20 8\n20 16\n8 16\n");
    #[cfg(unix)]
    {
        // The table of the run before, under another name in a folder of outlines.
        std::os::unix::fs::symlink("../outlines/endo_frame0.txt", place.path("out/contours.csv")).unwrap();
        let track = ["track", "cine", "--contours", "outlines", "-o", "out", "--device", "cpu", "-q"];
        refused(&place, &track, "outlines/endo_frame0.txt");
    }
}
