//! The summary of a run that followed outlines.

use veloxel::metrics::{ContourDistances, ContourSummary};
use veloxel::report::number::{counted, duration, percent, signed};
use veloxel::report::{ChamberWords, TrackReport, TrackRun};

/// What was followed and found, line by line.
pub(super) fn summary(report: &TrackReport) -> Vec<(&'static str, String)> {
    let cine = &report.cine;
    let [nx, ny, nz] = cine.size;
    let (frames, slices) = (counted(cine.frames, "frame"), counted(cine.slices.len(), "slice"));
    let motion = match cine.motion.as_str() {
        "volume" => "of all slices together (--motion in-plane: each in its plane)",
        _ => "of each slice in its plane (--motion volume: of all together)",
    };
    let mut lines = vec![
        ("cine", format!("{frames}, {nx} × {ny} × {nz}, outlines in {slices}")),
        ("motion", motion.to_owned()),
    ];
    for each in &report.runs {
        lines.push(("method", format!("{}, {}, {}", each.method, each.preset, duration(each.time_ms))));
        lines.extend(results(each));
    }
    for pair in &report.between_readers {
        lines.extend(distances(&pair.readers.join(" – "), &pair.distances));
    }
    lines
}

/// The results of a method, line by line.
fn results(run: &TrackRun) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for (name, chamber) in [("left", &run.ventricles.lv), ("right", &run.ventricles.rv)] {
        lines.extend(chamber.as_ref().map(|c| {
            let words = ChamberWords::of(c);
            let ChamberWords { share_name, share_percent, largest, smallest, .. } = &words;
            (name, format!("{share_name} {share_percent} %, {largest}, {smallest}"))
        }));
    }
    if let Some(all) = run.strain_summary.first() {
        let kinds = [
            ("circumferential", all.circumferential),
            ("radial", all.radial),
            ("longitudinal", all.longitudinal),
        ];
        let known = kinds.into_iter().filter_map(|(name, kind)| Some((name, kind?)));
        lines.extend(known.map(|(name, kind)| {
            let percent = |strain: f64| format!("{} %", signed(100.0 * strain, 1));
            let end = kind.end_systolic.map(|strain| format!(", {} at end-systole", percent(strain)));
            let (extreme, frame) = (percent(kind.extreme), kind.extreme_frame);
            ("strain", format!("{name}: extreme {extreme} (frame {frame}){}", end.unwrap_or_default()))
        }));
    }
    lines.extend(run.expected_errors.iter().map(|own| {
        let (title, count) = (own.structure.title(), own.count);
        let [mean, most] = [own.modified_hausdorff_mm, own.nine_of_ten_mm];
        (
            "expected",
            format!("{title}: {mean:.2} mm from a reader's, nine of ten below {most:.2}, mean of {count}"),
        )
    }));
    lines.extend(run.distances.iter().flat_map(|own| distances("", own)));
    for reader in run.readers.iter().skip(1) {
        lines.extend(distances(&format!("to {}", reader.reader), &reader.distances));
    }
    lines.push(("folded", format!("{} of a frame at most", percent(run.worst_folding()))));
    lines
}

/// The distance of every structure's outlines; `whose` says between which, where that needs to be said.
fn distances(whose: &str, distances: &ContourDistances) -> Vec<(&'static str, String)> {
    let line = |s: &ContourSummary| {
        let (title, count) = (s.structure.title(), s.count);
        let [mean, worst] = [s.modified_hausdorff_mm, s.worst_modified_hausdorff_mm];
        let whose = if whose.is_empty() { String::new() } else { format!("{whose}, ") };
        (
            "distance",
            format!("{whose}{title}: modified Hausdorff {mean:.2} mm (worst {worst:.2}), mean of {count}"),
        )
    };
    distances.structures.iter().map(line).collect()
}
