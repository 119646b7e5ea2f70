//! Standard output, whose reader may leave early (`veloxel info FILE | head -1`).

use crate::terminal::{json, lines, one_line};
use crate::{Outcome, warn_and_note};
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use std::io::{ErrorKind, Write, stdout};
use veloxel::io::IoError;
use veloxel::{VeloxelError, Warnings};

/// Prints text, control characters spelt out.
///
/// A reader that left has read enough: the command then ends with success.
pub fn print(text: &str) -> Result<(), IoError> {
    let written = stdout().write_all(lines(text).as_bytes()).and_then(|()| stdout().flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(source) => Err(IoError::Write { path: "standard output".into(), source }),
        Ok(()) => Ok(()),
    }
}

/// Names and values as text in two columns.
pub fn two_columns(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) + 2;
    lines.iter().map(|(name, value)| format!("{name:<width$}{}\n", one_line(value))).collect()
}

/// Prints [`two_columns`].
pub fn print_lines(lines: &[(&str, String)]) -> Outcome {
    Ok(print(&two_columns(lines))?)
}

/// A table as text: rows under a head, the first column to the left, numbers to the right.
pub fn table<S: AsRef<str>>(head: &[S], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line_under_head = LineStyle::none().fill('─').junction('─');
    let mut table = Table::new();
    table
        .load_style(TableStyle::new().header_separator(line_under_head))
        .set_header(head.iter().map(AsRef::as_ref))
        .add_rows(rows);
    for column in table.column_iter_mut() {
        // Another blank stands between columns, where the line under the head goes on.
        let is_first = column.index == 0;
        column.set_padding((if is_first { 0 } else { 1 }, 0));
        column.set_cell_alignment(if is_first { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.trim_fmt() + "\n"
}

/// Prints any result as JSON.
pub fn print_json(value: &impl serde::Serialize) -> Outcome {
    Ok(print(&json(&(serde_json::to_string_pretty(value)? + "\n")))?)
}

/// Measures, shows the result, and warns.
pub fn print_measured<R: serde::Serialize>(
    json: bool,
    measure: impl FnOnce(&mut Warnings) -> Result<R, VeloxelError>,
    text: fn(&R) -> String,
) -> Outcome {
    let mut warnings = Warnings::new();
    let measured = measure(&mut warnings)?;
    if json {
        print_json(&measured)?
    } else {
        print(&text(&measured))?
    }
    warn_and_note(&warnings);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn columns_are_aligned() {
        let rows = [["α", "1.25"], ["longer", "10.5"]].map(|row| row.map(str::to_owned).to_vec());
        let text = super::table(&["name", "value"], rows);
        assert_eq!(text, "name    value\n─────────────\nα        1.25\nlonger   10.5\n");
    }
}
