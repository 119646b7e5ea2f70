//! The rows of docs/papers.md that are benches: what each of them says is measured, or the bench says why not.

use super::items;
use crate::workplace::Workplace;
use serde_json::Value;
use std::path::Path;

/// An item whose command is a bench, and how a figure's name begins or ends that shows it; `GPU:` before a text that stands among what
/// is not measured where there is no GPU.
const SHOWN: [[&str; 3]; 29] = [
    ["A", "Components", "48³, all threads: warp"],
    ["A", "Sizes to 525³", "75³, all threads: R 10, 15 taps"],
    ["A", "Whole runs over sizes", "50³, 1 thread: R 10, 15 taps"],
    ["A", "Speed-up over R", "48³, all threads: R 20 of 20 iterations, 15 taps"],
    ["A", "Speed-up over taps", "48³, all threads: R 10 of 20 iterations, 31 taps"],
    ["A", "Workgroup memory or none; transfers", "GPU:Figures 7a, 8 and 9"],
    ["A", "Concurrent kernels", "GPU:kernels side by side"],
    ["A", "Variants of memory", "GPU:Figures 7a, 8 and 9"],
    ["A", "ECC", "GPU:error correction (ECC)"],
    ["A", "Texture memory", "GPU:sections 4.4"],
    ["A", "Several architectures on one page", "merged"],
    ["A", "Several GPUs on one volume", "GPU:"],
    ["B", "Large pictures", "lucas-kanade (paper), 640×480, all threads"],
    ["B", "Run times with errors", "block-matching (paper), RubberWhale: end-point error"],
    ["B", "Distances over sizes of meshes", "all distances, cow, 5804 faces, dijkstra, 1 thread"],
    ["B", "Share of time in distances", "distances of cow, 1 thread"],
    ["C", "Times of a frame", "GD, a registration of the patient, all threads"],
    ["C", "6 slices × 19 frames of a patient", "LM, a registration of the patient, all threads"],
    ["C", "Cost that does not depend on the model", "time with 256 times the elements, all threads"],
    ["C", "36 patients on 25 frames", "largest of the mean curve, epicardium"],
    ["C", "The figure by finite elements in a bench", "epicardium, largest mean of a frame, from ED"],
    ["D", "Simplifications of the FPGA one by one", "all simplifications: angular error, model"],
    ["D", "Pictures of disparity and flow", "rubberwhale, τ_l 0.05: angular error, preset paper"],
    ["D", "Speed on six scales", "640 × 512, six scales: frames a second, all threads"],
    ["D", "Errors of features with their deviation", "orientation, deviation, preset hardware"],
    ["D", "Errors of flow", "yosemite, τ_l 0.5: angular error, preset accurate"],
    ["D", "Speed on one scale", "1280 × 1024, one scale: throughput, all threads"],
    ["D", "Time of each stage, traffic", "median filter: memory traffic, at least, all threads"],
    ["D", "Memory of the buffers", "1280 × 1024: the engine's buffers, this engine"],
];
/// Items of the fourth paper that are on the page, or among the published figures, of a bench that others of them show.
const BESIDE: [&str; 2] = ["All of it on one page", "Columns of the FPGA"];

#[test]
fn every_row_that_is_a_bench_has_a_figure_that_shows_it() {
    let benches = items().into_iter().filter(|item| item.command.first().is_some_and(|word| word == "bench"));
    let shown = |paper: &str, name: &str| {
        SHOWN.iter().any(|[p, n, _]| [*p, *n] == [paper, name]) || paper == "D" && BESIDE.contains(&name)
    };
    let names: Vec<_> = benches.map(|item| (item.paper, item.name)).collect();
    assert_eq!(names.len(), SHOWN.len() + BESIDE.len());
    for (paper, name) in names {
        assert!(shown(paper, name), "{paper}, {name}");
    }
}

#[test]
#[ignore = "slow: two minutes of benches"]
fn benches_measure_what_their_rows_say_data() {
    let data = std::env::var_os("VELOXEL_DATA").expect("VELOXEL_DATA should name the data folder");
    let place = Workplace::new();
    for paper in ["a", "b", "c", "d"] {
        let (name, page) = (format!("paper-{paper}"), format!("{paper}.html"));
        let bench = ["bench", &name, "--quick", "--json", "--html", &page, "--device", "cpu"];
        let run = place.run_over(Path::new(&data), &bench);
        // Bars on times are missed beside other programs; figures are printed all the same.
        let printed: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{name}: {}", run.stderr));
        let names = |list: &str| -> Vec<String> {
            let all = printed[&name][list].as_array().into_iter().flatten();
            all.filter_map(|one| Some(one["what"].as_str()?.to_owned())).collect()
        };
        let (measured, missing) = (names("measured"), names("not_measured"));
        for [_, item, figure] in SHOWN.iter().filter(|[p, ..]| p.eq_ignore_ascii_case(paper)) {
            let is_there = match figure.strip_prefix("GPU:") {
                Some(why) => missing.iter().any(|what| what.contains(why)),
                None => *figure == "merged" || measured.iter().any(|what| what == figure),
            };
            assert!(is_there, "{name}: {item}: {figure} is not among {measured:?} and {missing:?}");
        }
        assert!(std::fs::read_to_string(place.path(&page)).is_ok_and(|page| page.contains("<svg")), "{page}");
    }
}
