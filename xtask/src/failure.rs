//! The failure of a command.

/// Why a command stopped: the text for standard error.
pub struct Failure(pub String);
