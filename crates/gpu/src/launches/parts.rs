//! The workgroups of a launch, divided into shares in the order in which they cover memory: each of several GPUs does one.

/// Workgroups that one launch does: a box of the grid of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rectangle {
    /// The first workgroup along x, y and z.
    pub first: [u32; 3],
    /// Number of workgroups along x, y and z.
    pub groups: [u32; 3],
}

/// Planes that each share should have at least, for planes to be divided: then no share is much larger than another one.
const PLANES_EACH: u64 = 16;

/// Divides a grid of workgroups into `count` shares of about as many each: along z where there are many planes, and
/// else by the rows of all planes, or by single workgroups of a long line that is folded into rows. Shares are in order, and
/// each workgroup is in one of them.
pub(crate) fn divided(groups: [u32; 3], count: usize) -> Vec<Vec<Rectangle>> {
    let [gx, gy, gz] = groups.map(u64::from);
    let n = count as u64;
    let share = |all: u64, nth: u64| all * nth / n..all * (nth + 1) / n;
    let boxes = |nth: u64| -> Vec<Rectangle> {
        if gz >= n * PLANES_EACH {
            let z = share(gz, nth);
            return vec![of([0, 0, z.start], [gx, gy, z.end - z.start])];
        }
        if gz > 1 {
            let rows = share(gy * gz, nth);
            return lines(rows.start, rows.end, gy, |plane, [start, end], planes| {
                of([0, start, plane], [gx, end - start, planes])
            });
        }
        let all = share(gx * gy, nth);
        lines(all.start, all.end, gx, |row, [start, end], rows| of([start, row, 0], [end - start, rows, 1]))
    };
    (0..n).map(boxes).collect()
}

fn of(first: [u64; 3], groups: [u64; 3]) -> Rectangle {
    Rectangle { first: first.map(|at| at as u32), groups: groups.map(|along| along as u32) }
}

/// The items `start..end` of lines of `width` items each: the rest of a line, whole lines, and the beginning of a line. `make`
/// gets the first line, its items and the number of lines.
fn lines(start: u64, end: u64, width: u64, make: impl Fn(u64, [u64; 2], u64) -> Rectangle) -> Vec<Rectangle> {
    let mut found = Vec::new();
    let mut at = start;
    while at < end {
        let (line, from) = (at / width, at % width);
        let whole = (end - at) / width;
        if from == 0 && whole > 0 {
            found.push(make(line, [0, width], whole));
            at += whole * width;
        } else {
            let to = (from + (end - at)).min(width);
            found.push(make(line, [from, to], 1));
            at += to - from;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of a box's workgroups in the order of memory.
    fn numbers(Rectangle { first, groups }: &Rectangle, all: [u32; 3]) -> Vec<u32> {
        let along = |axis: usize| first[axis]..first[axis] + groups[axis];
        let of_row = |z: u32, y: u32| along(0).map(move |x| (z * all[1] + y) * all[0] + x);
        along(2).flat_map(|z| along(1).flat_map(move |y| of_row(z, y)).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn every_workgroup_is_in_one_share_and_shares_are_in_order() {
        for all in
            [[3, 5, 64], [3, 5, 7], [1, 1, 1], [9, 4, 1], [1, 40, 1], [7, 1, 1], [5, 3, 100], [2, 1, 3]]
        {
            for count in 1..=5 {
                let shares = divided(all, count);
                let found: Vec<u32> = shares.iter().flatten().flat_map(|share| numbers(share, all)).collect();
                let count_of = all.iter().product::<u32>();
                assert_eq!(found, (0..count_of).collect::<Vec<_>>(), "{all:?} among {count}");
                assert_eq!(shares.len(), count);
            }
        }
    }

    /// Number of workgroups of each share.
    fn sizes(all: [u32; 3], count: usize) -> Vec<u64> {
        let workgroups =
            |part: &Rectangle| part.groups.iter().map(|&along| u64::from(along)).product::<u64>();
        divided(all, count).iter().map(|share| share.iter().map(workgroups).sum()).collect()
    }

    #[test]
    fn shares_differ_by_one_plane_row_or_workgroup_at_most() {
        for (all, smallest) in
            [([3, 5, 64], 15), ([100, 4, 7], 100), ([65_000, 27, 1], 1), ([1000, 1, 1], 1), ([7, 9, 2], 7)]
        {
            for count in 1..=5 {
                let found = sizes(all, count);
                let (least, most) = (found.iter().min().unwrap(), found.iter().max().unwrap());
                // Planes are divided only where each share has many of them.
                let unit = if count == 5 && all[2] == 64 { 3 } else { smallest };
                assert!(most - least <= unit, "{all:?} among {count}: {found:?}");
            }
        }
    }
}
