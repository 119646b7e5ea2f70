//! The experiments as plots on a page.

use super::{GTX_260, PUBLISHED, PaperB, WAYS, Way};
use crate::BenchError;
use crate::experiments::{
    ExperimentTable, Experiments, MachineRole, machines_section, not_measured_section, published_head,
};
use veloxel_report::number;
use veloxel_report::page::{Headline, Page, Plots, Section};
use veloxel_report::svg_plot::{Ink, Line, LinePlot, Scale, Series};

pub(super) fn html(result: &PaperB) -> Result<String, BenchError> {
    let mut all = Section::new("All ways beside each other");
    all.plots = Plots::of(vec![beside_each_other(result)]);
    let mut sections = vec![machines_section(&result.machines), all];
    for (way, table) in WAYS.into_iter().zip(result.tables()) {
        sections.push(section(table, vec![times(result, way), speed_ups(result, way)]));
    }
    sections.push(section(result.distance_table(), vec![result.distance_plot()]));
    sections.push(section(result.speed_up_table(), Vec::new()));
    sections.extend(result.share_table().map(|table| section(table, Vec::new())));
    sections.push(not_measured_section(&result.not_measured()));
    let mut how = Section::new("How it was measured");
    how.notes = result.notes().split_off(result.machines.len());
    sections.push(how);
    let title = "Optical flow and distances on GPUs: the paper's experiments on this machine";
    let mut page = Page::new(title, "GPU-accelerated optical flow and face clustering, GPGPU 2011");
    (page.cards, page.sections) = (cards(result), sections);
    Ok(page.to_html()?)
}

fn section(table: ExperimentTable, plots: Vec<LinePlot>) -> Section {
    let mut section = Section::new(table.title.clone());
    (section.lead, section.plots) = (table.note.clone(), Plots::of(plots));
    section.table = Some(table.into());
    section
}

/// Headlines of the paper's larger size, way by way.
fn cards(result: &PaperB) -> Vec<Headline> {
    let (size, fastest) = (PUBLISHED[1].0, result.fastest());
    let card = |way: Way| {
        let ms = result.of(way).find(|m| m.size == size)?.ms[fastest as usize]?;
        let paper = way.published_ms(size).map_or_else(String::new, number::duration);
        let note = format!("{}×{} on {}; the paper: {paper}", size[0], size[1], fastest.name());
        Some(Headline::new(way.name(), number::duration(ms), "", note))
    };
    WAYS.into_iter().filter_map(card).collect()
}

const X_LABEL: &str = "megapixels";

fn megapixels([nx, ny]: [usize; 2]) -> f64 {
    1e-6 * (nx * ny) as f64
}

fn curve(name: String, ink: usize, line: Line, points: Vec<(f64, f64)>) -> Series {
    Series { name, ink: Ink::Numbered(ink), line, points }
}

/// The colour of a machine, the same in all plots.
fn ink(role: MachineRole) -> usize {
    match role {
        MachineRole::Gpu => 0,
        MachineRole::OneThread => 5,
        MachineRole::AllThreads => 2,
    }
}

fn plot(title: String, y_label: &str, series: Vec<Series>) -> LinePlot {
    LinePlot {
        title,
        x_label: X_LABEL.into(),
        y_label: y_label.into(),
        y_scale: Scale::Logarithmic,
        series,
        ..LinePlot::default()
    }
}

/// Time over size of a way in a role.
fn points(result: &PaperB, way: Way, role: MachineRole) -> Vec<(f64, f64)> {
    result.of(way).filter_map(|m| Some((megapixels(m.size), m.ms[role as usize]?))).collect()
}

fn times(result: &PaperB, way: Way) -> LinePlot {
    let curves = result
        .roles()
        .map(|role| curve(role.name().to_owned(), ink(role), Line::Dotted, points(result, way, role)));
    let paper = PUBLISHED.map(|row| (megapixels(row.0), way.published_ms(row.0).unwrap_or(f64::NAN)));
    let paper = curve(published_head(GTX_260), 3, Line::Dashed, paper.into());
    plot("Time of a pair".to_owned(), "milliseconds", curves.chain([paper]).collect())
}

fn speed_ups(result: &PaperB, way: Way) -> LinePlot {
    let of = |role: MachineRole| {
        let ratio = |m: &super::Measurement| {
            Some((megapixels(m.size), m.ms[MachineRole::OneThread as usize]? / m.ms[role as usize]?))
        };
        let points = result.of(way).filter_map(ratio).collect();
        curve(role.name().to_owned(), ink(role), Line::Dotted, points)
    };
    let curves = result.roles().filter(|role| *role != MachineRole::OneThread).map(of).collect();
    plot("Speed-up over one thread".to_owned(), "×", curves)
}

fn beside_each_other(result: &PaperB) -> LinePlot {
    let fastest = result.fastest();
    let of = |(nth, way): (usize, Way)| curve(way.name(), nth, Line::Dotted, points(result, way, fastest));
    let curves = WAYS.into_iter().enumerate().map(of).collect();
    plot(format!("Time of a pair on {}", fastest.name()), "milliseconds", curves)
}
