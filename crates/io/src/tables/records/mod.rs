//! Records of named fields: a table as text whose head line has the names, or JSON lines with an object each.

mod delimited;
mod lines;

use crate::error::Result;
use crate::file_name::extension;
use crate::read::context::Context;
use crate::read::reading::Reading;
use crate::read::take_text;
use std::path::Path;
use veloxel_core::Warnings;

/// Larger texts are refused (bytes).
const MOST_BYTES: u64 = 1 << 28;

/// The fields of a record in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The line of the file that it begins in, from 1.
    pub line: usize,
    /// Names and values; fields without a value are left out.
    pub fields: Vec<(String, FieldValue)>,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// A word, a number or any other text.
    Text(String),
    /// Whether something holds; of JSON alone.
    Flag(bool),
    /// Several texts; of JSON alone.
    List(Vec<String>),
}

/// Reads the records of a file: `.jsonl` or `.ndjson` with an object a line, or else a table with the names of its columns in the
/// first line, parted by commas, semicolons or tabulators, whichever that line has. Cells in quotes may hold separators, line
/// breaks, and quotes written twice; empty lines are skipped.
///
/// # Errors
/// As [`read_text`](crate::read_text); [`IoError::Malformed`](crate::IoError::Malformed) with the line.
pub fn read_records(path: &Path, reading: impl Into<Reading>) -> Result<Vec<Record>> {
    let mut unsaid = Warnings::new();
    let context = Context::new(path, reading, &mut unsaid);
    let text = take_text(MOST_BYTES, &context)?;
    match extension(path).as_str() {
        "jsonl" | "ndjson" => lines::records(&text, &context),
        _ => delimited::records(&text, &context),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::reading::Strictness;

    fn read(name: &str, text: &str) -> Result<Vec<Record>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_records(&path, Strictness::Lenient)
    }

    fn record(line: usize, fields: &[(&str, FieldValue)]) -> Record {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Record { line, fields }
    }

    fn text(text: &str) -> FieldValue {
        FieldValue::Text(text.to_owned())
    }

    #[test]
    fn tables_have_names_in_their_first_line() {
        let table = "fixed,moving,preset\r\na.nii, b.nii ,\n\n\"c, \"\"d\"\"\",\"e\nf\",fast\nx,y,z\n";
        let expected = [
            record(2, &[("fixed", text("a.nii")), ("moving", text("b.nii"))]),
            record(4, &[("fixed", text("c, \"d\"")), ("moving", text("e\nf")), ("preset", text("fast"))]),
            record(6, &[("fixed", text("x")), ("moving", text("y")), ("preset", text("z"))]),
        ];
        assert_eq!(read("a.csv", table).unwrap(), expected);
        let tabs = read("a.tsv", "\u{feff}fixed\tmoving\na,b\tc;d").unwrap();
        assert_eq!(tabs, [record(2, &[("fixed", text("a,b")), ("moving", text("c;d"))])]);
        assert_eq!(read("a.csv", "a;b\n1;2").unwrap(), [record(2, &[("a", text("1")), ("b", text("2"))])]);
    }

    #[test]
    fn json_has_an_object_a_line() {
        let lines = "{\"a\": \"x\", \"b\": 0.05, \"c\": true, \"d\": null}\n\n{\"a\": [\"x\", 2]}\n";
        let expected = [
            record(1, &[("a", text("x")), ("b", text("0.05")), ("c", FieldValue::Flag(true))]),
            record(3, &[("a", FieldValue::List(vec!["x".to_owned(), "2".to_owned()]))]),
        ];
        assert_eq!(read("a.jsonl", lines).unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (name, wrong, told) in [
            ("a.csv", "a,b\n1,2\n1,2,3", "line 3"),
            ("a.csv", "a,b\n1", "line 2"),
            ("a.csv", "a,b\n\"1,2", "line 2"),
            ("a.csv", "a,b\n\"1\"x,2", "line 2"),
            ("a.csv", "a,a\n1,2", "line 1"),
            ("a.csv", "a,\n1,2", "line 1"),
            ("a.csv", "", "the file is empty"),
            ("a.jsonl", "{\"a\": 1}\n[1]", "line 2"),
            ("a.jsonl", "{\"a\": 1", "line 1"),
            ("a.jsonl", "{\"a\": {\"b\": 1}}", "line 1"),
            ("a.jsonl", "{\"a\": [[1]]}", "line 1"),
            ("a.jsonl", "{\"a\": 1, \"a\": 2}", "line 1"),
        ] {
            let error = read(name, wrong).unwrap_err().to_string();
            assert!(error.contains(told), "{wrong:?}: {error}");
        }
    }
}
