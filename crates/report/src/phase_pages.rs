//! The pages of stereo pairs and of features.

use super::cards::{Card, time_card};
use super::colour::Ramp;
use super::gallery::{Gallery, Map, from_zero, grey, orientation_legend, panel, phase_legend};
use super::number;
use super::panel::{Panel, Scaled};
use super::tables::Table;
use super::{FeaturesReport, StereoReport};
use crate::ReportError;
use crate::metrics::DisparityError;
use veloxel_core::Volume;

/// A stereo pair with what was found in it, all on the left image's grid.
#[derive(Debug, Clone, Copy)]
pub struct StereoView<'a> {
    /// The names of the two images.
    pub title: &'a str,
    /// The image that the disparity lives on.
    pub left: &'a Volume<f32>,
    /// The other one.
    pub right: &'a Volume<f32>,
    /// Pixels; NaN where there is none.
    pub disparity_px: &'a Volume<f32>,
    /// 0 to 1.
    pub confidence: &'a Volume<f32>,
    /// The right image pulled back by the disparity; NaN where there is none.
    pub warped: &'a Volume<f32>,
    /// The true disparity, pixels, where it is known.
    pub truth_px: Option<&'a Volume<f32>>,
}

/// The page of a stereo pair.
///
/// # Errors
/// [`ReportError::Core`] that names the map which lies on another grid; [`ReportError::Page`] should not occur.
pub fn stereo_html(report: &StereoReport, view: &StereoView<'_>) -> Result<String, ReportError> {
    for (map, what) in [
        (view.right, "left and right image"),
        (view.disparity_px, "left image and disparity"),
        (view.confidence, "left image and confidence"),
        (view.warped, "left and warped image"),
    ] {
        view.left.grid().require_same(map.grid(), what)?;
    }
    if let Some(truth) = view.truth_px {
        view.left.grid().require_same(truth.grid(), "left image and true disparity")?;
    }
    let range = report.disparity_px;
    let (low, high) = range.map_or((0.0, 1.0), |r| (r.p1, r.p99));
    let depth = Scaled { ramp: Ramp::Depth, low, high };
    let grey = grey(view.left);
    let difference = difference(view.left, view.warped);
    let contrast = number::nice_ceiling((grey.high - grey.low) * 0.25);
    let signed = Scaled { ramp: Ramp::Difference, low: -contrast, high: contrast };
    let certain = Scaled { ramp: Ramp::Sequential, low: 0.0, high: 1.0 };
    let mut panels = vec![
        panel(
            (
                "Disparity",
                "How far to the left a pixel of the left image lies in the right one: near is light.",
            ),
            &[("", Map::Scalar(view.disparity_px, depth))],
            Some(depth.legend(number::text(0.5 * (low + high)), "pixels, 1 to 99 % of the values")),
        )?,
        panel(
            ("Images", "Switch between them: with the disparity undone, nothing should move."),
            &[
                ("Left", Map::Scalar(view.left, grey)),
                ("Right", Map::Scalar(view.right, grey)),
                ("Right, disparity undone", Map::Scalar(view.warped, grey)),
            ],
            None,
        )?,
        panel(
            ("Confidence", "How well the orientations agree at each pixel: 0 not at all, 1 fully."),
            &[("", Map::Scalar(view.confidence, certain))],
            Some(certain.legend("0.5".to_owned(), "")),
        )?,
        panel(
            ("Difference after", "Right image with the disparity undone, minus the left one."),
            &[("", Map::Scalar(&difference, signed))],
            Some(signed.legend("0".to_owned(), "intensity")),
        )?,
    ];
    if let Some(truth) = view.truth_px {
        panels.extend(against_truth((view.disparity_px, truth), depth)?);
    }
    let middle = range.map_or("–".to_owned(), |r| number::text(r.p50));
    let spread = range.map_or("none found".to_owned(), |r| {
        format!("98 % lie between {} and {}", number::text(r.p1), number::text(r.p99))
    });
    let error = report.error.as_ref().map(|error| {
        let density = format!("at {} of the true pixels", number::percent(error.density));
        Card::new("Mean error", number::text(error.absolute_px.mean), "px", density)
    });
    let mut cards = vec![
        Card::new("Median disparity", middle, "px", spread),
        Card::new(
            "Matched",
            number::text(100.0 * report.valid_share),
            "%",
            "of the left image's pixels".to_owned(),
        ),
        Card::new(
            "Mean confidence",
            number::text(report.mean_confidence),
            "",
            "of the pixels that were matched".to_owned(),
        ),
    ];
    cards.extend(error);
    cards.push(time_card(&report.header));
    let gallery = Gallery {
        title: "Phase-based stereo",
        subtitle: view.title.to_owned(),
        header: &report.header,
        cards,
        panels,
        tables: [("Levels", levels(&report.levels))]
            .into_iter()
            .chain(report.error.as_ref().map(|e| ("Against the truth", errors(e))))
            .collect(),
    };
    gallery.to_html()
}

