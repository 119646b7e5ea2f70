//! JSON of any shape, parsed in blocks between which the reader asks whether to go on.

use crate::asking::Asking;
use crate::error::Result;
use crate::read::context::Context;
use serde_json::Value;
use std::io::BufReader;

/// Bytes that are parsed between two questions: about a millisecond.
const BLOCK_BYTES: usize = 1 << 16;

/// Parses a text. `what` names it in an error, `expected` says what it should be.
///
/// # Errors
/// [`IoError::Malformed`](crate::IoError::Malformed) with line and column; [`IoError::Stopped`](crate::IoError::Stopped).
pub(crate) fn parse(
    text: &str,
    what: &'static str,
    expected: &'static str,
    context: &Context<'_>,
) -> Result<Value> {
    let blocks = BufReader::with_capacity(BLOCK_BYTES, Asking::new(text.as_bytes(), context.control()));
    let parsed = serde_json::from_reader(blocks);
    context.settled(parsed.map_err(|error| context.malformed(what, expected, error)))
}
