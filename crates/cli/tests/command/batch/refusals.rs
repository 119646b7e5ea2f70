//! What is refused before the first row is run.

use super::{batch, jobs};
use crate::workplace::Workplace;

const HEAD: &str = "fixed,moving,output,preset\n";

/// Requires these lines, each with a row, and that nothing was made.
fn refused(place: &Workplace, parts: &[&str]) {
    let run = batch(place, &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.stderr);
    for part in parts {
        assert!(
            run.stderr.lines().any(|line| line.contains(part)),
            "{part:?} is missing from {}",
            run.stderr
        );
    }
    // Several are told one by one before the line that counts them.
    let expected = if parts.len() == 1 { 1 } else { parts.len() + 1 };
    assert_eq!(run.stderr.lines().count(), expected, "{}", run.stderr);
    assert!(!place.path("out").exists());
}

#[test]
fn rows_are_refused_with_their_numbers_before_the_first_is_run() {
    let place = Workplace::new();
    jobs(&place, 2);
    let with = |rows: &str| place.write("jobs.csv", format!("{HEAD}{rows}"));
    with("f0.nii,m0.nii,a.nii,fast\nf1.nii,m1.nii,./x/../a.nii,fast\n");
    refused(&place, &["row 2 (line 3): out/./x/../a.nii is written by row 1 (line 2) as well"]);
    with("f0.nii,m0.nii,a.nii,fast\nf1.nii,none.nii,b.nii,fast\nf1.nii,gone/*.nii,c.nii,fast\n");
    refused(&place, &["row 2 (line 3): none.nii is not there", "row 3 (line 4): gone/*.nii is not there"]);
    with("f0.nii,m0.nii,a.nii,fastest\nf1.nii,m1.nii,b.nii,fast\n");
    refused(&place, &["row 1 (line 2): invalid value 'fastest' for '--preset"]);
    with("f0.nii,m0.nii,a.xyz,fast\n");
    refused(&place, &["row 1 (line 2): out/a.xyz: no known format for writing a displacement field"]);
    with("f0.nii,m0.nii,summary.json,fast\n");
    refused(&place, &["row 1 (line 2): out/summary.json is a name that the batch takes itself"]);
    with("f0.nii,m0.nii,-,fast\n");
    refused(&place, &["an output of a row is a file"]);
    with("-,m0.nii,a.nii,fast\n");
    refused(&place, &["an input of a row is a file"]);
    place.write("jobs.csv", "fixed,moving,output,colour\nf0.nii,m0.nii,a.nii,red\n");
    refused(&place, &["row 1 (line 2): unexpected argument '--colour'"]);
    place.write("jobs.csv", "fixed,moving,output\nf0.nii,m0.nii\n");
    refused(&place, &["line 2: expected 3 cells, got 2"]);
    place.write("jobs.csv", "fixed,moving,output\n");
    refused(&place, &["there is no row"]);
}

#[test]
fn a_row_that_reads_what_another_writes_is_refused() {
    let place = Workplace::new();
    jobs(&place, 2);
    let row = |row: [&str; 3]| row.join(",");
    place.write("jobs.csv", ["fixed,moving,output", &row(["f0.nii", "m0.nii", "a.nii"])].join("\n"));
    batch(&place, &["--option", "preset=fast"]).succeeded();
    let chain = [row(["f0.nii", "m0.nii", "a.nii"]), row(["f1.nii", "out/a.nii", "b.nii"])].join("\n");
    place.write("jobs.csv", format!("fixed,moving,output\n{chain}\n"));
    let run = batch(&place, &["--option", "preset=fast"]);
    run.failed_with(&["row 2 (line 3): out/a.nii is written by row 1 (line 2), and rows have no order"]);
}

#[test]
fn a_ledger_of_other_jobs_is_refused() {
    let place = Workplace::new();
    jobs(&place, 3);
    batch(&place, &[]).succeeded();
    place.write("jobs.csv", format!("{HEAD}f0.nii,m0.nii,fields/0.nii,fast\nf0.nii,m0.nii,other.nii,fast\n"));
    batch(&place, &[])
        .failed_with(&["out/ledger.jsonl: jobs.csv has no row for 2 rows that are done", "its row 2"]);
    assert!(!place.path("out/other.nii").exists());
    place.write("out/ledger.jsonl", "something else\n");
    batch(&place, &[]).failed_with(&["out/ledger.jsonl: line 1 is no record of a batch"]);
}
