//! Tests of `veloxel batch`: rows that are run together, and gone on with after any end.

mod bids;
mod kills;
mod refusals;
mod resumed;

use crate::workplace::{Run, Workplace, pair};
use serde_json::Value;
use std::fmt::Write;
use veloxel_core::Grid;

/// Rows of different pairs of small pictures, as files and as a table.
pub(super) fn jobs(place: &Workplace, count: usize) {
    let mut table = "fixed,moving,output,preset\n".to_owned();
    for nth in 0..count {
        let phantom = pair(&Grid::image(40 + nth % 5, 32).expect("a grid of constants"));
        let [fixed, moving] = [("f", &phantom.fixed), ("m", &phantom.moving)].map(|(name, image)| {
            let name = format!("{name}{nth}.nii");
            // Every pair has a motion of its own.
            place.write_image(&name, &image.map(|value| value * (1.0 + 0.01 * nth as f32)));
            name
        });
        writeln!(table, "{fixed},{moving},fields/{nth}.nii,fast").expect("a text grows");
    }
    place.write("jobs.csv", table);
}

pub(super) fn batch(place: &Workplace, more: &[&str]) -> Run {
    place.run(&[&["batch", "jobs.csv", "-o", "out", "--device", "cpu", "--threads", "1"], more].concat())
}

pub(super) fn summary(place: &Workplace) -> Value {
    let text = std::fs::read_to_string(place.path("out/summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("JSON")
}

/// Records of the ledger, the head left out.
pub(super) fn ledger(place: &Workplace) -> Vec<Value> {
    let text = std::fs::read_to_string(place.path("out/ledger.jsonl")).unwrap_or_default();
    let whole = text.lines().skip(1).filter(|line| line.ends_with('}'));
    whole.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_table_of_pairs_gives_the_fields_that_the_command_gives() {
    let place = Workplace::new();
    jobs(&place, 10);
    let run = batch(&place, &[]).succeeded();
    assert_eq!(run.stdout, "10 rows: 10 done: out/summary.html\n");
    for nth in [0, 7] {
        let (fixed, moving) = (format!("f{nth}.nii"), format!("m{nth}.nii"));
        let line = ["flow", &fixed, &moving, "-o", "alone.nii", "--preset", "fast", "--device", "cpu"];
        place.run(&line).succeeded();
        let of_batch = std::fs::read(place.path(&format!("out/fields/{nth}.nii"))).unwrap();
        assert!(of_batch == std::fs::read(place.path("alone.nii")).unwrap(), "row {nth}");
    }
    let summary = summary(&place);
    assert_eq!((&summary["rows"], &summary["done"], &summary["left"]), (&10.into(), &10.into(), &0.into()));
    let row = &summary["records"][7];
    assert_eq!(row["job"], "flow --fixed=f7.nii --moving=m7.nii --output=fields/7.nii --preset=fast");
    assert!(row["figures"]["mean_motion_vox"].as_f64().unwrap() > 0.1, "{row}");
    assert_eq!(row["outputs"][0]["path"], "fields/7.nii");
    let page = std::fs::read_to_string(place.path("out/summary.html")).unwrap();
    assert_eq!(page.matches("class=\"row-picture\"").count(), 10);
    assert!(ledger(&place).iter().all(|record| record["status"] == "done"));
}

#[test]
fn json_lines_of_several_commands_run_together() {
    let place = Workplace::new();
    jobs(&place, 2);
    let lines = [
        r#"{"command": "flow", "fixed": "f0.nii", "moving": "m0.nii", "output": "a.nii", "set": ["alpha=0.2", "max_levels=2"]}"#,
        r#"{"command": "register", "fixed": "f1.nii", "moving": "m1.nii", "output": "b.nii", "init": "none", "preset": "fast"}"#,
        r#"{"command": "features", "image": "f0.nii", "output": "c"}"#,
    ];
    place.write("jobs.jsonl", lines.join("\n"));
    let line = ["batch", "jobs.jsonl", "-o", "out", "--device", "cpu", "--at-once", "2", "--json"];
    let run = place.run(&line).succeeded();
    let events: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["begin", "row", "row", "row", "end"]);
    assert_eq!(events[3]["ended"], 3);
    assert_eq!((&events[4]["done"], &events[4]["is_stopped"]), (&3.into(), &false.into()));
    for name in ["a.nii", "b.nii", "c/energy_0.pfm", "c/report.json"] {
        assert!(place.path("out").join(name).exists(), "{name}");
    }
}

#[test]
fn a_row_that_fails_is_told_with_its_reason_and_the_others_are_done() {
    let place = Workplace::new();
    jobs(&place, 4);
    place.write("m1.nii", "not an image");
    let run = batch(&place, &[]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let told: Vec<&str> = run.stderr.lines().collect();
    assert!(told.len() == 2 && told[0].starts_with("error: row 2: m1.nii"), "{told:?}");
    assert_eq!(told[1], "error: 1 row failed: out/summary.html has the reasons, --retry runs them again");
    assert_eq!(run.stdout, "4 rows: 3 done, 1 failed: out/summary.html\n");
    assert!(!place.path("out/fields/1.nii").exists());
    let page = std::fs::read_to_string(place.path("out/summary.html")).unwrap();
    assert!(page.contains("Failed") && page.contains("m1.nii"));

    // It stays failed, until it is asked for again.
    assert_eq!(batch(&place, &[]).code, Some(1));
    assert_eq!(ledger(&place).len(), 4);
    std::fs::copy(place.path("m0.nii"), place.path("m1.nii")).unwrap();
    std::fs::copy(place.path("f0.nii"), place.path("f1.nii")).unwrap();
    batch(&place, &["--retry"]).succeeded();
    assert_eq!((ledger(&place).len(), summary(&place)["failed"].as_u64()), (5, Some(0)));
    let [first, second] =
        [0, 1].map(|nth| std::fs::read(place.path(&format!("out/fields/{nth}.nii"))).unwrap());
    assert!(first == second);
}
