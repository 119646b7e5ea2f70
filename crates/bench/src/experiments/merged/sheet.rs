//! One bench over several machines: a row for each figure, a column for each machine, then one for each of the paper's.

use super::families::PlainName;
use super::{ReadFigure, ReadPublished};
use crate::experiments::{ExperimentTable, published_head};
use veloxel_report::number;

/// A figure of every machine, and the paper's.
#[derive(Debug)]
pub(super) struct SheetRow {
    pub what: String,
    pub unit: String,
    /// A value for each machine.
    pub measured: Vec<Option<f64>>,
    /// A value for each of the paper's columns; the last ones may be left out.
    pub published: Vec<Option<f64>>,
}

/// One bench over several machines.
#[derive(Debug)]
pub(super) struct Sheet {
    bench: String,
    machines: Vec<String>,
    /// Names of the paper's columns.
    papers: Vec<String>,
    rows: Vec<SheetRow>,
}

impl Sheet {
    pub fn new(bench: &str, machines: Vec<String>) -> Self {
        Self { bench: bench.to_owned(), machines, papers: Vec::new(), rows: Vec::new() }
    }

    pub fn rows(&self) -> &[SheetRow] {
        &self.rows
    }

    /// Names of the machines, in the order of a row's measured values.
    pub fn machines(&self) -> &[String] {
        &self.machines
    }

    /// Names of the paper's columns, in the order of a row's published values.
    pub fn papers(&self) -> &[String] {
        &self.papers
    }

    /// Adds what a machine measured.
    pub fn add_measured(&mut self, machine: usize, figures: &[ReadFigure]) {
        for figure in figures {
            let row = self.row(&figure.what, &figure.unit);
            self.rows[row].measured[machine] = figure.value;
        }
    }

    /// Adds what the paper prints, once everything measured is there: beside the rows of its name, or as a row of its own.
    pub fn add_published(&mut self, published: &[ReadPublished]) {
        for one in published {
            let column = self.papers.iter().position(|by| *by == one.by).unwrap_or_else(|| {
                self.papers.push(one.by.clone());
                self.papers.len() - 1
            });
            let is_own = |row: &SheetRow| row.unit == one.unit && is_name_of(&one.what, &row.what);
            let mut own: Vec<usize> = (0..self.rows.len()).filter(|&nth| is_own(&self.rows[nth])).collect();
            if own.is_empty() {
                own.push(self.row(&one.what, &one.unit));
            }
            for nth in own {
                let cells = &mut self.rows[nth].published;
                cells.resize(cells.len().max(column + 1), None);
                cells[column] = Some(one.value);
            }
        }
    }

    /// The row of a figure, which is made where there is none.
    fn row(&mut self, what: &str, unit: &str) -> usize {
        let found = self.rows.iter().position(|row| row.what == what && row.unit == unit);
        found.unwrap_or_else(|| {
            let (measured, published) = (vec![None; self.machines.len()], Vec::new());
            self.rows.push(SheetRow { what: what.to_owned(), unit: unit.to_owned(), measured, published });
            self.rows.len() - 1
        })
    }

    /// The sheet, for people.
    pub fn table(&self) -> ExperimentTable {
        let cell = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number::text);
        let row = |row: &SheetRow| {
            let name = [row.what.clone(), row.unit.clone()].into_iter();
            let ours = row.measured.iter().map(|&value| cell(value));
            let theirs = (0..self.papers.len()).map(|nth| cell(row.published.get(nth).copied().flatten()));
            name.chain(ours).chain(theirs).collect()
        };
        let ours = self.machines.iter().map(|name| format!("{name}, measured"));
        let theirs = self.papers.iter().map(|by| published_head(by));
        ExperimentTable {
            title: self.bench.clone(),
            note: String::new(),
            head: ["", "unit"].map(str::to_owned).into_iter().chain(ours).chain(theirs).collect(),
            rows: self.rows.iter().map(row).collect(),
            text_columns: 2,
        }
    }
}

/// Whether a published name is that of a measured figure, which may go on with its column, `row`, `row, column`, or name the role of
/// its machine, `50³, GPU: row`.
fn is_name_of(published: &str, measured: &str) -> bool {
    let goes_on =
        measured.strip_prefix(published).is_some_and(|rest| rest.is_empty() || rest.starts_with(", "));
    goes_on || PlainName::of(measured).text == published
}
