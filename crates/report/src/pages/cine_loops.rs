//! Loops of a page: the frames of a slice side by side in one picture, moved past a window by the style sheet, with outlines on
//! them. No script runs; a reader whose system asks for less motion sees the first frame.

use crate::error::ReportError;
use crate::pages::page::Figure;
use crate::pictures::colour::Ramp;
use crate::pictures::picture::Raster;
use crate::pictures::track_view::TrackView;
use crate::run::track_report::CineReport;
use veloxel_core::{ContourSet, Control, Structure, Volume};

/// Shortest and longest time of a loop, and the time of a frame where it is unknown, milliseconds.
const LOOP_MS: [f64; 2] = [800.0, 2500.0];
const FRAME_MS: f64 = 80.0;
/// Factor by which a loop is slower than the heart.
const SLOWED: f64 = 1.5;
/// Most pixels of all pictures of a page; with more, slices are left out in even steps.
const MOST_PIXELS: usize = 12 << 20;

/// Makes a loop for every slice with outlines: methods in their inks, the truth dashed.
pub(crate) fn figures(
    cine: &CineReport,
    views: &[TrackView<'_>],
    control: &Control,
) -> Result<Vec<Figure>, ReportError> {
    let (slices, interval_ms) = (&cine.slices, cine.frame_interval_ms);
    let Some(first) = views.first() else { return Ok(Vec::new()) };
    let [w, h] = first.region_size_px;
    let pixels = w * h * first.frames.len() * slices.len();
    let step = pixels.div_ceil(MOST_PIXELS).max(1);
    let duration = interval_ms.unwrap_or(FRAME_MS) * first.frames.len() as f64 * SLOWED;
    let duration = duration.clamp(LOOP_MS[0], LOOP_MS[1]);
    let of = |&slice: &usize| {
        control.check()?;
        let svg = looped(slice, views, duration)?;
        Ok(Figure { title: format!("Slice {slice}"), caption: String::new(), svg })
    };
    slices.iter().step_by(step).map(of).collect()
}

fn looped(slice: usize, views: &[TrackView<'_>], duration_ms: f64) -> Result<String, ReportError> {
    let first = &views[0];
    let ([w, h], frames) = (first.region_size_px, first.frames.len());
    let uri = strip(first.frames, slice, first)?;
    let mut marks = String::new();
    for (nth, view) in views.iter().enumerate() {
        marks += &paths(view.contours, slice, view, &format!("ink-{}", nth % 6));
    }
    if let Some(truth) = first.truth {
        marks += &paths(truth, slice, first, "truth");
    }
    Ok(format!(
        r#"<svg class="loop" viewBox="0 0 {w} {h}" role="img" aria-label="Slice {slice} over time with its outlines"><g class="strip" style="--end:-{end}px;animation:strip {duration_ms:.0}ms steps({frames}) infinite"><image href="{uri}" width="{end}" height="{h}" preserveAspectRatio="none"/>{marks}</g></svg>"#,
        end = w * frames
    ))
}

/// All frames of a slice side by side, as a data URI.
fn strip(frames: &[Volume<f32>], slice: usize, view: &TrackView<'_>) -> Result<String, ReportError> {
    let ([x0, y0], [w, h]) = (view.region_from_px, view.region_size_px);
    let mut values = Vec::with_capacity(w * h * frames.len());
    for y in 0..h {
        for frame in frames {
            values.extend((0..w).map(|x| [*frame.at([x0 + x, y0 + y, slice])]));
        }
    }
    let mut sorted: Vec<f32> = values.iter().map(|v| v[0]).filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    let at = |share: f64| sorted.get((share * sorted.len() as f64) as usize).copied().unwrap_or(1.0);
    let (low, high) = (at(0.01), at(0.995));
    Raster { columns: w * frames.len(), rows: h, values }.to_data_uri(Ramp::Grey, low, high)
}

/// The outlines of a slice on all frames of its strip.
fn paths(contours: &ContourSet, slice: usize, view: &TrackView<'_>, class: &str) -> String {
    let ([x0, y0], [w, _]) = (view.region_from_px, view.region_size_px);
    let mut d = String::new();
    for structure in Structure::ALL.into_iter().filter(|s| *s != Structure::Region) {
        for frame in 0..view.frames.len() {
            let Some(contour) = contours.get(structure, slice, frame) else { continue };
            let points = contour.polygon.points_px();
            // Two hundred points say as much as thousands.
            for (nth, [x, y]) in points.iter().step_by(points.len().div_ceil(160)).enumerate() {
                // The middle of a pixel is half a pixel from its border.
                let (x, y) = (x - x0 as f64 + 0.5, y - y0 as f64 + 0.5);
                // An outline that leaves its frame is cut there.
                let x = x.clamp(0.0, w as f64) + (frame * w) as f64;
                d += &format!("{}{x:.1} {y:.1}", if nth == 0 { 'M' } else { 'L' });
            }
            d.push('Z');
        }
    }
    if d.is_empty() { d } else { format!(r#"<path class="outline {class}" d="{d}"/>"#) }
}
