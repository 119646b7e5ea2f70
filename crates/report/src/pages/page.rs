//! The page of every report and experiment: headline numbers, sections, and the run, in one HTML file with everything inside.

use crate::error::ReportError;
use crate::number::{counted, duration};
use crate::pages::said::AllSaid;
use crate::pages::tables;
pub use crate::pages::tables::Table;
use crate::pictures::fields::slices::Scroller;
use crate::pictures::film::Frame;
use crate::pictures::overlay::Canvas;
use crate::pictures::panel::{Panel, Picture, image};
use crate::pictures::phase_pictures::MapPicture;
use crate::pictures::picture::{opaque, rgba_data_uri};
use crate::plots::svg_plot::{Format, LinePlot};
use crate::run::header::RunHeader;
use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;
use serde::Serialize;
use veloxel_core::StageTime;

/// A headline number: a card at the top of a page.
#[derive(Debug, Clone, Serialize)]
pub struct Headline {
    label: String,
    value: String,
    unit: String,
    note: String,
}

impl Headline {
    /// A number as text, with its unit (or nothing), and a note that says what it was measured on or compares it.
    pub fn new(label: impl Into<String>, value: String, unit: &str, note: impl Into<String>) -> Self {
        Self { label: label.into(), value, unit: unit.to_owned(), note: note.into() }
    }

    /// The time of the whole run, and its device.
    pub(crate) fn of_time(header: &RunHeader) -> Self {
        let device = &header.device;
        let elapsed = duration(header.stage_times.iter().map(|s| s.time_ms).sum());
        let (value, unit) =
            elapsed.split_once(' ').filter(|(_, unit)| !unit.contains(' ')).unwrap_or((&elapsed, ""));
        let threads = match device.threads {
            0 => String::new(),
            n => format!(", {}", counted(n, "thread")),
        };
        Self::new("Time", value.to_owned(), unit, format!("{}{threads}", device.name))
    }
}

/// How a time is divided between parts.
#[derive(Debug, Clone, Serialize)]
pub struct TimeBar {
    /// The run or method that took the time.
    pub title: String,
    /// Name, time or share as text, share in percent.
    pub parts: Vec<(String, String, f64)>,
}

impl TimeBar {
    /// Stages with their share of the total.
    pub(crate) fn of_stages(stages: &[StageTime]) -> Self {
        let total: f64 = stages.iter().map(|s| s.time_ms).sum();
        let percent = |s: &StageTime| (1000.0 * s.time_ms / total.max(1e-9)).round() / 10.0;
        let parts = stages.iter().map(|s| (s.stage.clone(), duration(s.time_ms), percent(s)));
        Self { title: "Time by stage".to_owned(), parts: parts.collect() }
    }
}

/// The content of a page.
#[derive(Serialize, Default)]
pub struct Page<'a> {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) status: Option<Status>,
    /// Headline numbers side by side, the most important first.
    pub cards: Vec<Headline>,
    /// The sections, in the order of the page.
    pub sections: Vec<Section>,
    /// The run that the page is about, if it is about one.
    pub(crate) run: Option<&'a RunHeader>,
}

/// Why a method stopped: a style and the text shown.
#[derive(Serialize)]
pub(crate) struct Status {
    pub class: &'static str,
    pub text: &'static str,
}

/// A drawing with its title.
#[derive(Serialize)]
pub(crate) struct Figure {
    pub title: String,
    pub caption: String,
    /// The SVG in the page.
    pub svg: String,
}

/// A mesh in 3-D with its sliders and scripts.
#[derive(Serialize)]
pub(crate) struct Scene {
    /// The mesh and its parts, as JSON.
    pub data: String,
    /// Names of the answers that the reader chooses from.
    pub answers: Vec<&'static str>,
    /// Whether the page finds parts around seeds by itself, which are the last answer.
    pub is_live: bool,
    /// The smallest and the largest number of parts, and the one shown at first.
    pub parts: [usize; 3],
    pub library: &'static str,
    pub viewer: &'static str,
}

