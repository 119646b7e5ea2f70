//! Dependencies between the launches of a run. A launch depends on an earlier one that uses the same memory, unless
//! both only read it. Launches without a dependency may run at the same time: for example flow and stereo on small
//! levels, neither of which fills a device alone.

use super::fast_map::FastMap;
use cudarc::driver::sys::CUdeviceptr;

/// Memory that a launch reads or writes, by its first address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    pub address: CUdeviceptr,
    pub writes: bool,
}

/// A set of launches of a run, one bit each: those that must end before a given launch begins.
pub(super) type Before = u64;

/// Maximal number of launches of a run.
pub(super) const MOST: usize = Before::BITS as usize;

fn bit(nth: usize) -> Before {
    1 << nth
}

/// The launches that used a piece of memory: its last writer, and the readers since that write.
#[derive(Default)]
struct Uses {
    written: Before,
    read: Before,
}

/// What a launch waits for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Needs<'a> {
    /// Launches that use its memory.
    Memory(&'a [Access]),
    /// All launches before it. No launch waits for this one.
    All,
}

/// For each launch, the set of all launches that must end before it begins, directly or through other launches.
///
/// # Panics
/// If there are more than [`MOST`].
pub(super) fn waits<'a>(launches: impl Iterator<Item = Needs<'a>>) -> Vec<Before> {
    let mut memory: FastMap<CUdeviceptr, Uses> = FastMap::default();
    let mut all = Vec::new();
    for (nth, needs) in launches.enumerate() {
        assert!(nth < MOST, "a run should not have so many launches");
        let Needs::Memory(accesses) = needs else {
            all.push(bit(nth) - 1);
            continue;
        };
        let mut before = 0;
        for access in accesses {
            let uses = memory.entry(access.address).or_default();
            before |= uses.written | if access.writes { uses.read } else { 0 };
            // If this launch accesses the same memory again, the earlier launches are already in `before`; its own bit
            // is removed below.
            *uses = match access.writes {
                true => Uses { written: bit(nth), read: 0 },
                false => Uses { written: uses.written, read: uses.read | bit(nth) },
            };
        }
        all.push(closed(before & !bit(nth), &all));
    }
    all
}

/// Merges two sets of dependencies of a run: each launch waits for all that it waits for in either.
pub(super) fn both(a: &[Before], b: &[Before]) -> Vec<Before> {
    let mut all = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        all.push(closed(a | b, &all));
    }
    all
}

/// `before`, extended by everything that its launches wait for (transitive closure).
fn closed(before: Before, all: &[Before]) -> Before {
    bits(before).fold(before, |before, nth| before | all[nth])
}

/// The launches of `before` that no other launch of `before` waits for: to wait for these implies all others.
pub(super) fn nearest(before: Before, all: &[Before]) -> Vec<usize> {
    let mut left = before;
    let mut nearest = Vec::new();
    while left != 0 {
        let last = left.ilog2() as usize;
        nearest.push(last);
        left &= !(bit(last) | all[last]);
    }
    nearest
}

fn bits(mut set: Before) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (first < MOST).then_some(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(address: u64) -> Access {
        Access { address, writes: false }
    }
    fn writes(address: u64) -> Access {
        Access { address, writes: true }
    }

    #[test]
    fn only_what_shares_memory_waits() {
        // Two chains that start from the same image, and one launch that needs the end of both.
        let run = [
            vec![writes(1)],
            vec![reads(1), writes(2)],
            vec![reads(1), writes(3)],
            vec![reads(2), writes(4)],
            vec![reads(3), writes(5)],
            vec![reads(4), reads(5), writes(6)],
            // Must wait for all readers of the image.
            vec![writes(1)],
            vec![writes(4)],
        ];
        let all = waits(run.iter().map(|accesses| Needs::Memory(accesses)));
        assert_eq!(all, [0, 0b1, 0b1, 0b11, 0b101, 0b1_1111, 0b111, 0b11_1111]);
        assert_eq!(nearest(all[5], &all), [4, 3]);
        assert_eq!(nearest(all[6], &all), [2, 1]);
        assert_eq!(nearest(all[7], &all), [5]);
    }

    #[test]
    fn an_order_that_keeps_two_others_keeps_what_follows_from_both() {
        let (a, b) = ([0, 0b1, 0, 0], [0, 0, 0b10, 0b100]);
        assert_eq!(both(&a, &b), [0, 0b1, 0b11, 0b111]);
    }

    #[test]
    fn what_needs_all_is_needed_by_none() {
        let (first, second) = ([writes(1)], [writes(2)]);
        let run = [Needs::Memory(&first), Needs::Memory(&second), Needs::All, Needs::Memory(&first)];
        assert_eq!(waits(run.into_iter()), [0, 0, 0b11, 0b1]);
    }

    #[test]
    fn a_launch_does_not_wait_for_itself() {
        let run = [vec![reads(1), writes(1)], vec![writes(1), reads(1)]];
        assert_eq!(waits(run.iter().map(|accesses| Needs::Memory(accesses))), [0, 0b1]);
    }
}
