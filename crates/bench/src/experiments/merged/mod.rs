//! Runs of several machines beside each other: what `veloxel bench --json` printed on each in, one table for each bench out, and on a
//! page plots of what was measured over sizes and counts.

mod curves;
mod families;
mod sheet;

use super::{ExperimentTable, NotMeasured, SystemFact};
use crate::BenchError;
use serde::Deserialize;
use sheet::Sheet;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use veloxel_io::{Reading, read_text};
use veloxel_report::page::{Page, Plots, Section};
use veloxel_report::svg_plot::LinePlot;

/// Number of rows above which a table below plots is folded.
const ROWS_SHOWN: usize = 16;
/// Larger files are refused: every figure of every bench is less than a tenth of this (bytes).
const MOST_BYTES: u64 = 64 << 20;

/// What one bench gave on one machine.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct ReadFindings {
    #[serde(default)]
    system: Vec<SystemFact>,
    measured: Vec<ReadFigure>,
    #[serde(default)]
    published: Vec<ReadPublished>,
    #[serde(default)]
    not_measured: Vec<NotMeasured>,
}

/// A measured figure; JSON has no number for what is not finite.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct ReadFigure {
    what: String,
    value: Option<f64>,
    unit: String,
}

/// A figure that the paper prints.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct ReadPublished {
    what: String,
    by: String,
    value: f64,
    unit: String,
}

/// The benches of one machine.
#[derive(Debug)]
struct MachineRun {
    /// Name of the machine's columns: that of its file, without extension.
    name: String,
    benches: BTreeMap<String, ReadFindings>,
}

/// The runs of several machines.
#[derive(Debug)]
pub struct MergedRuns {
    machines: Vec<MachineRun>,
    /// Names of the benches, each once.
    benches: Vec<String>,
}

impl MergedRuns {
    /// Reads files that `veloxel bench --json` printed, one a machine, and keeps the named benches; without names all.
    ///
    /// # Errors
    /// [`BenchError::Io`] for a file that cannot be read; [`BenchError::Merge`] for one that holds anything else, or none of the
    /// named benches.
    pub fn read(paths: &[PathBuf], names: &[String]) -> Result<Self, BenchError> {
        let mut machines = paths.iter().map(|path| machine(path, names)).collect::<Result<Vec<_>, _>>()?;
        for nth in 1..machines.len() {
            let same = machines[..nth].iter().filter(|other| other.name == machines[nth].name).count();
            if same > 0 {
                machines[nth].name = paths[nth].display().to_string();
            }
        }
        let mut benches: Vec<String> = machines.iter().flat_map(|run| run.benches.keys().cloned()).collect();
        benches.sort_unstable();
        benches.dedup();
        Ok(Self { machines, benches })
    }

    /// The systems, then every bench with a column for each machine and each of its paper's, then what could not be measured.
    pub fn tables(&self) -> Vec<ExperimentTable> {
        let benches = self.benches.iter().map(|bench| self.sheet(bench).table());
        let all = std::iter::once(self.systems()).chain(benches).chain([self.not_measured()]);
        all.filter(|table| !table.rows.is_empty()).collect()
    }

    /// The tables as a page, in one file, those of a bench below its plots: a plot for each family of figures whose names differ in one
    /// number, with a curve for each machine and each of the paper's.
    ///
    /// # Errors
    /// [`BenchError::Report`] should not occur.
    pub fn html(&self) -> Result<String, BenchError> {
        let names: Vec<&str> = self.machines.iter().map(|run| run.name.as_str()).collect();
        let mut page = Page::new("Benches of several machines", &names.join(", "));
        let benches = self.benches.iter().map(|bench| {
            let sheet = self.sheet(bench);
            section(sheet.table(), curves::plots(&sheet))
        });
        let [first, last] = [self.systems(), self.not_measured()].map(|table| section(table, Vec::new()));
        let all = std::iter::once(first).chain(benches).chain([last]);
        page.sections = all.flatten().collect();
        Ok(page.to_html()?)
    }

