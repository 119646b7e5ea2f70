//! Whether a result is to be given.

/// Whether something is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    /// It is not wanted.
    #[default]
    No,
    /// It is wanted.
    Yes,
}

impl Wanted {
    /// [`Wanted::Yes`] where a condition holds.
    pub fn when(condition: bool) -> Self {
        if condition { Self::Yes } else { Self::No }
    }

    /// Whether it is wanted.
    pub fn is_yes(self) -> bool {
        self == Self::Yes
    }
}
