//! Lists of known exceptions to a rule, which only become shorter.

use crate::{Failure, cargo};
use std::fs;

/// A place that breaks a rule.
pub struct Offence {
    /// Name of the place in the list.
    pub key: String,
    /// Text that is printed.
    pub shown: String,
}

/// A line for each offence that `xtask/allowed/NAME.txt` does not list, and for each line of it that no offence needs.
///
/// # Errors
/// The list cannot be read.
pub fn refused(name: &str, found: &[Offence]) -> Result<Vec<String>, Failure> {
    let file = format!("xtask/allowed/{name}.txt");
    let list = fs::read_to_string(cargo::workspace_root().join(&file))
        .map_err(|error| Failure(format!("{file}: cannot be read: {error}")))?;
    Ok(compare(&file, &list, found))
}

fn compare(file: &str, list: &str, found: &[Offence]) -> Vec<String> {
    let new = found.iter().filter(|offence| !list.lines().any(|line| line == offence.key));
    let mended = list.lines().filter(|line| found.iter().all(|offence| offence.key != *line));
    new.map(|offence| offence.shown.clone())
        .chain(mended.map(|line| format!("{file}: no exception any more, remove it: {line}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_offences_and_mended_ones_are_refused() {
        let found =
            ["a b", "c"].map(|key| Offence { key: key.to_owned(), shown: format!("circle of {key}") });
        assert_eq!(compare("list.txt", "a b\nc\n", &found), Vec::<String>::new());
        assert_eq!(compare("list.txt", "a b\n", &found), ["circle of c"]);
        let mended = ["list.txt: no exception any more, remove it: d"];
        assert_eq!(compare("list.txt", "a b\nc\nd\n", &found), mended);
    }
}
