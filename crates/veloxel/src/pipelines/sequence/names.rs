//! What the frames of a sequence are called.

use crate::Result;
use crate::pipelines::dense::DenseError;
use veloxel_motion::SequenceRole;

/// The numbers of the frames in their sequence, where some were left out, and the names of their files where each has its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrameNames {
    /// In growing order; empty: from 0 on.
    pub numbers: Vec<usize>,
    /// Empty where the frames have no names.
    pub files: Vec<String>,
}

impl FrameNames {
    /// The number of the n-th frame.
    pub fn number(&self, nth: usize) -> usize {
        self.numbers.get(nth).copied().unwrap_or(nth)
    }

    /// The file of the n-th frame.
    pub fn file(&self, nth: usize) -> Option<&str> {
        self.files.get(nth).map(String::as_str)
    }

    /// What the n-th frame is called in warnings.
    pub fn text(&self, nth: usize) -> String {
        self.file(nth).map_or_else(|| format!("frame {}", self.number(nth)), str::to_owned)
    }

    /// What the field from a frame to another one is called in reports: `frame 3 → 4`, with the names of the files where there are any.
    pub(crate) fn title(&self, role: SequenceRole, frames: [usize; 2]) -> String {
        let [fixed, moving] = frames.map(|nth| self.number(nth));
        let series = if role == SequenceRole::Consecutive { "frame" } else { "reference" };
        let title = format!("{series} {fixed} → {moving}");
        match frames.map(|nth| self.file(nth)) {
            [Some(fixed), Some(moving)] => format!("{title} ({fixed} → {moving})"),
            _ => title,
        }
    }

    /// Which of the frames has a number.
    ///
    /// # Errors
    /// [`DenseError::Reference`] if none has.
    pub(crate) fn position(&self, number: usize) -> Result<usize, DenseError> {
        if self.numbers.is_empty() {
            return Ok(number);
        }
        self.numbers.binary_search(&number).map_err(|_| {
            let [first, last] = [self.numbers.first(), self.numbers.last()].map(|n| n.copied().unwrap_or(0));
            let is_whole = last - first + 1 == self.numbers.len();
            let which = if is_whole { "" } else { ", one that is taken" };
            DenseError::Reference { first, last, which, got: number }
        })
    }
}
