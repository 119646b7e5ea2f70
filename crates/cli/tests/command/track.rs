//! Outlines of a phantom's heart followed over its cine.

use crate::workplace::Workplace;
use serde_json::Value;
use veloxel_core::{Contour, ContourSet, Grid, Polygon, Structure, Volume};
use veloxel_io::{CinePlace, write_contours, write_labels, write_sequence};
use veloxel_phantoms::{CineParams, CinePhantom};

const METHOD: [&str; 5] = ["-q", "--method", "block-matching", "--device", "cpu"];

fn phantom(slices: usize, frames: usize) -> CinePhantom {
    let grid = Grid::volume(80, 76, slices).and_then(|g| g.with_spacing_mm([2.0, 2.0, 8.0])).expect("a grid");
    CinePhantom::new(CineParams { grid, frames, ..CineParams::default() }).expect("a phantom")
}

/// A workplace with the cine of a phantom and its exact outlines.
fn workplace(phantom: &CinePhantom) -> Workplace {
    let place = Workplace::new();
    write_sequence(place.path("cine.nii.gz"), &phantom.sequence()).expect("a cine is written");
    write_outlines(&place, "exact.json", phantom, &phantom.contours());
    place
}

fn write_outlines(place: &Workplace, name: &str, phantom: &CinePhantom, contours: &ContourSet) {
    // Of the parameters: drawing the cine again would take longer than tracking it.
    let CineParams { grid, frames, frame_interval_ms, .. } = phantom.params();
    let description = CinePlace {
        grid: grid.clone(),
        frames: *frames,
        frame_interval_ms: Some(*frame_interval_ms),
        images: Vec::new(),
    };
    write_contours(place.path(name), contours, &description).expect("outlines are written");
}

