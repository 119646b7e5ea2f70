//! What a tiled run says of itself, and how a face follows it.

use super::mosaic::TileSeams;
use super::plan::TilePlan;
use crate::steps::linear::aligned_brightness::note_brightness;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;
use veloxel_core::{
    BrightnessReport, DiagnosticCell, DiagnosticTable, FlowStatistics, LinearBrightness, MethodDiagnostics,
    Portion, SolveStatus, WarningKind, Warnings,
};

/// How the run of one tile went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TileAccount {
    /// Whether a tolerance was missed.
    pub missed_limit: bool,
    /// Mean |I_t| before and after, in mapped intensities.
    pub mean_abs: [f64; 2],
    /// Mean composed residual of both directions, voxels, where both were estimated.
    pub inverse_residual_vox: Option<f64>,
    /// Milliseconds that the device spent, where the method measures them.
    pub device_ms: f64,
    /// What was warned of convergence.
    pub warning: Option<String>,
}

impl TileAccount {
    /// What a tile's statistics say.
    pub fn of(found: &FlowStatistics) -> Self {
        let missed = found.warnings.iter().find(|warning| warning.kind == WarningKind::Convergence);
        Self {
            missed_limit: found.status == SolveStatus::LimitReached,
            mean_abs: [found.brightness.mean_abs_before, found.brightness.mean_abs_after],
            inverse_residual_vox: found.inverse_residual_vox,
            device_ms: found.method.device_ms.unwrap_or(0.0),
            warning: missed.map(|warning| warning.message.clone()),
        }
    }
}

/// What tiles say, weighed by what they contribute.
#[derive(Debug, Default)]
pub(super) struct Account {
    status: SolveStatus,
    before: f64,
    after: f64,
    voxels: f64,
    inverse: Option<f64>,
    device_ms: f64,
    missed: Option<String>,
    /// Why there was nothing to estimate.
    nothing: Option<String>,
    /// What the moving image was compared as.
    pub brightness: Option<LinearBrightness>,
    tiles: usize,
}

impl Account {
    pub fn add(&mut self, found: &TileAccount, voxels: usize) {
        let weight = voxels as f64;
        self.tiles += 1;
        self.voxels += weight;
        let [before, after] = found.mean_abs;
        self.before += weight * before;
        self.after += weight * after;
        self.device_ms += found.device_ms;
        if let Some(residual) = found.inverse_residual_vox {
            *self.inverse.get_or_insert(0.0) += weight * residual;
        }
        if found.missed_limit {
            self.status = SolveStatus::LimitReached;
        }
        // Each tile has numbers of its own: the first one's speak for all.
        if let (None, Some(warning)) = (&self.missed, &found.warning) {
            self.missed = Some(format!("tile {}: {warning}", self.tiles));
        }
    }

    /// The account of images without contrast: nothing was estimated.
    pub fn no_content(why: String) -> Self {
        Self { status: SolveStatus::NoContent, nothing: Some(why), ..Self::default() }
    }

    pub fn finish(self, plan: &TilePlan, seams: TileSeams) -> FlowStatistics {
        let mean = |sum: f64| sum / self.voxels.max(1.0);
        let mut warnings = Warnings::new();
        self.missed.into_iter().for_each(|missed| warnings.push(WarningKind::Convergence, missed));
        self.nothing.into_iter().for_each(|why| warnings.push(WarningKind::Content, why));
        let mut json = serde_json::Map::new();
        let tiles = serde_json::json!({
            "count": plan.count(),
            "run": self.tiles,
            "size": plan.tile_size,
            "overlap_vox": plan.overlap_vox,
            "coarse_size": plan.coarse.as_ref().map(|coarse| coarse.plan.grid_size),
            "seam_mean_vox": seams.mean_vox,
            "seam_max_vox": seams.max_vox,
        });
        json.insert("tiles".to_owned(), tiles);
        let mut statistics = FlowStatistics {
            status: self.status,
            brightness: BrightnessReport {
                mean_abs_before: mean(self.before),
                mean_abs_after: mean(self.after),
                moving: None,
            },
            inverse_residual_vox: self.inverse.map(mean),
            warnings,
            method: MethodDiagnostics {
                json,
                device_ms: Some(self.device_ms),
                table: Some(table(plan)),
                curves: Vec::new(),
            },
            ..FlowStatistics::default()
        };
        note_brightness(self.brightness, &mut statistics);
        statistics
    }
}

/// One row a pass, coarsest first.
fn table(plan: &TilePlan) -> DiagnosticTable {
    let row = |pass: &TilePlan| {
        let (all, tile) = (DiagnosticCell::Size(pass.grid_size), DiagnosticCell::Size(pass.tile_size));
        vec![all, DiagnosticCell::Count(pass.count()), tile]
    };
    let mut rows: Vec<_> = plan.passes().map(row).collect();
    rows.reverse();
    DiagnosticTable { head: vec!["Pass", "tiles", "tile size"], rows }
}

/// The share of the work done, over all passes and tiles.
pub(super) struct TileProgress {
    all: f64,
    done: Mutex<f64>,
}

impl TileProgress {
    pub fn new(voxels: f64) -> Self {
        Self { all: voxels, done: Mutex::new(0.0) }
    }

    /// The portion of a run over so many voxels.
    pub fn of(&self, voxels: usize) -> Portion {
        let own = voxels as f64 / self.all;
        let mut done = self.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = *done;
        *done += own;
        Portion { before, own, all: 1.0 }
    }
}
