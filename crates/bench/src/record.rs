//! The accuracy that docs/status/accuracy.md states, and the comparison of a measurement with it.
//!
//! The page's own tables are the record. A table belongs to the last bench that the text before it names (`veloxel bench
//! NAME`). Its first column names rows, its head names columns with their units, and a cell is the figure `row: column` of that
//! bench. Rows and columns in *italics*, and cells without a number, are other people's figures, bars and remarks. A number in
//! brackets is a figure that the quick form leaves out.

use crate::Figure;

/// The page, as it was when this program was built.
const PAGE: &str = include_str!("../accuracy.md");
/// Greatest relative difference between a figure and the stated one.
const TOLERANCE: f64 = 0.05;

/// The figures that the page states.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq)]
struct Entry {
    bench: String,
    /// Name of the figure: `row: column, unit`, with the unit only if there is one.
    what: String,
    value: f64,
    /// Half of the last stated digit.
    rounding: f64,
    /// Whether the quick form measures it.
    is_quick: bool,
}

/// A figure beside the page's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The stated figure.
    pub stated: f64,
    /// Whether the figure lies within 5 % of it, or within its rounding.
    pub is_kept: bool,
}

impl Record {
    /// The page of this tree.
    pub fn of_this_tree() -> Self {
        Self::read(PAGE)
    }

    fn read(page: &str) -> Self {
        let (mut entries, mut bench, mut head) = (Vec::new(), String::new(), Vec::new());
        for line in page.lines() {
            let Some(row) = line.trim().strip_prefix('|').and_then(|l| l.strip_suffix('|')) else {
                head.clear();
                if let Some((_, name)) = line.rsplit_once("`veloxel bench ") {
                    name.split('`').next().unwrap_or_default().clone_into(&mut bench);
                }
                continue;
            };
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            if head.is_empty() {
                head = cells;
                continue;
            }
            for (column, cell) in head.iter().zip(&cells).skip(1) {
                let is_ours = ![column, cells[0]].iter().any(|name| name.starts_with('*'));
                let in_brackets = cell.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                let number = in_brackets.unwrap_or(cell);
                let Some(value) = number.parse().ok().filter(|_| is_ours && !bench.is_empty()) else {
                    continue;
                };
                let decimals = number.split_once('.').map_or(0, |(_, digits)| digits.len());
                let what = format!("{}: {column}", cells[0]);
                entries.push(Entry {
                    bench: bench.clone(),
                    what,
                    value,
                    rounding: 0.5 * 0.1f64.powi(decimals as i32),
                    is_quick: in_brackets.is_none(),
                });
            }
        }
        Self { entries }
    }

    /// The page's statement of a figure; none if it does not score it.
    pub fn score(&self, bench: &str, figure: &Figure) -> Option<Scored> {
        let what = name(figure);
        let entry = self.entries.iter().find(|entry| entry.bench == bench && entry.what == what)?;
        // A little more than half of the last digit: what was rounded there may have stood on its edge.
        let allowed = (TOLERANCE * entry.value.abs()).max(1.01 * entry.rounding);
        Some(Scored { stated: entry.value, is_kept: (figure.value - entry.value).abs() <= allowed })
    }

    /// Names of the figures that the page scores, that the quick form of a bench measures, and that these figures lack.
    pub(crate) fn unmeasured(&self, bench: &str, figures: &[Figure]) -> Vec<String> {
        let names: Vec<String> = figures.iter().map(name).collect();
        let of_bench = self.entries.iter().filter(|entry| entry.is_quick && entry.bench == bench);
        of_bench.filter(|entry| !names.contains(&entry.what)).map(|entry| entry.what.clone()).collect()
    }
}

/// The name of a figure as the page writes it.
fn name(figure: &Figure) -> String {
    let Figure { what, unit, .. } = figure;
    if unit.is_empty() { what.clone() } else { format!("{what}, {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BENCHES;

    const SMALL: &str = "\
Text names `veloxel bench middlebury` ᴰ and goes on.

| | error, px | *bar* |
|---|---|---|
| RubberWhale | 0.075 | 0.187 |
| still | 0.00003 | |
| Grove | (0.200) | |
| *DeepFlow* | 0.187 | |
";

    fn figure(what: &str, value: f64) -> Figure {
        Figure::new(what, value, "px")
    }

    #[test]
    fn five_percent_or_half_a_digit_are_kept() {
        let record = Record::read(SMALL);
        assert_eq!(record.entries.len(), 3);
        let kept = |what: &str, value| record.score("middlebury", &figure(what, value)).unwrap().is_kept;
        assert!(kept("RubberWhale: error", 0.0785) && kept("RubberWhale: error", 0.0715));
        assert!(!kept("RubberWhale: error", 0.0789) && !kept("RubberWhale: error", 0.071));
        assert!(kept("still: error", 0.000034) && !kept("still: error", 0.000036));
        assert!(!kept("RubberWhale: error", f64::NAN));
        assert_eq!(record.score("nirep", &figure("RubberWhale: error", 0.075)), None);
        // What the quick form leaves out is judged where the full one measures it, and missed by none.
        assert!(kept("Grove: error", 0.205) && !kept("Grove: error", 0.215));
        assert_eq!(
            record.unmeasured("middlebury", &[figure("still: error", 0.0)]),
            ["RubberWhale: error, px"]
        );
    }

    #[test]
    fn the_page_scores_every_scored_bench_and_no_other() {
        let record = Record::of_this_tree();
        for bench in BENCHES {
            let count = record.entries.iter().filter(|entry| entry.bench == bench.name).count();
            assert_eq!(count > 0, bench.is_scored, "{}: {count} figures", bench.name);
        }
        assert!(record.entries.iter().all(|entry| crate::Bench::named(&entry.bench).is_some()));
        let names: Vec<_> = record.entries.iter().map(|entry| (&entry.bench, &entry.what)).collect();
        assert!(names.iter().enumerate().all(|(i, name)| !names[..i].contains(name)), "{names:?}");
    }
}
