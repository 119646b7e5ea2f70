//! Outlines laid through a few clicks, and followed from there.

use crate::workplace::Workplace;
use serde_json::Value;
use std::fmt::Write;
use veloxel_core::{Grid, Structure};
use veloxel_io::write_sequence;
use veloxel_phantoms::{CineParams, CinePhantom};

/// A workplace with a phantom's cine, and some points of its outlines on frame 0.
fn workplace() -> (Workplace, CinePhantom) {
    let grid = Grid::volume(80, 76, 2).and_then(|g| g.with_spacing_mm([2.0, 2.0, 8.0])).expect("a grid");
    let phantom =
        CinePhantom::new(CineParams { grid, frames: 4, ..CineParams::default() }).expect("a phantom");
    let place = Workplace::new();
    write_sequence(place.path("cine.nii.gz"), &phantom.sequence()).expect("a cine is written");
    (place, phantom)
}

/// So many points of every outline on a frame, as a table.
fn clicks(phantom: &CinePhantom, frame: usize, count: usize) -> String {
    let mut text = "structure,frame,slice,x,y\n".to_owned();
    let contours = phantom.contours();
    let own = contours.contours().iter().filter(|c| c.frame == frame && c.structure != Structure::Rv);
    for contour in own {
        for [x, y] in contour.polygon.resampled_px(count, [1.0; 2]) {
            let _ = writeln!(text, "{},{frame},{},{x:.2},{y:.2}", contour.structure, contour.slice);
        }
    }
    text
}

#[test]
fn clicks_become_outlines_that_are_followed() {
    let (place, phantom) = workplace();
    let exact = ["structure,frame,slice,x,y".to_owned()];
    let all = (0..4).flat_map(|frame| {
        clicks(&phantom, frame, 200).lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    });
    place.write("exact.csv", exact.into_iter().chain(all).collect::<Vec<_>>().join("\n"));
    place.write("clicks.csv", clicks(&phantom, 0, 6));
    let fit = ["contours", "fit", "clicks.csv", "--cine", "cine.nii.gz", "-o", "seeds.json"];
    let text = place.run(&fit).succeeded().stdout;
    assert!(text.contains("4 outlines, through 24 clicks") && text.contains("seeds.json"), "{text}");
    let evaluate = ["evaluate", "contours", "seeds.json", "exact.csv", "--json"];
    let distances: Value = serde_json::from_str(&place.run(&evaluate).succeeded().stdout).expect("JSON");
    for structure in distances["structures"].as_array().expect("structures") {
        let mm = structure["modified_hausdorff_mm"].as_f64().expect("a distance");
        // A tenth of a pixel.
        assert!(structure["count"] == 2 && mm < 0.2, "{structure}");
    }
    let track = ["track", "cine.nii.gz", "--contours", "seeds.json", "--truth", "exact.csv", "-o", "heart"];
    place.run(&[&track[..], &["--method", "block-matching", "--device", "cpu", "-q"]].concat()).succeeded();
    let report = std::fs::read_to_string(place.path("heart/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    for structure in report["runs"][0]["distances"]["structures"].as_array().expect("structures") {
        assert!(structure["modified_hausdorff_mm"].as_f64().expect("a distance") < 1.0, "{structure}");
    }
}

#[test]
fn points_of_slicer_are_clicks() {
    let (place, phantom) = workplace();
    let points = |kind: &str, count: usize| {
        let contours = phantom.contours();
        let contour = contours.get(Structure::Epi, 1, 0).expect("an outline");
        let points: Vec<String> = (contour.polygon.resampled_px(count, [1.0; 2]).into_iter())
            .map(|[x, y]| {
                let [l, p, s] = phantom.params().grid.world_from_voxel([x, y, 1.0]);
                format!("{{\"position\": [{l}, {p}, {s}]}}")
            })
            .collect();
        format!(
            r#"{{"markups": [{{"type": "{kind}", "name": "epi", "coordinateSystem": "LPS", "controlPoints": [{}]}}]}}"#,
            points.join(",")
        )
    };
    for kind in ["ClosedCurve", "Fiducial"] {
        place.write("clicks.mrk.json", points(kind, 5));
        let fit =
            ["contours", "fit", "clicks.mrk.json", "--cine", "cine.nii.gz", "--frame", "2", "-o", "epi.csv"];
        let text = place.run(&fit).succeeded().stdout;
        assert!(text.contains("1 outline, through 5 clicks"), "{text}");
        let table = std::fs::read_to_string(place.path("epi.csv")).expect("a table");
        assert!(
            table.lines().skip(1).all(|line| line.starts_with("epi,2,1,")) && table.lines().count() > 100
        );
    }
    place
        .run(&["contours", "fit", "clicks.mrk.json", "-o", "epi.csv"])
        .failed_with(&["clicks.mrk.json", "--cine"]);
}

#[test]
fn clicks_that_make_no_outline_are_one_line() {
    let (place, phantom) = workplace();
    let table = |points: &str| {
        points
            .split(' ')
            .fold("structure,frame,slice,x,y\n".to_owned(), |text, p| text + "endo,0,1," + p + "\n")
    };
    place.write("open.csv", table("30,20 37,23 40,30 37,37 30,40"));
    place.write("crossing.csv", table("20,20 40,40 40,20 20,40"));
    place.write("few.csv", table("20,20 40,40"));
    place.write("outside.csv", table("20,20 40,40 20,400"));
    place.write("unknown.csv", clicks(&phantom, 0, 6).replace("epi,", "atrium,"));
    place.write("clicks.csv", clicks(&phantom, 0, 6));
    let fit = |clicks: &'static str, more: &[&str]| {
        let run = ["contours", "fit", clicks, "--cine", "cine.nii.gz", "-o", "out.json"];
        place.run(&[&run[..], more].concat())
    };
    fit("open.csv", &[]).failed_with(&["endo on frame 0 of slice 1", "open"]);
    fit("crossing.csv", &[]).failed_with(&["crossing.csv", "endo on frame 0 of slice 1", "crosses itself"]);
    fit("few.csv", &[]).failed_with(&["few.csv", "at least 3"]);
    fit("outside.csv", &[]).failed_with(&["outside.csv", "pixels of an image of 80 × 76"]);
    fit("unknown.csv", &[]).failed_with(&["unknown.csv", "atrium", "endo, epi, rv, rv-epi or region"]);
    fit("clicks.csv", &["--elements", "3"]).failed_with(&["elements", "3", "4 to 64"]);
    fit("clicks.csv", &["--smoothness", "nan"]).failed_with(&["smoothness", "1e-9 to 1000"]);
    assert!(!place.path("out.json").exists());
    let onto = |out: &'static str| ["contours", "fit", "clicks.csv", "--cine", "cine.nii.gz", "-o", out];
    place.run(&onto("clicks.csv")).failed_with(&["clicks.csv", "is an input"]);
    place.run(&onto("out.nii.gz")).failed_with(&["out.nii.gz", ".json, .csv"]);
    place.run(&["contours", "fit", "clicks.csv", "-o", "out.json"]).failed_with(&["clicks.csv", "--cine"]);
    let unknown = place.run(&["contours", "lay"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("lay"), "{}", unknown.stderr);
}
