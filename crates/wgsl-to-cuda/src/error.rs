//! The error of a translation.

use naga::valid::ValidationError;
use naga::{Span, WithSpan, front::wgsl::ParseError};
use std::fmt::Debug;

/// What a translation gives, or why there is none.
pub(crate) type Result<T, E = TranslationError> = std::result::Result<T, E>;

/// The reason why a WGSL source could not be translated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslationError {
    /// The source is not WGSL.
    #[error("WGSL{}: {message}", place(.line))]
    Parse {
        /// The line, counted from 1; `None` if it is not known.
        line: Option<u32>,
        /// naga's message.
        message: String,
    },
    /// The source is WGSL but not valid, or it needs a capability that compute devices need not have.
    #[error("WGSL{}: {message}", place(.line))]
    Invalid {
        /// The line, counted from 1; `None` if it is not known.
        line: Option<u32>,
        /// naga's message, followed by its causes.
        message: String,
    },
    /// The source has no entry point of that name.
    #[error("WGSL: there is no compute entry point `{entry}`")]
    NoEntry {
        /// The name of the entry point.
        entry: String,
    },
    /// The values given do not fit the source's `override` constants.
    #[error("WGSL: override constants: {message}")]
    Constants {
        /// naga's message.
        message: String,
    },
    /// The source has a construct that is not translated.
    #[error("WGSL{}: {construct} has no translation to CUDA", place(.line))]
    Unsupported {
        /// The construct.
        construct: String,
        /// The line, counted from 1; `None` if it is not known.
        line: Option<u32>,
    },
}

fn place(line: &Option<u32>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

impl TranslationError {
    pub(crate) fn parse(error: &ParseError, wgsl: &str) -> Self {
        let line = error.location(wgsl).map(|at| at.line_number);
        Self::Parse { line, message: error.message().to_owned() }
    }

    pub(crate) fn invalid(error: &WithSpan<ValidationError>, wgsl: &str) -> Self {
        // The first span is that of the expression; the later ones are those of its function.
        let line = error.spans().next().and_then(|(span, _)| line_of(*span, wgsl));
        let mut message = error.as_inner().to_string();
        let mut cause = std::error::Error::source(error.as_inner());
        while let Some(inner) = cause {
            message += &format!(": {inner}");
            cause = inner.source();
        }
        Self::Invalid { line, message }
    }

    pub(crate) fn unsupported(construct: impl Into<String>, span: Span, wgsl: &str) -> Self {
        Self::Unsupported { construct: construct.into(), line: line_of(span, wgsl) }
    }
}

/// The name of an expression's or a statement's kind.
pub(crate) fn variant(of: &impl Debug) -> String {
    format!("{of:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

fn line_of(span: Span, wgsl: &str) -> Option<u32> {
    span.is_defined().then(|| span.location(wgsl).line_number)
}
