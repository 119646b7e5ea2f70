//! JSON of any shape, parsed in blocks between which the reader asks whether to go on; the memory of its values is claimed
//! before they are made.

use crate::asking::Asking;
use crate::error::Result;
use crate::read::context::Context;
use serde_json::Value;
use std::io::BufReader;

/// Bytes that are parsed between two questions: about a millisecond.
const BLOCK_BYTES: usize = 1 << 16;
/// Bytes that values take at most: a list or a table, which has room for several members from the first on; another member,
/// twice while a list grows; the head and the end of a text on the heap.
const TABLE_BYTES: u64 = 640;
const LIST_BYTES: u64 = 160;
const MEMBER_BYTES: u64 = 112;
const TEXT_BYTES: u64 = 32;

/// Parses a text, once its values are claimed. `what` names it in an error, `expected` says what it should be.
///
/// # Errors
/// [`IoError::Memory`](crate::IoError::Memory) beyond the budget; [`IoError::Malformed`](crate::IoError::Malformed) with line
/// and column; [`IoError::Stopped`](crate::IoError::Stopped).
pub(crate) fn parse(
    text: &[u8],
    what: &'static str,
    expected: &'static str,
    context: &Context<'_>,
) -> Result<Value> {
    let text = text.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(text);
    context.claim(bytes_of_values(text))?;
    let blocks = BufReader::with_capacity(BLOCK_BYTES, Asking::new(text, context.control()));
    let parsed = serde_json::from_reader(blocks);
    context.settled(parsed.map_err(|error| context.malformed(what, expected, error)))
}

/// Bytes that the values of a text take at most.
fn bytes_of_values(text: &[u8]) -> u64 {
    let (mut bytes, mut at) = (0, 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'{' => bytes += TABLE_BYTES,
            b'[' => bytes += LIST_BYTES,
            b',' => bytes += MEMBER_BYTES,
            b'"' => {
                let begin = at;
                while text.get(at).is_some_and(|&byte| byte != b'"') {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(text.len());
                bytes += TEXT_BYTES + (at - begin) as u64;
            }
            _ => {}
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::reading::{ReadOptions, Reading};
    use crate::{IoError, Strictness};
    use std::path::Path;
    use veloxel_core::Warnings;

    #[test]
    fn values_are_claimed_before_they_are_made() {
        let text = format!("[{}]", vec!["{\"\":0}"; 1000].join(","));
        let options = ReadOptions { max_decode_bytes: Some(1 << 19), ..Strictness::Lenient.into() };
        let mut warnings = Warnings::new();
        let context = Context::new(Path::new("a.json"), Reading::alone(options), &mut warnings);
        let refused = parse(text.as_bytes(), "the text", "JSON", &context);
        assert!(matches!(refused, Err(IoError::Memory { .. })), "{refused:?}");
        let numbers = format!("[{}]", vec!["1"; 1000].join(","));
        assert!(parse(numbers.as_bytes(), "the text", "JSON", &context).is_ok());
    }

    #[test]
    fn what_stands_in_quotes_is_no_value() {
        assert_eq!(bytes_of_values(br#"{"a": "[[[,,,{{{\"]]"}"#), TABLE_BYTES + 2 * TEXT_BYTES + 2 + 14);
        assert_eq!(bytes_of_values(b"\"open \\"), TEXT_BYTES + 6);
    }
}
