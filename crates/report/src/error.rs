//! Errors between results and a report.

use veloxel_core::{CoreError, Diagnosis, ErrorKind, Hint, Stopped};
use veloxel_measure::MeasureError;

/// A failure of a figure, a page or a report's JSON.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A grid, a volume or a field breaks a promise.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// A number of the report could not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// The run was stopped by its observer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A page without content.
    #[error("{what}: there is nothing to show ({reason})")]
    NothingToShow {
        /// The page.
        what: &'static str,
        /// What it lacks.
        reason: &'static str,
    },
    /// A grid without the plane that a picture shall show.
    #[error("there is no plane {asked} in a field of {size}")]
    NoPlane {
        /// The plane.
        asked: String,
        /// The field's size.
        size: String,
    },
    /// The page of a report could not be filled in.
    #[error("the page of the report could not be written")]
    Page {
        /// The error of the template engine.
        #[from]
        source: minijinja::Error,
    },
    /// A picture of a page could not be made.
    #[error("a picture of the report could not be written as PNG")]
    Picture {
        /// The error of the encoder.
        #[from]
        source: png::EncodingError,
    },
    /// A report could not be written as JSON.
    #[error("the report could not be written as JSON")]
    Json {
        /// The error of the writer.
        #[from]
        source: serde_json::Error,
    },
}

impl ReportError {
    pub(crate) fn nothing(what: &'static str, reason: &'static str) -> Self {
        Self::NothingToShow { what, reason }
    }
}

impl Diagnosis for ReportError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Core(error) => error.kind(),
            Self::Measure(error) => error.kind(),
            Self::Stopped(error) => error.kind(),
            Self::NothingToShow { .. } | Self::NoPlane { .. } => ErrorKind::Input,
            Self::Page { .. } | Self::Picture { .. } | Self::Json { .. } => ErrorKind::Internal,
        }
    }
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::Core(error) => error.hint(),
            Self::Measure(error) => error.hint(),
            _ => None,
        }
    }
}
