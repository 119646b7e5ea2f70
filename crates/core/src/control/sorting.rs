//! Sorting that can be stopped: three million sides of a surface, or the errors of a large volume, take from a third of a second
//! to some seconds.

use super::{Control, Stopped};
use std::cmp::Ordering;

/// As many elements are sorted within some milliseconds.
const AT_ONCE: usize = 1 << 17;

/// Sorts by an order in which equal elements are the same in all respects, and asks from time to time whether to go on.
///
/// # Errors
/// [`Stopped`]; the elements are in no order then.
pub fn sort_by<T>(
    elements: &mut [T],
    compare: &impl Fn(&T, &T) -> Ordering,
    control: &Control,
) -> Result<(), Stopped> {
    control.check()?;
    if elements.len() <= AT_ONCE {
        elements.sort_unstable_by(compare);
        return Ok(());
    }
    let (below, _, above) = elements.select_nth_unstable_by(elements.len() / 2, compare);
    sort_by(below, compare, control)?;
    sort_by(above, compare, control)
}

/// [`sort_by`] by the elements' own order.
///
/// # Errors
/// As [`sort_by`].
pub fn sort<T: Ord>(elements: &mut [T], control: &Control) -> Result<(), Stopped> {
    sort_by(elements, &T::cmp, control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_sorted_as_by_the_library_and_stop() {
        let hash = |n: usize| (n.wrapping_mul(2_654_435_761) >> 9) % 50_000;
        let list: Vec<usize> = (0..3 * AT_ONCE).map(hash).collect();
        let (mut own, mut expected) = (list.clone(), list);
        sort(&mut own, &Control::default()).unwrap();
        expected.sort_unstable();
        assert!(own == expected);
        let stopped = Control::default();
        stopped.stop();
        assert_eq!(sort(&mut own, &stopped), Err(Stopped));
    }
}
