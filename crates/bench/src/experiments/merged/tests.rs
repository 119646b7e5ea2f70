//! Tests of merging what benches printed.

use super::*;
use crate::experiments::{Findings, Published};
use crate::{Figure, system_facts};
use std::fs;
use veloxel_gpu::Device;

/// A file as `veloxel bench --json` prints it.
fn file(folder: &Path, name: &str, bench: &str, ms: f64) -> PathBuf {
    let published =
        vec![Published { what: "64³".to_owned(), by: "C1060", value: 7.5, unit: "ms", place: "Table 9" }];
    let findings = Findings {
        system: system_facts(&Device::cpu(1).unwrap()),
        measured: vec![Figure::new("64³, GPU", ms, "ms"), Figure::new(format!("only {name}"), 1.0, "×")],
        published,
        not_measured: vec![NotMeasured::new("Figure 10", "there is no GPU here")],
    };
    let path = folder.join(name);
    let text = serde_json::to_string(&BTreeMap::from([(bench, findings)])).unwrap();
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn machines_stand_beside_each_other_and_beside_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.json", "b.json"].map(|name| file(folder.path(), name, "paper-a", name.len() as f64));
    let merged = MergedRuns::read(&paths, &[]).unwrap();
    let tables = merged.tables();
    let titles: Vec<&str> = tables.iter().map(|table| table.title.as_str()).collect();
    assert_eq!(titles, ["Systems", "paper-a", "Not measured"]);
    assert_eq!(tables[0].head, ["", "a", "b"]);
    let table = &tables[1];
    assert_eq!(table.head, ["", "unit", "a, measured", "b, measured", "C1060, published"]);
    assert_eq!(table.rows[0], ["64³, GPU", "ms", "6", "6", "7.5"]);
    assert_eq!(table.rows[1], ["only a.json", "×", "1", "–", "–"]);
    assert_eq!(table.rows[2], ["only b.json", "×", "–", "1", "–"]);
    assert_eq!(tables[2].rows, [["paper-a", "Figure 10", "there is no GPU here", "a, b"]]);
    let page = merged.html().unwrap();
    assert!(page.contains("C1060, published") && page.contains("only b.json"));
}

#[test]
fn a_published_figure_without_a_measured_one_is_a_row_of_its_own() {
    let mut sheet = Sheet::new("paper-a", vec!["a".to_owned()]);
    let figure = ReadFigure { what: "64³".to_owned(), value: None, unit: "×".to_owned() };
    sheet.add_measured(0, &[figure]);
    let published =
        ReadPublished { what: "64³".to_owned(), by: "C1060".to_owned(), value: 7.5, unit: "ms".to_owned() };
    sheet.add_published(&[published]);
    assert_eq!(sheet.table().rows, [["64³", "×", "–", "–"], ["64³", "ms", "–", "7.5"]]);
}

#[test]
fn another_file_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.json");
    for (text, expected) in
        [("[1, 2]", "bench --json"), ("{\"paper-a\": 3}", "bench --json"), ("{}", "nothing")]
    {
        fs::write(&path, text).unwrap();
        let error = MergedRuns::read(std::slice::from_ref(&path), &[]).unwrap_err().to_string();
        assert!(error.contains("other.json") && error.contains(expected) && !error.contains('\n'), "{error}");
    }
    let other = file(folder.path(), "d.json", "paper-d", 1.0);
    let error = MergedRuns::read(&[other], &["paper-a".to_owned()]).unwrap_err().to_string();
    assert!(error.contains("paper-d") && !error.contains('\n'), "{error}");
}
