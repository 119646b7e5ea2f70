//! Every result as a figure, for scripts.

use super::components::Component;
use super::published::{HEADLINE, TABLES};
use super::runs::{TAPS, Time, WARPS};
use super::tables::ratio;
use super::{Measured, PaperA, Role};
use crate::bench::Figure;

pub(super) fn figures(result: &PaperA) -> Vec<Figure> {
    let mut figures = Vec::new();
    for m in &result.measurements {
        for role in Role::ALL {
            if let Some(measured) = m.of(role) {
                let place = format!("{}³, {}", m.size, role.name());
                figures.extend(runs(result, measured, &place));
                let costs =
                    Component::ALL.into_iter().filter_map(|c| Some((c.name(), measured.costs.ms(c)?)));
                figures.extend(costs.map(|(name, ms)| Figure::new(format!("{place}: {name}"), ms, "ms")));
            }
        }
        let whole = m.times(|measured| measured.whole);
        for fast in [Role::AllThreads, Role::Gpu] {
            let speed_up = ratio(&whole, (Role::OneThread, fast));
            let name = format!("{}³, {} over 1 thread", m.size, fast.name());
            figures.extend(speed_up.map(|ratio| Figure::new(name, ratio, "×")));
        }
    }
    figures.extend(headline(result));
    figures
}

fn runs(result: &PaperA, measured: &Measured, place: &str) -> Vec<Figure> {
    let figure = |(warps, taps): (usize, usize), time: &Time| {
        let scaled = if time.scaled { ", scaled" } else { "" };
        Figure::new(format!("{place}: R {warps}, {taps} taps{scaled}"), time.ms, "ms")
    };
    let whole = measured.whole.iter().map(|time| figure((WARPS, TAPS), time));
    let warps =
        result.plan.warps.iter().zip(&measured.warps).map(|(&warps, time)| figure((warps, TAPS), time));
    let taps = result.plan.taps.iter().zip(&measured.taps).map(|(&taps, time)| figure((WARPS, taps), time));
    whole.chain(warps).chain(taps).collect()
}

/// The best speed-up at the paper's sizes against the paper's best, where its largest size was measured.
fn headline(result: &PaperA) -> Option<Figure> {
    let of_paper = result.measurements.iter().filter(|m| TABLES.iter().any(|row| row.size == m.size));
    let speed_ups: Vec<(usize, f64)> = of_paper
        .filter_map(|m| {
            Some((m.size, ratio(&m.times(|measured| measured.whole), (Role::OneThread, Role::Gpu))?))
        })
        .collect();
    let largest = TABLES.iter().map(|row| row.size).max();
    speed_ups.iter().any(|(size, _)| Some(*size) == largest).then(|| {
        let best = speed_ups.iter().map(|(_, ratio)| *ratio).fold(0.0, f64::max);
        Figure::new("best of the paper's sizes, GPU over 1 thread", best, "×").at_least(HEADLINE)
    })
}
