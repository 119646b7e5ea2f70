//! Stereo, features, phase-based flow and the engine from file to file, and every mistake a user can make with them.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use crate::workplace::{Run, Workplace};
use std::io::Write;
use std::process::{Command, Stdio};
use veloxel_core::{Grid, Volume, Warnings};
use veloxel_io::{
    FrameRate, Strictness, VideoColour, VideoShape, VideoWriter, read_disparity, read_flow, read_image,
    write_disparity,
};

const SIZE: [usize; 2] = [72, 56];

/// Waves of several octaves and directions, seen `shift` pixels further to the right.
pub fn texture(shift: f32, [nx, ny]: [usize; 2]) -> Volume<f32> {
    let grid = Grid::image(nx, ny).unwrap();
    Volume::from_fn(grid, |[x, y, _]| {
        let (x, y) = (x as f32 - shift, y as f32);
        let wave = |k: f32| {
            let frequency = 1.5 / 1.6f32.powf(k % 5.0);
            (frequency * (x * (2.4 * k).cos() + y * (2.4 * k).sin()) + 1.7 * k).sin()
        };
        (128.0 + 14.0 * (0..12).map(|k| wave(k as f32)).sum::<f32>()).round().clamp(0.0, 255.0)
    })
}

/// A place with `count` frames that move by `step` to the right.
fn with_frames(count: usize, step: f32) -> Workplace {
    let place = Workplace::new();
    for t in 0..count {
        place.write_image(&format!("f{t}.png"), &texture(step * t as f32, SIZE));
    }
    place
}

pub fn write_y4m(place: &Workplace, name: &str, count: usize, step: f32) {
    let rate = FrameRate { frames: 25, seconds: 1 };
    let shape = VideoShape { width: SIZE[0], height: SIZE[1], colour: VideoColour::Grey, rate };
    let mut video = VideoWriter::create(place.path(name), shape).unwrap();
    for t in 0..count {
        let frame = texture(step * t as f32, SIZE);
        video.push(&frame.data().iter().map(|&v| v as u8).collect::<Vec<_>>()).unwrap();
    }
    video.finish().unwrap();
}

pub fn json(place: &Workplace, name: &str) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(place.path(name)).unwrap()).unwrap()
}

/// The middle of the finite values.
fn median(values: &[f32]) -> f32 {
    let mut finite: Vec<f32> = values.iter().copied().filter(|v| v.is_finite()).collect();
    finite.sort_by(f32::total_cmp);
    finite[finite.len() / 2]
}

#[test]
fn a_stereo_pair_from_files_to_disparity_report_and_page() {
    let place = Workplace::new();
    place.write_image("left.png", &texture(0.0, SIZE));
    place.write_image("right.png", &texture(-3.0, SIZE));
    let run = place
        .run(&[
            "stereo",
            "left.png",
            "right.png",
            "-o",
            "d.pfm",
            "--confidence",
            "c.png",
            "--expected-error",
            "e.pfm",
            "--report",
            "r.json",
            "--html",
            "r.html",
            "--set",
            "min_orientations=3",
        ])
        .succeeded();
    assert_eq!((run.stdout.lines().count(), run.stderr.as_str()), (1, ""));
    let disparities =
        |name| read_disparity(&place.path(name), None, Strictness::Strict, &mut Warnings::new()).unwrap();
    let (disparity, expected) = (disparities("d.pfm"), disparities("e.pfm"));
    assert!((median(disparity.data()) - 3.0).abs() < 0.1, "{}", median(disparity.data()));
    let report = json(&place, "r.json");
    assert!(report["method"] == "phase-stereo" && report["parameters"]["min_orientations"] == 3);
    assert!(report["valid_share"].as_f64().unwrap() > 0.7);
    assert!(std::fs::read_to_string(place.path("r.html")).unwrap().contains("disparity undone"));
    let confidence = read_image(&place.path("c.png"), Strictness::Strict, &mut Warnings::new()).unwrap();
    assert!(confidence.data().iter().any(|&c| c > 100.0));
    assert!(expected.data().iter().zip(disparity.data()).all(|(e, d)| e.is_finite() == d.is_finite()));
    assert!((0.0..0.5).contains(&median(expected.data())), "{}", median(expected.data()));

    // The found disparity is as far from three pixels as its median says.
    write_disparity(place.path("t.pfm"), &disparity.map(|_| 3.0)).unwrap();
    let against =
        ["stereo", "left.png", "right.png", "-o", "d2.pfm", "--html", "t.html", "--report", "t.json"];
    place.run(&[&against[..], &["--truth", "t.pfm"]].concat()).succeeded();
    let error = &json(&place, "t.json")["error"];
    assert!(error["absolute_px"]["mean"].as_f64().unwrap() < 0.2, "{error}");
    assert!(std::fs::read_to_string(place.path("t.html")).unwrap().contains("True disparity"));
    place.run(&[&against[..], &["--truth", "c2.pfm"]].concat()).failed_with(&["c2.pfm"]);
}