/// A part of a page under a heading; its content follows in the order of these fields, and empty content is left out.
#[derive(Serialize, Default)]
pub struct Section {
    pub(crate) heading: String,
    /// Text that the reader needs before the content.
    pub lead: String,
    pub(crate) film: Vec<Frame>,
    pub(crate) scene: Option<Scene>,
    /// Dimension, 2 or 3, which decides how panels are laid out; 0 for two panels in a row, 1 for one.
    pub(crate) dimension: usize,
    pub(crate) panels: Vec<Panel>,
    /// A script for a slider of the least confidence above the panels; empty without one.
    pub(crate) confidence_slider: &'static str,
    /// Slices that the reader scrolls through.
    pub(crate) scrollers: Vec<Scroller>,
    /// Figures side by side.
    pub(crate) figures: Vec<Figure>,
    /// Curves.
    pub plots: Plots,
    /// How times are divided.
    pub bars: Vec<TimeBar>,
    /// A table.
    pub table: Option<Table>,
    /// Text of the line that is shown until the table is unfolded.
    pub folded: String,
    /// Names and values.
    pub facts: Vec<(String, String)>,
    /// Sentences, as a list.
    pub notes: Vec<String>,
}

impl Section {
    /// A section without content.
    pub fn new(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), ..Self::default() }
    }

    /// Adds a picture under its title; two stand in a row.
    ///
    /// # Errors
    /// [`ReportError::Picture`] should not occur.
    pub fn show(&mut self, title: &'static str, picture: &MapPicture) -> Result<(), ReportError> {
        let MapPicture { width, height, rgb } = picture;
        let samples: Vec<u8> = rgb.as_chunks::<3>().0.iter().flat_map(|&pixel| opaque(pixel)).collect();
        let uri = rgba_data_uri(*width, *height, &samples)?;
        let (width, height) = (*width as f64, *height as f64);
        let canvas = Canvas { width, height, units_per_mm: 1.0 };
        let pictures = vec![Picture::framed(canvas, title, &image(&uri, canvas))];
        self.panels.push(Panel { title, pictures, ..Panel::default() });
        Ok(())
    }
}

/// Plots side by side.
#[derive(Serialize, Default)]
pub struct Plots {
    columns: usize,
    list: Vec<Plot>,
}

#[derive(Serialize)]
struct Plot {
    title: String,
    svg: String,
    legend: Vec<(String, bool, String)>,
}

impl Plots {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The plots that are not empty, in rows of three where that leaves no hole, else in rows of two.
    pub fn of(plots: Vec<LinePlot>) -> Self {
        let plots: Vec<_> = plots.into_iter().filter(|plot| !plot.is_empty()).collect();
        let (columns, format) =
            if plots.len().is_multiple_of(3) { (3, Format::Third) } else { (2, Format::Half) };
        let rendered =
            |plot: LinePlot| Plot { svg: plot.to_svg(format), legend: plot.legend(), title: plot.title };
        Self { columns, list: plots.into_iter().map(rendered).collect() }
    }
}

/// The page in the form that its template takes.
#[derive(Serialize)]
struct Filled<'a> {
    style: &'static str,
    version: &'static str,
    #[serde(flatten)]
    page: &'a Page<'a>,
    parameters: Vec<(String, String)>,
    inputs: Option<Table>,
    times: Option<TimeBar>,
    said: AllSaid,
}

impl Page<'_> {
    /// A page without content.
    pub fn new(title: &str, subtitle: &str) -> Self {
        Self { title: title.to_owned(), subtitle: subtitle.to_owned(), ..Self::default() }
    }

    /// The page as one file.
    ///
    /// # Errors
    /// [`ReportError::Page`] should not occur.
    pub fn to_html(&self) -> Result<String, ReportError> {
        let filled = Filled {
            style: include_str!("report.css"),
            version: env!("CARGO_PKG_VERSION"),
            page: self,
            parameters: self.run.map(|run| tables::parameters(&run.parameters)).unwrap_or_default(),
            inputs: self.run.map(|run| tables::inputs(&run.inputs)),
            times: self.run.map(|run| TimeBar::of_stages(&run.stage_times)),
            said: self.run.map(AllSaid::of).unwrap_or_default(),
        };
        let mut environment = Environment::new();
        environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        environment.add_template("page.html", include_str!("page.html"))?;
        Ok(environment.get_template("page.html")?.render(minijinja::value::Serde(&filled))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_share_the_whole() {
        let stages = [("load", 100.0), ("solve", 300.0)]
            .map(|(stage, time_ms)| StageTime { stage: stage.to_owned(), time_ms });
        assert_eq!(TimeBar::of_stages(&stages).parts.iter().map(|part| part.2).sum::<f64>(), 100.0);
    }
}
