//! Whether the rows of two pictures fit: patches of one are looked for in all rows around their own of the other.
//!
//! On the coarsest level patches of 5×5 codes are compared over disparities up to half of the width and rows to both sides; those
//! with one clear best place are followed to the finest level, two pixels around twice where they were. Codes are the census of
//! `semi_global.rs`, so sums are whole numbers. *Limits*: offsets of less than a pixel, or above `MOST_ROWS` rows of the
//! coarsest level.

/// How many patches were found, and in which rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowCheck {
    /// Number of patches with one clear place in the right picture.
    pub patches: usize,
    /// Share of them that lie in another row there, by a pixel or more, 0 to 1.
    pub off_share: f64,
    /// Median of how much lower they lie there, pixels.
    pub lower_px: i32,
}

/// Codes of both pictures of a level, the left one's first.
pub(super) struct Codes {
    pub size: [usize; 2],
    pub codes: Vec<u32>,
}

/// Half width of a patch, pixels.
const RADIUS: i32 = 2;
/// Rows to both sides, pixels of the coarsest level.
const MOST_ROWS: i32 = 8;
/// Patches along each axis.
const PATCHES: i32 = 16;
/// How much of the cost of every other place that of the best may be, in hundredths.
const CLEAR: u32 = 70;
/// Pixels around a place that count as the same.
const SAME: i32 = 2;
/// Patches and share of them from which on rows do not fit.
const ENOUGH: usize = 8;
const MOST_OFF: f64 = 0.6;

/// Where a patch lies in the left picture, and how far from there in the right one: to the left, and lower.
#[derive(Clone, Copy)]
struct Place {
    at: [i32; 2],
    moved: [i32; 2],
}

impl RowCheck {
    /// Whether most of the patches lie in another row.
    pub fn is_off(&self) -> bool {
        self.patches >= ENOUGH && self.off_share > MOST_OFF
    }

    /// The check of a pair by the codes of its levels, finest first.
    pub(super) fn of(levels: &[Codes]) -> Self {
        let mut lower: Vec<i32> = Vec::new();
        if let Some((coarsest, finer)) = levels.split_last() {
            let [nx, ny] = coarsest.size.map(|n| n as i32);
            let along = |n: i32| {
                let count = (n - 2 * RADIUS).clamp(0, PATCHES);
                (0..count).map(move |i| RADIUS + (2 * i + 1) * (n - 2 * RADIUS) / (2 * count))
            };
            let patches = along(ny).flat_map(|y| along(nx).map(move |x| [x, y]));
            let found = patches.filter_map(|at| coarsest.clear_place(at));
            lower.extend(found.filter_map(|place| {
                let followed = finer.iter().rev().try_fold(place, |place, level| level.nearby(place));
                followed.map(|place| place.moved[1])
            }));
        }
        lower.sort_unstable();
        let off = lower.iter().filter(|rows| **rows != 0).count();
        let share = if lower.is_empty() { 0.0 } else { off as f64 / lower.len() as f64 };
        let median = lower.get(lower.len() / 2).copied().unwrap_or(0);
        Self { patches: lower.len(), off_share: share, lower_px: median }
    }
}

impl Codes {
    /// Bits in which a patch differs from that of its match; none if one of them is not inside.
    fn cost(&self, Place { at: [x, y], moved: [d, rows] }: Place) -> Option<u32> {
        let [nx, ny] = self.size.map(|n| n as i32);
        let inside =
            |x: i32, y: i32| (RADIUS..nx - RADIUS).contains(&x) && (RADIUS..ny - RADIUS).contains(&y);
        if !inside(x, y) || !inside(x - d, y + rows) {
            return None;
        }
        let (left, right) = self.codes.split_at(self.codes.len() / 2);
        let width = (2 * RADIUS + 1) as usize;
        let row = |codes: &'_ [u32], x: i32, y: i32| -> std::ops::Range<usize> {
            let first = (y * nx + x - RADIUS) as usize;
            debug_assert!(first + width <= codes.len());
            first..first + width
        };
        let rows_of = (-RADIUS..=RADIUS).map(|k| {
            let (own, other) = (&left[row(left, x, y + k)], &right[row(right, x - d, y + rows + k)]);
            own.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
        });
        Some(rows_of.sum())
    }

    /// Where a patch is found, if one place is much better than all others.
    fn clear_place(&self, at: [i32; 2]) -> Option<Place> {
        let most = self.size[0] as i32 / 2;
        let places = (-MOST_ROWS..=MOST_ROWS).flat_map(|rows| (-most..=most).map(move |d| [d, rows]));
        let costs: Vec<(u32, [i32; 2])> =
            places.filter_map(|moved| Some((self.cost(Place { at, moved })?, moved))).collect();
        let &(least, best) = costs.iter().min()?;
        let is_other = |moved: [i32; 2]| (0..2).any(|a| (moved[a] - best[a]).abs() > SAME);
        let second = costs.iter().filter(|(_, moved)| is_other(*moved)).map(|(cost, _)| *cost).min()?;
        (100 * least < CLEAR * second).then_some(Place { at, moved: best })
    }

    /// The best place on this level around twice that of the next coarser one.
    fn nearby(&self, coarser: Place) -> Option<Place> {
        let at = coarser.at.map(|v| 2 * v);
        let steps = (-SAME..=SAME).flat_map(|y| (-SAME..=SAME).map(move |x| [x, y]));
        let places =
            steps.map(|[x, y]| Place { at, moved: [2 * coarser.moved[0] + x, 2 * coarser.moved[1] + y] });
        places
            .filter_map(|place| Some((self.cost(place)?, place)))
            .min_by_key(|(cost, _)| *cost)
            .map(|found| found.1)
    }
}
