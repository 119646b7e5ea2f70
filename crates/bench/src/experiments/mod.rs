//! What the experiments of every paper give: measured figures, those that the paper prints, tables, a page.

mod comparison;
mod findings;
mod machines;
mod merged;
mod page;
mod published;
mod system;
mod table;

pub(crate) use comparison::{Comparison, Row};
pub use findings::Findings;
pub(crate) use machines::{Machine, MachineRole, machines, middle};
pub use merged::MergedRuns;
pub(crate) use page::{comparison_section, machines_section, not_measured_section};
pub(crate) use published::published_head;
pub use published::{NotMeasured, Published};
pub(crate) use system::error_correction;
pub use system::{SystemFact, system_facts};
pub use table::ExperimentTable;

use crate::{BenchError, Figure};
use std::fmt::Debug;

/// The experiments of a paper, measured on this machine.
pub trait Experiments: Debug {
    /// Every measured result.
    fn figures(&self) -> Vec<Figure>;
    /// The paper's own results.
    fn published(&self) -> Vec<Published>;
    /// What the paper has and this machine cannot measure.
    fn not_measured(&self) -> Vec<NotMeasured>;
    /// Measured and published figures beside each other, for people.
    fn tables(&self) -> Vec<ExperimentTable>;
    /// How everything was measured.
    fn notes(&self) -> Vec<String>;
    /// A page with plots and tables, in one file.
    ///
    /// # Errors
    /// [`BenchError::Report`] should not occur.
    fn html(&self) -> Result<String, BenchError>;
}

/// Progress of experiments.
#[derive(Debug)]
pub enum Event<'a> {
    /// What is measured next.
    Next(&'a str),
    /// Something was measured.
    Measured {
        /// Its figures.
        figures: Vec<Figure>,
        /// The result, if nothing more were measured.
        so_far: &'a dyn Experiments,
    },
}

/// The function that hears of the progress, and may end it by an error.
pub type Observer<'a> = dyn FnMut(Event<'_>) -> Result<(), BenchError> + 'a;
