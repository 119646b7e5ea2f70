//! Tests of sequences whose frames do not fit into the budget of memory: they are taken pair by pair.

use super::peak::run_within;
use super::stores::{Bytes, store, whole_store};
use crate::workplace::{Workplace, pair};
use veloxel_core::{Grid, Sequence, Volume, Warnings};
use veloxel_io::Strictness;

const CINE: &str = "cine.ome.zarr";
/// The solver does not matter here, and this one ends a level earlier than most: tiles of `fast` are run by `in_parts`.
const METHOD: [&str; 8] = ["--preset", "realtime", "--set", "warps=1", "--device", "cpu", "--threads", "2"];
const FIELDS: [&str; 2] = ["consecutive_000_001.ome.zarr", "consecutive_001_002.ome.zarr"];

/// Three frames, the second in other tones.
fn frames() -> Vec<Volume<f32>> {
    let grid = Grid::volume(192, 80, 72).and_then(|grid| grid.with_spacing_mm([1.0, 1.0, 1.25]));
    let phantom = pair(&grid.expect("a grid of constants"));
    let [first, second] = [phantom.fixed.map(|v| 255.0 * v), phantom.moving.map(|v| 400.0 * v + 20.0)];
    vec![first.clone(), second, first.map(|v| v + 3.0)]
}

fn cine() -> Workplace {
    let place = Workplace::new();
    let cine = Sequence::new(frames(), Some(40.0)).expect("frames on one grid");
    veloxel_io::write_sequence(place.path(CINE), &cine).expect("a cine is written");
    place
}

fn flow<'a>(images: [&'a str; 2], output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["flow", images[0], images[1], "-o", output], &METHOD[..], more].concat()
}

fn sequence<'a>(inputs: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let own = ["--sequence", "consecutive", "--field-format", "ome.zarr", "-o", "out"];
    [&["flow"], inputs, &METHOD[..], &own, more].concat()
}

/// The least budget, MiB, in which a pair is estimated in parts, and a little more.
fn budget_mib(place: &Workplace) -> usize {
    let run =
        flow(["cine.ome.zarr@0", "cine.ome.zarr@1"], "d.ome.zarr", &["--max-memory", "60M", "--dry-run"]);
    let refusal = place.run(&run).failed_with(&["are needed even in parts"]).stderr;
    let needed = refusal.split(" allowed, and ").nth(1).and_then(|rest| rest.split(' ').next());
    let needed: f64 = needed.and_then(|number| number.parse().ok()).expect("a number");
    needed.ceil() as usize + 1
}

fn report(place: &Workplace, name: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(place.path(name)).expect("a report");
    serde_json::from_str(&text).expect("JSON")
}

fn fields(place: &Workplace) -> Vec<Bytes> {
    FIELDS.iter().map(|name| whole_store(place, &format!("out/{name}"))).collect()
}

