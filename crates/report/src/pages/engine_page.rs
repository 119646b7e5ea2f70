//! The page of a stream that the engine ran over.

use crate::error::ReportError;
use crate::number::{counted, text};
use crate::pages::page::{Headline, Page, Plots, Section};
use crate::pictures::colour::Ramp;
use crate::pictures::maps::{Map, Stage, Wheel, energy_map};
use crate::pictures::panel::{Panel, Scaled};
use crate::pictures::planes::planes_through;
use crate::plots::svg_plot::{AxisLabels, Ink, Line, LinePlot, Series};
use crate::run::phase_reports::{EngineReport, FrameReport};
use crate::run::value_range::ValueRange;
use veloxel_core::{Control, Dimension, Flow, Grid, Volume};

/// One frame of a stream, a picture or a volume, with its results, all on its grid.
#[derive(Debug, Clone, Copy)]
pub struct EngineView<'a> {
    /// What was run: the heading of the page.
    pub heading: &'a str,
    /// The name of the stream.
    pub title: &'a str,
    /// Number of the frame.
    pub frame: u64,
    /// The frame itself.
    pub image: &'a Volume<f32>,
    /// The flow towards the next frame, and its confidence.
    pub flow: Option<(&'a Flow, &'a Volume<f32>)>,
    /// The disparity, pixels, and its confidence.
    pub disparity_px: Option<(&'a Volume<f32>, &'a Volume<f32>)>,
    /// The features: energy, orientation and phase.
    pub features: Option<[&'a Volume<f32>; 3]>,
}

/// The page of a stream: its rate, every frame in curves, and one frame in pictures.
///
/// # Errors
/// [`ReportError::Page`] should not occur; [`ReportError::Stopped`].
pub fn engine_html(
    report: &EngineReport,
    view: &EngineView<'_>,
    control: &Control,
) -> Result<String, ReportError> {
    let shown = Section { panels: panels(view, control)?, ..Section::new(format!("Frame {}", view.frame)) };
    let page = Page {
        cards: cards(report),
        sections: vec![
            shown,
            Section { plots: Plots::of(plots(&report.per_frame)), ..Section::new("Every frame") },
        ],
        run: Some(&report.header),
        ..Page::new(view.heading, view.title)
    };
    page.to_html()
}

fn cards(report: &EngineReport) -> Vec<Headline> {
    let size: Vec<_> = report.size.iter().map(usize::to_string).collect();
    let unit = if size.len() == 2 { "pixels" } else { "voxels" };
    let frames = counted(report.frames, "frame");
    let rate = format!("{frames} in {} s, with reading and writing", text(report.wall_s));
    let mut cards = vec![
        Headline::new("Frames", report.frames.to_string(), "", format!("{} {unit}", size.join(" × "))),
        Headline::new("Rate", text(report.frames_per_s), "frames/s", rate),
    ];
    cards.extend(report.latency.map(|latency| {
        let note =
            format!("90 % within {} ms, 99 % within {} ms", text(latency.p90_ms), text(latency.p99_ms));
        Headline::new("Latency", text(latency.p50_ms), "ms", note)
    }));
    let shares = [
        ("Flow", report.flow_valid_share, "vector"),
        ("Disparity", report.stereo_valid_share, "disparity"),
        ("Features", report.features_valid_share, "phase"),
    ];
    let share = |(name, share, of): (&str, Option<f64>, &str)| {
        Some(Headline::new(name, text(100.0 * share?), "%", format!("of the {unit} have a {of}")))
    };
    cards.extend(shares.into_iter().filter_map(share));
    let device = &report.header.device;
    let threads = counted(device.threads, "thread");
    cards.push(Headline::new("Time", text(report.wall_s), "s", format!("{}, {threads}", device.name)));
    cards
}

fn panels(view: &EngineView<'_>, control: &Control) -> Result<Vec<Panel>, ReportError> {
    let stage = stage_of(view.image.grid(), control);
    let confidence = |of: &'static str, map: &Volume<f32>| {
        let caption = "How far the orientations agree: 0 not at all, 1 fully.";
        stage.panel(of, caption, Map::Volume(map, Scaled::CONFIDENCE), "")
    };
    let image = Map::Volume(view.image, stage.grey(view.image));
    let caption = "The image that the features belong to.";
    let mut panels = vec![stage.layers("Frame", caption, &[("", image)], None)?];
    if let Some((flow, sure)) = view.flow {
        let caption = "Towards the next frame: hue is the direction, colour strength the length.";
        // Frames may have a spacing; the legend counts pixels, as the flow's own grid does.
        let own = stage_of(flow.grid(), control);
        let map = Map::Motion(flow, own.motion_scale(flow));
        panels.push(stage.panel("Motion", caption, map, own.unit)?.gaps_are("no vector"));
        panels.push(confidence("Confidence of the motion", sure)?);
    }
    if let Some((disparity_px, sure)) = view.disparity_px {
        let [low, high] = ValueRange::of(disparity_px).map_or([0.0, 1.0], |r| [r.p1, r.p99]);
        let caption = "How far to the left a pixel lies in the right frame: near is light.";
        let map = Map::Volume(disparity_px, Scaled { ramp: Ramp::Depth, low, high });
        let panel = stage.panel("Disparity", caption, map, "px, 1 to 99 % of the values")?;
        panels.push(panel.gaps_are("no disparity"));
        panels.push(confidence("Confidence of the disparity", sure)?);
    }
    if let Some([energy, orientation, phase]) = view.features {
        let map = Map::Angle(orientation, energy, Wheel::ORIENTATION);
        let panel = stage.panel("Orientation", "The direction across edges and lines.", map, "")?;
        panels.push(panel.gaps_are("no orientation"));
        let caption = "What kind of structure it is: a line or an edge, and of which sign.";
        let panel = stage.panel("Phase", caption, Map::Angle(phase, energy, Wheel::PHASE), "")?;
        panels.push(panel.gaps_are("no phase"));
        let caption = "How much structure there is.";
        panels.push(stage.panel("Energy", caption, energy_map(energy), "squared intensity")?);
    }
    Ok(panels)
}

/// The picture, or the planes through the middle of a volume.
fn stage_of<'c>(grid: &Grid, control: &'c Control) -> Stage<'c> {
    match grid.dimension() {
        Dimension::Two => Stage::of_picture(grid, control),
        Dimension::Three => Stage::new(grid, planes_through(grid, grid.size().map(|n| n / 2)), control),
    }
}

fn plots(frames: &[FrameReport]) -> Vec<LinePlot> {
    let series = |name: &str, ink: usize, value: &dyn Fn(&FrameReport) -> Option<f64>| Series {
        name: name.to_owned(),
        ink: Ink::Numbered(ink),
        line: Line::Solid,
        points: frames.iter().map(|f| (f.frame as f64, value(f).unwrap_or(f64::NAN))).collect(),
    };
    let percent_of = |share: Option<f64>| share.map(|share| 100.0 * share);
    let mut shares = vec![
        series("flow", 0, &|f| percent_of(f.flow_valid_share)),
        series("disparity", 1, &|f| percent_of(f.stereo_valid_share)),
        series("features", 2, &|f| percent_of(f.features_valid_share)),
    ];
    shares.retain(|s| s.points.iter().any(|(_, y)| y.is_finite()));
    vec![
        LinePlot::new(
            "Latency",
            AxisLabels { x: "frame", y: "ms" },
            vec![series("", 0, &|f| Some(f.latency_ms))],
            &[0.0],
        ),
        LinePlot::new("Pixels with a result", AxisLabels { x: "frame", y: "%" }, shares, &[0.0, 100.0]),
    ]
}
