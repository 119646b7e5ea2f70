//! A joint histogram of two images, the information that it holds, and what one sample more would add to that.

/// The joint histogram, samples; the bins of the fixed image one after the other.
pub(super) struct Joint {
    pub counts: Vec<f64>,
    pub bins: usize,
}

impl Joint {
    pub fn total(&self) -> f64 {
        self.counts.iter().sum::<f64>().max(1e-300)
    }

    fn of_moving(&self) -> Vec<f64> {
        (0..self.bins).map(|m| (0..self.bins).map(|f| self.counts[f * self.bins + m]).sum()).collect()
    }

    /// The share of the joint information that both images have.
    pub fn shared(&self) -> f64 {
        self.joint_and_mutual().map_or(0.0, |[joint, mutual]| mutual / joint)
    }

    /// The joint entropy and the mutual information, nats; none if one value is all there is.
    fn joint_and_mutual(&self) -> Option<[f64; 2]> {
        let (total, of_moving) = (self.total(), self.of_moving());
        let (mut joint, mut mutual) = (0.0, 0.0);
        for row in self.counts.chunks(self.bins) {
            let of_fixed: f64 = row.iter().sum();
            for (count, of_moving) in row.iter().zip(&of_moving) {
                if *count > 0.0 {
                    joint -= count / total * (count / total).ln();
                    mutual += count / total * (count * total / (of_fixed * of_moving)).ln();
                }
            }
        }
        (joint > 0.0).then_some([joint, mutual])
    }

    /// What a share of samples more in a cell of the histogram adds to the shared information, but for a constant; 0 where nothing is.
    pub fn gains(&self) -> Vec<f64> {
        let (total, of_moving) = (self.total(), self.of_moving());
        let [joint, mutual] = self.joint_and_mutual().unwrap_or([1.0, 0.0]);
        let each = self.counts.iter().enumerate();
        each.map(|(i, count)| {
            if *count > 0.0 {
                let own = (count / total).ln();
                ((1.0 + mutual / joint) * own - (of_moving[i % self.bins] / total).ln()) / joint
            } else {
                0.0
            }
        })
        .collect()
    }
}

/// The cubic B-spline.
pub(super) fn window(t: f64) -> f64 {
    let t = t.abs();
    match t {
        _ if t < 1.0 => (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0,
        _ if t < 2.0 => (2.0 - t).powi(3) / 6.0,
        _ => 0.0,
    }
}

/// Its derivative.
pub(super) fn slope_of_window(t: f64) -> f64 {
    let s = t.abs();
    let slope = match s {
        _ if s < 1.0 => -2.0 * s + 1.5 * s * s,
        _ if s < 2.0 => -0.5 * (2.0 - s).powi(2),
        _ => 0.0,
    };
    if t < 0.0 { -slope } else { slope }
}
