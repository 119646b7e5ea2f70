//! The page of an image's features.

use crate::error::ReportError;
use crate::number::{percent, text};
use crate::pages::page::{Headline, Page, Section};
use crate::pages::tables::Table;
use crate::pictures::maps::{Map, Stage, Wheel, energy_map};
use crate::pictures::panel::Panel;
use crate::run::phase_reports::{FeatureScaleReport, FeaturesReport};
use veloxel_core::{Control, Volume};

/// One scale's features.
#[derive(Debug, Clone, Copy)]
pub struct FeatureScale<'a> {
    /// Energy, squared intensity.
    pub energy: &'a Volume<f32>,
    /// Orientation, radians in [0, π).
    pub orientation_rad: &'a Volume<f32>,
    /// Phase, radians in (−π, π].
    pub phase_rad: &'a Volume<f32>,
}

/// An image with its features at every scale, full resolution first.
#[derive(Debug, Clone)]
pub struct FeaturesView<'a> {
    /// The image's name.
    pub title: &'a str,
    /// The image.
    pub image: &'a Volume<f32>,
    /// Features of each scale, at least one.
    pub scales: Vec<FeatureScale<'a>>,
}

/// Names of the scales that a page shows; the files hold coarser ones too.
const SCALES: [&str; 6] = ["full size", "1/2", "1/4", "1/8", "1/16", "1/32"];

/// The page of an image's features.
///
/// # Errors
/// [`ReportError::NothingToShow`] without a scale; [`ReportError::Page`] should not occur; [`ReportError::Stopped`].
pub fn features_html(
    report: &FeaturesReport,
    view: &FeaturesView<'_>,
    control: &Control,
) -> Result<String, ReportError> {
    let nothing = ReportError::nothing("report page", "there is no scale to show");
    let finest = report.scales.first().filter(|_| !view.scales.is_empty()).ok_or(nothing)?;
    let [nx, ny] = finest.size;
    let scales = format!("{} scales", report.scales.len());
    let (valid, of) = (text(100.0 * finest.valid_share), "of the pixels at full resolution");
    let page = Page {
        cards: vec![
            Headline::new("Pixels", format!("{nx} × {ny}"), "", scales),
            Headline::new("With a phase", valid, "%", of),
            Headline::of_time(&report.header),
        ],
        sections: vec![
            Section { panels: panels(view, control)?, ..Section::new("The pictures") },
            Section { table: Some(table(&report.scales)), ..Section::new("Scales") },
        ],
        run: Some(&report.header),
        ..Page::new("Local features", view.title)
    };
    page.to_html()
}

fn panels<'v>(view: &FeaturesView<'v>, control: &Control) -> Result<Vec<Panel>, ReportError> {
    let stage = Stage::of_picture(view.scales[0].energy.grid(), control);
    let panel = |title, caption, note, map: fn(&FeatureScale<'v>) -> Map<'v>| {
        let layers: Vec<_> = SCALES.into_iter().zip(view.scales.iter().map(map)).collect();
        stage.layers(title, caption, &layers, Some(note))
    };
    let image = Map::Volume(view.image, stage.grey(view.image));
    Ok(vec![
        panel("Orientation", "The direction across edges and lines; switch between the scales.", "", |s| {
            Map::Angle(s.orientation_rad, s.energy, Wheel::ORIENTATION)
        })?
        .gaps_are("no orientation"),
        panel("Phase", "What kind of structure it is: a line or an edge, and of which sign.", "", |s| {
            Map::Angle(s.phase_rad, s.energy, Wheel::PHASE)
        })?
        .gaps_are("no phase"),
        panel(
            "Energy",
            "How much structure there is; every scale on its own ramp.",
            "squared intensity, full size",
            |s| energy_map(s.energy),
        )?,
        stage.layers("Image", "The image that the features belong to.", &[("", image)], None)?,
    ])
}

fn table(scales: &[FeatureScaleReport]) -> Table {
    let row = |(k, scale): (usize, &FeatureScaleReport)| {
        vec![
            format!("1/{}", 1u64 << k),
            format!("{} × {}", scale.size[0], scale.size[1]),
            percent(scale.valid_share),
            text(scale.energy.map_or(f64::NAN, |e| e.p50)),
            text(scale.energy.map_or(f64::NAN, |e| e.p99)),
        ]
    };
    let head = ["Scale", "pixels", "with a phase", "energy, median", "99 %"];
    Table::new(&head, scales.iter().enumerate().map(row))
}
