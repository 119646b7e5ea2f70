//! Where edges of a polygon cross: only edges whose boxes meet in a band of y are compared.
//!
//! *Cost*: n log n for outlines as people draw them. Many long edges side by side make more comparisons, of which only so many
//! are made as the caller allows.

/// An edge, from a point to the next.
type Edge = [[f64; 2]; 2];

/// More edges lie beside each other than may be compared.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooCrowded;

/// An edge in a band.
struct Entry {
    band: u32,
    low_x: f64,
    high_x: f64,
    edge: u32,
}

/// Where two edges of a closed polygon cross, if some do: of all pairs the first, by its first edge and then by its second.
///
/// # Errors
/// [`TooCrowded`] after so many comparisons.
pub(super) fn first_crossing(
    edges: &[Edge],
    most_comparisons: usize,
) -> Result<Option<[f64; 2]>, TooCrowded> {
    let mut entries = entries(edges);
    entries.sort_unstable_by(|a, b| {
        a.band.cmp(&b.band).then(a.low_x.total_cmp(&b.low_x)).then(a.edge.cmp(&b.edge))
    });
    let last = edges.len() as u32 - 1;
    let (mut first, mut comparisons) = (None::<(u32, u32, [f64; 2])>, 0);
    for band in entries.chunk_by(|a, b| a.band == b.band) {
        let mut open: Vec<&Entry> = Vec::new();
        for entry in band {
            open.retain(|other| other.high_x >= entry.low_x);
            comparisons += open.len();
            if comparisons > most_comparisons {
                return Err(TooCrowded);
            }
            for other in &open {
                let (i, j) = (entry.edge.min(other.edge), entry.edge.max(other.edge));
                let are_neighbours = j - i < 2 || (i == 0 && j == last);
                if are_neighbours || first.is_some_and(|(a, b, _)| (a, b) <= (i, j)) {
                    continue;
                }
                if let Some(point) = crossing(edges[i as usize], edges[j as usize]) {
                    first = Some((i, j, point));
                }
            }
            open.push(entry);
        }
    }
    Ok(first.map(|(_, _, point)| point))
}

/// The edges in the bands that they reach into: at most three times as many as edges.
fn entries(edges: &[Edge]) -> Vec<Entry> {
    let ends = |[a, b]: &Edge, axis: usize| (a[axis].min(b[axis]), a[axis].max(b[axis]));
    let low_y = edges.iter().map(|edge| ends(edge, 1).0).fold(f64::INFINITY, f64::min);
    let way_y: f64 = edges.iter().map(|edge| ends(edge, 1).1 - ends(edge, 1).0).sum();
    // A closed line goes up and down again: there are no more bands than half of its edges.
    let per_px = if way_y > 0.0 && way_y.is_finite() { edges.len() as f64 / way_y } else { 0.0 };
    let band_of = |y: f64| ((y - low_y) * per_px).min(edges.len() as f64) as u32;
    let mut entries = Vec::with_capacity(2 * edges.len());
    for (edge, at) in edges.iter().zip(0..) {
        let ((low_x, high_x), (low, high)) = (ends(edge, 0), ends(edge, 1));
        entries.extend((band_of(low)..=band_of(high)).map(|band| Entry { band, low_x, high_x, edge: at }));
    }
    entries
}

/// Where the insides of two edges cross; edges that only touch do not.
fn crossing([a, b]: Edge, [c, d]: Edge) -> Option<[f64; 2]> {
    let side =
        |o: [f64; 2], p: [f64; 2], q: [f64; 2]| (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    let (sc, sd, sa, sb) = (side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b));
    let crosses = sc * sd < 0.0 && sa * sb < 0.0;
    crosses.then(|| [0, 1].map(|k: usize| a[k] + sa / (sa - sb) * (b[k] - a[k])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair, one after the other.
    fn by_all_pairs(edges: &[Edge]) -> Option<[f64; 2]> {
        let n = edges.len();
        let pairs = (0..n).flat_map(|i| (i + 2..n).map(move |j| (i, j)));
        let apart = pairs.filter(|&(i, j)| (i, j) != (0, n - 1));
        apart.filter_map(|(i, j)| crossing(edges[i], edges[j])).next()
    }

    fn closed(points: &[[f64; 2]]) -> Vec<Edge> {
        (0..points.len()).map(|i| [points[i], points[(i + 1) % points.len()]]).collect()
    }

    #[test]
    fn the_first_crossing_is_that_of_all_pairs() {
        let mut state = 7u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % most) as f64
        };
        let mut crossing = 0;
        for round in 0..400 {
            let count = 4 + round % 40;
            let radius = |i: usize, noise: f64| {
                let turn = std::f64::consts::TAU * i as f64 / count as f64;
                [9.0 + (5.0 + noise) * turn.cos(), 7.0 + (5.0 - noise) * turn.sin()]
            };
            let points: Vec<_> = (0..count).map(|i| radius(i, next(5) * next(3) * 0.4)).collect();
            let edges = closed(&points);
            let expected = by_all_pairs(&edges);
            crossing += usize::from(expected.is_some());
            assert_eq!(first_crossing(&edges, usize::MAX), Ok(expected), "{points:?}");
        }
        assert!((20..380).contains(&crossing), "{crossing}");
    }

    #[test]
    fn many_points_are_compared_with_few_others() {
        let n = 100_000;
        let turn = |i: usize| std::f64::consts::TAU * i as f64 / n as f64;
        let ring: Vec<_> =
            (0..n).map(|i| [32.0 + 10.0 * turn(i).cos(), 24.0 + 10.0 * turn(i).sin()]).collect();
        assert_eq!(first_crossing(&closed(&ring), 50 * n), Ok(None));
        let side = n / 4;
        let square = (0..n).map(|i| {
            let along = (i % side) as f64;
            [
                [along, 0.0],
                [side as f64, along],
                [(side as f64 - along), side as f64],
                [0.0, side as f64 - along],
            ][i / side]
        });
        assert_eq!(first_crossing(&closed(&square.collect::<Vec<_>>()), 50 * n), Ok(None));
    }

    #[test]
    fn many_long_edges_side_by_side_are_given_up() {
        let teeth: Vec<_> = (0..10_000).map(|i| [f64::from(i % 2) * 1e3, f64::from(i) * 1e-9]).collect();
        let spike = [[0.0, 50.0]];
        assert_eq!(first_crossing(&closed(&[&teeth[..], &spike].concat()), 1 << 20), Err(TooCrowded));
    }
}
