//! Invented estimates: a true field with known errors, and statistics that a solver could report.

use veloxel_core::{
    BrightnessReport, DiagnosticCell, DiagnosticCurve, DiagnosticCurves, DiagnosticSection, DiagnosticTable,
    Flow, FlowStatistics, JacobianReport, Mask, MethodDiagnostics, SolveStatus, Volume, Warnings,
};

/// Everything that a page shows of one pair.
pub struct Pair {
    pub title: String,
    pub fixed: Volume<f32>,
    pub moving: Volume<f32>,
    pub warped: Volume<f32>,
    pub estimate: Flow,
    pub confidence: Volume<f32>,
    pub jacobian: Volume<f32>,
    pub truth: Flow,
    pub mask: Option<Mask>,
}

impl Pair {
    /// An estimate with a smooth error that grows where the confidence falls, and a corner without an estimate.
    pub fn invent(title: &str, [fixed, moving]: [Volume<f32>; 2], truth: Flow, mask: Option<Mask>) -> Self {
        let grid = fixed.grid().clone();
        let size = grid.size();
        let wave = |i: usize, k: f64| {
            let p = grid.position(i);
            let s = |a: usize| p[a] as f64 / size[a].max(2) as f64;
            (k * (5.0 * s(0) + 3.0 * s(2))).sin() * (k * (4.0 * s(1) - 2.0 * s(2))).cos()
        };
        let confidence = Volume::from_fn(grid.clone(), |p| {
            let ripple = wave(grid.index(p), 2.0) as f32;
            (0.62 + 0.35 * ripple).clamp(0.0, 1.0)
        });
        let mut estimate = truth.clone();
        for i in 0..grid.len() {
            let p = grid.position(i);
            let lost = p[0] * 6 < size[0] && p[1] * 8 < size[1];
            let error = 0.35 * (1.0 - confidence.data()[i]).powi(2);
            for (k, component) in estimate.components_vox_mut().enumerate() {
                component[i] += error * wave(i, 3.0 + k as f64) as f32;
                if lost {
                    component[i] = f32::NAN;
                }
            }
        }
        let warped = pulled_back(&moving, &estimate);
        let jacobian = determinant(&estimate);
        Self { title: title.to_owned(), fixed, moving, warped, estimate, confidence, jacobian, truth, mask }
    }

    /// Statistics that a solver on `levels` levels would report.
    pub fn statistics(&self) -> FlowStatistics {
        let mean_abs = |other: &Volume<f32>| {
            let d: Vec<f64> = (self.fixed.data().iter().zip(other.data()))
                .map(|(a, b)| f64::from((a - b).abs()))
                .filter(|d| d.is_finite())
                .collect();
            d.iter().sum::<f64>() / d.len() as f64
        };
        let before = mean_abs(&self.moving);
        let after = mean_abs(&self.warped);
        let det: Vec<f64> =
            self.jacobian.data().iter().filter(|d| d.is_finite()).map(|d| f64::from(*d)).collect();
        let share = |f: &dyn Fn(f64) -> f64| det.iter().map(|d| f(*d)).sum::<f64>() / det.len() as f64;
        let jacobian = JacobianReport {
            min: det.iter().copied().fold(f64::INFINITY, f64::min),
            max: det.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            share_folded: share(&|d| f64::from(u8::from(d <= 0.0))),
            mean_abs_minus_one: share(&|d| (d - 1.0).abs()),
            divergence_rms: 0.01,
        };
        FlowStatistics {
            status: SolveStatus::Done,
            method: self.diagnostics(before, after),
            brightness: BrightnessReport { mean_abs_before: before, mean_abs_after: after, moving: None },
            jacobian,
            inverse_residual_vox: None,
            warnings: Warnings::new(),
        }
    }

