//! Figures that papers print, and what of a paper cannot be measured here: both stand beside our figures, never among them.

use serde::{Deserialize, Serialize};

/// A figure that a paper prints. Its authors measured it, on a machine of theirs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Published {
    /// Name of the figure: that of ours up to the machine, where there is one.
    pub what: String,
    /// The machine or way that the paper names: `FPGA`, `GTX 280`.
    pub by: &'static str,
    /// The printed value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// Where it is printed: `Table 4`.
    pub place: &'static str,
}

/// Something that a paper has and this machine cannot measure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotMeasured {
    /// A name, with its place in the paper.
    pub what: String,
    /// Text that says why.
    pub because: String,
}

impl NotMeasured {
    pub(crate) fn new(what: impl Into<String>, because: impl Into<String>) -> Self {
        Self { what: what.into(), because: because.into() }
    }
}

/// Name of a column of published figures.
pub(crate) fn published_head(by: &str) -> String {
    format!("{by}, published")
}