fn report(place: &Workplace, folder: &str) -> Value {
    let text = std::fs::read_to_string(place.path(folder).join("report.json")).expect("a report");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_phantoms_function_and_strain_are_found_and_written() {
    let phantom = phantom(3, 8);
    let place = workplace(&phantom);
    let run = [
        &["track", "cine.nii.gz", "--contours", "exact.json", "--truth", "exact.json", "-o", "out"],
        &METHOD[..],
    ];
    place.run(&run.concat()).succeeded();
    let report = report(&place, "out");
    let run = &report["runs"][0];
    let es = phantom.end_systole();
    let ejected = 0.55 * phantom.activation(es);
    let found = run["ventricles"]["lv"]["ejection_fraction"].as_f64().expect("a fraction");
    assert!((found - ejected).abs() < 0.05, "{found} instead of {ejected}");
    assert_eq!(run["ventricles"]["lv"]["slices"], serde_json::json!([0, 1, 2]));
    // The largest slice, midway in the wall.
    let [exact, _] = phantom.strain(0, es, 0.5);
    let slice = run["strain"].as_array().expect("regions").iter();
    let slice = slice.clone().find(|r| r["slice"] == 0 && r["segment"].is_null()).expect("the slice");
    let strain = slice["frames"][es]["circumferential_mid"].as_f64().expect("a strain");
    assert!((strain - exact).abs() < 0.04, "{strain} instead of {exact}");
    for structure in run["distances"]["structures"].as_array().expect("structures") {
        assert!(structure["modified_hausdorff_mm"].as_f64().expect("a distance") < 1.0, "{structure}");
    }
    let text = |name: &str| std::fs::read_to_string(place.path("out").join(name)).expect("a file");
    assert!(
        text("strain.csv").contains("# lagrangian: (L - L0) / L0")
            && text("strain.csv").lines().count() > 100
    );
    assert_eq!(text("function.csv").lines().count(), 2 + 8);
    assert!(text("report.html").contains("Ejection fraction"));
    for frame in 1..8 {
        assert!(place.path("out").join(format!("field_000_{frame:03}.nii.gz")).exists());
    }
    // What was written is read again, and measured alike.
    let again = place.run(&["evaluate", "contours", "out/contours.csv", "exact.json", "--json"]).succeeded();
    let again: Value = serde_json::from_str(&again.stdout).expect("JSON");
    let [a, b] = [&again["structures"][0], &run["distances"]["structures"][0]];
    // The report leaves the seeds out: one frame of eight.
    let mean = |value: &Value| value["modified_hausdorff_mm"].as_f64();
    let apart = mean(a).zip(mean(b)).map(|(all, moved)| all - moved * 7.0 / 8.0);
    assert!(apart.is_some_and(|d| d.abs() < 1e-3) && a["structure"] == "endo", "{a} {b}");
    let info = place.run(&["info", "out/labels.nii.gz"]).succeeded();
    assert!(info.stdout.contains("8 frames"), "{}", info.stdout);
}

#[test]
fn outlines_of_a_method_that_was_measured_have_expected_errors() {
    let phantom = phantom(1, 4);
    let place = workplace(&phantom);
    let track = |method: &str, folder: &str| {
        let run = ["track", "cine.nii.gz", "--contours", "exact.json", "-o", folder, "--method", method];
        place.run(&[&run[..], &["--periodic", "no", "--device", "cpu"]].concat()).succeeded().stdout
    };
    for (method, folder) in [("fe", "elements"), ("clg:fast", "out")] {
        let text = track(method, folder);
        assert!(
            text.contains("expected") && text.contains("mm from a reader's, nine of ten below"),
            "{text}"
        );
        assert!(place.path(folder).join("expected_errors.csv").exists());
    }
    let table = std::fs::read_to_string(place.path("out/expected_errors.csv")).expect("a table");
    let rows: Vec<Vec<&str>> = table.lines().skip(2).map(|line| line.split(',').collect()).collect();
    // Three structures on the three frames that nobody drew.
    assert_eq!(rows.len(), 9, "{table}");
    for row in &rows {
        assert!(row[1] != "0" && row[2] == "0", "{row:?}");
        let [moved, expected, most] = [3, 4, 5].map(|cell| row[cell].parse::<f64>().expect("a number"));
        // No outline is expected nearer to a reader's than half a pixel of 2 mm.
        assert!(moved > 0.0 && 0.9 < expected && expected < most && most < 20.0, "{row:?}");
    }
    let report = report(&place, "out");
    let errors = report["runs"][0]["expected_errors"].as_array().expect("errors");
    let of_endo =
        rows.iter().filter(|row| row[0] == "endo").map(|row| row[4].parse::<f64>().expect("a number"));
    let mean = errors[0]["modified_hausdorff_mm"].as_f64().expect("a mean");
    assert!((of_endo.sum::<f64>() / 3.0 - mean).abs() < 1e-3 && errors[0]["count"] == 3, "{errors:?}");
    // Nobody measured hearts with block matching.
    assert!(!track("block-matching", "other").contains("expected"));
    assert!(!place.path("other/expected_errors.csv").exists());
}

#[test]
fn several_readers_stand_beside_what_was_tracked() {
    let phantom = phantom(1, 4);
    let place = workplace(&phantom);
    let contours = phantom.contours();
    let wider = |c: &Contour| {
        let [cx, cy] = c.polygon.centroid_px();
        let scaled = |[x, y]: &[f64; 2]| [cx + 1.1 * (x - cx), cy + 1.1 * (y - cy)];
        let polygon = Polygon::new(c.polygon.points_px().iter().map(scaled).collect()).expect("an outline");
        Contour { polygon, ..c.clone() }
    };
    let second = ContourSet::new(contours.contours().iter().map(wider).collect()).expect("outlines");
    write_outlines(&place, "second.json", &phantom, &second);
    for (name, later) in [("early.json", false), ("late.json", true)] {
        let some = contours.contours().iter().filter(|c| (c.frame > 1) == later).cloned().collect();
        write_outlines(&place, name, &phantom, &ContourSet::new(some).expect("outlines"));
    }
    let track = |truths: &[&'static str], folder: &'static str| {
        let given: Vec<&str> = truths.iter().flat_map(|truth| ["--truth", truth]).collect();
        let run = ["track", "cine.nii.gz", "--contours", "exact.json", "-o", folder];
        let text = place.run(&[&run[..], &given, &METHOD[1..]].concat()).succeeded().stdout;
        let csv = std::fs::read_to_string(place.path(folder).join("distances.csv")).expect("a table");
        (text, report(&place, folder), csv)
    };
    let (text, both, csv) = track(&["exact.json", "second.json"], "both");
    assert!(
        text.contains("to second.json, endocardium") && text.contains("exact.json – second.json"),
        "{text}"
    );
    let [own, other] = [0, 1].map(|nth: usize| &both["runs"][0]["readers"][nth]);
    assert_eq!([&own["reader"], &other["reader"]], ["exact.json", "second.json"]);
    let curve = |of: &Value| of["curves"][0]["modified_hausdorff_mm"].as_array().expect("a curve").clone();
    let between = &both["between_readers"][0];
    assert_eq!(between["readers"], serde_json::json!(["exact.json", "second.json"]));
    let (own, other, apart) = (curve(own), curve(other), curve(between));
    // On the frame that both are from, what is carried is the first reader's.
    let [first, other, between] = [&own, &other, &apart].map(|curve| curve[0].as_f64().expect("a distance"));
    assert!(own.len() == 4 && first < 1e-9 && (other - between).abs() < 1e-9, "{first} {other} {between}");
    assert!(apart.iter().all(|mm| mm.as_f64().is_some_and(|mm| mm > 1.0 && mm < 6.0)), "{apart:?}");
    assert!(
        csv.contains("endo,tracked,exact.json,0,1,0.0000\n")
            && csv.contains("\nepi,exact.json,second.json,3,1,")
    );
    let page = std::fs::read_to_string(place.path("both/report.html")).expect("a page");
    assert!(page.contains("endocardium: tracked and read") && page.contains("exact.json – second.json"));
    // Files that add to each other are of one reader, with the distances of one file.
    let (_, parts, _) = track(&["early.json", "late.json"], "parts");
    let (_, whole, _) = track(&["exact.json"], "whole");
    assert_eq!(parts["runs"][0]["distances"], whole["runs"][0]["distances"]);
    assert_eq!(both["runs"][0]["distances"], whole["runs"][0]["distances"]);
    assert!(parts.get("between_readers").is_none());
}

#[test]
fn labels_are_seeds_and_several_methods_stand_side_by_side() {
    let phantom = phantom(1, 8);
    let place = workplace(&phantom);
    let contours = phantom.contours();
    let inside = |structure, [x, y, _]: [usize; 3]| {
        contours.get(structure, 0, 0).is_some_and(|c| c.polygon.contains([x as f64, y as f64]))
    };
    let label = |p: [usize; 3]| match () {
        () if inside(Structure::Endo, p) => 3,
        () if inside(Structure::Epi, p) => 2,
        () => i32::from(inside(Structure::Rv, p)),
    };
    let labels = Volume::from_fn(phantom.params().grid.clone(), label);
    write_labels(place.path("seed.nii.gz"), &labels).expect("labels are written");
    // The same labels painted on a picture of the slice, which knows no place.
    let picture = Volume::from_fn(Grid::image(80, 76).expect("a grid"), label);
    write_labels(place.path("seed.png"), &picture).expect("labels are written");
    let outlines = |seed: &str, folder: &str| {
        let run = ["track", "cine.nii.gz@0:3", "--contours", seed, "-o", folder, "--field-format", "mha"];
        place.run(&[&run[..], &METHOD[..]].concat()).succeeded();
        std::fs::read(place.path(folder).join("contours.csv")).expect("outlines")
    };
    assert_eq!(outlines("seed.png", "painted"), outlines("seed.nii.gz", "placed"));
    assert!(
        place.path("placed/field_000_002.mha").exists() && !place.path("placed/field_000_003.mha").exists()
    );
    let run = ["track", "cine.nii.gz", "--contours", "seed.nii.gz", "-o", "out", "--method", "clg:fast"];
    let text = place.run(&[&run[..], &METHOD[1..]].concat()).succeeded().stdout;
    assert!(text.contains("block-matching") && text.contains("clg, fast"), "{text}");
    let report = report(&place, "out");
    let ef = report["runs"][1]["ventricles"]["lv"]["ejection_fraction"].as_f64().expect("a fraction");
    assert!((ef - 0.55 * phantom.activation(phantom.end_systole())).abs() < 0.06, "{ef}");
    assert!(report["runs"][1]["strain"].as_array().is_some_and(|all| !all.is_empty()));
    assert!(place.path("out").join("clg-fast_contours.json").exists());
}

#[test]
fn slices_far_apart_in_time_have_a_preset_of_their_own() {
    let phantom = phantom(1, 4);
    let place = workplace(&phantom);
    let run = ["track", "cine.nii.gz", "--contours", "exact.json", "--truth", "exact.json", "-q"];
    for (folder, more, preset) in [
        ("own", &["--set", "alpha=1.5"][..], "cine-apart"),
        ("given", &["--method", "clg:cine"], "cine"),
        ("volume", &["--method", "clg:fast", "--motion", "volume"], "fast"),
    ] {
        place.run(&[&run[..], &["--device", "cpu", "-o", folder], more].concat()).succeeded();
        let report = report(&place, folder);
        assert_eq!(report["runs"][0]["preset"], preset);
    }
    let own = &report(&place, "own")["runs"][0];
    assert_eq!(own["parameters"]["alpha"].as_f64(), Some(1.5));
    for structure in own["distances"]["structures"].as_array().expect("structures") {
        assert!(structure["modified_hausdorff_mm"].as_f64().expect("a distance") < 1.0, "{structure}");
    }
}

#[test]
fn stacks_that_move_as_volumes_shorten_from_base_to_apex() {
    let phantom = phantom(4, 5);
    let place = workplace(&phantom);
    let mask = Volume::from_fn(phantom.params().grid.clone(), |[x, y, _]| {
        i32::from((4..76).contains(&x) && (4..72).contains(&y))
    });
    write_labels(place.path("heart.nii.gz"), &mask).expect("labels are written");
    let run = ["track", "cine.nii.gz", "--contours", "exact.json", "--region", "heart.nii.gz=1", "-o", "out"];
    let text =
        place.run(&[&run[..], &["--gif", "--motion", "volume"], &METHOD[1..]].concat()).succeeded().stdout;
    assert!(text.contains("of all slices together") && text.contains("longitudinal"), "{text}");
    let report = report(&place, "out");
    assert_eq!(report["cine"]["motion"], "volume");
    assert_eq!(report["cine"]["region_size_px"], serde_json::json!([72, 68]));
    // Four slices, two beside each other, at three pixels for each of the cine's.
    let gif = place.run(&["info", "out/loop.gif"]).succeeded().stdout;
    assert!(gif.contains("432 × 408") && gif.contains("5 frames"), "{gif}");
    let all = &report["runs"][0]["strain"][0]["frames"];
    assert_eq!(all[0]["longitudinal"].as_f64(), Some(0.0));
    let table = std::fs::read_to_string(place.path("out").join("strain.csv")).expect("a table");
    assert!(table.contains("longitudinal_lagrangian,longitudinal_eulerian,longitudinal_rate"));
    let planes = [&run[..4], &["-o", "planes"], &METHOD[1..]].concat();
    let text = place.run(&planes).succeeded().stdout;
    assert!(text.contains("of each slice in its plane") && !text.contains("longitudinal"), "{text}");
    let wrong = [&run[..4], &["--region", "exact.json", "-o", "wrong"], &METHOD[..]].concat();
    place.run(&wrong).failed_with(&["exact.json"]);
}

#[test]
fn a_slice_drawn_beside_its_blood_is_placed_by_the_others() {
    let phantom = phantom(5, 3);
    let place = workplace(&phantom);
    // 3 mm beside the heart, on one slice.
    let drawn = |c: &Contour| {
        let is_off = c.slice == 3 && c.structure != Structure::Rv;
        let [x, y] = if is_off { [1.2, -0.9] } else { [0.0; 2] };
        let points = c.polygon.points_px().iter().map(|p| [p[0] + x, p[1] + y]).collect();
        Contour { polygon: Polygon::new(points).expect("a shifted outline"), ..c.clone() }
    };
    let contours = phantom.contours();
    let seeds = contours.contours().iter().filter(|c| c.frame == 0).map(drawn).collect();
    write_outlines(&place, "drawn.json", &phantom, &ContourSet::new(seeds).expect("outlines"));
    let distance = |seeds: &str, placement: &str, folder: &str| {
        let run = ["track", "cine.nii.gz", "--contours", seeds, "--truth", "exact.json", "-o", folder];
        place.run(&[&run[..], &["--placement", placement], &METHOD].concat()).succeeded();
        let report = report(&place, folder);
        assert_eq!(report["cine"]["placement"], placement);
        let notes = report["warnings"].to_string();
        let is_placed = folder == "placed";
        assert_eq!(
            [notes.contains("slice 3 of frame 0"), notes.contains("\"hint\":\"placement\"")],
            [is_placed; 2],
            "{notes}"
        );
        let all = report["runs"][0]["distances"]["contours"].as_array().expect("distances").clone();
        let own = all.iter().filter(|c| c["slice"] == 3 && c["structure"] == "epi");
        own.map(|c| c["modified_hausdorff_mm"].as_f64().expect("a distance")).sum::<f64>() / 2.0
    };
    let beside = distance("drawn.json", "drawn", "beside");
    let placed = distance("drawn.json", "stack", "placed");
    assert!(placed < 0.5 * beside, "{placed} mm, {beside} mm where it was drawn");
    // What was drawn stays what it is, and where nothing is off nothing moves.
    let seed = |folder: &str| {
        let text = std::fs::read_to_string(place.path(folder).join("contours.csv")).expect("a table");
        text.lines().filter(|l| l.starts_with("epi,0,3,")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(seed("placed"), seed("beside"));
    distance("exact.json", "stack", "exact");
}

#[test]
fn an_outline_that_the_run_would_replace_is_refused_before_the_work() {
    let place = workplace(&phantom(1, 4));
    std::fs::create_dir(place.path("heart")).expect("a folder");
    std::fs::copy(place.path("exact.json"), place.path("heart/clg-cine_contours.json")).expect("a copy");
    let methods = ["--method", "clg:cine", "--method", "block-matching", "-o", "heart", "--device", "cpu"];
    let track = ["track", "cine.nii.gz", "--contours", "heart/clg-cine_contours.json"];
    let run = place.run(&[&track[..], &methods].concat());
    run.failed_with(&["is an input"]);
    // With one method no file has that name.
    let one = ["-o", "heart", "--method", "block-matching", "--device", "cpu", "-q"];
    place.run(&[&track[..], &one].concat()).succeeded();
}

#[test]
fn a_folder_whose_name_ends_like_a_frame_is_that_folder() {
    let place = workplace(&phantom(1, 4));
    std::fs::create_dir(place.path("set@2")).expect("a folder");
    place.write("set@2/endo_frame0.txt", "30 30\n45 30\n45 45\n30 45\n");
    let run =
        place.run(&[&["track", "cine.nii.gz", "--contours", "set@2", "-o", "out"], &METHOD[..]].concat());
    run.succeeded();
}

#[test]
fn a_cine_that_no_nifti_holds_is_refused_before_the_work() {
    let place = Workplace::new();
    let frame = |shift: f32| {
        let at = move |[x, y, _]: [usize; 3]| {
            (1000.0 + 400.0 * ((x as f32 - shift) / 3.0).sin() + y as f32).round()
        };
        Volume::from_fn(Grid::image(33_000, 16).expect("a grid"), at)
    };
    place.write_image("a.tif", &frame(0.0));
    place.write_image("b.tif", &frame(0.5));
    place.write("endo_frame0.txt", "30 3\n45 3\n45 12\n30 12\n");
    let run = ["track", "a.tif", "b.tif", "--contours", "endo_frame0.txt", "-o", "out"];
    let run = place.run(&[&run[..], &METHOD].concat());
    run.failed_with(&["a.tif: an axis of 33000", "32767", "cut the images"]);
}

#[test]
fn notes_say_where_outlines_went_and_single_slices_have_areas() {
    let place = workplace(&phantom(1, 4));
    place.write("endo_frame0.txt", "30 30\n45 30\n45 45\n30 45\n");
    let options = ["-o", "out", "--method", "block-matching", "--device", "cpu", "--labels", "lv=1"];
    let track = |outlines: &'static str| {
        place.run(&[&["track", "cine.nii.gz", "--contours", outlines], &options[..]].concat()).succeeded()
    };
    let run = track("endo_frame0.txt");
    assert!(run.stderr.contains("endo_frame0.txt is endo on slice 0, frame 0"), "{}", run.stderr);
    assert!(run.stdout.contains("area change") && run.stdout.contains("largest area"), "{}", run.stdout);
    assert!(!run.stdout.contains("EDV"), "{}", run.stdout);
    let run = track("exact.json");
    assert!(
        run.stdout.contains("circumferential: extreme −") && run.stdout.contains("at end-systole"),
        "{}",
        run.stdout
    );
    // The muscle has no label: it is not written.
    let labels = veloxel_io::read_sequence(
        &place.path("out/labels.nii.gz"),
        veloxel_io::Strictness::Strict,
        &mut veloxel_core::Warnings::new(),
    );
    let found: std::collections::BTreeSet<i32> =
        labels.expect("labels").frames()[0].data().iter().map(|&v| v as i32).collect();
    assert_eq!(Vec::from_iter(found), [0, 1]);
    let page = std::fs::read_to_string(place.path("out/report.html")).expect("a page");
    for words in [
        "Circumferential strain, extreme",
        "Circumferential strain, at end-systole",
        "Fractional area change",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn mistakes_are_told_in_one_line() {
    let place = workplace(&phantom(2, 5));
    let track = |more: &[&str]| {
        let run = place.run(&[&["track", "cine.nii.gz", "-o", "out"], &METHOD[..], more].concat());
        assert!(!place.names().contains(&"out".to_owned()));
        run
    };
    track(&["--contours", "exact.json", "--frame", "9"]).failed_with(&["frame 9", "frames 0, 1"]);
    track(&["--contours", "none.json"]).failed_with(&["none.json"]);
    track(&["--contours", "exact.json", "--region", "0,0,900,9"])
        .failed_with(&["region 0,0,900,9", "80 × 76"]);
    track(&["--contours", "exact.json", "--contours", "exact.json"]).failed_with(&["two outlines of endo"]);
    place.write("endo_slice0.txt", "1 1\n5 5\n5 1\n1 5\n");
    track(&["--contours", "endo_slice0.txt"]).failed_with(&["endo on frame 0 of slice 0", "crosses itself"]);
    place.write("late.csv", "structure,frame,slice,x,y\nendo,3,0,5,5\nendo,3,0,9,5\nendo,3,0,9,9\nrv,4,0,1,1\nrv,4,0,3,1\nrv,4,0,3,3\n");
    track(&["--contours", "late.csv"]).failed_with(&["frames 3, 4", "where to start"]);
    track(&["--contours", "exact.json", "--method", "phase"]).failed_with(&["phase"]);
    place.run(&["evaluate", "contours", "late.csv", "late.csv"]).failed_with(&["--cine"]);
    let run = place.run(&["track", "exact.json", "--contours", "exact.json", "-o", "out"]);
    run.failed_with(&["exact.json"]);
}
