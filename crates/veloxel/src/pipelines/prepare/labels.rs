//! Masks of some labels of a label image.

use std::collections::BTreeSet;
use veloxel_core::{Mask, Volume};

/// The labels that an image has.
pub(crate) fn labels_of(image: &Volume<i32>) -> BTreeSet<i32> {
    image.data().iter().copied().collect()
}

/// Inside where a voxel has one of some labels.
pub(crate) fn mask_of_labels(image: &Volume<i32>, labels: &BTreeSet<i32>) -> Mask {
    image.map(|label| labels.contains(label))
}
