//! The experiments as a page.

use super::PaperD;
use super::pictures::Shown;
use super::published::PLATFORMS;
use crate::BenchError;
use crate::experiments::{
    Comparison, Experiments, comparison_section, machines_section, not_measured_section,
};
use veloxel_report::number;
use veloxel_report::page::{Headline, Page, Section, TimeBar};

pub(super) fn html(result: &PaperD) -> Result<String, BenchError> {
    let mut sections = vec![machines_section(&result.machines)];
    for comparison in &result.comparisons {
        let mut section = comparison_section(comparison, Vec::new());
        let shown: &[Shown] = match comparison.place {
            "Table 4" => &result.pictures.features,
            "Table 5" => &result.pictures.stereo,
            "Table 6" => &result.pictures.flow,
            _ => &[],
        };
        for Shown { title, picture } in shown {
            section.show(title, picture)?;
        }
        if comparison.place == "Table 3" {
            section.bars = bars(comparison);
        }
        sections.push(section);
    }
    sections.push(not_measured_section(&result.not_measured));
    let mut how = Section::new("How it was measured");
    how.notes = result.notes().split_off(result.machines.len());
    sections.push(how);
    let title = "FPGA and GPU for phase-based vision: the paper's experiments on this machine";
    let mut page =
        Page::new(title, "Pauwels, Tomasi, Díaz Alonso, Ros, Van Hulle, IEEE Trans. Computers 2012");
    (page.cards, page.sections) = (cards(result), sections);
    Ok(page.to_html()?)
}

/// How the time of a frame is divided on each machine, and on the paper's GPU.
fn bars(comparison: &Comparison) -> Vec<TimeBar> {
    let stages =
        || comparison.rows.iter().filter(|row| row.unit == "ms" && !row.what.starts_with("all stages"));
    let bar = |title: String, times: Vec<Option<f64>>| {
        let times: Vec<f64> = times.into_iter().collect::<Option<_>>()?;
        let total: f64 = times.iter().sum();
        let part = |(name, ms): (&str, f64)| {
            let name = name.split(':').next().unwrap_or_default();
            (name.to_owned(), number::percent(ms / total), 100.0 * ms / total)
        };
        let names = stages().map(|row| row.what.as_str());
        let title = format!("{title}: {}", number::duration(total));
        Some(TimeBar { title, parts: names.zip(times).map(part).collect() })
    };
    let measured = comparison.measured.iter().enumerate().map(|(nth, name)| {
        let times = stages().map(|row| row.measured.get(nth).copied().flatten());
        bar(format!("{name}, measured"), times.collect())
    });
    let published = comparison.published.iter().enumerate().map(|(nth, name)| {
        let times = stages().map(|row| row.published.get(nth).copied().flatten());
        bar(format!("{name}, published"), times.collect())
    });
    measured.chain(published).flatten().collect()
}

/// Headlines: speed, and errors beside the paper's processor.
fn cards(result: &PaperD) -> Vec<Headline> {
    let row = |what: &str| result.comparisons.iter().flat_map(|c| &c.rows).find(|row| row.what == what);
    let mut cards = Vec::new();
    let size = "1280 × 1024, six scales: frames a second";
    if let Some((row, machine)) = row(size).zip(result.machines.last()) {
        let paper = row.published.iter().flatten().map(|&value| number::text(value)).collect::<Vec<_>>();
        let note =
            format!("1280 × 1024 on {}; published, FPGA and GPU: {}", machine.role.name(), paper.join(", "));
        let fastest = row.measured.iter().flatten().copied().fold(0.0, f64::max);
        cards.push(Headline::new("Frames a second", number::text(fastest), "Hz", note));
    }
    for (label, what) in [
        ("Flow, RubberWhale", "rubberwhale, τ_l 0.5: angular error"),
        ("Stereo, cones", "cones: mean absolute error"),
        ("Phase of features", "phase"),
    ] {
        let Some(row) = row(what) else { continue };
        let Some(value) = row.measured.first().copied().flatten() else { continue };
        let published = PLATFORMS
            .iter()
            .zip(&row.published)
            .filter_map(|(by, value)| Some(format!("{by} {}", number::text((*value)?))));
        let note = format!("published: {}", published.collect::<Vec<_>>().join(", "));
        cards.push(Headline::new(label, number::text(value), row.unit, note));
    }
    cards
}
