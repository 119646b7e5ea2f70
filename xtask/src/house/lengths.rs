//! Measures source files and the functions in them: one idea fits in 180 lines of a file and in 60 of a function, and arguments
//! that belong together are a struct with a name.

use crate::Failure;
use crate::house::allowed::Offence;
use crate::reading::{functions, sources, tokens};
use std::path::Path;

/// The most lines of the middle file, of nine files in ten, and of the longest.
const FILES: [(&str, usize); 3] = [("median file", 110), ("90 % of the files", 260), ("longest file", 450)];
/// The most lines of a function, by the extension of its file.
const FUNCTIONS: [(&str, usize); 4] = [("rs", 60), ("wgsl", 110), ("cu", 110), ("cuh", 110)];

/// The result of the measurement.
pub struct Lengths {
    pub offences: Vec<Offence>,
    /// The files' lengths beside their bars, and the longest functions.
    pub summary: String,
}

/// Measures the sources of Rust and of shaders below `root`: all files, and the functions that are no tests.
///
/// # Errors
/// One cannot be read, or is no Rust.
pub fn measure(root: &Path) -> Result<Lengths, Failure> {
    let (mut files, mut functions, mut tuples) = (Vec::new(), Vec::new(), Vec::new());
    for (extension, most) in FUNCTIONS {
        for file in sources::files(root, &[extension])? {
            let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            let text = sources::text(&file)?;
            files.push((text.lines().count(), shown.clone()));
            let found = match extension {
                "rs" if sources::is_for_tests(&file) => Vec::new(),
                "rs" => functions::of_rust(tokens::read(&file)?),
                _ => functions::of_shader(&text),
            };
            let nameless = found.iter().filter(|each| each.takes_tuple);
            tuples.extend(nameless.map(|each| format!("{shown}: {}", each.name)));
            functions
                .extend(found.into_iter().map(|each| (each.lines, most, format!("{shown}: {}", each.name))));
        }
    }
    files.sort();
    functions.sort();
    let mut lengths = judge(&files, &functions);
    lengths.offences.extend(tuples.into_iter().map(|key| {
        let shown = format!("{key}: takes a tuple; give its parts a struct, or make them arguments");
        Offence { shown, key }
    }));
    Ok(lengths)
}

/// Compares lengths with their limits. Both lists are sorted by their number of lines; `functions` also holds the limit and the
/// name of each.
fn judge(files: &[(usize, String)], functions: &[(usize, usize, String)]) -> Lengths {
    let mut offences = Vec::new();
    let mut check = |lines: usize, most: usize, key: String| {
        if lines > most {
            offences
                .push(Offence { shown: format!("{key}: {lines} lines, at most {most} are allowed"), key });
        }
    };
    let Some((longest, name)) = files.last() else { return Lengths { offences, summary: String::new() } };
    let (median, ninety) = (files[files.len() / 2].0, files[files.len() * 9 / 10].0);
    for (lines, (place, most)) in [median, ninety, *longest].into_iter().zip(FILES) {
        check(lines, most, place.to_owned());
    }
    for (lines, most, name) in functions {
        check(*lines, *most, name.clone());
    }
    let longest_of = |most| functions.iter().rfind(|each| each.1 == most).map_or(0, |each| each.0);
    let summary = format!(
        "{} files: median {median} lines, 90 % {ninety}, longest {longest} ({name}); longest function {} in Rust, {} in shaders",
        files.len(),
        longest_of(FUNCTIONS[0].1),
        longest_of(FUNCTIONS[1].1)
    );
    Lengths { offences, summary }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_where_the_rules_say() {
        let files = |lengths: [usize; 3]| lengths.map(|lines| (lines, format!("{lines}.rs")));
        let functions = [(60, 60, "a.rs: f".to_owned()), (110, 110, "b.wgsl: g".to_owned())];
        let lengths = judge(&files([10, 110, 260]), &functions);
        assert!(lengths.offences.is_empty());
        assert_eq!(
            lengths.summary,
            "3 files: median 110 lines, 90 % 260, longest 260 (260.rs); longest function 60 in Rust, 110 in shaders"
        );
        let functions = [(61, 60, "a.rs: f".to_owned()), (111, 110, "b.wgsl: g".to_owned())];
        let lengths = judge(&files([111, 111, 451]), &functions);
        let shown: Vec<&str> = lengths.offences.iter().map(|each| each.shown.as_str()).collect();
        assert_eq!(
            shown,
            [
                "median file: 111 lines, at most 110 are allowed",
                "90 % of the files: 451 lines, at most 260 are allowed",
                "longest file: 451 lines, at most 450 are allowed",
                "a.rs: f: 61 lines, at most 60 are allowed",
                "b.wgsl: g: 111 lines, at most 110 are allowed",
            ]
        );
    }
}
