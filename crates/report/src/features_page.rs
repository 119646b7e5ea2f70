//! The page of an image's features.

use super::colour::Ramp;
use super::maps::{Map, Wheel, from_zero, grey, orientation_legend, panel, phase_legend};
use super::number::{percent, text};
use super::page::{Headline, Page, Section};
use super::panel::Panel;
use super::tables::Table;
use super::{FeatureScaleReport, FeaturesReport};
use crate::ReportError;
use veloxel_core::Volume;

/// One scale's features.
#[derive(Debug, Clone, Copy)]
pub struct FeatureScale<'a> {
    /// Squared intensity.
    pub energy: &'a Volume<f32>,
    /// Radians in [0, π).
    pub orientation_rad: &'a Volume<f32>,
    /// Radians in (−π, π].
    pub phase_rad: &'a Volume<f32>,
}

/// An image with its features at every scale, full resolution first.
#[derive(Debug, Clone)]
pub struct FeaturesView<'a> {
    /// The image's name.
    pub title: &'a str,
    /// The image.
    pub image: &'a Volume<f32>,
    /// At least one.
    pub scales: Vec<FeatureScale<'a>>,
}

/// Names of the scales that a page shows; coarser ones are in the files.
const SCALES: [&str; 6] = ["full size", "1/2", "1/4", "1/8", "1/16", "1/32"];

/// The page of an image's features.
///
/// # Errors
/// [`ReportError::NothingToMeasure`] without a scale; [`ReportError::Page`] should not occur.
pub fn features_html(report: &FeaturesReport, view: &FeaturesView<'_>) -> Result<String, ReportError> {
    let reason = "there is no scale to show";
    let nothing = || ReportError::NothingToMeasure { what: "report page", reason };
    let (shown, finest) = view.scales.first().zip(report.scales.first()).ok_or_else(nothing)?;
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
            Section { panels: panels(view, shown)?, ..Section::new("The pictures") },
            Section { table: Some(table(&report.scales)), ..Section::new("Scales") },
        ],
        run: Some(&report.header),
        ..Page::new("Local features", view.title)
    };
    page.to_html()
}

fn panels(view: &FeaturesView<'_>, finest: &FeatureScale<'_>) -> Result<Vec<Panel>, ReportError> {
    fn layers<'v>(
        view: &FeaturesView<'v>,
        map: impl Fn(&FeatureScale<'v>) -> Map<'v>,
    ) -> Vec<(&'static str, Map<'v>)> {
        SCALES.into_iter().zip(&view.scales).map(|(name, scale)| (name, map(scale))).collect()
    }
    let energy = from_zero(finest.energy, Ramp::Heat).legend("squared intensity, full size");
    Ok(vec![
        panel(
            "Orientation",
            "The direction across edges and lines; switch between the scales.",
            &layers(view, |s| Map::Angle(s.orientation_rad, s.energy, Wheel::ORIENTATION)),
            Some(orientation_legend()?),
        )?
        .gaps_are("no orientation"),
        panel(
            "Phase",
            "What kind of structure it is: a line or an edge, and of which sign.",
            &layers(view, |s| Map::Angle(s.phase_rad, s.energy, Wheel::PHASE)),
            Some(phase_legend()?),
        )?
        .gaps_are("no phase"),
        panel(
            "Energy",
            "How much structure there is; every scale on its own ramp.",
            &layers(view, |s| Map::Scalar(s.energy, from_zero(s.energy, Ramp::Heat))),
            Some(energy),
        )?,
        panel(
            "Image",
            "The image that the features belong to.",
            &[("", Map::Scalar(view.image, grey(view.image)))],
            None,
        )?,
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
