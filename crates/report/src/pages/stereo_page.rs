//! The page of a stereo pair.

use crate::error::ReportError;
use crate::number::{nice_ceiling, percent, text};
use crate::pages::page::{Headline, Page, Section};
use crate::pages::tables::Table;
use crate::pictures::colour::Ramp;
use crate::pictures::maps::{Map, Stage};
use crate::pictures::panel::{Panel, Scaled};
use crate::run::phase_reports::StereoReport;
use veloxel_core::{Control, Volume};
use veloxel_measure::DisparityError;

/// A stereo pair with what was found in it, all on the left image's grid.
#[derive(Debug, Clone, Copy)]
pub struct StereoView<'a> {
    /// The names of the two images.
    pub title: &'a str,
    /// The image that the disparity lives on.
    pub left: &'a Volume<f32>,
    /// The right image.
    pub right: &'a Volume<f32>,
    /// The disparity, pixels; NaN where there is none.
    pub disparity_px: &'a Volume<f32>,
    /// Confidence of the disparity, 0 to 1.
    pub confidence: &'a Volume<f32>,
    /// The right image pulled back by the disparity; NaN where there is none.
    pub warped: &'a Volume<f32>,
    /// The true disparity, pixels, where it is known.
    pub truth_px: Option<&'a Volume<f32>>,
    /// The depth, metres, where the cameras are known.
    pub depth_m: Option<&'a Volume<f32>>,
}

/// The page of a stereo pair.
///
/// # Errors
/// [`ReportError::Core`] that names the map which lies on another grid; [`ReportError::Page`] should not occur; [`ReportError::Stopped`].
pub fn stereo_html(
    report: &StereoReport,
    view: &StereoView<'_>,
    control: &Control,
) -> Result<String, ReportError> {
    for (map, what) in [
        (view.right, "left and right image"),
        (view.disparity_px, "left image and disparity"),
        (view.confidence, "left image and confidence"),
        (view.warped, "left and warped image"),
        (view.truth_px.unwrap_or(view.left), "left image and true disparity"),
        (view.depth_m.unwrap_or(view.left), "left image and depth"),
    ] {
        view.left.grid().require_same(map.grid(), what)?;
    }
    let mut sections = vec![
        Section { panels: panels(report, view, control)?, ..Section::new("The pictures") },
        Section { table: Some(levels(&report.levels)), ..Section::new("Levels") },
    ];
    let against_truth = |error| Section { table: Some(errors(error)), ..Section::new("Against the truth") };
    sections.extend(report.error.as_ref().map(against_truth));
    let page = Page {
        cards: cards(report),
        sections,
        run: Some(&report.header),
        ..Page::new("Phase-based stereo", view.title)
    };
    page.to_html()
}