fn names(place: &Workplace) -> Vec<String> {
    let entries = std::fs::read_dir(place.path("out")).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_field_has_the_bits_of_a_flow_of_its_pair_within_the_budget() {
    let place = cine();
    let mib = budget_mib(&place);
    let budget = &format!("{mib}M");
    let dry = [&["--dry-run", "--max-memory", budget], &["--report", "r.json"][..]].concat();
    let told = place.run(&sequence(&[CINE], &dry)).succeeded().stdout;
    for words in ["3 frames, 2 fields", "one after the other", "tiles take", " tiles ("] {
        assert!(told.contains(words), "{words:?} is missing from {told}");
    }
    let plan = report(&place, "r.json");
    let bytes = |name: &str| plan["memory"][name].as_u64().unwrap();
    assert!(bytes("peak_bytes") <= bytes("budget_bytes") && bytes("disk_bytes") > 0, "{plan}");
    assert!(!place.path("out").exists());

    run_within(&place, &sequence(&[CINE], &["--confidence", "certain"]), mib).succeeded();
    let maps = ["--confidence", "c.ome.zarr", "--max-memory", budget];
    for (nth, field) in FIELDS.into_iter().enumerate() {
        let images = [0, 1].map(|next| format!("{CINE}@{}", nth + next));
        place.run(&flow([&images[0], &images[1]], "d.ome.zarr", &maps)).succeeded();
        assert!(store(&place, "d.ome.zarr") == store(&place, &format!("out/{field}")), "{field}");
        let confidence = format!("certain/confidence_{field}");
        assert!(store(&place, "c.ome.zarr") == store(&place, &confidence), "{confidence}");
    }
    assert_eq!(names(&place), [FIELDS[0], FIELDS[1], "report.json"]);
    let told = report(&place, "out/report.json");
    for nth in [0, 1] {
        let pair = &told["pairs"][nth];
        assert_eq!(pair["frames"], serde_json::json!([nth, nth + 1]));
        assert!(pair["title"] == format!("frame {nth} → {}", nth + 1), "{pair}");
        assert!(pair["statistics"]["tiles"]["run"].as_u64().is_some_and(|run| run > 1), "{pair}");
        assert!(pair["motion"]["mean_vox"].as_f64().is_some_and(|mean| mean > 0.0), "{pair}");
    }
    assert_eq!(told["pairs"].as_array().map(Vec::len), Some(2));
}

#[test]
fn fields_of_a_reference_come_from_files_and_from_frames_of_a_file() {
    let place = cine();
    let mib = budget_mib(&place);
    let frames = frames();
    let cine = Sequence::new(frames.clone(), None).unwrap();
    veloxel_io::write_sequence(place.path("cine.nii"), &cine).unwrap();
    for (t, frame) in frames.iter().enumerate() {
        veloxel_io::write_image(place.path(&format!("f{t}.nrrd")), frame, &mut Warnings::new()).unwrap();
    }
    let mode = ["--reference", "1", "--frames", "0:2"];
    let of = |inputs: &[&str]| {
        let mut run = sequence(inputs, &mode);
        let at = run.iter().position(|word| *word == "consecutive").unwrap();
        run[at] = "reference";
        run_within(&place, &run, mib).succeeded();
        let field = store(&place, "out/reference_001_000.ome.zarr");
        std::fs::remove_dir_all(place.path("out")).unwrap();
        field
    };
    let by_file = of(&["f0.nrrd", "f1.nrrd", "f2.nrrd"]);
    assert!(by_file == of(&["cine.nii"]));
    let budget = format!("{mib}M");
    place.run(&flow(["f1.nrrd", "f0.nrrd"], "d.ome.zarr", &["--max-memory", &budget])).succeeded();
    assert!(by_file == store(&place, "d.ome.zarr"));
}

#[cfg(unix)]
#[test]
fn a_run_that_was_killed_goes_on_at_its_pair() {
    use super::ended_runs::{killed, lines};
    let place = cine();
    let budget = format!("{}M", budget_mib(&place));
    let line = &sequence(&[CINE], &["--max-memory", &budget]);
    place.run(line).succeeded();
    let (undisturbed, told) = (fields(&place), report(&place, "out/report.json"));
    std::fs::remove_dir_all(place.path("out")).unwrap();

    // Within the first pair: its ledger has a head, what tiles begin from, and a tile.
    killed(&place, line, &place.path(&format!("out/.{}.tiles/ledger", FIELDS[0])), 3);
    assert!(!place.path("out").join(FIELDS[0]).exists());
    // Within the second one.
    let ledger = &place.path(&format!("out/.{}.tiles/ledger", FIELDS[1]));
    killed(&place, line, ledger, 3);
    assert_eq!(lines(&place.path("out/.fields.tiles/ledger")), 2);
    assert!(place.path("out").join(FIELDS[0]).exists() && !place.path("out").join(FIELDS[1]).exists());
    let kept = lines(ledger) - 2;
    let other = sequence(&[CINE], &["--max-memory", &budget, "--set", "alpha=0.5"]);
    place.run(&other).failed_with(&[".fields.tiles", "its method is another", "remove the folder"]);

    place.run(line).succeeded();
    assert!(fields(&place) == undisturbed, "the same bytes");
    assert_eq!(names(&place), [FIELDS[0], FIELDS[1], "report.json"]);
    let again = report(&place, "out/report.json");
    let warnings = again["warnings"].to_string();
    assert!(warnings.contains("1 of its fields are there"), "{warnings}");
    assert!(warnings.contains(&format!("{kept} of its tiles are kept")), "{warnings}");
    for nth in [0, 1] {
        let same = |part: &str| assert_eq!(again["pairs"][nth][part], told["pairs"][nth][part], "{part}");
        ["title", "frames", "motion", "cells"].into_iter().for_each(same);
    }
    // A field that somebody removed is found again.
    assert_eq!(again["pairs"].as_array().map(Vec::len), Some(2));
}

#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_leaves_whole_fields_and_says_so() {
    use crate::streams::stopped_stream::terminate;
    let place = cine();
    let budget = format!("{}M", budget_mib(&place));
    let line = &sequence(&[CINE], &["--max-memory", &budget]);
    let stopped = |is_there: &dyn Fn() -> bool| {
        let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_veloxel"))
            .args(line)
            .current_dir(place.path("."))
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        while !is_there() && run.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        terminate(run.id());
        let output = run.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(143), "{said}");
        said
    };
    let out = place.path("out");
    let said = stopped(&|| out.join(".fields.tiles/ledger").exists());
    let is_left = out.exists();
    let words = if is_left { "what was found is kept in" } else { "nothing was left behind" };
    assert!(said.contains(words), "{said} {:?}", place.names());
    // Between the pairs, or in the second one.
    let said = stopped(&|| out.join(FIELDS[0]).exists());
    assert!(said.contains("what was found is kept in") && said.contains("the same line again"), "{said}");
    assert!(!out.join(FIELDS[1]).exists());
    let whole = veloxel_io::read_flow(&out.join(FIELDS[0]), Strictness::Strict, &mut Warnings::new());
    assert!(whole.is_ok());
    assert!(
        names(&place).iter().all(|name| name == FIELDS[0] || name.ends_with(".tiles")),
        "{:?}",
        names(&place)
    );
}

