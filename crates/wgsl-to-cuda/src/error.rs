//! Why a text was not translated.

use naga::valid::ValidationError;
use naga::{Span, WithSpan, front::wgsl::ParseError};

/// A WGSL text that could not be translated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslationError {
    /// It is no WGSL.
    #[error("WGSL{}: {message}", place(.line))]
    Parse {
        /// The line, from 1, where it is known.
        line: Option<u32>,
        /// What naga said.
        message: String,
    },
    /// It is WGSL, but breaks a rule, or needs what compute devices need not have.
    #[error("WGSL{}: {message}", place(.line))]
    Invalid {
        /// The line, from 1, where it is known.
        line: Option<u32>,
        /// What naga said, cause after cause.
        message: String,
    },
    /// There is no such kernel.
    #[error("WGSL: there is no compute entry point `{entry}`")]
    NoEntry {
        /// The name asked for.
        entry: String,
    },
    /// Values of `override` constants do not fit the text.
    #[error("WGSL: override constants: {message}")]
    Constants {
        /// What naga said.
        message: String,
    },
    /// Outside what is translated.
    #[error("WGSL{}: {construct} has no translation to CUDA", place(.line))]
    Unsupported {
        /// The construct.
        construct: String,
        /// The line, from 1, where it is known.
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
        // The innermost span names the expression, the outer ones its function.
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

fn line_of(span: Span, wgsl: &str) -> Option<u32> {
    span.is_defined().then(|| span.location(wgsl).line_number)
}
