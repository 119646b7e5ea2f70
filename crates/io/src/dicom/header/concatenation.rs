//! Files that hold the frames of one image between them, and which of them are missing.
//!
//! *Specification*: DICOM PS3.3, section C.7.6.16.2.2.4.

use super::fields::Fields;
use crate::read::context::Context;
use dicom_dictionary_std::tags;
use std::collections::{BTreeMap, BTreeSet};
use veloxel_core::WarningKind;

/// The parts that are there, by the UID of the whole.
#[derive(Default)]
pub(super) struct Concatenations(BTreeMap<String, Parts>);

#[derive(Default)]
struct Parts {
    found: BTreeSet<i64>,
    /// How many there are, where that is said.
    total: Option<i64>,
}

impl Concatenations {
    /// Adds a file, if it is a part of an image.
    pub fn add(&mut self, file: &Fields) {
        let uid = file.text(tags::CONCATENATION_UID);
        let Some(number) = file.whole(tags::IN_CONCATENATION_NUMBER).filter(|_| !uid.is_empty()) else {
            return;
        };
        let parts = self.0.entry(uid).or_default();
        parts.found.insert(number);
        parts.total = parts.total.or_else(|| file.whole(tags::IN_CONCATENATION_TOTAL_NUMBER));
    }

    /// Tells of images that are not whole.
    pub fn tell(&self, context: &mut Context) {
        for parts in self.0.values() {
            let count = parts.found.len() as i64;
            let last = parts.found.last().copied().unwrap_or(0);
            let total = parts.total.unwrap_or(last).max(last);
            if count < total {
                let text = format!(
                    "{count} of the {total} files that hold the frames of one image are there: the frames of the others are missing"
                );
                context.note(WarningKind::Header, text);
            }
        }
    }
}
