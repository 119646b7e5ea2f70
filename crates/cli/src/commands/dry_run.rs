//! `veloxel flow --dry-run`: what a run would need.

use crate::{Outcome, print_lines, warn_and_note};
use std::path::Path;
use veloxel::Session;
use veloxel::jobs::{BoxesDryRun, DryRun};
use veloxel::pipelines::{TilePlan, TimeEstimate};
use veloxel::report::number::{counted, duration, size};
use veloxel::report::to_json;

/// Shows what a run would do; if a report is requested, the plan is written as JSON in its place.
pub fn show(run: &DryRun, report: Option<&Path>, session: &Session) -> Outcome {
    warn_and_note(&run.warnings);
    if let Some(path) = report {
        veloxel::io::write_text(session.files().target(path), &to_json(run)?)?;
    }
    print_lines(&lines(run))
}

/// Shows what a run over fields would do.
pub fn show_boxes(run: &BoxesDryRun) -> Outcome {
    warn_and_note(&run.warnings);
    print_lines(&boxes_lines(run))
}

fn boxes_lines(run: &BoxesDryRun) -> Vec<(&'static str, String)> {
    let memory = &run.memory;
    let allowed = memory.budget_bytes.map_or(String::new(), |bytes| format!(" of {} allowed", size(bytes)));
    let boxes = match memory.boxes {
        1 => "none: files and the result are held in memory".to_owned(),
        count => {
            let (boxes, disk) = (axes(memory.box_size), size(memory.disk_bytes));
            format!(
                "{count} boxes of {boxes}, read and written one by one; they take {disk} of disk meanwhile"
            )
        }
    };
    let mut lines = vec![
        ("result", axes(memory.size)),
        ("memory", format!("{}{allowed}", size(memory.peak_bytes))),
        ("boxes", boxes),
        ("time", time_text(&run.time)),
    ];
    lines.extend(run.writes.iter().map(|(role, path)| (role.text(), path.display().to_string())));
    lines
}

fn time_text(time: &TimeEstimate) -> String {
    let (whole, measured, ns_per_voxel) =
        (duration(time.solve_ms), axes(time.measured_size), time.ns_per_voxel);
    format!("about {whole}, from {ns_per_voxel:.0} ns a voxel on {measured}")
}

fn lines(run: &DryRun) -> Vec<(&'static str, String)> {
    let memory = &run.memory;
    let allowed = memory.budget_bytes.map_or(String::new(), |bytes| format!(" of {} allowed", size(bytes)));
    let parts: Vec<_> =
        memory.parts.iter().map(|part| format!("{} {}", part.what, size(part.bytes))).collect();
    let [fixed, moving] = run.sizes.map(axes);
    let mut lines = vec![
        ("method", format!("{}, preset {}", run.method, run.preset)),
        ("device", run.device.name.clone()),
        ("images", if fixed == moving { fixed } else { format!("{fixed} and {moving}") }),
    ];
    if run.frames > 0 {
        lines.push(("frames", format!("{}, {}", counted(run.frames, "frame"), counted(run.fields, "field"))));
    }
    if run.is_pair_by_pair {
        lines.push(("pairs", "one after the other: memory and tiles are those of one pair".to_owned()));
    }
    let is_part = memory.parts.iter().any(|part| part.what == "method");
    let [of_process, of_device] = if is_part { [allowed, String::new()] } else { [String::new(), allowed] };
    lines.push(("memory", format!("{}{of_process}: {}", size(memory.peak_bytes), parts.join(", "))));
    if !is_part {
        lines.push(("on device", format!("{}{of_device}", size(memory.device_bytes))));
    }
    let (mut name, mut pass) = ("tiles", Some(&memory.tiles));
    while let Some(own) = pass {
        lines.push((name, tiles(own)));
        (name, pass) = ("start", own.coarse.as_ref().map(|coarse| &*coarse.plan));
    }
    if memory.disk_bytes > 0 {
        let disk = size(memory.disk_bytes);
        lines.push((
            "in parts",
            format!("images are read and the field is written in boxes; tiles take {disk} of disk meanwhile"),
        ));
    }
    lines.push(("time", time_text(&run.time)));
    lines.extend(run.writes.iter().map(|(role, path)| (role.text(), path.display().to_string())));
    lines
}

/// One pass of a plan, as text.
fn tiles(plan: &TilePlan) -> String {
    match plan.count() {
        1 => format!("none: {} at once", axes(plan.grid_size)),
        count => {
            let [tiles, size] = [plan.tiles, plan.tile_size].map(axes);
            let (count, overlap) = (counted(count, "tile"), 2 * plan.overlap_vox);
            format!("{count} ({tiles}) of {size}, overlapping by {overlap} voxels")
        }
    }
}

fn axes([x, y, z]: [usize; 3]) -> String {
    if z == 1 { format!("{x} × {y}") } else { format!("{x} × {y} × {z}") }
}
