//! The experiments as tables for people, on a terminal or a page.

use super::{GTX_260, LONG_MS, PaperB, WAYS, Way};
use crate::experiments::{ExperimentTable, MachineRole, published_head};
use veloxel_report::number;

/// One table for each way, and the one of distances.
pub(super) fn tables(result: &PaperB) -> Vec<ExperimentTable> {
    let ways = WAYS.into_iter().map(|way| table(result, way));
    ways.chain([result.distance_table(), result.speed_up_table()]).chain(result.share_table()).collect()
}

fn table(result: &PaperB, way: Way) -> ExperimentTable {
    let fastest = result.fastest();
    let dash = || "–".to_owned();
    let row = |m: &super::Measurement| {
        let time = |role: MachineRole| m.ms[role as usize].map_or_else(dash, number::duration);
        let speed_up = m.ms[MachineRole::OneThread as usize].zip(m.ms[fastest as usize]);
        let rate = m.ms[fastest as usize].map(|ms| number::text(1e3 / ms));
        let [nx, ny] = m.size;
        [m.name.clone(), format!("{nx}×{ny}"), number::text(m.error_px)]
            .into_iter()
            .chain(result.roles().map(time))
            .chain([
                speed_up.map_or_else(dash, |(slow, fast)| format!("{}×", number::text(slow / fast))),
                rate.unwrap_or_else(dash),
                way.published_ms(m.size).map_or_else(dash, number::duration),
            ])
            .collect()
    };
    let head = ["pictures", "size", "error, px"]
        .map(str::to_owned)
        .into_iter()
        .chain(result.roles().map(|role| role.name().to_owned()))
        .chain([
            format!("{} over {}", fastest.name(), MachineRole::OneThread.name()),
            format!("pairs a second, {}", fastest.name()),
            published_head(GTX_260),
        ]);
    ExperimentTable {
        title: format!("{}: {} levels", way.name(), way.levels),
        note: "A pair that is on the device already, the flow left there (Figures 3 to 5); the mean end-point error of Middlebury's pairs and of phantoms."
            .to_owned(),
        head: head.collect(),
        rows: result.of(way).map(row).collect(),
        text_columns: 2,
    }
}

/// How everything was measured.
pub(super) fn notes(result: &PaperB) -> Vec<String> {
    let machines = result.machines.iter().map(|m| format!("{}: {}.", m.role.name(), m.name));
    let how = format!(
        "Times are the middle of several after a warm-up; runs of more than {} s count once.",
        LONG_MS / 1e3
    );
    machines.chain([how]).collect()
}
