//! Rows of later runs: added ones, those of shards, and those whose files changed.

use super::{batch, jobs, ledger, summary};
use crate::workplace::Workplace;
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn a_second_run_does_what_is_left_and_nothing_twice() {
    let place = Workplace::new();
    jobs(&place, 3);
    batch(&place, &[]).succeeded();
    let table = std::fs::read_to_string(place.path("jobs.csv")).unwrap();
    jobs(&place, 3);
    // The inputs were written again, with the same content: times tell.
    let run = batch(&place, &[]).succeeded();
    assert_eq!(run.stderr.matches("is done again: f").count(), 3, "{}", run.stderr);
    let count = ledger(&place).len();
    assert_eq!(batch(&place, &[]).succeeded().stderr, "");
    assert_eq!(ledger(&place).len(), count);

    // A row more, in another order.
    let mut lines: Vec<&str> = table.lines().skip(1).collect();
    lines.reverse();
    place.write(
        "jobs.csv",
        format!("fixed,moving,output,preset\nf0.nii,m0.nii,more.nii,fast\n{}\n", lines.join("\n")),
    );
    batch(&place, &[]).succeeded();
    assert_eq!(ledger(&place).len(), count + 1);
    let rows: Vec<Value> = summary(&place)["records"].as_array().unwrap().clone();
    let outputs: Vec<&str> = rows.iter().map(|row| row["outputs"][0]["path"].as_str().unwrap()).collect();
    assert_eq!(outputs, ["more.nii", "fields/2.nii", "fields/1.nii", "fields/0.nii"]);

    // An output that is gone, and one that is another file.
    std::fs::remove_file(place.path("out/fields/1.nii")).unwrap();
    place.write("out/fields/2.nii", "short");
    let run = batch(&place, &[]).succeeded();
    assert!(
        run.stderr.contains("note: row 3 (line 4) is done again: fields/1.nii is not there any more"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("fields/2.nii is not what the run wrote"), "{}", run.stderr);
    assert_eq!(ledger(&place).len(), count + 3);
}

#[test]
fn shards_do_all_rows_once_into_one_folder() {
    let place = Workplace::new();
    jobs(&place, 5);
    let run = batch(&place, &["--shard", "2/2"]).succeeded();
    assert_eq!(run.stdout, "5 rows: 2 done, 3 left: out/summary.html\n");
    let fields = || std::fs::read_dir(place.path("out/fields")).unwrap().count();
    assert_eq!(fields(), 2);
    batch(&place, &["--shard", "1/2"]).succeeded();
    let summary = summary(&place);
    assert_eq!((fields(), &summary["done"], &summary["left"]), (5, &5.into(), &0.into()));
    let done: BTreeSet<u64> =
        summary["records"].as_array().unwrap().iter().map(|row| row["row"].as_u64().unwrap()).collect();
    assert_eq!(done, (1..=5).collect());
    // What shards did is done for the whole as well.
    let told = batch(&place, &["--dry-run", "--json"]).succeeded().stdout;
    let states: Value = serde_json::from_str(&told).unwrap();
    assert!(states.as_array().unwrap().iter().all(|row| row["state"] == "done"), "{told}");
    let run = batch(&place, &["--shard", "3/2"]);
    assert!(run.code == Some(2) && run.stderr.contains("expected a shard such as 2/8"), "{}", run.stderr);
}

#[test]
fn a_dry_run_tells_where_rows_stand_and_runs_none() {
    let place = Workplace::new();
    jobs(&place, 3);
    batch(&place, &["--shard", "1/3"]).succeeded();
    let told = batch(&place, &["--dry-run"]).succeeded().stdout;
    let states: Vec<bool> =
        told.lines().filter(|line| line.starts_with("flow ")).map(|line| line.contains("to run")).collect();
    assert_eq!(states, [false, true, true], "{told}");
    assert!(told.contains("to run  2"), "{told}");
    assert_eq!(ledger(&place).len(), 0);
    let told = batch(&place, &["--dry-run", "--shard", "2/3", "--json"]).succeeded().stdout;
    let states: Value = serde_json::from_str(&told).unwrap();
    let states: Vec<&str> =
        states.as_array().unwrap().iter().map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["of another shard", "to run", "of another shard"]);
    assert!(!place.path("out/fields/1.nii").exists());
    place.run(&["batch", "jobs.csv", "-o", "new/deep", "--dry-run"]).succeeded();
    assert!(!place.path("new").exists());
}
