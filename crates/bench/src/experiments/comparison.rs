//! A table of a paper beside ours: rows of one quantity each, columns that were measured here, then columns that the paper prints.

use super::{ExperimentTable, Published, published_head};
use crate::{Bar, Figure};
use veloxel_report::number;

/// A table with its measured and its published columns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    pub title: String,
    /// Where the paper prints its figures: `Table 4`.
    pub place: &'static str,
    pub note: String,
    /// Names of what was measured here: machines, or presets.
    pub measured: Vec<String>,
    /// Names of the paper's columns.
    pub published: &'static [&'static str],
    pub rows: Vec<Row>,
}

/// One quantity of a comparison; a column without its value is empty.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub what: String,
    pub unit: &'static str,
    pub measured: Vec<Option<f64>>,
    pub published: Vec<Option<f64>>,
    /// The bar of a measured column, where one is held against a bar.
    pub bars: Vec<Option<Bar>>,
}

impl Row {
    pub fn new(what: impl Into<String>, unit: &'static str, measured: Vec<Option<f64>>) -> Self {
        Self { what: what.into(), unit, measured, published: Vec::new(), bars: Vec::new() }
    }
    /// This row beside the paper's values.
    pub fn beside(self, published: impl IntoIterator<Item = Option<f64>>) -> Self {
        Self { published: published.into_iter().collect(), ..self }
    }
    /// This row with bars for its measured columns.
    pub fn held_against(self, bars: Vec<Option<Bar>>) -> Self {
        Self { bars, ..self }
    }
}

impl Comparison {
    /// What was measured, as figures `row, column`.
    pub fn figures(&self) -> Vec<Figure> {
        let of_row = |row: &Row| -> Vec<Figure> {
            let figure = |(nth, name): (usize, &String)| {
                let value = row.measured.get(nth).copied().flatten()?;
                let figure = Figure::new(format!("{}, {name}", row.what), value, row.unit);
                let bar = row.bars.get(nth).copied().flatten();
                Some(bar.map_or(figure.clone(), |bar| figure.held_against(bar)))
            };
            self.measured.iter().enumerate().filter_map(figure).collect()
        };
        self.rows.iter().flat_map(of_row).collect()
    }

    /// What the paper prints.
    pub fn published(&self) -> Vec<Published> {
        let of_row = |row: &Row| -> Vec<Published> {
            let figure = |(&by, value): (&&'static str, &Option<f64>)| {
                let (what, unit, place) = (row.what.clone(), row.unit, self.place);
                value.map(|value| Published { what, by, value, unit, place })
            };
            self.published.iter().zip(&row.published).filter_map(figure).collect()
        };
        self.rows.iter().flat_map(of_row).collect()
    }

    /// Both beside each other, for people; a column without any value is left out.
    pub fn table(&self) -> ExperimentTable {
        let measured: Vec<usize> = (0..self.measured.len())
            .filter(|&nth| self.rows.iter().any(|row| row.measured.get(nth).copied().flatten().is_some()))
            .collect();
        let cell = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number::text);
        let row = |row: &Row| {
            let name = [row.what.clone(), row.unit.to_owned()].into_iter();
            let ours = measured.iter().map(|&nth| cell(row.measured.get(nth).copied().flatten()));
            let theirs = (0..self.published.len()).map(|nth| cell(row.published.get(nth).copied().flatten()));
            name.chain(ours).chain(theirs).collect()
        };
        let ours = measured.iter().map(|&nth| format!("{}, measured", self.measured[nth]));
        let theirs = self.published.iter().map(|by| published_head(by));
        ExperimentTable {
            title: self.title.clone(),
            note: self.note.clone(),
            head: ["".to_owned(), "unit".to_owned()].into_iter().chain(ours).chain(theirs).collect(),
            rows: self.rows.iter().map(row).collect(),
            text_columns: 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison() -> Comparison {
        let ours = vec![Some(2.0), None, Some(3.0)];
        Comparison {
            title: "A title".to_owned(),
            place: "Table 9",
            note: String::new(),
            measured: ["a", "b", "c"].map(str::to_owned).to_vec(),
            published: &["FPGA", "GPU"],
            rows: vec![Row::new("row", "ms", ours).beside([None, Some(7.5)]).held_against(vec![
                None,
                None,
                Some(Bar::AtMost(2.5)),
            ])],
        }
    }

    #[test]
    fn what_is_published_is_never_measured() {
        let figures = comparison().figures();
        let names: Vec<&str> = figures.iter().map(|figure| figure.what.as_str()).collect();
        assert_eq!(names, ["row, a", "row, c"]);
        assert_eq!((figures[0].reached, figures[1].reached), (None, Some(false)));
        let published = comparison().published();
        let expected =
            Published { what: "row".to_owned(), by: "GPU", value: 7.5, unit: "ms", place: "Table 9" };
        assert_eq!(published, [expected]);
        assert!(figures.iter().all(|figure| figure.value != 7.5));
    }

    #[test]
    fn a_table_says_which_is_which_and_leaves_empty_columns_out() {
        let table = comparison().table();
        assert_eq!(
            table.head,
            ["", "unit", "a, measured", "c, measured", "FPGA, published", "GPU, published"]
        );
        assert_eq!(table.rows, [["row", "ms", "2", "3", "–", "7.5"].map(str::to_owned)]);
    }
}