    /// Three levels of four warps each, as a table and as curves.
    fn diagnostics(&self, before: f64, after: f64) -> MethodDiagnostics {
        let size = |l: usize| self.fixed.grid().size().map(|n| n.div_ceil(1 << (2 - l)));
        let row = |l: usize| {
            let stop = if l == 2 { "limit reached" } else { "converged" };
            vec![
                DiagnosticCell::Size(size(l)),
                DiagnosticCell::Count(4),
                DiagnosticCell::Count(24),
                DiagnosticCell::Change(before, after),
                DiagnosticCell::Number(0.6 * 0.35f64.powi(3) / (1.0 + l as f64)),
                DiagnosticCell::Text(stop.to_owned()),
                DiagnosticCell::DurationMs(12.0 * 8f64.powi(l as i32) / 4.0),
            ]
        };
        let over_warps = |value: &dyn Fn(usize, usize) -> f64| {
            let piece = |l: usize| (0..4).map(|w| [(4 * l + w + 1) as f64, value(l, w)]).collect();
            vec![DiagnosticCurve { size: None, shade: None, pieces: (0..3).map(piece).collect() }]
        };
        let section = |l: usize| {
            let begin = 4.0 * l as f64 + 0.5;
            DiagnosticSection { x_range: [begin, begin + 4.0], size: size(l) }
        };
        let sections: Vec<_> = (0..3).map(section).collect();
        let agreement = |l: usize, w: usize| after + 0.55f64.powi((4 * l + w + 1) as i32) * (before - after);
        let residuals = |n: usize| {
            let points =
                (0..7).map(|i| [f64::from(i), 0.18f64.powi(i) * (1.0 + 0.2 * (n / 4) as f64)]).collect();
            let size = n.is_multiple_of(4).then(|| size(n / 4));
            DiagnosticCurve { size, shade: Some(0.5 * (n / 4) as f64), pieces: vec![points] }
        };
        MethodDiagnostics {
            table: Some(DiagnosticTable {
                head: vec!["Level", "warps", "iterations", "mean |Iₜ|", "last mean |δ|", "stopped", "time"],
                rows: (0..3).map(row).collect(),
            }),
            curves: vec![
                DiagnosticCurves {
                    title: "Brightness difference",
                    x_label: "warp, coarse to fine",
                    y_label: "mean |Iₜ|",
                    curves: over_warps(&agreement),
                    sections: sections.clone(),
                    ..DiagnosticCurves::default()
                },
                DiagnosticCurves {
                    title: "Increment",
                    x_label: "warp, coarse to fine",
                    y_label: "mean |δ|, voxels of the level",
                    is_logarithmic: true,
                    curves: over_warps(&|l, w| 0.6 * 0.35f64.powi(w as i32) / (1.0 + l as f64)),
                    sections,
                },
                DiagnosticCurves {
                    title: "Residual of each warp's solve",
                    x_label: "iteration",
                    y_label: "‖r‖ / ‖r₀‖",
                    is_logarithmic: true,
                    curves: (0..12).map(residuals).collect(),
                    sections: Vec::new(),
                },
            ],
            ..MethodDiagnostics::default()
        }
    }
}

/// The image `moving(x + d(x))`, linear between voxels; NaN outside and where there is no estimate.
fn pulled_back(moving: &Volume<f32>, flow: &Flow) -> Volume<f32> {
    let grid = moving.grid();
    Volume::from_fn(grid.clone(), |p| {
        let d = flow.vector_vox(grid.index(p));
        let q = [0, 1, 2].map(|a: usize| p[a] as f32 + d[a]);
        let inside = (0..3).all(|a| q[a] >= 0.0 && q[a] <= (grid.size()[a] - 1) as f32);
        if !inside {
            return f32::NAN;
        }
        let mut sum = 0.0;
        for corner in 0..8usize {
            let mut weight = 1.0;
            let mut at = [0; 3];
            for a in 0..3 {
                let low = q[a].floor();
                let up = corner >> a & 1;
                weight *= if up == 1 { q[a] - low } else { 1.0 - (q[a] - low) };
                at[a] = (low as usize + up).min(grid.size()[a] - 1);
            }
            sum += weight * moving.at(at);
        }
        sum
    })
}

/// The determinant det(I + ∇d) by central differences, one-sided at the border.
fn determinant(flow: &Flow) -> Volume<f32> {
    let grid = flow.grid();
    let n = grid.dimension().count();
    Volume::from_fn(grid.clone(), |p| {
        let mut m = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for column in 0..n {
            let (mut low, mut high) = (p, p);
            low[column] = p[column].saturating_sub(1);
            high[column] = (p[column] + 1).min(grid.size()[column] - 1);
            let (a, b) = (flow.vector_vox(grid.index(low)), flow.vector_vox(grid.index(high)));
            for (row, values) in m.iter_mut().enumerate().take(n) {
                values[column] += (b[row] - a[row]) / (high[column] - low[column]) as f32;
            }
        }
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    })
}
