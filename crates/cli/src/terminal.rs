//! Text for a terminal: text from files must neither control the terminal nor forge a line, and a standard error that is full
//! or closed must not end the program.

use std::borrow::Cow;
use std::io::Write;

/// Writes one line to standard error, and ignores errors of writing.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", one_line(line));
}

/// The text with its control characters spelt out (`\n`, `\u{1b}`).
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false, |c| c.escape_default().to_string())
}

/// The text with its control characters spelt out, except line breaks.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\n', |c| c.escape_default().to_string())
}

/// JSON whose strings spell out those control characters that JSON itself would let through.
pub fn json(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\n', |c| format!("\\u{:04x}", u32::from(c)))
}

fn escaped(text: &str, allowed: fn(char) -> bool, spell: fn(char) -> String) -> Cow<'_, str> {
    let spelt = |c: char| commands(c) && !allowed(c);
    if !text.contains(spelt) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if spelt(c) { spell(c) } else { c.to_string() }).collect())
}

/// Whether a terminal may take a character as a command: control characters, and those that change the direction of writing.
fn commands(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_to_a_terminal_are_spelt_out() {
        assert_eq!(one_line("a\u{1b}[31m\nb\u{9b}ü→\u{202e}"), "a\\u{1b}[31m\\nb\\u{9b}ü→\\u{202e}");
        assert_eq!(lines("a\nb\tc\u{7f}\n"), "a\nb\\tc\\u{7f}\n");
        assert_eq!(json("{\n\"a\": \"\u{7f}\u{9b}\"}"), "{\n\"a\": \"\\u007f\\u009b\"}");
    }
}
