//! Increasing curves through four nodes, with their inverse.

/// A node of a curve: abscissa, ordinate, slope.
pub(crate) type Node = [f64; 3];

/// Piecewise cubic (Hermite) curve through four nodes, linear beyond them; increasing and once
/// differentiable.
///
/// Increasing if every slope is above 0 and at most three times the secants beside it (Fritsch & Carlson,
/// SIAM J. Numer. Anal. 17, 1980). A piece whose slopes equal its secant is a straight line. Nodes may
/// coincide.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MonotoneCurve {
    nodes: [Node; 4],
}

impl MonotoneCurve {
    pub(crate) fn new(nodes: [Node; 4]) -> Self {
        Self { nodes }
    }

    /// Ordinate at `x`.
    pub(crate) fn at(&self, x: f64) -> f64 {
        match self.piece(0, x) {
            Piece::Beyond([x0, y0, slope]) => y0 + slope * (x - x0),
            Piece::Between(a, b) => hermite(a, b, x).0,
        }
    }

    /// Abscissa at `y`, to the last few bits: Newton's method, kept inside the piece by bisection.
    pub(crate) fn inverse(&self, y: f64) -> f64 {
        let (a, b) = match self.piece(1, y) {
            Piece::Beyond([x0, y0, slope]) => return x0 + (y - y0) / slope,
            Piece::Between(a, b) => (a, b),
        };
        let (mut low, mut high) = (a[0], b[0]);
        let mut x = low + (y - a[1]) / (b[1] - a[1]) * (high - low);
        for _ in 0..64 {
            let (value, slope) = hermite(a, b, x);
            if value > y {
                high = x;
            } else {
                low = x;
            }
            let newton = x - (value - y) / slope;
            let next = if newton >= low && newton <= high { newton } else { 0.5 * (low + high) };
            let step = (next - x).abs();
            x = next;
            if step <= 4.0 * f64::EPSILON * (high.abs() + low.abs()) {
                break;
            }
        }
        x
    }

    /// The piece that holds a value of a node's entry 0 (abscissa) or 1 (ordinate).
    fn piece(&self, entry: usize, value: f64) -> Piece {
        let [a, b, c, d] = self.nodes;
        if value <= a[entry] {
            return Piece::Beyond(a);
        }
        [(a, b), (b, c), (c, d)]
            .into_iter()
            .find(|(_, right)| value < right[entry])
            .map_or(Piece::Beyond(d), |(left, right)| Piece::Between(left, right))
    }
}

enum Piece {
    Beyond(Node),
    Between(Node, Node),
}

/// Value and slope of the cubic between two nodes.
fn hermite([x0, y0, m0]: Node, [x1, y1, m1]: Node, x: f64) -> (f64, f64) {
    let width = x1 - x0;
    let t = (x - x0) / width;
    let secant = (y1 - y0) / width;
    // Newton form around the left node: exact for straight pieces.
    let b = 3.0 * (secant - m0) - (m1 - m0);
    let c = (m0 - secant) + (m1 - secant);
    (y0 + width * t * (m0 + t * (b + t * c)), m0 + t * (2.0 * b + t * 3.0 * c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_meets_its_nodes_and_its_inverse_undoes_it() {
        let nodes = [[0.0, 0.0, 0.3], [4.0, 2.0, 1.1], [9.0, 7.5, 1.1], [20.0, 20.0, 1.0]];
        let curve = MonotoneCurve::new(nodes);
        for [x, y, _] in nodes {
            assert!((curve.at(x) - y).abs() < 1e-12 && (curve.inverse(y) - x).abs() < 1e-12);
        }
        let mut last = f64::NEG_INFINITY;
        for i in -20..260 {
            let x = f64::from(i) * 0.1;
            let y = curve.at(x);
            assert!(y > last, "increasing at {x}");
            assert!((curve.inverse(y) - x).abs() < 1e-12, "at {x}");
            last = y;
        }
        assert!((curve.at(6.5) - 4.75).abs() < 1e-12, "the straight piece is straight");
    }

    #[test]
    fn nodes_may_coincide() {
        let curve =
            MonotoneCurve::new([[0.0, 0.0, 0.5], [0.0, 0.0, 1.25], [4.0, 5.0, 1.25], [9.0, 9.0, 1.0]]);
        assert_eq!((curve.at(0.0), curve.inverse(0.0)), (0.0, 0.0));
        assert!((curve.at(2.0) - 2.5).abs() < 1e-12 && (curve.inverse(2.5) - 2.0).abs() < 1e-12);
    }
}
