//! A closed contour of the start frame in, the same contour on every frame out, vertex by vertex (pixels of a slice).
//!
//! *Method*: a contour that a reader has drawn beside an edge of the image stays beside it. The motion is therefore taken where
//! the edge lies, `inset` inwards of the contour; there it is smoothed along the contour; and the inset is put back along the
//! normals of the moved contour. Muscle thickens while it contracts, and a contour that moved with the muscle beneath it would
//! leave the edge.
//!
//! *Evidence*: `tests` of this module; docs/algorithms/cycle.md.
//! *Limits*: contours that cross themselves have no normals to speak of; vertices that the motion leaves unknown make the whole
//! contour of that frame unknown.

/// How a contour follows the motion.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContourRule {
    /// How far inwards of the contour its motion is taken, pixels; negative: outwards.
    pub inset_px: f64,
    /// Standard deviation of the smoothing of the motion along the contour, pixels of its length. 0: none.
    pub smooth_px: f64,
    /// Takes the start frame's registration to each frame, where there is one, instead of the motion that was asked for.
    pub motion: ContourMotion,
}

/// Which motion a contour follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContourMotion {
    /// [`CycleFrame::flow`](super::CycleFrame::flow).
    #[default]
    Estimate,
    /// [`CycleFrame::reference`](super::CycleFrame::reference), where there is one.
    Reference,
}

impl ContourRule {
    /// The inner border of the muscle in cine MR with pixels of a width, mm: what moves is the edge of bright blood, beside
    /// which readers draw.
    pub fn endocardium(pixel_mm: f64) -> Self {
        Self { inset_px: 1.64 / pixel_mm, smooth_px: 3.3 / pixel_mm, motion: ContourMotion::Estimate }
    }

    /// The outer border of the muscle: it moves little, and little of it is an edge of the image.
    pub fn epicardium(pixel_mm: f64) -> Self {
        Self { inset_px: 0.0, smooth_px: 11.5 / pixel_mm, motion: ContourMotion::Reference }
    }

    /// A closed polygon, pixels, where `place` says where a point has gone; none where it does not know of one.
    pub fn moved(
        &self,
        contour_px: &[[f64; 2]],
        place: &dyn Fn([f64; 2]) -> Option<[f64; 2]>,
    ) -> Option<Vec<[f64; 2]>> {
        let line = EvenLine::along(contour_px);
        let inset = offset(&line.points, -self.inset_px);
        let there = inset.iter().map(|&point| place(point)).collect::<Option<Vec<_>>>()?;
        // Normals of the inset line are not the contour's: what is put back at rest is the measure.
        let [rest, back] = [inset, there].map(|points| offset(&points, self.inset_px));
        Some(line.carry(contour_px, &smoothed(&ways(&rest, &back), self.smooth_px / line.step_px)))
    }
}

/// Points a pixel of length at which the motion of a contour is looked up.
const POINTS_PER_PX: f64 = 2.0;
/// The fewest and the most of them.
const POINTS: std::ops::RangeInclusive<f64> = 32.0..=4096.0;

/// A closed polygon, resampled at even steps of its length.
struct EvenLine {
    points: Vec<[f64; 2]>,
    step_px: f64,
    /// Length along the polygon at which each of its vertices lies.
    vertex_arcs: Vec<f64>,
}

impl EvenLine {
    fn along(vertices: &[[f64; 2]]) -> Self {
        let mut arcs = vec![0.0];
        for (nth, a) in vertices.iter().enumerate() {
            let b = vertices[(nth + 1) % vertices.len()];
            arcs.push(arcs[nth] + (b[0] - a[0]).hypot(b[1] - a[1]));
        }
        let length = arcs[vertices.len()];
        let count = (POINTS_PER_PX * length).clamp(*POINTS.start(), *POINTS.end()).round() as usize;
        let step_px = length.max(f64::MIN_POSITIVE) / count as f64;
        let mut points = Vec::with_capacity(count);
        let mut nth = 0;
        for k in 0..count {
            let arc = k as f64 * step_px;
            while nth + 1 < vertices.len() && arcs[nth + 1] <= arc {
                nth += 1;
            }
            let (a, b) = (vertices[nth], vertices[(nth + 1) % vertices.len()]);
            let share = (arc - arcs[nth]) / (arcs[nth + 1] - arcs[nth]).max(f64::MIN_POSITIVE);
            points.push([0, 1].map(|c| a[c] + share * (b[c] - a[c])));
        }
        arcs.pop();
        Self { points, step_px, vertex_arcs: arcs }
    }

