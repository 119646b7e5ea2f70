//! The rows of a table: lines of cells, parted by the same separator in the whole file.
//!
//! The separator is a semicolon, else a tabulator, else a comma, if every line has it, else blanks; a first line `sep=;`, as
//! spreadsheets write it, says it. Cells may stand in quotes. A fraction may begin with a comma where commas part no columns, and
//! nothing in the file has a point instead or could mean thousands.

use crate::error::Result;
use crate::read::context::Context;
use crate::text::numbers::{DECIMAL_POINT, Number, float, has_decimal_comma, may_be_thousands};
use crate::text::quotation::quoted;

/// Lines between two questions whether to go on.
const LINES_BETWEEN: usize = 1 << 13;

/// The rows of a text.
pub(crate) struct Rows<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    comments: &'static [char],
    separator: Separator,
    cells: Vec<&'a str>,
    comma: Comma,
}

/// What parts cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    Character(char),
    Blanks,
}

/// What fractions of a text begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comma {
    /// With a point alone.
    Point,
    /// With a comma.
    Comma,
}

/// A line with its cells.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a, 'b> {
    /// Counted from 1.
    pub number: usize,
    /// Without blanks at its ends.
    pub line: &'a str,
    pub cells: &'b [&'a str],
}

impl<'a> Rows<'a> {
    /// The rows of a text whose lines are comments where they begin with one of `comments`.
    ///
    /// # Errors
    /// [`IoError::Malformed`](crate::IoError::Malformed) with the line whose comma cannot be told from a point, or from one that
    /// parts thousands.
    pub fn new(text: &'a str, comments: &'static [char], context: &Context) -> Result<Self> {
        let (text, said) = without_said_separator(text);
        let separator = said.unwrap_or_else(|| separator_of(text, comments));
        Self::parted(text, separator, comments, context)
    }

    /// The rows of a text whose separator is known.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn parted(
        text: &'a str,
        separator: Separator,
        comments: &'static [char],
        context: &Context,
    ) -> Result<Self> {
        let mut rows = Self {
            lines: text.lines().enumerate(),
            comments,
            separator,
            cells: Vec::new(),
            comma: Comma::Point,
        };
        if text.contains(',') && (separator != Separator::Character(',') || text.contains('"')) {
            rows.comma = rows.comma_of(context)?;
            rows.lines = text.lines().enumerate();
        }
        Ok(rows)
    }

    /// The next row, or none at the end.
    ///
    /// # Errors
    /// [`IoError::Stopped`](crate::IoError::Stopped); [`IoError::Malformed`](crate::IoError::Malformed) for a quote without an end.
    pub fn next(&mut self, context: &Context) -> Result<Option<Row<'a, '_>>> {
        for (nth, line) in self.lines.by_ref() {
            if nth.is_multiple_of(LINES_BETWEEN) {
                context.check()?;
            }
            let (number, line) = (nth + 1, line.trim_matches(is_blank));
            let is_comment = line.trim_start().starts_with(self.comments);
            if line.trim().is_empty() || is_comment {
                continue;
            }
            self.cells.clear();
            if !split(line, self.separator, &mut self.cells) {
                return Err(context.malformed(format!("line {number}"), "quotes in pairs", told(line)));
            }
            return Ok(Some(Row { number, line, cells: &self.cells }));
        }
        Ok(None)
    }

    /// What fractions begin with.
    pub fn comma(&self) -> Comma {
        self.comma
    }

    /// What fractions begin with, of all cells together.
    fn comma_of(&mut self, context: &Context) -> Result<Comma> {
        let (mut proven, mut doubtful, mut pointed) = (None, None, None);
        while let Some(row) = self.next(context)? {
            for cell in row.cells {
                if has_decimal_comma(cell) {
                    let place = if may_be_thousands(cell) { &mut doubtful } else { &mut proven };
                    place.get_or_insert((row.number, row.line));
                } else if cell.contains('.') && float(cell).is_some() {
                    pointed.get_or_insert((row.number, row.line));
                }
            }
        }
        let refused = match (proven, doubtful, pointed) {
            (Some(_), _, None) => return Ok(Comma::Comma),
            (None, None, _) => return Ok(Comma::Point),
            (Some(refused), ..) | (None, Some(refused), _) => refused,
        };
        let expected = format!("{DECIMAL_POINT}, in all of the file");
        Err(context.malformed(format!("line {}", refused.0), expected, told(refused.1)))
    }
}

impl Comma {
    /// The number of a cell.
    pub fn number(self, cell: &str) -> Option<f64> {
        match self {
            Self::Point if cell.contains(',') => None,
            _ => f64::of(cell),
        }
    }

    /// A number as the text of a file with such fractions.
    pub fn text(self, number: f64) -> String {
        let text = format!("{number:.6}");
        if self == Self::Comma { text.replace('.', ",") } else { text }
    }
}

impl Row<'_, '_> {
    /// Whether all cells are words that begin with a letter: the head of a table.
    pub fn is_head(&self) -> bool {
        let is_word = |cell: &str| {
            cell.is_empty()
                || (cell.starts_with(|c: char| c.is_alphabetic() || c == '_') && float(cell).is_none())
        };
        self.cells.iter().all(|cell| is_word(cell)) && self.cells.iter().any(|cell| !cell.is_empty())
    }

    /// Whether cells stand behind so many columns: the parts of a fraction with a comma, perhaps.
    pub fn has_more_than(&self, columns: usize) -> bool {
        self.cells.iter().skip(columns).any(|cell| !cell.is_empty())
    }

    /// The line, as a message quotes it.
    pub fn told(&self) -> String {
        told(self.line)
    }
}

fn told(line: &str) -> String {
    format!("`{}`", quoted(line.trim()))
}

