//! Warnings of a stream that may say the same of every frame.

use veloxel_core::{Warning, WarningKind, Warnings};
use veloxel_report::number::counted;

/// The first warning of each kind in full, and how many followed.
#[derive(Debug, Default)]
pub(super) struct StreamWarnings {
    first: Vec<Warning>,
    more: usize,
}

impl StreamWarnings {
    /// Adds the warnings of a frame; `of` is what they begin with, to tell the frame.
    pub fn add(&mut self, of: &str, warnings: &Warnings) {
        for warning in warnings.iter() {
            if self.first.iter().any(|said| said.kind == warning.kind) {
                self.more += 1;
                continue;
            }
            let message = format!("{of}{}", warning.message);
            self.first.push(Warning { message, ..warning.clone() });
        }
    }

    /// Hands out what is to be said at the end of the stream.
    pub fn finish(self, warnings: &mut Warnings) {
        self.first.into_iter().for_each(|warning| warnings.add(warning));
        if self.more > 0 {
            let count = counted(self.more, "warning");
            let message = format!("{count} of the same kinds, of other frames, are left out");
            warnings.push(WarningKind::Note, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_kind_is_said_and_the_others_are_counted() {
        let mut said = StreamWarnings::default();
        for frame in 0..5 {
            let mut warnings = Warnings::new();
            warnings.push(WarningKind::Content, format!("{frame} voxels"));
            said.add(&format!("frame {frame}: "), &warnings);
        }
        let mut warnings = Warnings::new();
        said.finish(&mut warnings);
        let told: Vec<_> = warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert_eq!(
            told,
            ["frame 0: 0 voxels", "4 warnings of the same kinds, of other frames, are left out"]
        );
    }
}
