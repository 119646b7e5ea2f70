//! Numbers of slices, frames and their like in a sentence.

use std::collections::BTreeSet;

/// `slice 3`, or `slices 0 to 4, 7`: a noun, and numbers with runs of more than two drawn together.
pub fn number_runs(noun: &str, numbers: &BTreeSet<usize>) -> String {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => runs.push([number; 2]),
        }
    }
    let run = |[first, last]: [usize; 2]| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    let runs: Vec<String> = runs.into_iter().map(run).collect();
    format!("{noun}{} {}", if numbers.len() == 1 { "" } else { "s" }, runs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_drawn_together() {
        assert_eq!(number_runs("slice", &[3].into()), "slice 3");
        assert_eq!(number_runs("frame", &[9, 0, 1, 2, 5, 6, 8, 10].into()), "frames 0 to 2, 5, 6, 8 to 10");
    }
}
