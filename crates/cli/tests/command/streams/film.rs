//! Films through `ffmpeg`: the same results as from a pipe, times in reports, and what is wrong with them in one line.

#![allow(clippy::print_stdout, reason = "a test that passes without ffmpeg says so")]

use crate::phase::json;
use crate::workplace::{Workplace, run_in};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A place with `film.mkv`, of even frames and then every third one, and with the pipe that ffmpeg makes of it, `film.y4m`; none,
/// said aloud, without ffmpeg.
fn studio() -> Option<Workplace> {
    let place = Workplace::new();
    let film = |arguments: &[&str]| {
        let mut command = Command::new("ffmpeg");
        command.args(["-v", "error", "-nostdin"]).args(arguments).current_dir(place.path(""));
        command.stdout(Stdio::null()).status()
    };
    let source = "testsrc2=s=64x48:r=25:d=0.4";
    let uneven = "select='lt(n\\,7)+not(mod(n\\,3))'";
    let made =
        film(&["-f", "lavfi", "-i", source, "-vf", uneven, "-vsync", "vfr", "-c:v", "ffv1", "film.mkv"]);
    match made {
        Ok(status) if status.success() => {
            assert!(film(&["-i", "film.mkv", "-vsync", "passthrough", "film.y4m"]).unwrap().success());
            Some(place)
        }
        _ => {
            println!("skipped: ffmpeg is not installed (apt-get install ffmpeg)");
            let required = std::env::var("VELOXEL_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|word| word == "ffmpeg"), "ffmpeg is required");
            None
        }
    }
}

const ENGINE: [&str; 6] = ["--method", "lucas-kanade", "--preset", "fast", "--device", "cpu"];

#[test]
fn a_film_has_the_results_of_its_pipe_and_times() {
    let Some(place) = studio() else { return };
    for (source, folder) in [("film.mkv", "a"), ("film.y4m", "b")] {
        let report = format!("{folder}.json");
        let arguments = [&["engine", source, "-o", folder, "--report", &report][..], &ENGINE].concat();
        let run = place.run(&arguments);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(run.stderr.contains("evenly spaced"), source == "film.mkv", "{}", run.stderr);
    }
    let report = json(&place, "a.json");
    let times: Vec<f64> =
        report["times_ms"].as_array().unwrap().iter().map(|time| time.as_f64().unwrap().round()).collect();
    assert_eq!(times, [0.0, 40.0, 80.0, 120.0, 160.0, 200.0, 240.0, 360.0]);
    assert!(json(&place, "b.json").get("times_ms").is_none());
    for t in 0..7 {
        let field = |folder: &str| std::fs::read(place.path(&format!("{folder}/flow_{t:06}.flo"))).unwrap();
        assert!(field("a") == field("b"), "field {t}");
    }
    // Single frames, a sequence, and points.
    let cpu = ["--device", "cpu", "-q"];
    let flow = |source: &str, to: &str| {
        let [first, second] = [2, 3].map(|t| format!("{source}@{t}"));
        let arguments = [&["flow", &first, &second, "--preset", "fast", "-o", to][..], &cpu].concat();
        place.run(&arguments).succeeded();
        std::fs::read(place.path(to)).unwrap()
    };
    assert!(flow("film.mkv", "a.flo") == flow("film.y4m", "b.flo"));
    let tracks = |source: &str, to: &str| {
        let arguments = [&["track-points", source, "-o", to, "--corners", "20"][..], &cpu].concat();
        assert_eq!(place.run(&arguments).code, Some(0));
        std::fs::read(place.path(to)).unwrap()
    };
    assert!(tracks("film.mkv", "a.csv") == tracks("film.y4m", "b.csv"));
    let info = place.run(&["info", "film.mkv"]);
    assert!(info.stdout.contains('8') && info.code == Some(0), "{}{}", info.stdout, info.stderr);
}

#[test]
fn a_film_without_ffmpeg_is_one_line_that_says_what_to_install() {
    let place = Workplace::new();
    place.write("film.mp4", b"film");
    let window = ["flow", "film.mp4", "-o", "f.flo", "--method", "phase"];
    for arguments in
        [&["engine", "film.mp4"][..], &["engine", "rtsp://me:secret@host/a"], &["info", "film.mp4"], &window]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_veloxel"));
        command.args(arguments).env("PATH", place.path("nothing"));
        let run = run_in(&place.path(""), command);
        assert!(!run.stderr.contains("secret"), "{}", run.stderr);
        run.failed_with(&["ffmpeg", "apt-get install ffmpeg"]);
    }
}

#[test]
fn a_broken_film_is_one_line_with_what_ffmpeg_says() {
    if studio().is_none() {
        return;
    }
    let place = Workplace::new();
    place.write("film.mp4", b"film");
    for arguments in [&["engine", "film.mp4"][..], &["flow", "film.mp4", "-o", "f.flo", "--method", "phase"]]
    {
        place.run(arguments).failed_with(&["film.mp4", "ffmpeg fails on it"]);
        assert_eq!(place.names(), ["film.mp4"]);
    }
}

#[test]
fn frames_are_dropped_of_what_comes_by_itself() {
    let Some(place) = studio() else { return };
    place.run(&["engine", "film.mkv", "--drop"]).failed_with(&["film.mkv", "come by themselves"]);
    place.run(&["track-points", "film.mkv", "-o", "a.csv", "--drop"]).failed_with(&["come by themselves"]);
    // A pipe that sends much faster than results are found.
    let source = "testsrc2=s=320x240:r=25:d=20";
    let mut sender = Command::new("ffmpeg")
        .args(["-v", "error", "-nostdin", "-f", "lavfi", "-i", source, "-f", "yuv4mpegpipe", "-"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut engine = Command::new(env!("CARGO_BIN_EXE_veloxel"));
    engine
        .args(["engine", "-", "--drop", "--report", "r.json"])
        .args(ENGINE)
        .stdin(sender.stdout.take().unwrap());
    run_in(&place.path(""), engine).succeeded();
    sender.wait().unwrap();
    let report = json(&place, "r.json");
    let count = |key: &str| report[key].as_u64().unwrap();
    assert_eq!(count("frames") + count("dropped"), 500);
    assert!(count("dropped") > 0, "nothing is that fast");
}

/// Processes whose command line has a text.
#[cfg(target_os = "linux")]
fn processes_with(text: &str) -> usize {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(text)).count()
}

#[test]
#[cfg(target_os = "linux")]
fn a_camera_that_is_silent_ends_with_ctrl_c_and_leaves_no_process() {
    let Some(place) = studio() else { return };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://127.0.0.1:{}", listener.local_addr().unwrap().port());
    let mut engine = Command::new(env!("CARGO_BIN_EXE_veloxel"))
        .args(["engine", &address, "-o", "out"])
        .current_dir(place.path(""))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let within = |seconds: u64, is_done: &mut dyn FnMut() -> bool| {
        let until = Instant::now() + Duration::from_secs(seconds);
        while !is_done() {
            assert!(Instant::now() < until, "it takes too long");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    // The command and its process.
    within(10, &mut || processes_with(&address) == 2);
    std::thread::sleep(Duration::from_millis(200));
    let stop = Command::new("kill").args(["-INT", &engine.id().to_string()]).status().unwrap();
    assert!(stop.success());
    within(5, &mut || engine.try_wait().unwrap().is_some());
    assert_eq!(processes_with(&address), 0);
    assert!(!place.path("out").exists());
}