#[test]
fn features_become_a_folder() {
    let place = with_frames(1, 0.0);
    place.run(&["features", "f0.png", "-o", "out", "--html", "f.html", "--report", "r.json"]).succeeded();
    for name in
        ["energy_0.pfm", "orientation_1.pfm", "phase_0.pfm", "orientation.png", "phase.png", "report.json"]
    {
        assert!(place.path("out").join(name).is_file(), "{name}");
    }
    let half = read_image(&place.path("out/phase_1.pfm"), Strictness::Strict, &mut Warnings::new()).unwrap();
    assert_eq!(half.grid().size()[..2], [36, 28]);
    assert_eq!(json(&place, "r.json")["scales"][0]["size"][0], 72);
    assert_eq!(place.names(), ["f.html", "f0.png", "out", "r.json"]);
}

#[test]
fn two_three_and_five_frames_give_the_centre_frames_field() {
    let place = with_frames(5, 0.5);
    for (frames, name) in
        [(&["f0.png", "f1.png"][..], "two.flo"), (&["f0.png", "f1.png", "f2.png"], "three.flo")]
    {
        let mut arguments = vec!["flow", "--method", "phase", "-o", name];
        arguments.extend(frames);
        place.run(&arguments).succeeded();
        let flow = read_flow(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap();
        let u = median(flow.component_vox(0));
        assert!((u - 0.5).abs() < 0.05, "{name}: {u}");
    }
    let run = place.run(&[
        "flow",
        "f?.png",
        "-o",
        "five.flo",
        "--method",
        "phase",
        "--html",
        "p.html",
        "--report",
        "r.json",
        "--confidence",
        "c.tif",
        "--warped",
        "w.tif",
    ]);
    run.succeeded();
    let report = json(&place, "r.json");
    assert_eq!((&report["method"], &report["parameters"]["frames"]), (&"phase".into(), &"five".into()));
    let brightness = &report["pairs"][0]["statistics"]["brightness"];
    let (before, after) =
        (brightness["mean_abs_before"].as_f64().unwrap(), brightness["mean_abs_after"].as_f64().unwrap());
    assert!(after < 0.25 * before, "{before} {after}");
    let page = std::fs::read_to_string(place.path("p.html")).unwrap();
    assert!(page.contains("Phase-based flow") && page.contains("<h2>Levels</h2>"));
    assert_eq!(report["pairs"][0]["statistics"]["levels"][2]["size"], serde_json::json!([72, 56, 1]));

    let against = ["flow", "f0.png", "f1.png", "-o", "x.flo", "--report", "t.json", "--html", "t.html"];
    for method in ["phase", "clg"] {
        place.run(&[&against[..], &["--method", method, "--truth", "two.flo"]].concat()).succeeded();
        let error = &json(&place, "t.json")["pairs"][0]["error"]["end_point_vox"]["mean"];
        assert!(error.as_f64().unwrap() < 0.2, "{method}: {error}");
        let page = std::fs::read_to_string(place.path("t.html")).unwrap();
        assert!(page.contains("Against the truth") && page.contains("End-point error"), "{method}");
    }
}

#[test]
fn any_number_of_frames_is_a_sequence_of_windows() {
    let place = with_frames(4, 0.5);
    let frames = ["f0.png", "f1.png", "f2.png", "f3.png"];
    let job = ["flow", "-o", "out", "--sequence", "consecutive", "--method", "phase"];
    // The fields, and the report.
    let written = || std::fs::read_dir(place.path("out")).unwrap().count();
    for (set, fields) in [("frames=two", 3), ("frames=three", 2)] {
        let _ = std::fs::remove_dir_all(place.path("out"));
        let run = [&job[..], &frames, &["--set", set]].concat();
        place.run(&[&run[..], &["--dry-run"]].concat()).succeeded();
        place.run(&run).succeeded();
        assert_eq!(written(), fields + 1, "{set}");
    }
    // Of four frames there are enough for windows of three.
    std::fs::remove_dir_all(place.path("out")).unwrap();
    place.run(&[&job[..], &frames].concat()).succeeded();
    assert_eq!(written(), 2 + 1);
    place.run(&[&job[..], &frames, &["--set", "frames=five"]].concat()).failed_with(&["5 frames", "got 4"]);
}

#[test]
fn pictures_of_other_depths_are_brought_to_the_first_ones() {
    let place = with_frames(3, 0.5);
    for (name, white) in [("deep.png", 65535.0), ("twelve.tif", 4095.0), ("shares.tif", 1.0)] {
        place.write_image(name, &texture(0.5, SIZE).map(|v| v / 255.0 * white));
        for (method, bound) in [("clg", 0.06), ("phase", 0.06), ("lucas-kanade", 0.06)] {
            for [fixed, moving] in [["f0.png", name], [name, "f2.png"]] {
                let job = ["flow", fixed, moving, "-o", "f.flo", "--method", method];
                let run = place.run(&job).succeeded();
                assert!(run.stderr.contains("its samples are multiplied by"), "{name}: {}", run.stderr);
                assert!(!run.stderr.contains("bring both to one range"), "{name}: {}", run.stderr);
                let flow = read_flow(&place.path("f.flo"), Strictness::Strict, &mut Warnings::new()).unwrap();
                let u = median(flow.component_vox(0));
                assert!((u - 0.5).abs() < bound, "{name}, {method}: {u}");
            }
        }
        let job = ["flow", "f0.png", name, "f2.png", "-o", "out", "--sequence", "consecutive"];
        let run = place.run(&job).succeeded();
        assert!(run.stderr.contains("its samples are multiplied by"), "{name}: {}", run.stderr);
        let run = place.run(&["stereo", name, "f0.png", "-o", "d.pfm"]).succeeded();
        assert!(run.stderr.contains("LEFT"), "{name}: {}", run.stderr);
    }
}

#[test]
fn outside_of_a_mask_nothing_is_found_and_nothing_counts() {
    let place = with_frames(2, 0.5);
    let outside = |x: usize| x < SIZE[0] / 2;
    let grid = Grid::image(SIZE[0], SIZE[1]).unwrap();
    place.write_image("m.png", &Volume::from_fn(grid.clone(), |[x, ..]| f32::from(u8::from(!outside(x)))));
    // Outside, the image that the result lives on may hold anything.
    let mut holed = texture(0.0, SIZE);
    holed.data_mut()[3] = f32::NAN;
    place.write_image("f0.tif", &holed);
    let outputs = ["--confidence", "c.tif", "--report", "r.json", "--html", "p.html", "--mask", "m.png"];
    let check = |known: &dyn Fn(usize) -> bool, share: &serde_json::Value| {
        let confidence = read_image(&place.path("c.tif"), Strictness::Strict, &mut Warnings::new()).unwrap();
        let inside: Vec<usize> = (0..grid.len()).filter(|&i| !outside(grid.position(i)[0])).collect();
        for i in (0..grid.len()).filter(|&i| outside(grid.position(i)[0])) {
            assert!(!known(i) && confidence.data()[i] == 0.0, "pixel {i}");
        }
        let valid = inside.iter().filter(|&&i| known(i)).count() as f64 / inside.len() as f64;
        assert!(valid > 0.5 && (share.as_f64().unwrap() - valid).abs() < 1e-9, "{valid}, {share}");
    };

    let flow = ["flow", "f0.tif", "f1.png", "-o", "f.flo", "--method", "phase"];
    place.run(&[&flow[..], &outputs].concat()).succeeded();
    let found = read_flow(&place.path("f.flo"), Strictness::Strict, &mut Warnings::new()).unwrap();
    let report = json(&place, "r.json");
    check(&|i| found.is_valid(i), &report["pairs"][0]["motion"]["valid_share"]);
    assert!(report["inputs"].as_array().unwrap().iter().any(|i| i["role"] == "mask"));

    place.run(&[&["stereo", "f0.tif", "f1.png", "-o", "d.tif"][..], &outputs].concat()).succeeded();
    let found = read_disparity(&place.path("d.tif"), None, Strictness::Strict, &mut Warnings::new()).unwrap();
    check(&|i| found.data()[i].is_finite(), &json(&place, "r.json")["valid_share"]);

    place.write_image("wide.png", &texture(0.0, [80, 56]));
    for command in [
        &["flow", "f0.png", "f1.png", "-o", "x.flo", "--method", "phase"][..],
        &["stereo", "f0.png", "f1.png", "-o", "x.pfm"],
    ] {
        place.run(&[command, &["--mask", "wide.png"]].concat()).failed_with(&["mask", "72 × 56", "80 × 56"]);
    }
}

#[test]
fn phase_flow_says_what_it_cannot_do() {
    let place = with_frames(6, 0.5);
    let before = place.names();
    let phase = |inputs: &[&str]| -> Run {
        let mut arguments = vec!["flow", "--method", "phase", "-o", "x.flo"];
        arguments.extend(inputs);
        place.run(&arguments)
    };
    phase(&["f0.png"]).failed_with(&["2, 3 or 5 frames", "got 1"]);
    phase(&["f0.png", "f1.png", "f2.png", "f3.png"]).failed_with(&["2, 3 or 5 frames", "got 4"]);
    phase(&["f*.png"]).failed_with(&["2, 3 or 5 frames", "engine"]);
    phase(&["f0.png", "none.png"]).failed_with(&["none.png", "cannot open"]);
    phase(&["f0.png", "f1.png", "--set", "tau=1"]).failed_with(&["`tau_l`"]);
    for (more, word) in [(&["--warps", "3"][..], "--warps"), (&["--preset", "best"], "best")] {
        let run = phase(&[&["f0.png", "f1.png"], more].concat());
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(word), "{}", run.stderr);
    }
    assert_eq!(place.names(), before);
    place.write_image("wide.png", &texture(0.0, [80, 56]));
    phase(&["f0.png", "wide.png"]).failed_with(&["wide.png", "72 × 56", "80 × 56"]);
}

