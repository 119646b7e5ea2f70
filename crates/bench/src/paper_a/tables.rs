//! The experiments as tables for people, on a terminal or a page.

use super::components::{Component, LONG_MS};
use super::published::{self, of_size};
use super::runs::Time;
use super::settings::{FIGURE_ITERATIONS, ITERATIONS, TAPS, WARPS};
use super::systems::systems;
use super::{Measurement, PaperA, ways_tables};
use crate::experiments::{ExperimentTable, MachineRole, published_head};
use veloxel_report::number;

/// All tables that have a row.
pub(super) fn tables(result: &PaperA) -> Vec<ExperimentTable> {
    let all = [
        systems(result),
        whole_runs(result),
        warps(result),
        taps(result),
        components(result),
        ways_tables::ways(result),
        transfers(result),
        ways_tables::beside(result),
    ];
    all.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// The tables 2 and 3.
fn whole_runs(result: &PaperA) -> ExperimentTable {
    let (size, paper) = ("size".to_owned(), ["C1060", "GTX480"].map(published_head));
    let rows = result.measurements.iter().filter_map(|m| {
        let times = m.times(|measured| measured.whole);
        let published = of_size(m.size);
        let paper = [published.map(|row| row.c1060_speed_up()), published.map(|row| row.gtx480_speed_up())];
        let row =
            [format!("{}³", m.size)].into_iter().chain(cells(result, &times)).chain(paper.map(times_text));
        times.iter().any(Option::is_some).then(|| row.collect())
    });
    ExperimentTable {
        title: "Whole runs (Tables 2 and 3)".to_owned(),
        note: format!(
            "R = {WARPS} warps of {ITERATIONS} Jacobi iterations, {TAPS} taps, without transfers. A over B: how many times faster A is. The published columns are the paper's speed-ups over one thread, at most {}×.",
            published::HEADLINE
        ),
        head: [size].into_iter().chain(heads(result)).chain(paper).collect(),
        rows: rows.collect(),
        text_columns: 1,
    }
}

/// The table of Figure 5a.
fn warps(result: &PaperA) -> ExperimentTable {
    ExperimentTable {
        title: "Number of iterations (Figure 5a)".to_owned(),
        note: format!(
            "R warps of {FIGURE_ITERATIONS} Jacobi iterations, every time measured.{} The paper's figure (128³ and 256³) has no numbers; its text finds no noticeable change with R.",
            range_over_warps(result)
        ),
        ..varied(result, "R", &result.plan.warps, |measured, nth| measured.warps.get(nth).copied())
    }
}

/// The least and the greatest measured speed-up over all R, size by size, as sentences.
fn range_over_warps(result: &PaperA) -> String {
    let fastest = result.fastest();
    let sentence = |m: &Measurement| {
        let at = |nth: usize| {
            let times = m.times(|measured| measured.warps.get(nth).copied().map(Time::measured));
            ratio(&times, MachineRole::OneThread, fastest)
        };
        let ratios: Vec<f64> = (0..result.plan.warps.len()).filter_map(at).collect();
        let least = ratios.iter().copied().reduce(f64::min)?;
        let greatest = ratios.iter().copied().reduce(f64::max)?;
        let (least, greatest, name) = (number::text(least), number::text(greatest), fastest.name());
        Some(format!(" {}³, {name} over one thread: {least} to {greatest}×.", m.size))
    };
    result.measurements.iter().filter_map(sentence).collect()
}

/// The table of Figure 5b.
fn taps(result: &PaperA) -> ExperimentTable {
    ExperimentTable {
        title: "Size of the Gaussian kernel (Figure 5b)".to_owned(),
        note: format!(
            "R = {WARPS} warps of {FIGURE_ITERATIONS} iterations, every time measured; the paper's speed-ups grow with the kernel."
        ),
        ..varied(result, "taps", &result.plan.taps, |measured, nth| measured.taps.get(nth).copied())
    }
}

fn varied(
    result: &PaperA,
    name: &str,
    values: &[usize],
    ms: impl Fn(&super::Measured, usize) -> Option<f64>,
) -> ExperimentTable {
    let mut rows = Vec::new();
    for m in &result.measurements {
        for (nth, value) in values.iter().enumerate() {
            let times = m.times(|measured| ms(measured, nth).map(Time::measured));
            if times.iter().any(Option::is_some) {
                let labels = [format!("{}³", m.size), value.to_string()];
                rows.push(labels.into_iter().chain(cells(result, &times)).collect());
            }
        }
    }
    let head = ["size".to_owned(), name.to_owned()].into_iter().chain(heads(result)).collect();
    ExperimentTable { title: String::new(), note: String::new(), head, rows, text_columns: 1 }
}

/// The table of Figure 6.
fn components(result: &PaperA) -> ExperimentTable {
    let mut rows = Vec::new();
    for m in &result.measurements {
        for component in Component::ALL {
            let times = m.times(|measured| measured.costs.ms(component).map(Time::measured));
            if times.iter().any(Option::is_some) {
                let labels = [format!("{}³", m.size), component.name().to_owned()];
                rows.push(labels.into_iter().chain(cells(result, &times)).collect());
            }
        }
    }
    let head = ["size", "component"].map(str::to_owned).into_iter().chain(heads(result)).collect();
    ExperimentTable {
        title: "Components (Figure 6)".to_owned(),
        note: format!(
            "The paper's best on the C1060: the Gaussian about {}×, data generation and interpolation about {}×.",
            published::GAUSSIAN,
            published::INTERPOLATION
        ),
        head,
        rows,
        text_columns: 2,
    }
}

/// The table of Figure 7b.
fn transfers(result: &PaperA) -> ExperimentTable {
    let rows = result.measurements.iter().filter_map(|m| {
        let way = Transfers::of(m)?;
        let rate = |ms: f64| format!("{} GB/s", number::text(way.volume_bytes / ms / 1e6));
        let run = m.of(MachineRole::Gpu)?.whole;
        let one = m.of(MachineRole::OneThread).and_then(|measured| measured.whole);
        let share = run.map(|run| way.of_a_run_ms() / (way.of_a_run_ms() + run.ms));
        let with = run.zip(one).map(|(run, one)| one.ms / (run.ms + way.of_a_run_ms()));
        Some(vec![
            format!("{}³", m.size),
            number::duration(way.in_ms),
            rate(way.in_ms),
            number::duration(way.out_ms),
            rate(way.out_ms),
            share.map_or_else(dash, number::percent),
            times_text(with),
        ])
    });
    let head =
        ["size", "in", "rate in", "out", "rate out", "share of a run", "GPU over 1 thread, transfers in"];
    ExperimentTable {
        title: "Transfers (Figure 7b)".to_owned(),
        note: "One volume from the host's memory to the GPU's, and back; a run takes two in and three out."
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        text_columns: 1,
    }
}

/// Times of transfers between host and GPU.
pub(super) struct Transfers {
    pub in_ms: f64,
    pub out_ms: f64,
    pub volume_bytes: f64,
}

impl Transfers {
    pub fn of(m: &Measurement) -> Option<Self> {
        let costs = &m.of(MachineRole::Gpu)?.costs;
        Some(Self {
            in_ms: costs.ms(Component::TransferIn)?,
            out_ms: costs.ms(Component::TransferOut)?,
            volume_bytes: 4.0 * (m.size as f64).powi(3),
        })
    }
    /// Time of a run's transfers: both images in, a field of three components out.
    pub(crate) fn of_a_run_ms(&self) -> f64 {
        2.0 * self.in_ms + 3.0 * self.out_ms
    }
}

/// How everything was measured, and what was not.
pub(super) fn notes(result: &PaperA) -> Vec<String> {
    let machines = result.machines.iter().map(|m| format!("{}: {}.", m.role.name(), m.name));
    let all = || result.measurements.iter().flat_map(|m| m.by_role.iter().flatten());
    let scaled = all().any(|measured| measured.whole.is_some_and(|time| time.scaled)).then(|| {
        format!(
            "≈: a run above {}³ that would take more than {} s was measured with one warp of one iteration, and scaled to {ITERATIONS} iterations and all warps by what one iteration takes.",
            result.plan.measured_to, result.plan.longest_s
        )
    });
    let mut notes: Vec<String> = machines.collect();
    notes.push(format!(
        "Times are the middle of several after a warm-up, by the device's own clock; what takes more than {} s on a processor, and longer runs everywhere, count once.",
        LONG_MS / 1e3
    ));
    notes.push(
        "The paper does not say how often it iterated: its times cannot be compared with these, its speed-ups can."
            .to_owned(),
    );
    notes.extend(scaled);
    notes.extend(result.left_out.iter().map(|one| format!("Left out: {}: {}.", one.what, one.because)));
    notes
}

/// Names of the columns that [`cells`] fills.
fn heads(result: &PaperA) -> Vec<String> {
    let roles =
        MachineRole::ALL.into_iter().filter(|role| result.has(*role)).map(|role| role.name().to_owned());
    roles.chain(ratios(result).map(|(slow, fast)| format!("{} over {}", fast.name(), slow.name()))).collect()
}

/// Times of the machines that exist, and their ratios.
fn cells(result: &PaperA, times: &[Option<Time>; 3]) -> Vec<String> {
    let shown = MachineRole::ALL
        .into_iter()
        .filter(|role| result.has(*role))
        .map(|role| time_text(times[role as usize]));
    shown.chain(ratios(result).map(|(slow, fast)| times_text(ratio(times, slow, fast)))).collect()
}

/// The times that are compared: (slow, fast).
fn ratios(result: &PaperA) -> impl Iterator<Item = (MachineRole, MachineRole)> {
    let pairs = [
        (MachineRole::OneThread, MachineRole::AllThreads),
        (MachineRole::AllThreads, MachineRole::Gpu),
        (MachineRole::OneThread, MachineRole::Gpu),
    ];
    let gpu = result.has(MachineRole::Gpu);
    pairs.into_iter().filter(move |(_, fast)| gpu || *fast != MachineRole::Gpu)
}

/// The factor by which the fast one is faster.
pub(super) fn ratio(times: &[Option<Time>; 3], slow: MachineRole, fast: MachineRole) -> Option<f64> {
    Some(times[slow as usize]?.ms / times[fast as usize]?.ms)
}

pub(super) fn time_text(time: Option<Time>) -> String {
    match time {
        Some(Time { ms, scaled: true }) => format!("≈ {}", number::duration(ms)),
        Some(Time { ms, scaled: false }) => number::duration(ms),
        None => dash(),
    }
}

fn times_text(ratio: Option<f64>) -> String {
    ratio.map_or_else(dash, |ratio| format!("{}×", number::text(ratio)))
}

fn dash() -> String {
    "–".to_owned()
}