/// The true disparity in the colours of the found one, and how far off that is.
fn against_truth(
    (found, truth): (&Volume<f32>, &Volume<f32>),
    depth: Scaled,
) -> Result<[Panel; 2], ReportError> {
    let error = difference(truth, found);
    let sizes = error.map(|e| e.abs());
    let limit = number::nice_ceiling(from_zero(&sizes, Ramp::Heat).high);
    let signed = Scaled { ramp: Ramp::Difference, low: -limit, high: limit };
    let middle = number::text(0.5 * (depth.low + depth.high));
    Ok([
        panel(
            ("True disparity", "On the same scale as the found one."),
            &[("", Map::Scalar(truth, depth))],
            Some(depth.legend(middle, "pixels")),
        )?,
        panel(
            ("Error", "Found minus true disparity."),
            &[("", Map::Scalar(&error, signed))],
            Some(signed.legend("0".to_owned(), "pixels")),
        )?,
    ])
}

/// What is wrong among what was matched, and among all true pixels with the unmatched counted as wrong.
fn errors(error: &DisparityError) -> Table {
    let d = &error.absolute_px;
    let mut rows = vec![
        vec!["Mean absolute error, pixels".to_owned(), number::text(d.mean), "–".to_owned()],
        vec![
            "Median, 95 %, pixels".to_owned(),
            format!("{}, {}", number::text(d.a50), number::text(d.a95)),
            "–".to_owned(),
        ],
        vec!["Density".to_owned(), number::percent(error.density), "–".to_owned()],
    ];
    let (measured, all) = (&error.bad_measured, &error.bad_all);
    for (name, measured, all) in [
        ("Wrong by more than 0.5 px", measured.bad_0_5, all.bad_0_5),
        ("Wrong by more than 1 px", measured.bad_1, all.bad_1),
        ("Wrong by more than 2 px", measured.bad_2, all.bad_2),
    ] {
        rows.push(vec![name.to_owned(), number::percent(measured), number::percent(all)]);
    }
    Table { head: vec!["", "of the matched", "of all true pixels"], rows, text_columns: 1 }
}

fn difference(left: &Volume<f32>, warped: &Volume<f32>) -> Volume<f32> {
    let mut difference = warped.clone();
    difference.data_mut().iter_mut().zip(left.data()).for_each(|(d, l)| *d -= l);
    difference
}

fn levels(levels: &[[usize; 2]]) -> Table {
    let row = |(k, [nx, ny]): (usize, &[usize; 2])| vec![format!("1/{}", 1u64 << k), format!("{nx} × {ny}")];
    Table {
        head: vec!["Scale", "pixels"],
        rows: levels.iter().enumerate().map(row).collect(),
        text_columns: 1,
    }
}

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
    let (finest, _) = view.scales.first().zip(report.scales.first()).ok_or_else(nothing)?;
    let energy = from_zero(finest.energy, Ramp::Heat);
    fn layers<'v>(
        view: &FeaturesView<'v>,
        map: impl Fn(&FeatureScale<'v>) -> Map<'v>,
    ) -> Vec<(&'static str, Map<'v>)> {
        SCALES.into_iter().zip(&view.scales).map(|(name, scale)| (name, map(scale))).collect()
    }
    let panels = vec![
        panel(
            ("Orientation", "The direction across edges and lines; switch between the scales."),
            &layers(view, |s| Map::Orientation(s.orientation_rad, s.energy)),
            Some(orientation_legend()?),
        )?,
        panel(
            ("Phase", "What kind of structure it is: a line or an edge, and of which sign."),
            &layers(view, |s| Map::Phase(s.phase_rad, s.energy)),
            Some(phase_legend()?),
        )?,
        panel(
            ("Energy", "How much structure there is; every scale on its own ramp."),
            &layers(view, |s| Map::Scalar(s.energy, from_zero(s.energy, Ramp::Heat))),
            Some(energy.legend(number::text(0.5 * energy.high), "squared intensity, full size")),
        )?,
        panel(
            ("Image", "What the features were found in."),
            &[("", Map::Scalar(view.image, grey(view.image)))],
            None,
        )?,
    ];
    let [nx, ny] = report.scales[0].size;
    let cards = vec![
        Card::new("Pixels", format!("{nx} × {ny}"), "", format!("{} scales", report.scales.len())),
        Card::new(
            "With a phase",
            number::text(100.0 * report.scales[0].valid_share),
            "%",
            "of the pixels at full resolution".to_owned(),
        ),
        time_card(&report.header),
    ];
    let row = |(k, scale): (usize, &super::FeatureScaleReport)| {
        vec![
            format!("1/{}", 1u64 << k),
            format!("{} × {}", scale.size[0], scale.size[1]),
            number::percent(scale.valid_share),
            scale.energy.map_or("–".to_owned(), |e| number::text(e.p50)),
            scale.energy.map_or("–".to_owned(), |e| number::text(e.p99)),
        ]
    };
    let table = Table {
        head: vec!["Scale", "pixels", "with a phase", "energy, median", "99 %"],
        rows: report.scales.iter().enumerate().map(row).collect(),
        text_columns: 1,
    };
    let gallery = Gallery {
        title: "Local features",
        subtitle: view.title.to_owned(),
        header: &report.header,
        cards,
        panels,
        tables: vec![("Scales", table)],
    };
    gallery.to_html()
}