#[test]
fn stereo_says_what_it_cannot_do() {
    let place = with_frames(1, 0.0);
    place.write_image("wide.png", &texture(0.0, [80, 56]));
    let before = place.names();
    let stereo = |left: &str, right: &str, out: &str| place.run(&["stereo", left, right, "-o", out]);
    stereo("f0.png", "none.png", "d.pfm").failed_with(&["none.png", "cannot open"]);
    stereo("f0.png", "wide.png", "d.pfm").failed_with(&["72 × 56", "80 × 56"]);
    stereo("f0.png", "f0.png", "d.flo").failed_with(&["d.flo", ".pfm"]);
    stereo("f0.png", "f0.png", "none/d.pfm").failed_with(&["none"]);
    place.run(&["features", "none.png", "-o", "out"]).failed_with(&["none.png"]);
    place
        .run(&["features", "f0.png", "-o", "out", "--set", "sigma_px=99"])
        .failed_with(&["sigma_px", "1 to 4"]);
    assert_eq!(place.names(), before);
}

#[test]
fn a_video_with_two_eyes_becomes_fields_video_and_report() {
    let place = Workplace::new();
    write_y4m(&place, "left.y4m", 7, 0.5);
    let left = std::fs::read(place.path("left.y4m")).unwrap();
    place.write("right.y4m", &left);
    let run = place
        .run(&[
            "engine",
            "left.y4m",
            "--right",
            "right.y4m",
            "-o",
            "out",
            "--video",
            "v.y4m",
            "--report",
            "r.json",
            "--confidence",
            "--html",
            "p.html",
        ])
        .succeeded();
    assert!(run.stdout.contains("p99") && run.stdout.contains("frames per second"), "{}", run.stdout);
    let report = json(&place, "r.json");
    assert_eq!((&report["frames"], &report["results"]), (&7.into(), &7.into()));
    assert_eq!(report["outputs"], serde_json::json!(["flow", "stereo", "features"]));
    assert!(report["latency"]["p99_ms"].as_f64().unwrap() > 0.0);
    // Five frames: the first field is that of frame 2.
    let flow =
        read_flow(&place.path("out/flow_000002.flo"), Strictness::Strict, &mut Warnings::new()).unwrap();
    assert!((median(flow.component_vox(0)) - 0.5).abs() < 0.05);
    // Flow has its window; stereo and features have every frame.
    let count = |start: &str| {
        let names = std::fs::read_dir(place.path("out")).unwrap();
        names.filter(|n| n.as_ref().unwrap().file_name().to_string_lossy().starts_with(start)).count()
    };
    assert_eq!(["flow_0", "disparity_0", "phase_0", "flow_confidence_0"].map(count), [3, 7, 7, 3]);
    assert!(place.path("out/disparity_confidence_000006.pfm").is_file());
    let page = std::fs::read_to_string(place.path("p.html")).unwrap();
    assert!(page.contains("Confidence of the motion") && page.contains("Latency"));
    let video =
        veloxel_io::read_sequence(&place.path("v.y4m"), Strictness::Strict, &mut Warnings::new()).unwrap();
    assert_eq!((video.frames().len(), &video.grid().size()[..2]), (7, &[144, 140][..]));
    assert_eq!(video.frame_interval_ms(), Some(40.0));
}

