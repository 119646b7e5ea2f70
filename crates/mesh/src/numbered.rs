//! Names of parts as numbers.

/// Names as numbers from 0, in the order in which they come.
pub(crate) fn numbered(names: &[u32]) -> Vec<u32> {
    let most = names.iter().max().map_or(0, |most| *most as usize + 1);
    let mut number = vec![u32::MAX; most];
    let mut count = 0;
    let mut numbered = Vec::with_capacity(names.len());
    for &name in names {
        let slot = &mut number[name as usize];
        if *slot == u32::MAX {
            *slot = count;
            count += 1;
        }
        numbered.push(*slot);
    }
    numbered
}
