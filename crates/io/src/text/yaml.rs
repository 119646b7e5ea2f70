//! YAML of the kind that programs write for each other, as JSON values: mappings, sequences and scalars of one document, without
//! aliases, within limits.
//!
//! *Specification*: YAML 1.2.2. Tags are left out (`!!opencv-matrix`), and so is OpenCV's first line, `%YAML:1.0`, which is no YAML.

use crate::error::Result;
use crate::read::context::Context;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// Values in one another, at most.
const MOST_DEPTH: usize = 32;
/// Bytes that the values of a text take at most, for each of its bytes.
const BYTES_A_BYTE: u64 = 64;
/// Events between two questions whether to go on.
const EVENTS_BETWEEN: usize = 1 << 12;

/// Parses the first document of a text. `what` names it in an error, `expected` says what it should be.
///
/// # Errors
/// [`IoError::Malformed`](crate::IoError::Malformed) with line and column; [`IoError::Memory`](crate::IoError::Memory) beyond the
/// budget; [`IoError::Stopped`](crate::IoError::Stopped).
pub(crate) fn parse(
    text: &str,
    what: &'static str,
    expected: &'static str,
    context: &Context<'_>,
) -> Result<Value> {
    context.claim(BYTES_A_BYTE.saturating_mul(text.len() as u64))?;
    let malformed = |got: String| context.malformed(what, expected, got);
    let (mut open, mut whole) = (Vec::new(), None);
    for (nth, event) in Parser::new_from_str(&without_opencv_head(text)).enumerate() {
        if nth.is_multiple_of(EVENTS_BETWEEN) {
            context.check()?;
        }
        let (event, span) = event.map_err(|error| malformed(error.to_string()))?;
        let line = span.start.line();
        let done = match event {
            Event::Alias(_) => return Err(malformed(format!("an alias in line {line}"))),
            Event::MappingStart(..) | Event::SequenceStart(..) if open.len() == MOST_DEPTH => {
                return Err(malformed(format!("values {MOST_DEPTH} deep in line {line}")));
            }
            Event::MappingStart(..) => {
                open.push(Open::Mapping(Map::new(), None));
                None
            }
            Event::SequenceStart(..) => {
                open.push(Open::Sequence(Vec::new()));
                None
            }
            Event::MappingEnd | Event::SequenceEnd => open.pop().map(Open::closed),
            Event::Scalar(word, style, ..) => Some(scalar(&word, style)),
            Event::DocumentEnd => break,
            _ => None,
        };
        let Some(value) = done else { continue };
        match open.last_mut() {
            Some(parent) => parent.take(value).map_err(|got| malformed(format!("{got} in line {line}")))?,
            None => whole = Some(value),
        }
    }
    whole.ok_or_else(|| malformed("nothing".to_owned()))
}

/// The text with OpenCV's first line blank, so that the numbers of lines stay.
fn without_opencv_head(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    let rest = text.strip_prefix("%YAML:1.0").or_else(|| text.strip_prefix("%YAML 1.0"));
    rest.unwrap_or(text).to_owned()
}

/// A mapping or sequence whose end has not come.
enum Open {
    /// With the key whose value comes next.
    Mapping(Map<String, Value>, Option<String>),
    Sequence(Vec<Value>),
}

impl Open {
    fn closed(self) -> Value {
        match self {
            Self::Mapping(map, _) => Value::Object(map),
            Self::Sequence(values) => Value::Array(values),
        }
    }

    /// Takes the next value, or key.
    fn take(&mut self, value: Value) -> Result<(), &'static str> {
        match self {
            Self::Sequence(values) => values.push(value),
            Self::Mapping(map, key) => match (key.take(), value) {
                (Some(key), _) if map.contains_key(&key) => return Err("a key for the second time"),
                (Some(key), value) => {
                    map.insert(key, value);
                }
                (None, Value::String(word)) => *key = Some(word),
                (None, Value::Number(number)) => *key = Some(number.to_string()),
                (None, _) => return Err("a key that is no word"),
            },
        }
        Ok(())
    }
}

/// A number where a plain word is one, else the text.
fn scalar(word: &str, style: ScalarStyle) -> Value {
    let number = word.parse().ok().filter(|_| style == ScalarStyle::Plain).and_then(Number::from_f64);
    match (number, word) {
        (Some(number), _) => Value::Number(number),
        (None, "" | "~" | "null") if style == ScalarStyle::Plain => Value::Null,
        (None, _) => Value::String(word.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strictness;
    use serde_json::json;
    use std::path::Path;
    use veloxel_core::Warnings;

    fn parsed(text: &str) -> Result<Value> {
        let mut warnings = Warnings::new();
        parse(
            text,
            "the file",
            "YAML",
            &Context::new(Path::new("k.yaml"), Strictness::Lenient, &mut warnings),
        )
    }

    #[test]
    fn the_matrices_of_opencv_and_the_lists_of_kalibr_are_read() {
        let opencv = "%YAML:1.0\n---\nM1: !!opencv-matrix\n   rows: 1\n   dt: d\n   data: [ 5.3e+02, 0.,\n       -1., 3 ]\n";
        let expected = json!({"M1": {"rows": 1.0, "dt": "d", "data": [530.0, 0.0, -1.0, 3.0]}});
        assert_eq!(parsed(opencv).unwrap(), expected);
        let kalibr = "cam0: # left\n  T:\n  - [1.0, 0]\n  - [0, 1]\n  model: 'pinhole'\n  topic: /a/b\n";
        let expected = json!({"cam0": {"T": [[1.0, 0.0], [0.0, 1.0]], "model": "pinhole", "topic": "/a/b"}});
        assert_eq!(parsed(kalibr).unwrap(), expected);
    }

    #[test]
    fn what_is_no_plain_data_is_refused() {
        for (text, said) in [
            ("a: &x 1\nb: *x\n", "alias"),
            ("a: 1\na: 2\n", "second time"),
            ("", "nothing"),
            ("a: [1, 2", ""),
        ] {
            let refused = parsed(text).unwrap_err().to_string();
            assert!(refused.contains(said) && refused.contains("k.yaml"), "{refused}");
        }
        assert!(parsed(&"- ".repeat(40)).unwrap_err().to_string().contains("32 deep"));
    }
}
