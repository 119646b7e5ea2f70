//! A field of a sequence on its way out.

use std::ops::Deref;
use veloxel_motion::DenseFlow;

/// A field that is handed out: to be looked at, or to be taken away.
#[derive(Debug)]
pub struct FoundField<'a> {
    /// The field, until it is taken.
    held: &'a mut Option<DenseFlow>,
    /// Whether the run measures or draws it afterwards.
    is_needed: bool,
}

impl<'a> FoundField<'a> {
    pub(super) fn new(held: &'a mut Option<DenseFlow>, is_needed: bool) -> Self {
        Self { held, is_needed }
    }

    /// The field for its receiver: a copy only where measures or a page are wanted of it.
    pub fn into_owned(self) -> DenseFlow {
        let own = if self.is_needed { self.held.clone() } else { self.held.take() };
        own.expect("a field should be handed out once")
    }
}

impl Deref for FoundField<'_> {
    type Target = DenseFlow;

    fn deref(&self) -> &DenseFlow {
        self.held.as_ref().expect("a field should be there until it is taken")
    }
}
