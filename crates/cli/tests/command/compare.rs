//! Every method on one pair, side by side.

use crate::workplace::{Workplace, small_volume};
use veloxel_core::{Flow, Grid, Volume};

const PAIR: [&str; 5] = ["compare", "a.mha", "b.mha", "-o", "page.html"];

#[test]
fn pictures_are_compared_with_the_truth_on_one_page() {
    let place = Workplace::new();
    let grid = Grid::image(48, 40).expect("a grid");
    let texture = |shift: f64| {
        Volume::from_fn(grid.clone(), |[x, y, _]| {
            let (x, y) = (x as f64 - shift, y as f64);
            ((0.7 * x).sin() + (0.5 * y + 0.3 * x).cos() + (0.9 * y).sin()) as f32
        })
    };
    place.write_image("a.mha", &texture(0.0));
    place.write_image("b.mha", &texture(0.5));
    let truth = vec![vec![0.5; grid.len()], vec![0.0; grid.len()]];
    let truth = Flow::new(grid, truth).expect("a field");
    veloxel_io::write_flow(place.path("truth.flo"), &truth).expect("a field is written");
    let more = ["--truth", "truth.flo", "--report", "r.json", "--device", "cpu"];
    let run = place.run(&[&PAIR[..], &more, &["--method", "clg:fast", "--method", "phase"]].concat());
    let text = run.succeeded().stdout;
    for words in ["clg, fast", "phase, accurate", "end-point error, px", "page.html"] {
        assert!(text.contains(words), "{text}");
    }
    let report = std::fs::read_to_string(place.path("r.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let error = report["runs"][0]["pair"]["error"]["end_point_vox"]["mean"].as_f64().expect("an error");
    assert!(error < 0.1, "{error}");
    let page = std::fs::read_to_string(place.path("page.html")).expect("a page");
    let hidden = report["runs"][0]["occluded_share"].as_f64().expect("both directions");
    assert!(hidden < 0.2 && page.contains("Occlusion"), "{hidden}");
    assert!(page.contains("True motion"));
    // A column for each method, its error among the rows, and the parameters beside each other.
    for kind in
        ["Motion", "End-point error", "Difference from the first field", "Difference after", "Confidence"]
    {
        let panel = page.split(&format!("<h3>{kind}</h3>")).nth(1).unwrap_or_else(|| panic!("no {kind}"));
        let panel = panel.split("</figure>").next().unwrap_or_default();
        for name in ["clg, fast", "phase, accurate"] {
            assert_eq!(
                panel.matches(&format!("<div class=\"picture-label\">{name}</div>")).count(),
                1,
                "{kind}"
            );
        }
    }
    let parameters = page.split("All parameters, side by side").nth(1).expect("parameters");
    assert!(parameters.contains("<th class=\"number\">phase, accurate</th>") && parameters.contains("alpha"));
}

#[test]
fn a_slider_hides_what_is_less_certain() {
    let place = Workplace::new();
    place.run(&["phantom", "sinusoid", "--size", "96,80", "-o", "pair"]).succeeded();
    let images = ["compare", "pair/fixed.tif", "pair/moving.tif", "--truth", "pair/truth.flo"];
    let methods = ["--method", "lucas-kanade:paper", "--method", "clg:fast", "-o", "page.html", "-q"];
    place.run(&[&images[..], &methods].concat()).succeeded();
    let Some(noted) = crate::segment::notes_of(&place, "page.html") else { return };
    // Motion, error, difference from the first field and of the images: of each method, but for the first field's from itself.
    assert_eq!(["masked", "unmasked"].map(&noted), ["7", "0"]);
    let shares: Vec<f64> = noted("labels")
        .split("; ")
        .map(|label| label.rsplit(": ").next()?.strip_suffix(" % shown")?.parse().ok())
        .map(|share| share.unwrap_or_else(|| panic!("a share: {}", noted("labels"))))
        .collect();
    assert_eq!(shares.len(), 2);
    assert!(shares.iter().all(|share| (10.0..100.0).contains(share)), "{shares:?}");
}

#[test]
fn methods_that_cannot_take_volumes_are_left_out_with_their_reason() {
    let place = Workplace::new();
    let phantom = small_volume();
    place.write_image("a.mha", &phantom.fixed);
    place.write_image("b.mha", &phantom.moving);
    let more = ["--device", "cpu", "--method", "clg:realtime", "--method", "phase"];
    let run = place.run(&[&PAIR[..], &more].concat()).succeeded();
    assert!(run.stdout.contains("left out: phase"), "{}", run.stdout);
    assert_eq!(place.run(&[&PAIR[..], &["--method", "clg:best"]].concat()).code, Some(2));
    place.run(&["compare", "a.mha", "none.mha", "-o", "p.html"]).failed_with(&["none.mha"]);
}
