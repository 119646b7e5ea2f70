//! The experiments as plots on a page.

use super::components::Component;
use super::published::{HEADLINE, PublishedRow, TABLES};
use super::runs::Time;
use super::settings::{ITERATIONS, TAPS, WARPS, X_LABEL};
use super::tables::{Transfers, notes, ratio, tables, time_text};
use super::{Measured, Measurement, PaperA, ways_tables};
use crate::BenchError;
use crate::experiments::{
    ExperimentTable, Experiments, MachineRole, machines_section, not_measured_section, published_head,
};
use veloxel_report::number;
use veloxel_report::page::{Headline, Page, Plots, Section, TimeBar};
use veloxel_report::svg_plot::{Ink, Line, LinePlot, Scale, Series};

/// Number of rows above which a table is folded.
const ROWS_SHOWN: usize = 16;

pub(super) fn html(result: &PaperA) -> Result<String, BenchError> {
    let mut how = Section::new("How it was measured");
    // The machines stand at the top already.
    how.notes = notes(result).split_off(result.machines.len());

    let mut sections = vec![machines_section(&result.machines)];
    let mut add = |title: &str, plots: Vec<LinePlot>, bars: Vec<TimeBar>| {
        let table = tables(result).into_iter().find(|table| table.title.contains(title));
        sections.extend(table.map(|table| section(table, plots, bars)));
    };
    add("Table 1", Vec::new(), Vec::new());
    add("Tables 2", whole_runs(result), Vec::new());
    add("Figure 5a", varied(result, "R", &result.plan.warps, |m| &m.warps), Vec::new());
    add("Figure 5b", varied(result, "taps", &result.plan.taps, |m| &m.taps), Vec::new());
    add("Figure 6", components(result), bars(result));
    add(ways_tables::WAYS, ways_tables::plots(result), Vec::new());
    add("Figure 7b", transfers(result), Vec::new());
    add(ways_tables::BESIDE, Vec::new(), Vec::new());
    sections.push(not_measured_section(&result.not_measured()));
    sections.push(how);

    let title = "GPUs for motion estimation: the paper's experiments on this machine";
    let paper = "Thiyagalingam, Goodman, Schnabel, Trefethen, Grau, Int. J. Biomedical Imaging 2011";
    let mut page = Page::new(title, paper);
    (page.cards, page.sections) = (cards(result), sections);
    Ok(page.to_html()?)
}

fn section(table: ExperimentTable, plots: Vec<LinePlot>, bars: Vec<TimeBar>) -> Section {
    let mut section = Section::new(table.title.clone());
    (section.lead, section.plots, section.bars) = (table.note.clone(), Plots::of(plots), bars);
    if table.rows.len() > ROWS_SHOWN {
        section.folded = format!("All {} rows in numbers", table.rows.len());
    }
    section.table = Some(table.into());
    section
}

fn whole_times(m: &Measurement) -> [Option<Time>; 3] {
    m.times(|measured| measured.whole)
}

/// The largest of the paper's sizes with a whole run, or else the largest.
fn shown(result: &PaperA) -> Option<&Measurement> {
    let with_run =
        || result.measurements.iter().filter(|m| whole_times(m)[result.fastest() as usize].is_some());
    let mut of_paper = with_run().filter(|m| TABLES.iter().any(|row| row.size == m.size));
    of_paper.next_back().or_else(|| with_run().next_back())
}

fn cards(result: &PaperA) -> Vec<Headline> {
    let Some(m) = shown(result) else { return Vec::new() };
    let (times, fastest) = (whole_times(m), result.fastest());
    let speed_up = |slow, fast| ratio(&times, slow, fast).map(number::text);
    let mut cards = Vec::new();
    if let Some(value) = speed_up(MachineRole::OneThread, fastest) {
        let note = format!("{}³; the paper's best: {HEADLINE}×", m.size);
        cards.push(Headline::new(format!("{} over one thread", fastest.title()), value, "×", note));
    }
    if let Some(value) = speed_up(MachineRole::AllThreads, MachineRole::Gpu) {
        cards.push(Headline::new("GPU over all threads", value, "×", format!("{}³", m.size)));
        if let Some(value) = speed_up(MachineRole::OneThread, MachineRole::AllThreads) {
            cards.push(Headline::new("All threads over one", value, "×", format!("{}³", m.size)));
        }
    }
    let text = time_text(times[fastest as usize]);
    let one = time_text(times[MachineRole::OneThread as usize]);
    let note = format!("{}³, R = {WARPS} × {ITERATIONS} iterations; one thread: {one}", m.size);
    cards.push(Headline::new(format!("A run on {}", fastest.name()), text, "", note));
    if let Some((way, run)) = Transfers::of(m).zip(times[MachineRole::Gpu as usize]) {
        let share = way.of_a_run_ms() / (way.of_a_run_ms() + run.ms);
        let note = "of a run, two volumes in and three out".to_owned();
        cards.push(Headline::new("Transfers", number::percent(share), "", note));
    }
    cards
}