    /// The polygon's vertices, moved as the points beside them are.
    fn carry(&self, vertices: &[[f64; 2]], motion: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let moved = |(vertex, &arc): (&[f64; 2], &f64)| {
            let [u, v] = self.value_at(motion, arc);
            [vertex[0] + u, vertex[1] + v]
        };
        vertices.iter().zip(&self.vertex_arcs).map(moved).collect()
    }

    /// Linear between the points.
    fn value_at(&self, values: &[[f64; 2]], arc: f64) -> [f64; 2] {
        let at = arc / self.step_px;
        let low = at as usize % values.len();
        let (share, high) = (at.fract(), (low + 1) % values.len());
        [0, 1].map(|c| values[low][c] + share * (values[high][c] - values[low][c]))
    }
}

/// The vertices of a closed polygon, moved outwards along its normals, pixels.
pub fn offset_vertices(contour_px: &[[f64; 2]], outwards_px: f64) -> Vec<[f64; 2]> {
    let line = EvenLine::along(contour_px);
    line.carry(contour_px, &ways(&line.points, &offset(&line.points, outwards_px)))
}

/// The way from each point to the one in its place.
fn ways(from: &[[f64; 2]], to: &[[f64; 2]]) -> Vec<[f64; 2]> {
    from.iter().zip(to).map(|(a, b)| [b[0] - a[0], b[1] - a[1]]).collect()
}

/// Points moved outwards along the normals of their closed line, pixels.
fn offset(points: &[[f64; 2]], outwards_px: f64) -> Vec<[f64; 2]> {
    if outwards_px == 0.0 {
        return points.to_vec();
    }
    let count = points.len();
    let tangents: Vec<[f64; 2]> = (0..count)
        .map(|k| {
            let (a, b) = (points[(k + count - 1) % count], points[(k + 1) % count]);
            [b[0] - a[0], b[1] - a[1]]
        })
        .collect();
    // Jagged lines have jagged normals.
    let tangents = smoothed(&tangents, NORMAL_SMOOTHING_PX * POINTS_PER_PX);
    let area: f64 = (0..count).map(|k| points[k][0] * tangents[k][1] - points[k][1] * tangents[k][0]).sum();
    let side = outwards_px * area.signum();
    let moved = |(p, t): (&[f64; 2], &[f64; 2])| {
        let length = t[0].hypot(t[1]).max(f64::MIN_POSITIVE);
        [p[0] + side * t[1] / length, p[1] - side * t[0] / length]
    };
    points.iter().zip(&tangents).map(moved).collect()
}

/// Standard deviation of the smoothing of tangents, pixels.
const NORMAL_SMOOTHING_PX: f64 = 2.0;

