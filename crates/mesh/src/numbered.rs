//! Names of parts as numbers.

/// How many numbers there are, from 0 on.
pub(crate) fn count_of(labels: &[u32]) -> usize {
    labels.iter().max().map_or(0, |most| *most as usize + 1)
}

/// Names as numbers from 0, in the order in which they come.
pub(crate) fn numbered(names: &[u32]) -> Vec<u32> {
    let (mut number, mut count) = (vec![None; count_of(names)], 0);
    let mut next = || {
        count += 1;
        count - 1
    };
    names.iter().map(|&name| *number[name as usize].get_or_insert_with(&mut next)).collect()
}