#[test]
fn what_is_not_done_pair_by_pair_is_refused_by_name() {
    let place = cine();
    let budget = format!("{}M", budget_mib(&place));
    let refused = |more: &[&str], words: &[&str]| {
        let mut run = sequence(&[CINE], &["--max-memory", &budget]);
        for (name, value) in more.iter().zip(more.iter().skip(1)).step_by(2) {
            match run.iter().position(|word| word == name) {
                Some(at) => run[at + 1] = value,
                None => run.extend([name, value]),
            }
        }
        place.run(&run).failed_with(words);
    };
    let pairs = ["do not fit into", "pair by pair", "--max-memory"];
    let with = |word: &'static str| [&pairs[..], &[word]].concat();
    refused(&["--sequence", "both"], &with("once around the cycle"));
    refused(&["--html", "p.html"], &with("draw a page"));
    refused(&["--confidence", "c.ome.zarr"], &with("confidences into one file"));
    refused(&["--warped", "w.nii.gz"], &with("warped images into one file"));
    refused(&["--warped", "w"], &["give the warped image"]);
    refused(&["--field-format", "nii.gz"], &["are needed for one pair, unless the fields are .ome.zarr"]);
    std::fs::create_dir(place.path("truth")).unwrap();
    refused(&["--truth", "truth"], &with("measure against true fields"));
    std::fs::remove_dir(place.path("truth")).unwrap();
    assert_eq!(place.names(), [CINE], "nothing is left");
}

#[test]
fn a_dry_run_names_a_budget_that_holds_all_frames() {
    let place = cine();
    let fields = "out/consecutive_000_001.ome.zarr";
    place.run(&sequence(&[CINE], &["--confidence", "c.nii", "--dry-run", "--report", "r.json"])).succeeded();
    let plan = report(&place, "r.json");
    assert_eq!(plan["is_pair_by_pair"], false, "{plan}");
    let mib = plan["memory"]["peak_bytes"].as_u64().unwrap().div_ceil(1 << 20) as usize;
    let run = sequence(&[CINE], &["--confidence", "c.nii"]);
    place.run(&run).succeeded();
    let whole = store(&place, fields);
    run_within(&place, &run, mib).succeeded();
    assert!(store(&place, fields) == whole, "a budget that suffices changes nothing");
}

#[test]
fn pairs_that_fit_are_run_in_memory() {
    let place = Workplace::new();
    let phantom = pair(&Grid::image(400, 360).expect("a grid of constants"));
    let files: Vec<String> = (0..6).map(|t| format!("f{t}.png")).collect();
    for (t, file) in files.iter().enumerate() {
        let frame = if t % 2 == 0 { &phantom.fixed } else { &phantom.moving };
        place.write_image(file, &frame.map(|v| 255.0 * v));
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let line = |more: &[&'static str]| {
        [&["flow"], &files[..], &METHOD[..], &["--sequence", "consecutive", "-o", "out"], more].concat()
    };
    let field = || std::fs::read(place.path("out/consecutive_002_003.flo")).unwrap();
    place.run(&line(&["--confidence", "certain", "--max-memory", "36M"])).succeeded();
    place.run(&flow(["f2.png", "f3.png"], "d.flo", &["--max-memory", "36M"])).succeeded();
    assert!(field() == std::fs::read(place.path("d.flo")).unwrap());
    assert!(place.path("certain/confidence_consecutive_002_003.tif").exists());
    assert_eq!(report(&place, "out/report.json")["pairs"].as_array().map(Vec::len), Some(5));
    assert!(names(&place).iter().all(|name| !name.starts_with('.')), "{:?}", names(&place));
    // Fewer fields than before leave others of their kind, which is told.
    let run = place.run(&line(&["--max-memory", "36M", "--frames", "0:3"])).succeeded();
    assert!(run.stderr.contains("3 other files there have names"), "{}", run.stderr);
}
