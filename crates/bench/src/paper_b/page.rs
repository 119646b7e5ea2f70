//! The experiments as plots on a page.

use super::{PUBLISHED, PaperB, WAYS, Way};
use crate::BenchError;
use crate::paper_a::PaperAMachine;
use veloxel_report::number;
use veloxel_report::page::{Headline, Page, Plots, Section, Table};
use veloxel_report::svg_plot::{Ink, Line, LinePlot, Scale, Series};

pub(super) fn html(result: &PaperB) -> Result<String, BenchError> {
    let mut measured_on = Section::new("Measured on");
    measured_on.facts = result.machines.iter().map(|m| (m.role.name().to_owned(), m.name.clone())).collect();
    let mut all = Section::new("All ways beside each other");
    all.plots = Plots::of(vec![beside_each_other(result)]);
    let mut sections = vec![measured_on, all];
    for (way, table) in WAYS.into_iter().zip(result.tables()) {
        let mut section = Section::new(table.title);
        (section.lead, section.plots) =
            (table.note, Plots::of(vec![times(result, way), speed_ups(result, way)]));
        section.table = Some(Table { head: table.head, rows: table.rows, text_columns: table.text_columns });
        sections.push(section);
    }
    let table = result.distance_table();
    let mut section = Section::new(table.title);
    (section.lead, section.plots) = (table.note, Plots::of(vec![result.distance_plot()]));
    section.table = Some(Table { head: table.head, rows: table.rows, text_columns: table.text_columns });
    sections.push(section);
    let mut how = Section::new("How it was measured");
    how.notes = result.notes().split_off(result.machines.len());
    sections.push(how);
    let title = "Optical flow and distances on GPUs: the paper's experiments on this machine";
    let mut page = Page::new(title, "GPU-accelerated optical flow and face clustering, GPGPU 2011");
    (page.cards, page.sections) = (cards(result), sections);
    Ok(page.to_html()?)
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
fn ink(role: PaperAMachine) -> usize {
    match role {
        PaperAMachine::Gpu => 0,
        PaperAMachine::OneThread => 5,
        PaperAMachine::AllThreads => 2,
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
fn points(result: &PaperB, way: Way, role: PaperAMachine) -> Vec<(f64, f64)> {
    result.of(way).filter_map(|m| Some((megapixels(m.size), m.ms[role as usize]?))).collect()
}

fn times(result: &PaperB, way: Way) -> LinePlot {
    let curves = result
        .roles()
        .map(|role| curve(role.name().to_owned(), ink(role), Line::Dotted, points(result, way, role)));
    let paper = PUBLISHED.map(|row| (megapixels(row.0), way.published_ms(row.0).unwrap_or(f64::NAN)));
    let paper = curve("paper, GTX 260".to_owned(), 3, Line::Dashed, paper.into());
    plot("Time of a pair".to_owned(), "milliseconds", curves.chain([paper]).collect())
}

fn speed_ups(result: &PaperB, way: Way) -> LinePlot {
    let of = |role: PaperAMachine| {
        let ratio = |m: &super::Measurement| {
            Some((megapixels(m.size), m.ms[PaperAMachine::OneThread as usize]? / m.ms[role as usize]?))
        };
        let points = result.of(way).filter_map(ratio).collect();
        curve(role.name().to_owned(), ink(role), Line::Dotted, points)
    };
    let curves = result.roles().filter(|role| *role != PaperAMachine::OneThread).map(of).collect();
    plot("Speed-up over one thread".to_owned(), "×", curves)
}

fn beside_each_other(result: &PaperB) -> LinePlot {
    let fastest = result.fastest();
    let of = |(nth, way): (usize, Way)| curve(way.name(), nth, Line::Dotted, points(result, way, fastest));
    let curves = WAYS.into_iter().enumerate().map(of).collect();
    plot(format!("Time of a pair on {}", fastest.name()), "milliseconds", curves)
}
