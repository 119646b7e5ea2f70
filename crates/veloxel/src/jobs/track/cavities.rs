//! How outlines of cavities follow: a choice of the command.

/// How outlines of cavities follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cavities {
    /// As the motion has them.
    Moved,
    /// Half way from there to where as much of their inside is dark as on the seed ([`Rim`](veloxel_motion::cycle::Rim)).
    #[default]
    Rim,
}

impl Cavities {
    /// As on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Rim => "rim",
        }
    }
}