    fn sheet(&self, bench: &str) -> Sheet {
        let mut sheet = Sheet::new(bench, self.machines.iter().map(|run| run.name.clone()).collect());
        for (nth, run) in self.machines.iter().enumerate() {
            run.benches
                .get(bench)
                .into_iter()
                .for_each(|findings| sheet.add_measured(nth, &findings.measured));
        }
        for findings in self.machines.iter().filter_map(|run| run.benches.get(bench)) {
            sheet.add_published(&findings.published);
        }
        sheet
    }

    fn systems(&self) -> ExperimentTable {
        let facts =
            |run: &MachineRun| run.benches.values().find(|f| !f.system.is_empty()).map(|f| f.system.clone());
        let systems: Vec<Vec<SystemFact>> =
            self.machines.iter().map(|run| facts(run).unwrap_or_default()).collect();
        let mut names: Vec<&str> = Vec::new();
        for fact in systems.iter().flatten() {
            if !names.contains(&fact.what.as_str()) {
                names.push(&fact.what);
            }
        }
        let value = |system: &Vec<SystemFact>, name: &str| {
            system
                .iter()
                .find(|fact| fact.what == name)
                .map_or_else(|| "–".to_owned(), |fact| fact.value.clone())
        };
        let row = |name: &str| {
            let values = systems.iter().map(|system| value(system, name));
            std::iter::once(name.to_owned()).chain(values).collect()
        };
        let machines = self.machines.iter().map(|run| run.name.clone());
        ExperimentTable {
            title: "Systems".to_owned(),
            note: "The machines, by the names of their files.".to_owned(),
            head: std::iter::once(String::new()).chain(machines).collect(),
            rows: names.into_iter().map(row).collect(),
            text_columns: 1 + self.machines.len(),
        }
    }

    fn not_measured(&self) -> ExperimentTable {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for run in &self.machines {
            for (bench, one) in
                run.benches.iter().flat_map(|(b, f)| f.not_measured.iter().map(move |one| (b, one)))
            {
                let own = [bench.clone(), one.what.clone(), one.because.clone()];
                match rows.iter_mut().find(|row| row[..3] == own) {
                    Some(row) => row[3] = format!("{}, {}", row[3], run.name),
                    None => rows.push(own.into_iter().chain([run.name.clone()]).collect()),
                }
            }
        }
        let head = ["bench", "in the paper", "because", "on"].map(str::to_owned).to_vec();
        ExperimentTable { title: "Not measured".to_owned(), note: String::new(), head, rows, text_columns: 4 }
    }
}

/// The section of a table with its plots; none without rows.
fn section(table: ExperimentTable, plots: Vec<LinePlot>) -> Option<Section> {
    if table.rows.is_empty() {
        return None;
    }
    let mut section = Section::new(table.title.clone());
    section.lead.clone_from(&table.note);
    if !plots.is_empty() {
        section.lead = "Each plot is of the figures whose names differ in the number N.".to_owned();
        if table.rows.len() > ROWS_SHOWN {
            section.folded = format!("All {} rows in numbers", table.rows.len());
        }
    }
    section.plots = Plots::of(plots);
    section.table = Some(table.into());
    Some(section)
}

/// The benches of a file.
fn machine(path: &Path, names: &[String]) -> Result<MachineRun, BenchError> {
    let wrong = |reason: String| BenchError::Merge { path: path.to_owned(), reason };
    let text = read_text(path, MOST_BYTES, Reading::default())?;
    let mut benches: BTreeMap<String, ReadFindings> = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("it is not what `veloxel bench --json` prints: {error}")))?;
    let found = benches.keys().cloned().collect::<Vec<_>>().join(", ");
    benches.retain(|bench, _| names.is_empty() || names.contains(bench));
    if benches.is_empty() {
        let found = if found.is_empty() { "nothing".to_owned() } else { found };
        return Err(wrong(format!("it holds {found}, and none of the benches that are asked for")));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(MachineRun { name, benches })
}

#[cfg(test)]
mod tests;
