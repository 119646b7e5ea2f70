//! What every reader promises for any bytes at all: an answer or an error, in bounded time and memory.

use std::path::Path;
use veloxel_core::Warnings;
use veloxel_io::{Content, Format, Strictness};

pub fn read(format: Format, bytes: &[u8]) {
    let mut warnings = Warnings::new();
    let result = veloxel_io::read_bytes(format, (Path::new("fuzz"), bytes), Strictness::Lenient, &mut warnings);
    if let Ok(content) = result {
        match content {
            Content::Image(image) => assert_eq!(image.data().len(), image.grid().len()),
            Content::Sequence(sequence) => assert!(!sequence.frames().is_empty()),
            Content::Flow(flow) => assert_eq!(flow.components_vox().len(), flow.grid().dimension().count()),
        }
    }
    // A strict reader may refuse more, but must not fall over either.
    let _ = veloxel_io::read_bytes(format, (Path::new("fuzz"), bytes), Strictness::Strict, &mut warnings);
}
