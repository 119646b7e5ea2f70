//! Matrices in files: NumPy's arrays, or tables with the columns' names in their first line.
//!
//! A format is a row of [`FORMATS`]. *Specification*: RFC 4180 for `.csv`; numbers have as many digits as bring the same 32-bit
//! float back.

use crate::error::{IoError, Result};
use crate::file_name::extension;
use crate::tables::npy::NpyWriter;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use std::path::Path;

/// A matrix with names of its columns, which arrays leave out.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    /// A name a column.
    pub columns: &'a [String],
    /// Row by row, a number a column.
    pub rows: &'a [&'a [f32]],
}

/// A format of matrices.
struct MatrixFormat {
    /// Without the dot, in lower case.
    extension: &'static str,
    write: fn(&Target, &Matrix<'_>) -> Result<()>,
}

static FORMATS: [MatrixFormat; 2] = [
    MatrixFormat { extension: "npy", write: write_array },
    MatrixFormat { extension: "csv", write: write_table },
];

/// Checks, before any work is done for it, that [`write_matrix`] knows the extension.
///
/// # Errors
/// [`IoError::UnknownExtension`] with the list of those that it knows.
pub fn check_matrix_output(path: &Path) -> Result<()> {
    format_of(path).map(|_| ())
}

/// Writes a matrix in the format of the extension: `.npy` as 32-bit floats, `.csv` with a head line.
///
/// # Errors
/// [`IoError::UnknownExtension`] with the list of those that it knows; [`IoError::DiskFull`], [`IoError::Write`].
/// Nothing is left behind then.
///
/// # Panics
/// If a row has not as many numbers as there are columns.
pub fn write_matrix(target: impl Into<Target>, matrix: &Matrix<'_>) -> Result<()> {
    let target = target.into();
    let format = format_of(target.path())?;
    assert!(matrix.rows.iter().all(|row| row.len() == matrix.columns.len()), "every row needs its columns");
    (format.write)(&target, matrix)
}

fn format_of(path: &Path) -> Result<&'static MatrixFormat> {
    let own = extension(path);
    FORMATS.iter().find(|format| format.extension == own).ok_or_else(|| {
        let known = FORMATS.iter().map(|format| format!(".{}", format.extension)).collect::<Vec<_>>();
        IoError::UnknownExtension { path: path.to_owned(), what: "a matrix", known: known.join(" ") }
    })
}

fn write_array(target: &Target, matrix: &Matrix<'_>) -> Result<()> {
    let writer = NpyWriter::create(target, matrix.rows.len(), matrix.columns.len())?;
    matrix.rows.iter().enumerate().for_each(|(i, row)| writer.rows(i, row));
    writer.finish()
}

fn write_table(target: &Target, matrix: &Matrix<'_>) -> Result<()> {
    let names: Vec<String> = matrix.columns.iter().map(|name| cell(name)).collect();
    whole_file::write(target, |file| {
        writeln!(file, "{}", names.join(","))?;
        for row in matrix.rows {
            for (i, number) in row.iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                write!(file, "{comma}{number}")?;
            }
            writeln!(file)?;
        }
        Ok(())
    })
}

/// A name, in quotes where a table needs them.
fn cell(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", name.replace('"', "\"\""));
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [&[f32]; 2] = [&[0.1, 1.0, f32::NAN], &[-2.5e-9, 16_777_216.0, f32::INFINITY]];

    fn written(name: &str) -> Result<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let columns = ["part 0", "a,b", "\"c\""].map(str::to_owned);
        write_matrix(&path, &Matrix { columns: &columns, rows: &ROWS })?;
        Ok(std::fs::read(path).unwrap())
    }

    #[test]
    fn the_extension_decides() {
        let table = String::from_utf8(written("m.CSV").unwrap()).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "part 0,\"a,b\",\"\"\"c\"\"\"");
        for (line, row) in lines[1..].iter().zip(ROWS) {
            let numbers: Vec<u32> =
                line.split(',').map(|cell| cell.parse::<f32>().unwrap().to_bits()).collect();
            assert_eq!(numbers, row.iter().map(|number| number.to_bits()).collect::<Vec<_>>());
        }
        let array = written("m.npy").unwrap();
        let samples: Vec<u8> = ROWS.concat().iter().flat_map(|number| number.to_le_bytes()).collect();
        assert!(array.starts_with(b"\x93NUMPY") && array.ends_with(&samples));
    }

    #[test]
    fn other_extensions_are_refused_with_the_list() {
        for name in ["m.txt", "m.seg", "m"] {
            let refused = check_matrix_output(Path::new(name)).unwrap_err().to_string();
            assert!(refused.contains(".npy .csv"), "{refused}");
            assert!(written(name).unwrap_err().to_string().contains(".npy .csv"));
        }
        assert!(check_matrix_output(Path::new("m.csv")).is_ok());
    }
}
