//! Diagnostics of a method's levels: while the device may still work on them, and as reports show them.

use crate::method::pending_account::PendingBrightness;
use crate::method::pending_account::{MethodAccount, PendingAccount};
use crate::steps::buffers::settled;
use serde::Serialize;
use veloxel_core::{
    DiagnosticCell, DiagnosticCurve, DiagnosticCurves, DiagnosticSection, DiagnosticTable, MethodDiagnostics,
    SolveStatus, Warnings,
};
use veloxel_gpu::{ComputeError, Device, Later, Pending, Timestamp};

/// A level that was asked for.
pub struct LevelRun<P> {
    /// Voxels per axis `(x, y, z)`.
    pub size: [usize; 3],
    /// The method's diagnostics of it.
    pub own: P,
    /// When the device began and ended it.
    pub span: [Timestamp; 2],
}

/// A method's diagnostics of a level, whose numbers may still be on the device.
pub(crate) trait PendingLevel: Send + 'static {
    /// The diagnostics with all their numbers on the host.
    type Settled: LevelDiagnostics;
    /// The numbers that [`Self::settle`] waits for.
    fn numbers(&mut self) -> Vec<&mut dyn Pending>;
    /// From numbers as they were at a mark.
    fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<Self::Settled, ComputeError>;
}

/// Diagnostics of a level: mean increment per iteration.
pub struct Increments<D> {
    pub means: Vec<Later<f64>>,
    /// Makes the method's diagnostics from those means.
    pub settled: Box<dyn FnOnce(Vec<f64>) -> D + Send>,
}

impl<D: LevelDiagnostics + 'static> PendingLevel for Increments<D> {
    type Settled = D;

    fn numbers(&mut self) -> Vec<&mut dyn Pending> {
        self.means.iter_mut().map(|mean| mean as &mut dyn Pending).collect()
    }

    fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<D, ComputeError> {
        Ok((self.settled)(settled(device, mark, self.means)?))
    }
}

impl<D: LevelDiagnostics + Send + 'static> PendingLevel for Later<D> {
    type Settled = D;

    fn numbers(&mut self) -> Vec<&mut dyn Pending> {
        vec![self]
    }

    fn settle(self, device: &Device, mark: Option<&Timestamp>) -> Result<D, ComputeError> {
        self.get_after(device, mark)
    }
}

/// A method's diagnostics of a level.
pub trait LevelDiagnostics: Serialize + Sized {
    /// The columns of the table between those of size and time.
    const COLUMNS: &[&'static str];
    /// As many as there are columns.
    fn cells(&self) -> Vec<DiagnosticCell>;
    /// How the run converged.
    fn curves(_: &[LevelReport<Self>]) -> Vec<DiagnosticCurves> {
        Vec::new()
    }
    /// Tolerances that were asked for and missed.
    fn missed(_: &[LevelReport<Self>]) -> Warnings {
        Warnings::new()
    }
}

/// A level as a report's JSON shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelReport<D> {
    /// Voxels per axis `(x, y, z)`.
    pub size: [usize; 3],
    /// The method's diagnostics of it.
    #[serde(flatten)]
    pub own: D,
    /// Time of the device.
    pub time_ms: f64,
}

/// A run that was asked for, level by level.
pub(crate) struct LevelsAccount<P> {
    /// Coarsest first.
    pub levels: Vec<LevelRun<P>>,
    /// Before any warp, and after the last; none: it is measured where the warped image is asked for.
    pub brightness: Option<PendingBrightness>,
}

impl<P: PendingLevel> PendingAccount for LevelsAccount<P> {
    fn numbers(&mut self) -> Vec<&mut dyn Pending> {
        let brightness = self.brightness.iter_mut().flat_map(PendingBrightness::numbers);
        self.levels.iter_mut().flat_map(|level| level.own.numbers()).chain(brightness).collect()
    }

    fn settle(
        self: Box<Self>,
        device: &Device,
        mark: Option<&Timestamp>,
    ) -> Result<MethodAccount, ComputeError> {
        let settle = |LevelRun { size, own, span: [begin, end] }: LevelRun<P>| {
            Ok(LevelReport { size, own: own.settle(device, mark)?, time_ms: end.ms_after(&begin)? })
        };
        let levels = self.levels.into_iter().map(settle).collect::<Result<Vec<_>, ComputeError>>()?;
        let warnings = P::Settled::missed(&levels);
        Ok(MethodAccount {
            status: if warnings.is_empty() { SolveStatus::Done } else { SolveStatus::LimitReached },
            brightness: self.brightness.map(|sums| sums.settle(device, mark)).transpose()?,
            warnings,
            diagnostics: diagnostics(&levels),
        })
    }
}

/// Levels as the JSON of a report, as a table, and as curves.
fn diagnostics<D: LevelDiagnostics>(levels: &[LevelReport<D>]) -> MethodDiagnostics {
    let mut json = serde_json::Map::new();
    json.insert("levels".to_owned(), serde_json::json!(levels));
    let row = |level: &LevelReport<D>| {
        let mut cells = vec![DiagnosticCell::Size(level.size)];
        cells.extend(level.own.cells());
        cells.push(DiagnosticCell::DurationMs(level.time_ms));
        cells
    };
    let head = [&["Level"], D::COLUMNS, &["time"]].concat();
    MethodDiagnostics {
        json,
        device_ms: Some(levels.iter().map(|level| level.time_ms).sum()),
        table: Some(DiagnosticTable { head, rows: levels.iter().map(row).collect() }),
        curves: D::curves(levels),
    }
}

/// One curve through the values of all levels, from coarse to fine, one after the other along x.
pub(crate) fn over_levels<D>(
    levels: &[LevelReport<D>],
    values: impl Fn(&D) -> Vec<f64>,
    labels: DiagnosticCurves,
) -> DiagnosticCurves {
    let (mut pieces, mut sections, mut done) = (Vec::new(), Vec::new(), 0.0);
    for level in levels {
        // Levels are images of their own: no line between them.
        let values = values(&level.own);
        let points = values.iter().enumerate().map(|(n, &value)| [done + n as f64 + 1.0, value]);
        pieces.push(points.collect());
        let begin = done + 0.5;
        done += values.len() as f64;
        sections.push(DiagnosticSection { x_range: [begin, done + 0.5], size: level.size });
    }
    let curves = vec![DiagnosticCurve { size: None, shade: None, pieces }];
    DiagnosticCurves { curves, sections, ..labels }
}
