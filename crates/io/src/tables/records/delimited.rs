//! Tables as text, as RFC 4180 describes them, and with semicolons or tabulators for commas.

use super::{FieldValue, Record};
use crate::error::Result;
use crate::read::context::Context;
use crate::text::quotation::quoted;
use std::collections::HashSet;

/// Separators that the head line may have, the first of them that it has being the table's.
const SEPARATORS: [char; 3] = ['\t', ';', ','];
/// Rows between two questions whether to go on.
const ROWS_BETWEEN: usize = 1 << 10;

/// The records of a table.
pub(super) fn records(text: &str, context: &Context) -> Result<Vec<Record>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().next().unwrap_or_default();
    let mut rows = Rows { text, line: 1, separator: separator_of(first) };
    let head = rows.next(context)?.map(|row| row.cells).unwrap_or_default();
    check_names(&head, context)?;
    let mut records = Vec::new();
    while let Some(Row { line, cells }) = rows.next(context)? {
        if records.len().is_multiple_of(ROWS_BETWEEN) {
            context.check()?;
        }
        if cells.len() != head.len() {
            let (expected, got) = (format!("{} cells", head.len()), format!("{}", cells.len()));
            return Err(context.malformed(format!("line {line}"), expected, got));
        }
        let fields = head.iter().cloned().zip(cells).filter(|(_, cell)| !cell.is_empty());
        let fields = fields.map(|(name, cell)| (name, FieldValue::Text(cell))).collect();
        records.push(Record { line, fields });
    }
    Ok(records)
}

/// What parts the cells of a table with this head line.
fn separator_of(head: &str) -> char {
    let mut is_quoted = false;
    let free: String = head
        .chars()
        .filter(|&c| {
            is_quoted ^= c == '"';
            !is_quoted
        })
        .collect();
    SEPARATORS.into_iter().find(|&separator| free.contains(separator)).unwrap_or(',')
}

fn check_names(head: &[String], context: &Context) -> Result<()> {
    let refused = |got: String| context.malformed("line 1", "the names of the columns, each once", got);
    if head.is_empty() {
        return Err(refused("an empty table".to_owned()));
    }
    let mut names = HashSet::new();
    for name in head {
        if name.is_empty() {
            return Err(refused("a column without a name".to_owned()));
        }
        if !names.insert(name) {
            return Err(refused(format!("{} twice", quoted(name))));
        }
    }
    Ok(())
}

/// What is left of a table.
struct Rows<'a> {
    text: &'a str,
    /// The line that it begins with.
    line: usize,
    separator: char,
}

struct Row {
    /// The line that it begins in.
    line: usize,
    cells: Vec<String>,
}

impl Rows<'_> {
    /// The next row that is not empty.
    fn next(&mut self, context: &Context) -> Result<Option<Row>> {
        while !self.text.is_empty() {
            let line = self.line;
            let mut cells = vec![self.cell(line, context)?];
            while let Some(rest) = self.text.strip_prefix(self.separator) {
                self.text = rest;
                cells.push(self.cell(line, context)?);
            }
            self.text = self.text.strip_prefix('\r').unwrap_or(self.text);
            self.text = self.text.strip_prefix('\n').unwrap_or(self.text);
            self.line += 1;
            if cells.iter().any(|cell| !cell.is_empty()) {
                return Ok(Some(Row { line, cells }));
            }
        }
        Ok(None)
    }

    /// The next cell, without blanks at its ends unless they stand in quotes; what is left begins with a separator or a line break.
    fn cell(&mut self, row: usize, context: &Context) -> Result<String> {
        let separator = self.separator;
        let ends = move |c: char| c == separator || c == '\n' || c == '\r';
        let is_blank = move |c: char| c == ' ' || (c == '\t' && separator != '\t');
        let begin = self.text.trim_start_matches(is_blank);
        let Some(inside) = begin.strip_prefix('"') else {
            let end = self.text.find(ends).unwrap_or(self.text.len());
            let (cell, rest) = self.text.split_at(end);
            self.text = rest;
            return Ok(cell.trim_matches(is_blank).to_owned());
        };
        let Some((cell, rest)) = quoted_cell(inside) else {
            return Err(context.malformed(format!("line {row}"), "quotes in pairs", quoted(begin)));
        };
        self.line += cell.matches('\n').count();
        self.text = rest.trim_start_matches(is_blank);
        if !self.text.is_empty() && !self.text.starts_with(ends) {
            let got = quoted(self.text);
            return Err(context.malformed(format!("line {row}"), "a separator after a quoted cell", got));
        }
        Ok(cell)
    }
}

/// A cell up to its closing quote, and what follows that; none without one.
fn quoted_cell(inside: &str) -> Option<(String, &str)> {
    let (mut cell, mut rest) = (String::new(), inside);
    loop {
        let (before, after) = rest.split_once('"')?;
        cell.push_str(before);
        let Some(more) = after.strip_prefix('"') else { return Some((cell, after)) };
        cell.push('"');
        rest = more;
    }
}
