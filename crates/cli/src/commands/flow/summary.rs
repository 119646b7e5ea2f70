//! What a run of `veloxel flow` came to.

use crate::Summary;
use veloxel::report::number::{counted, percent, text};
use veloxel::report::{PairReport, RunReport, cells_text};
use veloxel::{Dimension, SolveStatus};

/// A summary: a few lines for a person at a terminal, and one line for everybody else.
pub(super) fn summary(report: &RunReport) -> Summary {
    let unit = if report.header.inputs[0].dimension == Dimension::Two { "px" } else { "voxels" };
    if let [pair] = report.pairs.as_slice() {
        return Summary { lines: pair_lines(pair, unit), line: pair_line(pair, unit) };
    }
    let most = |of: fn(&PairReport) -> f64| report.pairs.iter().map(of).fold(0.0, f64::max);
    let largest = most(|pair| pair.motion.max_vox);
    let sum: f64 = report.pairs.iter().map(|pair| pair.motion.mean_vox).sum();
    let mean = text(sum / report.pairs.len().max(1) as f64);
    let outside = percent(most(|pair| pair.motion.outside_share));
    let folded = percent(most(|pair| pair.cells.asked().share_folded()));
    let mut lines = vec![
        ("fields", report.pairs.len().to_string()),
        ("motion", format!("mean {mean} {unit}, largest {}", text(largest))),
        ("outside", format!("at most {outside} of a field's vectors")),
        ("folded", format!("at most {folded} of a field's cells")),
    ];
    let drift = |d| ("drift", format!("{} {unit} once around", text(d)));
    lines.extend(report.cycle_closure_vox.map(drift));
    let fields = counted(report.pairs.len(), "field");
    let line =
        format!("{fields}, mean motion {mean} {unit}, at most {outside} outside, at most {folded} folded");
    Summary { lines, line }
}

fn pair_line(pair: &PairReport, unit: &str) -> String {
    let (motion, folded) = (&pair.motion, percent(pair.cells.asked().share_folded()));
    let (mean, outside) = (text(motion.mean_vox), percent(motion.outside_share));
    let status = match pair.statistics.status {
        SolveStatus::Done => String::new(),
        other => format!("{}: ", other.text()),
    };
    format!("{status}mean motion {mean} {unit}, {outside} outside, {folded} folded")
}

fn pair_lines(pair: &PairReport, unit: &str) -> Vec<(&'static str, String)> {
    let (motion, jacobian, brightness) =
        (&pair.motion, &pair.statistics.jacobian, &pair.statistics.brightness);
    let (before, after) = (text(brightness.mean_abs_before), text(brightness.mean_abs_after));
    let (least, most) = (text(jacobian.min), text(jacobian.max));
    let mut lines = vec![
        ("status", pair.statistics.status.text().to_owned()),
        ("motion", format!("mean {} {unit}, largest {}", text(motion.mean_vox), text(motion.max_vox))),
        ("outside", format!("{} of the vectors leave the moving image", percent(motion.outside_share))),
        ("brightness", format!("mean difference {before} → {after}")),
        ("Jacobian", format!("{least} to {most}")),
        ("folding", cells_text(pair.cells.asked())),
        ("confidence", format!("mean {}", text(motion.mean_confidence))),
    ];
    lines.extend(pair.error.as_ref().map(|error| {
        let (end_point, angle) = (text(error.end_point_vox.mean), text(error.angular_deg.mean));
        ("error", format!("mean {end_point} {unit}, {angle}°, at {}", percent(error.density)))
    }));
    lines
}