fn curve(name: &str, ink: usize, line: Line, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.to_owned(), ink: Ink::Numbered(ink), line, points }
}

/// A value of every size that has it.
fn over_sizes(result: &PaperA, value: impl Fn(&Measurement) -> Option<f64>) -> Vec<(f64, f64)> {
    result.measurements.iter().filter_map(|m| Some((m.size as f64, value(m)?))).collect()
}

fn published(value: impl Fn(&PublishedRow) -> f64) -> Vec<(f64, f64)> {
    TABLES.iter().map(|row| (row.size as f64, value(row))).collect()
}

fn whole_runs(result: &PaperA) -> Vec<LinePlot> {
    let roles = MachineRole::ALL.into_iter().filter(|role| result.has(*role));
    let times = roles.clone().map(|role| {
        let points = over_sizes(result, |m| Some(1e-3 * whole_times(m)[role as usize]?.ms));
        curve(role.name(), ink(role), Line::Dotted, points)
    });
    let speed_ups = roles.filter(|role| *role != MachineRole::OneThread).map(|role| {
        let points = over_sizes(result, |m| ratio(&whole_times(m), MachineRole::OneThread, role));
        curve(role.name(), ink(role), Line::Dotted, points)
    });
    let paper = [
        curve(&published_head("C1060"), 4, Line::Dashed, published(PublishedRow::c1060_speed_up)),
        curve(&published_head("GTX480"), 3, Line::Dashed, published(PublishedRow::gtx480_speed_up)),
    ];
    vec![
        LinePlot {
            title: "Time of a run".into(),
            x_label: X_LABEL.into(),
            y_label: "seconds".into(),
            y_scale: Scale::Logarithmic,
            series: times.collect(),
            ..LinePlot::default()
        },
        LinePlot {
            title: "Speed-up over one thread".into(),
            x_label: X_LABEL.into(),
            y_label: "×".into(),
            y_scale: Scale::Logarithmic,
            series: speed_ups.chain(paper).collect(),
            ..LinePlot::default()
        },
    ]
}

/// The colour of a machine, the same in all plots.
fn ink(role: MachineRole) -> usize {
    match role {
        MachineRole::Gpu => 0,
        MachineRole::OneThread => 5,
        MachineRole::AllThreads => 2,
    }
}

/// Plots of Figure 5: times and speed-ups over one quantity, a curve for each size.
fn varied(
    result: &PaperA,
    name: &str,
    values: &[usize],
    times_ms: impl Fn(&Measured) -> &Vec<f64>,
) -> Vec<LinePlot> {
    let fastest = result.fastest();
    let sizes: Vec<_> =
        result.measurements.iter().filter(|m| result.plan.figure_sizes.contains(&m.size)).collect();
    let curves = |value: &dyn Fn(&[Option<Time>; 3]) -> Option<f64>| -> Vec<Series> {
        let of_size = |(nth, m): (usize, &&Measurement)| {
            let at =
                |k: usize| value(&m.times(|measured| times_ms(measured).get(k).copied().map(Time::measured)));
            let points = values.iter().enumerate().filter_map(|(k, &x)| Some((x as f64, at(k)?))).collect();
            curve(&format!("{}³", m.size), nth, Line::Dotted, points)
        };
        sizes.iter().enumerate().map(of_size).collect()
    };
    let x_label = if name == "R" { "R, warps" } else { "width of the kernel, taps" };
    let plot = |title: String, y_label: &str, series| LinePlot {
        title,
        x_label: x_label.into(),
        y_label: y_label.into(),
        series,
        y_include: vec![0.0],
        ..LinePlot::default()
    };
    vec![
        plot(
            format!("{} over one thread", fastest.title()),
            "×",
            curves(&|times| ratio(times, MachineRole::OneThread, fastest)),
        ),
        plot(
            format!("Time of a run on {}", fastest.name()),
            "seconds",
            curves(&|times| times[fastest as usize].map(|time| 1e-3 * time.ms)),
        ),
    ]
}