/// A blank that parts no cells where tabulators do.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\r' | '\n' | '\u{b}' | '\u{c}' | '\0')
}

/// Cells of a line, without blanks and quotes around them; false where a quote has no end.
fn split<'a>(line: &'a str, separator: Separator, cells: &mut Vec<&'a str>) -> bool {
    let is_end = |c: char| match separator {
        Separator::Character(separator) => c == separator,
        Separator::Blanks => c.is_ascii_whitespace() || c == '\u{b}',
    };
    if !line.contains('"') {
        match separator {
            Separator::Character(_) => cells.extend(line.split(is_end).map(unquoted)),
            Separator::Blanks => {
                cells.extend(line.split(is_end).filter(|cell| !cell.is_empty()).map(unquoted))
            }
        }
        return true;
    }
    let (mut begin, mut is_open) = (0, false);
    let mut add = |cell: &'a str| {
        if separator != Separator::Blanks || !cell.is_empty() {
            cells.push(unquoted(cell));
        }
    };
    for (at, c) in line.char_indices() {
        if c == '"' {
            is_open = !is_open;
        } else if !is_open && is_end(c) {
            add(&line[begin..at]);
            begin = at + c.len_utf8();
        }
    }
    add(&line[begin..]);
    !is_open
}

/// A cell without blanks and quotes around it.
fn unquoted(cell: &str) -> &str {
    let cell = cell.trim();
    let inside =
        |quote: char| cell.strip_prefix(quote)?.strip_suffix(quote).filter(|inside| !inside.contains(quote));
    inside('"').or_else(|| inside('\'')).map_or(cell, str::trim)
}

/// The text behind a first line `sep=;`, blank there so that the numbers of lines stay, and what it says.
fn without_said_separator(text: &str) -> (&str, Option<Separator>) {
    let first = text.lines().next().unwrap_or_default();
    let word = first.trim_matches(is_blank).trim_matches('"');
    let Some(said) = word.get(..4).filter(|head| head.eq_ignore_ascii_case("sep=")).map(|_| &word[4..])
    else {
        return (text, None);
    };
    let separator = match said {
        ";" => Some(Separator::Character(';')),
        "," => Some(Separator::Character(',')),
        "\t" | "" => Some(Separator::Character('\t')),
        _ => None,
    };
    // The line's end stays.
    if separator.is_some() { (&text[first.len()..], separator) } else { (text, None) }
}

/// What parts the cells of all lines.
fn separator_of(text: &str, comments: &'static [char]) -> Separator {
    let content = || {
        let lines = text.lines().map(|line| line.trim_matches(is_blank));
        lines.filter(|line| !line.trim().is_empty() && !line.starts_with(comments))
    };
    for separator in [';', '\t'] {
        if content().all(|line| line.contains(separator)) && content().next().is_some() {
            return Separator::Character(separator);
        }
    }
    // `1,5 2,5` has commas in numbers that blanks part; `0, 1, 2` and `0,1,left wall` are parted by commas.
    let is_parted_by_blanks = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next());
        second.is_some_and(|second| float(first).is_some() && !second.starts_with(','))
    };
    match content().all(|line| line.contains(',') && !is_parted_by_blanks(line)) {
        true if content().next().is_some() => Separator::Character(','),
        _ => Separator::Blanks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strictness;
    use std::path::Path;
    use veloxel_core::Warnings;

    /// A cell, and its number.
    type Cell = (String, Option<f64>);

    /// Cells of every row.
    fn read(text: &str) -> Result<Vec<Vec<Cell>>> {
        let mut warnings = Warnings::new();
        let context = Context::new(Path::new("a.csv"), Strictness::Lenient, &mut warnings);
        let mut rows = Rows::new(text, &['#'], &context)?;
        let (comma, mut all) = (rows.comma(), Vec::new());
        while let Some(row) = rows.next(&context)? {
            all.push(row.cells.iter().map(|cell| ((*cell).to_owned(), comma.number(cell))).collect());
        }
        Ok(all)
    }

    fn numbers(text: &str) -> Vec<f64> {
        read(text).unwrap().into_iter().flatten().filter_map(|(_, number)| number).collect()
    }

    #[test]
    fn one_separator_parts_all_rows() {
        for text in [
            "0,1,2.5\n1,2,3",
            "# a\n0;1;2,5\n\n1;2;3",
            "0\t1\t2,5 \n1\t2\t3\t",
            " 0 1  2.5\n1\t2 3",
            "0 1 2,5\n1 2 3",
            "0, 1, 2.5\n1 ,2 , 3",
            "sep=;\n0;1;2,5\n1;2;3",
            "\"0\",\"1\",\"2,5\"\n1,2,3",
            "'0';'1';'2,5'\n1;2;3",
        ] {
            assert_eq!(numbers(text), [0.0, 1.0, 2.5, 1.0, 2.0, 3.0], "{text}");
        }
        assert_eq!(read("0,1,left wall").unwrap()[0][2].0, "left wall");
        assert_eq!(read("0,,1").unwrap()[0].len(), 3, "an empty cell is one");
        assert_eq!(read("\"a;b\";\"c\"\"d\"").unwrap()[0][0].0, "a;b");
    }

    #[test]
    fn commas_that_may_mean_something_else_are_refused() {
        for text in ["0;1;1,500\n1;2;3", "0;1;2,5\n1;2;3.5", "\"1,500\",2", "1 2,500", "1;\"2"] {
            let refused = read(text).unwrap_err().to_string();
            assert!(
                refused.contains("line") && (refused.contains("point") || refused.contains("quotes")),
                "{refused}"
            );
        }
        assert_eq!(numbers("1,500;0,25"), [1.5, 0.25], "another number of the file tells");
    }
}
