//! The headline numbers of a report.

use super::number::{counted, duration, percent, text};
use super::{PairReport, RunHeader, RunReport};
use serde::Serialize;

/// One number with its name.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Card {
    label: &'static str,
    value: String,
    unit: String,
    note: String,
}

impl Card {
    pub fn new(label: &'static str, value: String, unit: &str, note: String) -> Self {
        Self { label, value, unit: unit.to_owned(), note }
    }
}

/// The cards of a pair within its run, most wanted first; `unit` is `mm` or `px`.
pub(super) fn cards(run: &RunReport, pair: &PairReport, unit: &str) -> Vec<Card> {
    let voxels = if unit == "px" { "pixels" } else { "voxels" };
    let motion = &pair.motion;
    let (mean, max) =
        if unit == "px" { (motion.mean_vox, motion.max_vox) } else { (motion.mean_mm, motion.max_mm) };
    let note = match unit {
        "px" => format!("up to {} px", text(max)),
        _ => format!("up to {} mm; {} voxels on average", text(max), text(motion.mean_vox)),
    };
    let mut cards = vec![Card::new("Mean motion", text(mean), unit, note)];

    if let Some(error) = &pair.error {
        let e = &error.end_point_vox;
        let note =
            format!("95 % below {}; a zero flow would score {}", text(e.a95), text(error.mean_truth_vox));
        cards.push(Card::new("End-point error", text(e.mean), voxels, note));
        let note = format!("measured at {} of the true vectors", percent(error.density));
        cards.push(Card::new("Angular error", text(error.angular_deg.mean), "°", note));
    }
    if let Some(overlap) = &run.label_overlap {
        let note = match overlap.mean_hausdorff95_mm {
            Some(distance) => format!("{} labels; Hausdorff 95: {} mm", overlap.labels.len(), text(distance)),
            None => format!("{} labels", overlap.labels.len()),
        };
        cards.push(Card::new("Dice", text(overlap.mean_dice), "", note));
    }

    let brightness = pair.statistics.brightness;
    let change = brightness.mean_abs_after / brightness.mean_abs_before - 1.0;
    let value =
        if change > 0.0 { format!("+{}", text(100.0 * change)) } else { text((100.0 * change).round()) };
    let note =
        format!("mean |Iₜ|: {} → {}", text(brightness.mean_abs_before), text(brightness.mean_abs_after));
    cards.push(Card::new("Brightness difference", value, "%", note));

    let jacobian = pair.statistics.jacobian;
    let folded = match jacobian.share_folded {
        0.0 => "no folding".to_owned(),
        share if share.is_nan() => "nothing to measure".to_owned(),
        share => format!("{} folded", percent(share)),
    };
    let note = format!("mean |det − 1|; det {} to {}; {folded}", text(jacobian.min), text(jacobian.max));
    let label = if unit == "px" { "Area change" } else { "Volume change" };
    cards.push(Card::new(label, text(100.0 * jacobian.mean_abs_minus_one), "%", note));

    let note = match pair.sparsification.as_ref().and_then(|s| s.ause.zip(s.ause_uninformed)) {
        Some((ause, uninformed)) => format!("AUSE {} (knowing nothing: {})", text(ause), text(uninformed)),
        None => format!("{} of the vectors valid", percent(motion.valid_share)),
    };
    cards.push(Card::new("Mean confidence", text(motion.mean_confidence), "", note));

    if let Some(closure) = run.cycle_closure_vox {
        let note = "left after following one whole cycle".to_owned();
        cards.push(Card::new("Cycle closure", text(closure), voxels, note));
    }
    if let Some(residual) = pair.statistics.inverse_residual_vox {
        let note = "forward then backward, mean".to_owned();
        cards.push(Card::new("Inverse consistency", text(residual), voxels, note));
    }
    cards.push(time_card(&run.header));
    cards
}

/// How long everything took, and what it ran on.
pub(super) fn time_card(header: &RunHeader) -> Card {
    let device = &header.device;
    let elapsed = duration(header.stage_times.iter().map(|s| s.time_ms).sum());
    let (value, unit) =
        elapsed.split_once(' ').filter(|(_, unit)| !unit.contains(' ')).unwrap_or((&elapsed, ""));
    let threads = match device.threads {
        0 => String::new(),
        n => format!(", {}", counted(n, "thread")),
    };
    Card::new("Time", value.to_owned(), unit, format!("{}{threads}", device.name))
}
