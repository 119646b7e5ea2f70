//! The commands that compute, each as the README calls it, on data made here.

mod cameras;
mod flows;
mod hearts;
mod measures;
mod meshes;

use super::inputs::Inputs;
use crate::BenchError;
use std::fmt::Debug;
use std::path::Path;
use veloxel::{Session, VeloxelError};

/// Runs a command through a session into a folder; what it answers beside files, as text.
pub(super) type Job = Box<dyn Fn(&Session, &Path) -> Result<String, VeloxelError>>;

/// A command.
pub(super) struct Command {
    /// What the command and its data are called in figures.
    pub name: &'static str,
    /// Whether the short form has it.
    pub is_quick: bool,
    /// The memory that its session may take; none: what there is.
    pub max_memory_bytes: Option<u64>,
    /// Makes its inputs.
    pub prepare: fn(&Inputs<'_>) -> Result<Job, BenchError>,
}

impl Command {
    const fn new(name: &'static str, prepare: fn(&Inputs<'_>) -> Result<Job, BenchError>) -> Self {
        Self { name, is_quick: false, max_memory_bytes: None, prepare }
    }
    const fn within(self, bytes: u64) -> Self {
        Self { max_memory_bytes: Some(bytes), ..self }
    }
    const fn quick(self) -> Self {
        Self { is_quick: true, ..self }
    }
}

/// Every command that computes.
pub(super) const COMMANDS: &[Command] = &[
    Command::new("flow, clg, pictures, with maps and page", flows::pictures).quick(),
    Command::new("flow, clg, volumes, with page", flows::volumes),
    Command::new("flow, clg, affine start", flows::affine),
    Command::new("flow, clg, matches", flows::matches),
    Command::new("flow, clg, tiles", flows::tiles).within(flows::TILES_BYTES),
    Command::new("flow, phase, five frames", flows::phase),
    Command::new("flow, lucas-kanade", flows::lucas_kanade),
    Command::new("flow, block-matching, refined", flows::block_matching),
    Command::new("flow, fe", flows::finite_elements),
    Command::new("flow of a sequence, both", flows::sequence_both),
    Command::new("flow of a sequence, reference", flows::sequence_reference),
    Command::new("compare", flows::compare),
    Command::new("stereo", cameras::stereo),
    Command::new("features", cameras::features).quick(),
    Command::new("engine", cameras::engine),
    Command::new("track-points", cameras::track_points),
    Command::new("track, clg", hearts::track_clg),
    Command::new("track, fe", hearts::track_fe),
    Command::new("contours fit", hearts::contours_fit),
    Command::new("demo", hearts::demo),
    Command::new("segment, cuts", meshes::cuts).quick(),
    Command::new("segment, fuzzy", meshes::fuzzy),
    Command::new("distances, auto", meshes::distances_auto).quick(),
    Command::new("distances, floyd-warshall", meshes::floyd_warshall),
    Command::new("warp image", measures::warp_image),
    Command::new("warp labels", measures::warp_labels),
    Command::new("filter", measures::filter),
    Command::new("evaluate flow", measures::flow),
    Command::new("evaluate disparity", measures::disparity),
    Command::new("evaluate labels", measures::labels).quick(),
    Command::new("evaluate contours", measures::contours),
    Command::new("evaluate segmentation", measures::segmentation),
];

/// A command whose answers are its files.
fn files_alone<R>(_: R) -> String {
    String::new()
}

/// A command that answers with numbers.
fn told<R: Debug>(answer: R) -> String {
    format!("{answer:?}")
}
