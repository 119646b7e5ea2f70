//! `veloxel info`: what a file is.

use crate::output::{print_json, print_lines};
use crate::run_arguments::ReadingArguments;
use crate::{Outcome, Run, warn};
use clap::Args;
use std::path::PathBuf;
use veloxel::Dimension;
use veloxel::io::{FileInfo, Kind, inspect};
use veloxel::report::number::counted;

/// Show what a file holds: format, size, spacing, orientation.
#[derive(Debug, Args)]
pub struct InfoArguments {
    /// An image, a sequence or a displacement field
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// As JSON, for scripts
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reading: ReadingArguments,
}

impl Run for InfoArguments {
    fn run(self) -> Outcome {
        let info = inspect(&self.file, self.reading.reading())?;
        if self.json {
            return print_json(&info);
        }
        warn(&info.warnings);
        print_lines(&lines(&info))
    }
}

fn lines(info: &FileInfo) -> Vec<(&'static str, String)> {
    let axes = info.dimension.count();
    let triple = |values: &[f64]| values[..axes].iter().map(|v| trimmed(*v)).collect::<Vec<_>>().join(" × ");
    let list = |values: &[f64]| values[..axes].iter().map(|v| trimmed(*v)).collect::<Vec<_>>().join(", ");
    let kind = match (info.kind, info.dimension) {
        (Kind::Image, Dimension::Two) => "picture",
        (Kind::Image, Dimension::Three) => "volume",
        (Kind::Sequence, _) => "sequence",
        (Kind::Flow, _) => "displacement field",
        (Kind::Mesh, _) => "mesh",
    };
    let size: Vec<String> = info.size[..axes].iter().map(usize::to_string).collect();
    let unit = if info.dimension == Dimension::Two { "pixels" } else { "voxels" };
    let mut lines = vec![
        ("holds", format!("{kind} ({})", info.format)),
        ("size", format!("{} {unit}", size.join(" × "))),
        ("samples", info.sample_type.clone()),
    ];
    if info.kind == Kind::Sequence {
        let interval =
            info.frame_interval_ms.map_or(String::new(), |ms| format!(", {} ms apart", trimmed(ms)));
        lines.push(("frames", format!("{}{interval}", counted(info.frames, "frame"))));
    }
    let physical = info.dimension == Dimension::Three || info.spacing_mm[..2] != [1.0, 1.0];
    if physical {
        lines.push(("spacing", format!("{} mm", triple(&info.spacing_mm))));
        lines.push(("origin", format!("({}) mm, LPS", list(&info.origin_mm))));
        for (axis, name) in ["x axis", "y axis", "z axis"].into_iter().enumerate().take(axes) {
            let column = info.direction.map(|row| row[axis]);
            lines.push((name, format!("({})  {}", list(&column), towards(column))));
        }
    }
    lines
}

/// Up to four decimals, without trailing zeros.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Where an axis points, in words.
fn towards(direction: [f64; 3]) -> &'static str {
    let words = [("left", "right"), ("posterior", "anterior"), ("superior", "inferior")];
    let largest = (0..3).max_by(|&a, &b| direction[a].abs().total_cmp(&direction[b].abs())).unwrap_or(0);
    let (positive, negative) = words[largest];
    if direction[largest] < 0.0 { negative } else { positive }
}