/// Values around a closed line, smoothed by a Gaussian of a standard deviation in points.
fn smoothed(values: &[[f64; 2]], deviation: f64) -> Vec<[f64; 2]> {
    let count = values.len();
    let reach = ((3.0 * deviation).ceil() as usize).min(count / 2);
    if reach == 0 {
        return values.to_vec();
    }
    let weight = |k: usize| (-0.5 * (k as f64 / deviation).powi(2)).exp();
    let total: f64 = 1.0 + 2.0 * (1..=reach).map(weight).sum::<f64>();
    let at = |nth: usize| {
        [0, 1].map(|c| {
            let both = |k: usize| values[(nth + k) % count][c] + values[(nth + count - k) % count][c];
            let sum: f64 = (1..=reach).map(|k| weight(k) * both(k)).sum();
            (values[nth][c] + sum) / total
        })
    };
    (0..count).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::composition::sample_vox;
    use veloxel_core::{Flow, Grid};

    const CENTRE: [f64; 2] = [30.0, 28.0];

    fn circle(radius: f64, clockwise: bool) -> Vec<[f64; 2]> {
        let turn = if clockwise { -std::f64::consts::TAU } else { std::f64::consts::TAU };
        let at = |k: usize| (turn * k as f64 / 50.0).sin_cos();
        (0..50).map(at).map(|(s, c)| [CENTRE[0] + radius * c, CENTRE[1] + radius * s]).collect()
    }

    fn field(motion: impl Fn([f64; 2]) -> [f64; 2]) -> Flow {
        let grid = Grid::image(64, 60).expect("a grid of constants");
        Flow::from_fn(grid, |[x, y, _]| {
            let [u, v] = motion([x, y]);
            [u, v, 0.0]
        })
    }

    fn displaced(flow: &Flow, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        let [u, v, _] = sample_vox(flow, [x, y, 0.0])?;
        Some([x + u, y + v])
    }

    fn radius(points: &[[f64; 2]]) -> f64 {
        points.iter().map(|p| (p[0] - CENTRE[0]).hypot(p[1] - CENTRE[1])).sum::<f64>() / points.len() as f64
    }

    fn followed(flow: &Flow, contour: &[[f64; 2]], rule: ContourRule) -> Vec<[f64; 2]> {
        rule.moved(contour, &|point| displaced(flow, point)).expect("the motion should be known")
    }

    #[test]
    fn a_shift_moves_every_vertex_alike_whatever_the_rule() {
        let flow = field(|_| [2.25, -1.5]);
        for clockwise in [false, true] {
            let contour = circle(15.0, clockwise);
            for rule in [ContourRule::default(), ContourRule::endocardium(0.8), ContourRule::epicardium(0.8)]
            {
                for (a, b) in contour.iter().zip(followed(&flow, &contour, rule)) {
                    assert!((b[0] - a[0] - 2.25).abs() < 1e-6 && (b[1] - a[1] + 1.5).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn a_contour_beside_the_edge_stays_beside_it() {
        // The edge lies at 13 and comes in by 4; at 15 the motion is 2 only.
        let flow = field(|[x, y]| {
            let [dx, dy] = [x - CENTRE[0], y - CENTRE[1]];
            let r = dx.hypot(dy).max(1e-9);
            let inwards = (4.0 - (r - 13.0)).clamp(0.0, 4.0);
            [-inwards * dx / r, -inwards * dy / r]
        });
        for clockwise in [false, true] {
            let contour = circle(15.0, clockwise);
            let beneath = radius(&followed(&flow, &contour, ContourRule::default()));
            assert!((beneath - 13.0).abs() < 0.1, "{beneath}");
            let rule = ContourRule { inset_px: 3.0, ..ContourRule::default() };
            let beside = radius(&followed(&flow, &contour, rule));
            assert!((beside - 11.0).abs() < 0.05, "{beside}");
        }
    }

    #[test]
    fn smoothing_takes_noise_out_of_the_motion_and_what_is_unknown_stays_so() {
        let noisy = field(|[x, y]| [if ((x + y) as usize).is_multiple_of(2) { 0.5 } else { -0.5 }, 0.0]);
        let contour = circle(15.0, false);
        let spread = |rule| {
            let there = followed(&noisy, &contour, rule);
            there.iter().zip(&contour).map(|(a, b)| (a[0] - b[0]).abs()).fold(0.0, f64::max)
        };
        let smooth = spread(ContourRule { smooth_px: 8.0, ..ContourRule::default() });
        assert!(smooth < 0.05 && spread(ContourRule::default()) > 0.2, "{smooth}");
        let outside = circle(40.0, false);
        assert_eq!(ContourRule::default().moved(&outside, &|point| displaced(&noisy, point)), None);
    }
}
