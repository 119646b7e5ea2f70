//! Errors of temporary files, told without their names.

use std::io::Error;

/// The same error without the path of a temporary file, which says nothing to a user.
pub(crate) fn without_path(error: Error) -> Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((reason, _)) => Error::new(error.kind(), reason.to_owned()),
        None => error,
    }
}
