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

#[test]
fn figures_over_sizes_are_curves_of_every_machine_and_of_the_paper() {
    let mut sheet = Sheet::new("paper-a", vec!["a".to_owned(), "b".to_owned()]);
    let figure = |size: usize, role: &str, ms: f64| ReadFigure {
        what: format!("{size}³{role}: warp"),
        value: Some(ms),
        unit: "ms".to_owned(),
    };
    let sizes = [128, 32, 64];
    let on_a = sizes.map(|size| figure(size, ", GPU", size as f64));
    let on_b = sizes.map(|size| figure(size, ", 1 thread", 100.0 * size as f64));
    sheet.add_measured(0, &on_a);
    sheet.add_measured(0, &[figure(256, ", 1 thread", 1.0)]);
    sheet.add_measured(1, &on_b);
    let published = |size: usize| ReadPublished {
        what: format!("{size}³: warp"),
        by: "C1060".to_owned(),
        value: 2.0 * size as f64,
        unit: "ms".to_owned(),
    };
    sheet.add_published(&[published(64), published(50)]);
    let plots = curves::plots(&sheet);
    assert_eq!(plots.len(), 1);
    assert_eq!((plots[0].title.as_str(), plots[0].y_label.as_str()), ("N³: warp", "ms"));
    let names: Vec<&str> = plots[0].series.iter().map(|curve| curve.name.as_str()).collect();
    assert_eq!(names, ["a, 1 thread", "a, GPU", "b, 1 thread", "C1060, published"]);
    assert_eq!(plots[0].series[1].points, [(32.0, 32.0), (64.0, 64.0), (128.0, 128.0)]);
    assert_eq!(plots[0].series[3].points, [(50.0, 100.0), (64.0, 128.0)]);
}

#[test]
fn two_sizes_are_no_curve() {
    let mut sheet = Sheet::new("paper-a", vec!["a".to_owned()]);
    let figure =
        |size: usize| ReadFigure { what: format!("{size}³: warp"), value: Some(1.0), unit: "ms".to_owned() };
    sheet.add_measured(0, &[figure(32), figure(64)]);
    assert!(curves::plots(&sheet).is_empty());
}
