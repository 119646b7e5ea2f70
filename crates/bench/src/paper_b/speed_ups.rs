//! The speed-ups of Figure 7, mesh by mesh, beside those that the paper names.

use super::PaperB;
use super::distances::{DistanceTime, Version};
use crate::Figure;
use crate::experiments::{ExperimentTable, MachineRole, Published};
use veloxel_mesh::DistanceMethod;
use veloxel_report::number;

/// The paper's GPU of Figure 7.
const GTX_480: &str = "GTX 480";
/// The paper's speed-ups of its best GPU version over one thread: the least and the greatest.
const PUBLISHED_OVER_ONE: [f64; 2] = [12.0, 17.0];
/// The paper's speed-up of its best GPU version over all threads.
const PUBLISHED_OVER_ALL: f64 = 3.0;

/// The paper's speed-ups.
pub(super) fn published_speed_ups() -> impl Iterator<Item = Published> {
    let [low, high] = PUBLISHED_OVER_ONE;
    [
        ("Floyd–Warshall, GPU over Dijkstra, 1 thread: the least", low),
        ("Floyd–Warshall, GPU over Dijkstra, 1 thread: the greatest", high),
        ("Floyd–Warshall, GPU over Dijkstra, all threads", PUBLISHED_OVER_ALL),
    ]
    .map(|(what, value)| Published {
        what: what.to_owned(),
        by: GTX_480,
        value,
        unit: "×",
        place: "Figure 7",
    })
    .into_iter()
}

impl PaperB {
    /// Speed-ups of the better of both Floyd–Warshalls and of dissection, on the fastest machine, over Dijkstra on one thread
    /// and on all; in this order.
    fn speed_ups(&self, of: &DistanceTime) -> [Option<f64>; 4] {
        let fastest = self.fastest();
        let ms = |method, role| self.ms(of, Version { method, role });
        let matrices = [DistanceMethod::FloydWarshall, DistanceMethod::FloydWarshallUndirected];
        let matrix = matrices.into_iter().filter_map(|method| ms(method, fastest)).reduce(f64::min);
        let dissection = ms(DistanceMethod::Dissection, fastest);
        let [one, all] =
            [MachineRole::OneThread, MachineRole::AllThreads].map(|role| ms(DistanceMethod::Dijkstra, role));
        let over = |fast: Option<f64>, slow: Option<f64>| Some(slow? / fast?);
        [over(matrix, one), over(matrix, all), over(dissection, one), over(dissection, all)]
    }

    fn speed_up_names(&self) -> [String; 4] {
        let fastest = self.fastest().name();
        let name = |method: &str, slow: &str| format!("{method}, {fastest} over Dijkstra, {slow}");
        [
            name("Floyd–Warshall", "1 thread"),
            name("Floyd–Warshall", "all threads"),
            name("dissection", "1 thread"),
            name("dissection", "all threads"),
        ]
    }

    /// Speed-ups as figures.
    pub(super) fn speed_up_figures(&self) -> impl Iterator<Item = Figure> {
        let of = |time: &DistanceTime| {
            let ratios = self.speed_up_names().into_iter().zip(self.speed_ups(time));
            let what = |name: String| format!("all distances, {}, {} faces: {name}", time.mesh, time.nodes);
            ratios.filter_map(|(name, ratio)| Some(Figure::new(what(name), ratio?, "×"))).collect::<Vec<_>>()
        };
        self.times_of(self.versions()[0]).flat_map(of)
    }

    /// Speed-ups as a table, the paper's below.
    pub(super) fn speed_up_table(&self) -> ExperimentTable {
        let dash = || "–".to_owned();
        let cell = |ratio: Option<f64>| ratio.map_or_else(dash, |ratio| format!("{}×", number::text(ratio)));
        let row = |time: &DistanceTime| {
            let ratios = self.speed_ups(time).map(cell);
            [time.mesh.clone(), time.nodes.to_string()].into_iter().chain(ratios).collect()
        };
        let [low, high] = PUBLISHED_OVER_ONE;
        let (over_one, over_all) = (format!("{low} to {high}×"), format!("{PUBLISHED_OVER_ALL}×"));
        let paper = vec![format!("{GTX_480}, published"), dash(), over_one, over_all, dash(), dash()];
        ExperimentTable {
            title: "Speed-ups of all distances (Figure 7)".to_owned(),
            note: "The better of both Floyd–Warshalls, and dissection, over repeated Dijkstra. The last row is the paper's, on meshes of its own."
                .to_owned(),
            head: ["mesh", "faces"].map(str::to_owned).into_iter().chain(self.speed_up_names()).collect(),
            rows: self.times_of(self.versions()[0]).map(row).chain([paper]).collect(),
            text_columns: 1,
        }
    }
}
