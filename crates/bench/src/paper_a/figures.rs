//! Every result as a figure, for scripts.

use super::components::Component;
use super::published::{HEADLINE, TABLES};
use super::settings::{FIGURE_ITERATIONS, TAPS, WARPS};
use super::tables::ratio;
use super::{Measured, Measurement, PaperA, ways_tables};
use crate::Figure;
use crate::experiments::MachineRole;

pub(super) fn figures(result: &PaperA) -> Vec<Figure> {
    let mut figures = Vec::new();
    for m in &result.measurements {
        figures.extend(MachineRole::ALL.into_iter().flat_map(|role| of_role(result, m, role)));
        figures.extend(speed_ups(m));
    }
    figures.extend(headline(result));
    figures
}

/// Figures of the last size in a role; after the last machine, its speed-ups too.
pub(super) fn newest(result: &PaperA, role: MachineRole) -> Vec<Figure> {
    let Some(m) = result.measurements.last() else { return Vec::new() };
    let mut figures = of_role(result, m, role);
    if result.machines.last().is_some_and(|machine| machine.role == role) {
        figures.extend(speed_ups(m));
    }
    figures
}

fn of_role(result: &PaperA, m: &Measurement, role: MachineRole) -> Vec<Figure> {
    let Some(measured) = m.of(role) else { return Vec::new() };
    let place = format!("{}³, {}", m.size, role.name());
    let mut figures = runs(result, measured, &place);
    let costs = Component::ALL.into_iter().filter_map(|c| Some((c.name(), measured.costs.ms(c)?)));
    figures.extend(costs.map(|(name, ms)| Figure::new(format!("{place}: {name}"), ms, "ms")));
    if role == MachineRole::Gpu {
        figures.extend(ways_tables::figures(m));
    }
    figures
}

fn speed_ups(m: &Measurement) -> Vec<Figure> {
    let whole = m.times(|measured| measured.whole);
    let figure = |fast: MachineRole| {
        let name = format!("{}³, {} over 1 thread", m.size, fast.name());
        Some(Figure::new(name, ratio(&whole, MachineRole::OneThread, fast)?, "×"))
    };
    [MachineRole::AllThreads, MachineRole::Gpu].into_iter().filter_map(figure).collect()
}

fn runs(result: &PaperA, measured: &Measured, place: &str) -> Vec<Figure> {
    let whole = measured.whole.iter().map(|time| {
        let scaled = if time.scaled { ", scaled" } else { "" };
        Figure::new(format!("{place}: R {WARPS}, {TAPS} taps{scaled}"), time.ms, "ms")
    });
    let of_figure_5 = |warps: usize, taps: usize, ms: f64| {
        let name = format!("{place}: R {warps} of {FIGURE_ITERATIONS} iterations, {taps} taps");
        Figure::new(name, ms, "ms")
    };
    let warps =
        result.plan.warps.iter().zip(&measured.warps).map(|(&warps, &ms)| of_figure_5(warps, TAPS, ms));
    let taps = result.plan.taps.iter().zip(&measured.taps).map(|(&taps, &ms)| of_figure_5(WARPS, taps, ms));
    whole.chain(warps).chain(taps).collect()
}

/// The best speed-up at the paper's sizes against the paper's best, where its largest size was measured.
fn headline(result: &PaperA) -> Option<Figure> {
    let of_paper = result.measurements.iter().filter(|m| TABLES.iter().any(|row| row.size == m.size));
    let speed_ups: Vec<(usize, f64)> = of_paper
        .filter_map(|m| {
            Some((
                m.size,
                ratio(&m.times(|measured| measured.whole), MachineRole::OneThread, MachineRole::Gpu)?,
            ))
        })
        .collect();
    let largest = TABLES.iter().map(|row| row.size).max();
    speed_ups.iter().any(|(size, _)| Some(*size) == largest).then(|| {
        let best = speed_ups.iter().map(|(_, ratio)| *ratio).fold(0.0, f64::max);
        Figure::new("best of the paper's sizes, GPU over 1 thread", best, "×").at_least(HEADLINE)
    })
}
