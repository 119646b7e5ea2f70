//! The methods that a session opened last: a run of the same kind takes one up again, with its buffers and recordings.

use veloxel_core::Grid;
use veloxel_motion::{DenseDraft, OpenedMethod};

/// What an opened method depends on: two runs of equal keys can use one method, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodKey {
    /// The method, its preset and its settings.
    pub draft: DenseDraft,
    /// The grid that it was opened for.
    pub grid: Grid,
    /// How many frames it takes.
    pub frames: usize,
    /// What white is in the images.
    pub white: f32,
    /// What it was decorated with: matches, both directions, refinement.
    pub decorations: Vec<&'static str>,
}

/// Methods with their keys, the last one used at the end.
pub(super) struct KeptMethods {
    most: usize,
    methods: Vec<KeptMethod>,
}

struct KeptMethod {
    key: MethodKey,
    opened: OpenedMethod,
}

impl std::fmt::Debug for KeptMethods {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.methods.iter().map(|kept| &kept.key)).finish()
    }
}

impl KeptMethods {
    /// Keeps `most` methods.
    pub fn new(most: usize) -> Self {
        Self { most, methods: Vec::new() }
    }

    /// Takes out the method of a key.
    pub fn take(&mut self, key: &MethodKey) -> Option<OpenedMethod> {
        let nth = self.methods.iter().position(|kept| kept.key == *key)?;
        Some(self.methods.remove(nth).opened)
    }

    /// Keeps a method; the one that was not used for the longest time goes.
    pub fn put(&mut self, key: MethodKey, opened: OpenedMethod) {
        if self.most == 0 {
            return;
        }
        if self.methods.len() == self.most {
            self.methods.remove(0);
        }
        self.methods.push(KeptMethod { key, opened });
    }

    /// Drops all of them; whether there were any.
    pub fn clear(&mut self) -> bool {
        let were_any = !self.methods.is_empty();
        self.methods.clear();
        were_any
    }
}
