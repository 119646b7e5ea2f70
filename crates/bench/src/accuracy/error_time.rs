//! Error over time of CLG's presets, beside OpenCV's DIS on the same cores: pictures in memory, methods opened before.

use crate::accuracy::middlebury::{PAIRS, folder, images};
use crate::{BenchError, Figure, Session};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;
use veloxel_core::{Control, Dimension, Flow, Volume, Warnings};
use veloxel_io::{Strictness, read_flow};
use veloxel_measure::flow_error;
use veloxel_motion::{Clg, ClgParams, ClgPreset, Pair, PairMethod};
use veloxel_report::svg_plot::{AxisLabels, Ink, Line, LinePlot, Scale, Series};

/// The presets, and the finest level of the points between them: the curve from the least time to the least error.
const SETTINGS: [(&str, ClgPreset, Option<usize>); 6] = [
    ("ultrafast", ClgPreset::Ultrafast, None),
    ("realtime", ClgPreset::Realtime, None),
    ("realtime, finest_level 1", ClgPreset::Realtime, Some(1)),
    ("fast, finest_level 1", ClgPreset::Fast, Some(1)),
    ("fast", ClgPreset::Fast, None),
    ("accurate", ClgPreset::Accurate, None),
];

/// Number of runs of a pair, of which the shortest counts.
const REPEATS: usize = 15;
/// Greatest allowed error in DIS's time, as a share of DIS's error.
const SHARE_OF_PEER: f64 = 0.9;

/// Mean error and mean time over the pairs.
#[derive(Debug, Clone)]
struct Point {
    name: String,
    error_px: f64,
    time_ms: f64,
}

/// A pair in memory.
struct Scene {
    files: [PathBuf; 3],
    images: [Volume<f32>; 2],
    truth: Flow,
}

/// The bench `error-time`: points of the presets and of DIS; within each of DIS's times our least error.
pub(crate) fn error_time(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let scenes = scenes(session)?;
    if scenes.is_empty() {
        return Ok(Vec::new());
    }
    let ours = SETTINGS
        .iter()
        .map(|(name, preset, finest_level)| measure(session, name, *preset, *finest_level, &scenes))
        .collect::<Result<Vec<_>, _>>()?;
    let peers = match peers(&scenes, session.device_options.threads) {
        Ok(peers) => peers,
        Err(reason) => {
            session.miss(format!("OpenCV for Python ({reason})"));
            Vec::new()
        }
    };
    let mut figures = Vec::new();
    for (who, points) in [("CLG", &ours), ("OpenCV DIS", &peers)] {
        for Point { name, error_px, time_ms } in points {
            figures.push(Figure::new(format!("{who} {name}: error"), *error_px, "px"));
            figures.push(Figure::new(format!("{who} {name}: time"), *time_ms, "ms"));
        }
    }
    for peer in &peers {
        let what = format!("least error within the time of DIS {}, over its error", peer.name);
        match error_within(&ours, peer.time_ms) {
            Some(error_px) => {
                figures.push(Figure::new(what, error_px / peer.error_px, "").at_most(SHARE_OF_PEER));
            }
            None => {
                let what = format!("least time over that of DIS {}", peer.name);
                figures.push(Figure::new(what, ours[0].time_ms / peer.time_ms, "").at_most(1.0));
            }
        }
    }
    session.draw(plot(&ours, &peers));
    Ok(figures)
}

fn scenes(session: &Session<'_>) -> Result<Vec<Scene>, BenchError> {
    let folders = PAIRS.into_iter().filter_map(|name| folder(session, name));
    let scene = |folder: PathBuf| {
        let files = ["frame10.png", "frame11.png", "flow10.flo"].map(|file| folder.join(file));
        let truth = read_flow(&files[2], Strictness::Lenient, &mut Warnings::new())?;
        Ok(Scene { images: images(&folder)?, files, truth })
    };
    folders.map(scene).collect()
}

fn measure(
    session: &Session<'_>,
    name: &str,
    preset: ClgPreset,
    finest_level: Option<usize>,
    scenes: &[Scene],
) -> Result<Point, BenchError> {
    let mut params = ClgParams::preset(preset, Dimension::Two);
    params.finest_level = finest_level.unwrap_or(params.finest_level);
    let (mut error_sum, mut time_sum) = (0.0, 0.0);
    for Scene { images: [fixed, moving], truth, .. } in scenes {
        let mut method = Clg::new(fixed.grid(), params.clone(), session.device)?;
        let (mut least_s, mut error_px) = (f64::INFINITY, 0.0);
        for nth in 0..REPEATS {
            let begin = Instant::now();
            let found = method.run(&Pair::new(fixed, moving))?;
            least_s = least_s.min(begin.elapsed().as_secs_f64());
            if nth == 0 {
                error_px = flow_error(&found.flow, truth, None, &Control::default())?.end_point_vox.mean;
            }
            // Seconds of the same work tell no more.
            if nth >= 2 && least_s > 0.2 {
                break;
            }
        }
        error_sum += error_px;
        time_sum += 1e3 * least_s;
    }
    let count = scenes.len() as f64;
    Ok(Point { name: (*name).to_owned(), error_px: error_sum / count, time_ms: time_sum / count })
}

/// OpenCV's DIS through Python, or why it could not be measured.
fn peers(scenes: &[Scene], threads: usize) -> Result<Vec<Point>, String> {
    let mut python = Command::new("python3");
    python.args(["-c", include_str!("error_time.py"), &threads.to_string()]);
    for scene in scenes {
        python.args(&scene.files);
    }
    let output = python.output().map_err(|error| format!("python3: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().last().unwrap_or("python3 failed").to_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let found: std::collections::HashMap<String, Vec<[f64; 2]>> =
        serde_json::from_str(text.trim()).map_err(|error| error.to_string())?;
    let mut points: Vec<Point> = found
        .into_iter()
        .map(|(name, pairs)| {
            let mean = |nth: usize| pairs.iter().map(|p| p[nth]).sum::<f64>() / pairs.len() as f64;
            Point { name, error_px: mean(0), time_ms: mean(1) }
        })
        .collect();
    points.sort_by(|a, b| a.time_ms.total_cmp(&b.time_ms));
    Ok(points)
}

/// The least error of the points that take no longer than this; none below the least time.
fn error_within(points: &[Point], time_ms: f64) -> Option<f64> {
    let in_time = points.iter().filter(|point| point.time_ms <= time_ms);
    in_time.map(|point| point.error_px).min_by(f64::total_cmp)
}

fn plot(ours: &[Point], peers: &[Point]) -> LinePlot {
    let series = |name: &str, nth: usize, points: &[Point]| Series {
        name: name.to_owned(),
        ink: Ink::Numbered(nth),
        line: Line::Dotted,
        points: points.iter().map(|p| (p.time_ms, p.error_px)).collect(),
    };
    let curves = vec![series("Veloxel CLG", 0, ours), series("OpenCV DIS", 1, peers)];
    let labels = AxisLabels { x: "time of a pair, ms", y: "mean end-point error, px" };
    let plot = LinePlot::new("Error over time, four Middlebury pairs", labels, curves, &[0.0]);
    LinePlot { x_scale: Scale::Logarithmic, ..plot }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_as_fast_counts() {
        let point = |time_ms: f64, error_px: f64| Point { name: String::new(), error_px, time_ms };
        let points = [point(1.0, 0.8), point(4.0, 0.4), point(16.0, 0.2)];
        assert_eq!(error_within(&points, 0.5), None);
        assert_eq!(error_within(&points, 15.0), Some(0.4));
        assert_eq!(error_within(&points, 99.0), Some(0.2));
    }
}
