//! Runs of several machines on one page.

use crate::workplace::Workplace;

/// A file as `veloxel bench paper-a --json` prints it.
pub(super) fn printed(processor: &str, ms: f64) -> String {
    format!(
        r#"{{"paper-a": {{
            "system": [{{"what": "host processor", "value": "{processor}"}}],
            "measured": [{{"what": "50³, GPU over 1 thread", "value": {ms}, "unit": "×", "bar": null, "reached": null}}],
            "published": [{{"what": "50³, GPU over 1 thread", "by": "C1060", "value": 14.8, "unit": "×", "place": "Tables 2 and 3"}}]
        }}}}"#
    )
}

#[test]
fn machines_stand_beside_each_other() {
    let place = Workplace::new();
    place.write("a.json", printed("Alpha", 100.0));
    place.write("b.json", printed("Beta", 200.0));
    let job = ["bench", "paper-a", "--merge", "a.json", "b.json", "--html", "page.html"];
    let run = place.run(&job).succeeded();
    for text in ["Alpha", "Beta", "a, measured", "b, measured", "C1060, published", "14.8", "100", "200"] {
        assert!(run.stdout.contains(text), "{text}: {}", run.stdout);
    }
    let page = std::fs::read_to_string(place.path("page.html")).expect("a page");
    assert!(page.contains("Alpha") && page.contains("C1060, published"));
}

#[test]
fn what_cannot_be_merged_is_one_line() {
    let place = Workplace::new();
    place.write("a.json", printed("Alpha", 100.0));
    place.write("other.json", "[1, 2]");
    place.run(&["bench", "--merge", "a.json", "other.json"]).failed_with(&["other.json", "bench --json"]);
    place.run(&["bench", "--merge", "a.json", "none.json"]).failed_with(&["none.json"]);
    place.run(&["bench", "paper-d", "--merge", "a.json"]).failed_with(&["a.json", "paper-a"]);
    let run = place.run(&["bench", "--merge", "a.json", "--html", "a.json"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(std::fs::read_to_string(place.path("a.json")).expect("the run").contains("Alpha"));
}
