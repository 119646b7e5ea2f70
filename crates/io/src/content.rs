//! What a file can hold.

use veloxel_core::{Flow, Sequence, Volume};

/// An image, frames over time, or a displacement field.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// One picture or volume.
    Image(Volume<f32>),
    /// Frames over time.
    Sequence(Sequence),
    /// A displacement field, in voxels in memory whatever the file's unit.
    Flow(Flow),
}

impl Content {
    /// What it is, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Image(v) => format!("an image of {}", v.grid().size_text()),
            Self::Sequence(s) => {
                format!("a sequence of {} frames of {}", s.frames().len(), s.grid().size_text())
            }
            Self::Flow(f) => format!("a displacement field of {}", f.grid().size_text()),
        }
    }
}

/// Content beside the name of the sample type it had in the file.
pub(crate) struct Decoded {
    pub content: Content,
    pub sample_type: String,
}