fn components(result: &PaperA) -> Vec<LinePlot> {
    let fastest = result.fastest();
    let ms = |m: &Measurement, role: MachineRole, component| {
        m.of(role).and_then(|measured| measured.costs.ms(component))
    };
    let curves = |value: &dyn Fn(&Measurement, Component) -> Option<f64>| -> Vec<Series> {
        let component = |(nth, component): (usize, Component)| {
            curve(component.name(), nth, Line::Dotted, over_sizes(result, |m| value(m, component)))
        };
        Component::COMPUTED.into_iter().enumerate().map(component).collect()
    };
    let plot = |title: String, y_label: &str, series| LinePlot {
        title,
        x_label: X_LABEL.into(),
        y_label: y_label.into(),
        y_scale: Scale::Logarithmic,
        series,
        ..LinePlot::default()
    };
    vec![
        plot(
            format!("{} over one thread", fastest.title()),
            "×",
            curves(&|m, component| {
                Some(ms(m, MachineRole::OneThread, component)? / ms(m, fastest, component)?)
            }),
        ),
        plot(
            format!("Time on {}", fastest.name()),
            "milliseconds",
            curves(&|m, component| ms(m, fastest, component)),
        ),
    ]
}

/// How the time of a run is divided, machine by machine.
fn bars(result: &PaperA) -> Vec<TimeBar> {
    let Some(m) = shown(result) else { return Vec::new() };
    let bar = |role: MachineRole| {
        let measured = m.of(role)?;
        let whole = measured.whole?.ms;
        let part = |component, times: usize| measured.costs.ms(component).map(|ms| times as f64 * ms);
        let solver = part(Component::Iteration, WARPS * ITERATIONS)?;
        let (tensor, warp) = (part(Component::Tensor, WARPS)?, part(Component::Warp, WARPS)?);
        let rest = (whole - solver - tensor - warp).max(0.0);
        let parts = [("solver", solver), ("motion tensor", tensor), ("warps", warp), ("the rest", rest)];
        let total: f64 = parts.iter().map(|part| part.1).sum();
        let share =
            |(name, ms): (&str, f64)| (name.to_owned(), number::percent(ms / total), 100.0 * ms / total);
        Some(TimeBar {
            title: format!("{}³ on {}, {TAPS} taps: {}", m.size, role.name(), time_text(measured.whole)),
            parts: parts.into_iter().map(share).collect(),
        })
    };
    MachineRole::ALL.into_iter().filter_map(bar).collect()
}

fn transfers(result: &PaperA) -> Vec<LinePlot> {
    let rate = |ms: fn(&Transfers) -> f64| {
        over_sizes(result, |m| Transfers::of(m).map(|way| way.volume_bytes / ms(&way) / 1e6))
    };
    let with = |m: &Measurement| {
        let times = whole_times(m);
        let gpu_ms = times[MachineRole::Gpu as usize]?.ms + Transfers::of(m)?.of_a_run_ms();
        Some(times[MachineRole::OneThread as usize]?.ms / gpu_ms)
    };
    let without = |m: &Measurement| ratio(&whole_times(m), MachineRole::OneThread, MachineRole::Gpu);
    vec![
        LinePlot {
            title: "Rate of transfers".into(),
            x_label: X_LABEL.into(),
            y_label: "GB/s".into(),
            series: vec![
                curve("host to GPU", 0, Line::Dotted, rate(|way| way.in_ms)),
                curve("GPU to host", 1, Line::Dotted, rate(|way| way.out_ms)),
            ],
            y_include: vec![0.0],
            ..LinePlot::default()
        },
        LinePlot {
            title: "Speed-up over one thread".into(),
            x_label: X_LABEL.into(),
            y_label: "×".into(),
            series: vec![
                curve("computing", 0, Line::Dotted, over_sizes(result, without)),
                curve("with transfers", 1, Line::Dotted, over_sizes(result, with)),
            ],
            y_include: vec![0.0],
            ..LinePlot::default()
        },
    ]
}