#[test]
fn standard_input_and_output_carry_videos() {
    let place = Workplace::new();
    write_y4m(&place, "in.y4m", 4, 0.5);
    let bytes = std::fs::read(place.path("in.y4m")).unwrap();
    let piped = |bytes: &[u8], arguments: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_veloxel"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Who refuses the stream does not read it to its end.
        let _ = child.stdin.take().unwrap().write_all(bytes);
        child.wait_with_output().unwrap()
    };
    let output = piped(&bytes, &["engine", "-", "--frames", "2", "--only", "flow", "--video", "-"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.starts_with(b"YUV4MPEG2 W144 H70"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("frames per second"));
    let cut = piped(&bytes[..bytes.len() - 9], &["engine", "-", "--frames", "2"]);
    let error = String::from_utf8_lossy(&cut.stderr).into_owned();
    assert_eq!((cut.status.code(), error.lines().count()), (Some(1), 1), "{error}");
    assert!(error.contains("standard input") && error.contains("cut short"), "{error}");
}

#[test]
fn folders_patterns_and_animations_are_streams() {
    let place = with_frames(3, 0.5);
    for (source, video) in [(".", "v.gif"), ("f*.png", "pictures")] {
        place.run(&["engine", source, "--frames", "3", "--video", video, "-q"]).succeeded();
    }
    assert!(place.path("pictures/frame_000001.png").is_file());
    let run = place.run(&["engine", "v.gif", "--only", "features", "-o", "out"]).succeeded();
    assert!(run.stdout.contains("3 of 216 × 70, features"), "{}", run.stdout);
    assert!(place.path("out/orientation_000000.pfm").is_file());
}

#[test]
fn the_engine_says_what_it_cannot_do() {
    let place = with_frames(3, 0.5);
    write_y4m(&place, "long.y4m", 6, 0.5);
    write_y4m(&place, "short.y4m", 5, 0.5);
    std::fs::create_dir(place.path("empty")).unwrap();
    let whole = std::fs::read(place.path("long.y4m")).unwrap();
    place.write("cut.y4m", &whole[..whole.len() - 100]);
    place.write("text.y4m", "this is no video\n");
    let before = place.names();
    let engine = |arguments: &[&str]| {
        let mut all = vec!["engine", "-o", "out", "--video", "v.gif"];
        all.extend(arguments);
        place.run(&all)
    };
    engine(&["none.y4m"]).failed_with(&["none.y4m", "cannot open"]);
    engine(&["no_folder"]).failed_with(&["no_folder", "cannot open"]);
    engine(&["empty"]).failed_with(&["empty", "no file"]);
    engine(&["g*.png"]).failed_with(&["g*.png", "no file"]);
    engine(&["f0.png"]).failed_with(&["f0.png", "1 frame", "needs 5", "--frames"]);
    engine(&["f*.png"]).failed_with(&["3 frames", "needs 5"]);
    engine(&["text.y4m"]).failed_with(&["text.y4m", "YUV4MPEG2"]);
    engine(&["-", "--right", "-"]).failed_with(&["standard input"]);
    engine(&["long.y4m", "--set", "frames=four"]).failed_with(&["frames", "five"]);
    place.run(&["engine", "long.y4m", "--video", "v.avi"]).failed_with(&["v.avi", ".y4m"]);
    assert_eq!(place.names(), before);
    place.write_image("f3.png", &texture(0.0, [80, 56]));
    let broken = "found for the 3 frames before is written";
    engine(&["f*.png", "--frames", "2"]).failed_with(&["f3.png", "72 × 56", "80 × 56", broken]);
    std::fs::remove_dir_all(place.path("out")).unwrap();
    std::fs::remove_file(place.path("v.gif")).unwrap();
    place.write_image("g0.tif", &texture(0.0, SIZE).map(|_| f32::NAN));
    engine(&["g*.tif", "--only", "features"]).failed_with(&["has no data", "g*.tif"]);
    assert!(!place.path("out").exists() && !place.path("v.gif").exists());
}

#[test]
fn whole_frames_before_the_end_of_a_stream_are_results() {
    let place = with_frames(0, 0.5);
    write_y4m(&place, "long.y4m", 6, 0.5);
    write_y4m(&place, "short.y4m", 5, 0.5);
    let whole = std::fs::read(place.path("long.y4m")).unwrap();
    place.write("cut.y4m", &whole[..whole.len() - 100]);
    let broken = "found for the 5 frames before is written";
    let job = ["engine", "-o", "out", "--set", "frames=two"];
    let fields = |kind: &str| {
        let found = std::fs::read_dir(place.path("out")).unwrap();
        found.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with(kind)).count()
    };
    place.run(&[&job[..], &["cut.y4m", "--only", "flow"]].concat()).failed_with(&[
        "cut.y4m",
        "cut short",
        broken,
    ]);
    assert_eq!(fields("flow"), 4);
    std::fs::remove_dir_all(place.path("out")).unwrap();
    for sides in [["long.y4m", "short.y4m"], ["short.y4m", "long.y4m"]] {
        let run = place.run(&[&job[..], &[sides[0], "--right", sides[1]]].concat());
        run.failed_with(&["short.y4m", "ends after 5 frames", "long.y4m", broken]);
        assert_eq!((fields("flow"), fields("disparity")), (4, 5));
        std::fs::remove_dir_all(place.path("out")).unwrap();
    }
}
