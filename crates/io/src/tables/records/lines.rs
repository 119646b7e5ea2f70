//! JSON lines: an object a line.

use super::{FieldValue, Record};
use crate::error::Result;
use crate::read::context::Context;
use crate::text::json;
use serde_json::Value;

/// The records of JSON lines.
pub(super) fn records(text: &str, context: &Context) -> Result<Vec<Record>> {
    let numbered = text.lines().enumerate().map(|(nth, line)| (nth + 1, line));
    let filled = numbered.filter(|(_, line)| !line.trim().trim_start_matches('\u{feff}').is_empty());
    filled.map(|(number, line)| record(number, line, context)).collect()
}

fn record(line: usize, text: &str, context: &Context) -> Result<Record> {
    const EXPECTED: &str = "an object with texts, numbers, true, false, or lists of texts, each name once";
    let refused = |got: &dyn std::fmt::Display| context.malformed(format!("line {line}"), EXPECTED, got);
    context.check()?;
    let parsed = json::parse(text.as_bytes(), "a line", EXPECTED, context);
    let Ok(Value::Object(object)) = parsed else {
        // A stop stays a stop.
        context.check()?;
        return Err(refused(&"something else"));
    };
    // A parser keeps the last of two members of one name.
    if object.len() != member_count(text) {
        return Err(refused(&"a name twice"));
    }
    let mut fields = Vec::new();
    for (name, value) in object {
        let value = match value {
            Value::Null => continue,
            Value::Bool(holds) => FieldValue::Flag(holds),
            Value::Array(values) => {
                let texts: Option<Vec<String>> = values.iter().map(one_text).collect();
                FieldValue::List(texts.ok_or_else(|| refused(&"a list of something else"))?)
            }
            Value::Object(_) => return Err(refused(&"an object in an object")),
            text => FieldValue::Text(one_text(&text).unwrap_or_default()),
        };
        fields.push((name, value));
    }
    Ok(Record { line, fields })
}

/// A text as it is, or a number as it is written.
fn one_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Members of the outermost object of a text that is JSON: colons outside of texts, at the first depth.
fn member_count(text: &str) -> usize {
    let (mut count, mut depth, mut is_text, mut is_escaped) = (0, 0usize, false, false);
    for c in text.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            _ if is_text => {}
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ':' if depth == 1 => count += 1,
            _ => {}
        }
    }
    count
}