fn panels(
    report: &StereoReport,
    view: &StereoView<'_>,
    control: &Control,
) -> Result<Vec<Panel>, ReportError> {
    const UNKNOWN: &str = "no disparity, or outside the right image";
    let stage = Stage::of_picture(view.left.grid(), control);
    let [low, high] = report.disparity_px.map_or([0.0, 1.0], |r| [r.p1, r.p99]);
    let depth = Scaled { ramp: Ramp::Depth, low, high };
    let grey = stage.grey(view.left);
    let signed = Scaled::around_zero(nice_ceiling((grey.high - grey.low) * 0.25));
    let after = |i: usize| view.warped.data()[i] - view.left.data()[i];
    let images = [
        ("Left", Map::Volume(view.left, grey)),
        ("Right", Map::Volume(view.right, grey)),
        ("Right, disparity undone", Map::Volume(view.warped, grey)),
    ];
    let caption = "How far to the left a pixel of the left image lies in the right one: near is light.";
    let found = Map::Volume(view.disparity_px, depth);
    let found = stage.panel("Disparity", caption, found, "px, 1 to 99 % of the values")?;
    let caption = "Switch between them: with the disparity undone, nothing should move.";
    let metres = view.depth_m.zip(report.cameras.as_ref().and_then(|cameras| cameras.depth_m));
    let metres = metres.map(|(map, range)| {
        let scaled = Scaled { ramp: Ramp::Depth, low: range.p1, high: range.p99 };
        let caption = "How far in front of the left camera a pixel lies: far is light.";
        let panel = stage.panel("Depth", caption, Map::Volume(map, scaled), "m, 1 to 99 % of the values")?;
        Ok::<_, ReportError>(panel.gaps_are("no depth"))
    });
    let images = stage.layers("Images", caption, &images, None)?;
    let caption = "How well the orientations agree at each pixel: 0 not at all, 1 fully.";
    let sure = stage.panel("Confidence", caption, Map::Volume(view.confidence, Scaled::CONFIDENCE), "")?;
    let caption = "Right image with the disparity undone, minus the left one.";
    let after = stage.panel("Difference after", caption, Map::Values(&after, signed), "intensity")?;
    let mut panels =
        vec![found.gaps_are("no disparity"), images.gaps_are(UNKNOWN), sure, after.gaps_are(UNKNOWN)];
    panels.extend(metres.transpose()?);
    if let Some(truth) = view.truth_px {
        let caption = "On the same scale as the estimate.";
        let panel = stage.panel("True disparity", caption, Map::Volume(truth, depth), "px")?;
        panels.push(panel.gaps_are("no truth"));
        let error = |i: usize| view.disparity_px.data()[i] - truth.data()[i];
        let map = Map::Values(&error, Scaled::around_zero(stage.limit(|i| error(i).abs())));
        let panel = stage.panel("Error", "Found minus true disparity.", map, "px")?;
        panels.push(panel.gaps_are("no disparity, or no truth"));
    }
    Ok(panels)
}

fn cards(report: &StereoReport) -> Vec<Headline> {
    let range = report.disparity_px;
    let spread = range
        .map_or("none found".to_owned(), |r| format!("98 % lie between {} and {}", text(r.p1), text(r.p99)));
    let (matched, confidence) = (text(100.0 * report.valid_share), text(report.mean_confidence));
    let mut cards = vec![
        Headline::new("Median disparity", text(range.map_or(f64::NAN, |r| r.p50)), "px", spread),
        Headline::new("Matched", matched, "%", "of the left image's pixels"),
        Headline::new("Mean confidence", confidence, "", "of the pixels that were matched"),
    ];
    let depth = report.cameras.as_ref().and_then(|cameras| cameras.depth_m);
    cards.extend(depth.map(|r| {
        let spread = format!("98 % lie between {} and {}", text(r.p1), text(r.p99));
        Headline::new("Median depth", text(r.p50), "m", spread)
    }));
    cards.extend(report.error.as_ref().map(|error| {
        let density = format!("at {} of the true pixels", percent(error.density));
        Headline::new("Mean error", text(error.absolute_px.mean), "px", density)
    }));
    cards.push(Headline::of_time(&report.header));
    cards
}

/// Shares of wrong pixels among those that were matched, and among all true ones with the unmatched counted as wrong.
fn errors(error: &DisparityError) -> Table {
    let (d, measured, all) = (&error.absolute_px, &error.bad_measured, &error.bad_all);
    let none = || "–".to_owned();
    let rows = [
        ("Mean absolute error, px", text(d.mean), none()),
        ("Median, 95 %, px", format!("{}, {}", text(d.a50), text(d.a95)), none()),
        ("Density", percent(error.density), none()),
        ("Wrong by more than 0.5 px", percent(measured.bad_0_5), percent(all.bad_0_5)),
        ("Wrong by more than 1 px", percent(measured.bad_1), percent(all.bad_1)),
        ("Wrong by more than 2 px", percent(measured.bad_2), percent(all.bad_2)),
        ("KITTI's D1 (3 px and 5 %)", percent(measured.d1), percent(all.d1)),
    ];
    let rows = rows.map(|(name, measured, all)| vec![name.to_owned(), measured, all]);
    Table::new(&["", "of the matched", "of all true pixels"], rows)
}

fn levels(levels: &[[usize; 2]]) -> Table {
    let row = |(k, [nx, ny]): (usize, &[usize; 2])| vec![format!("1/{}", 1u64 << k), format!("{nx} × {ny}")];
    Table::new(&["Scale", "pixels"], levels.iter().enumerate().map(row))
}
