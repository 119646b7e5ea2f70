//! Invented estimates: a true field with known errors, and what a solver would say about it.

use veloxel_core::{
    BrightnessReport, Flow, FlowStatistics, JacobianReport, LevelReport, Mask, SolveStatus, StopReason,
    Volume, Warnings, WarpReport,
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
            for (k, component) in estimate.components_vox_mut().iter_mut().enumerate() {
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

    /// What a solver on `levels` levels would report.
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
            levels: self.levels(before, after),
            brightness: BrightnessReport { mean_abs_before: before, mean_abs_after: after },
            jacobian,
            inverse_residual_vox: None,
            warnings: Warnings::new(),
        }
    }

    fn levels(&self, before: f64, after: f64) -> Vec<LevelReport> {
        let count = 3;
        let mut difference = before;
        let level = |l: usize| {
            let shrink = 1 << (count - 1 - l);
            let warp = |w: usize| {
                difference = after + 0.55 * (difference - after);
                WarpReport {
                    relative_residuals: (0..7).map(|i| 0.18f64.powi(i) * (1.0 + 0.2 * l as f64)).collect(),
                    mean_increment_vox: 0.6 * 0.35f64.powi(w as i32) / (1.0 + l as f64),
                    mean_abs_difference: difference,
                    stop: StopReason::Converged,
                }
            };
            LevelReport {
                size: self.fixed.grid().size().map(|n| n.div_ceil(shrink)),
                spacing_vox: [shrink as f64; 3],
                warps: (0..4).map(warp).collect(),
                stop: if l == 2 { StopReason::IterationLimit } else { StopReason::Converged },
                time_ms: 12.0 * 8f64.powi(l as i32) / 4.0,
            }
        };
        (0..count).map(level).collect()
    }
}

/// `moving(x + d(x))`, linear; NaN outside and where there is no estimate.
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

/// det(I + ∇d) by central differences, one-sided at the border.
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
