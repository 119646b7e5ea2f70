//! `veloxel bench`: figures beside the bars that they are held against.

mod merge;
mod scores;

use crate::{
    DeviceArguments, Outcome, Run, device_text, interrupt, print, print_json, say, table, two_columns,
    wrong_usage,
};
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use veloxel::io::{IoError, write_text};
use veloxel::report::number;
use veloxel_bench::{
    BENCHES, Bar, Bench, BenchError, Event, ExperimentTable, Experiments, Figure, Findings, Measure,
    MeasureExperiments, NotMeasured, Record, Session, Verdict, VolumeCost, plots_page, system_facts,
    volume_cost,
};

/// Measure speed, memory and accuracy, and compare them with what is required.
///
/// Fails if a bar is missed, or if data are missing: scores, middlebury, large-motion, acdc, cine, confidence, nirep, phase,
/// agreement and volume-preservation measure on the data folder that VELOXEL_DATA names.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// What to measure; nothing: copy, sweep, kernels, multigrid, volumes, phantoms and volume-preservation
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(BENCHES.iter().map(|bench| bench.name)))]
    names: Vec<String>,

    /// As JSON, for scripts: of each bench what was measured, what its paper has published, and what cannot be measured
    #[arg(long)]
    json: bool,

    /// Accuracy alone, which must lie within 5 % of what docs/status/accuracy.md states, and what stops leave behind; for
    /// paper-a, paper-b, paper-c and paper-d, small sizes and few repetitions
    #[arg(long)]
    quick: bool,

    /// Pass where data are missing, and say so
    #[arg(long)]
    allow_missing: bool,

    /// Which commands `stops` tries, which sizes `scaling`, and which phantoms `best-parameters`: those whose name holds this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Beside what `scaling` measures what a model predicts, here and for more GPUs and larger volumes
    #[arg(long)]
    predict: bool,

    /// Tables and plots of paper-a, paper-b, paper-c, paper-d, error-time or cine as a page, in one file
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,

    /// Measure nothing: put what --json printed on several machines beside each other, NAMEs alone or all, with --html as a page
    #[arg(long, value_name = "RUN.json", num_args = 1.., conflicts_with_all = ["json", "quick", "allow_missing", "only", "predict"])]
    merge: Vec<PathBuf>,

    #[command(flatten)]
    scores: scores::ScoreArguments,

    #[command(flatten)]
    device: DeviceArguments,

    /// Measures one pair of volumes, for this command's own use
    #[arg(long, hide = true, value_name = "SIZE")]
    volume: Option<usize>,
}

impl BenchArguments {
    fn benches(&self) -> Vec<&'static Bench> {
        if !self.names.is_empty() {
            return self.names.iter().filter_map(|name| Bench::named(name)).collect();
        }
        BENCHES
            .iter()
            .filter(|b| if self.quick { b.is_scored || b.shows_quickly } else { b.by_default })
            .collect()
    }
}

impl Run for BenchArguments {
    fn run(self) -> Outcome {
        if !self.merge.is_empty() {
            return merge::merge(&self);
        }
        self.scores.check(&self.names)?;
        let begin = Instant::now();
        let opened = veloxel::Session::open(&self.device.options())?;
        let opening_ms = begin.elapsed().as_secs_f64() * 1e3;
        let (device, report) = (opened.device()?.clone(), opened.device_report()?.clone());
        if let Some(size) = self.volume {
            return print_json(&volume_cost(size, &device)?);
        }
        let benches = self.benches();
        if self.html.is_some() && !matches!(benches[..], [Bench { has_page: true, .. }]) {
            let with_page: Vec<_> = BENCHES.iter().filter(|b| b.has_page).map(|b| b.name).collect();
            let text = format!("--html belongs to one bench, of {}", with_page.join(", "));
            return Err(wrong_usage("bench", ErrorKind::MissingRequiredArgument, &text).into());
        }
        let in_fresh_process = |size: usize| fresh_process(size, &self);
        let session = Session::new(&device, &in_fresh_process)
            .opened_by(self.device.options(), opening_ms)
            .only(self.only.clone())
            .predicting(self.predict);
        let session = if self.quick { session.quick() } else { session };
        let record = self.quick.then(Record::of_this_tree);
        let (mut verdict, mut results) = (Verdict::default(), serde_json::Map::new());
        for bench in benches {
            let (findings, text) = match bench.measure {
                Measure::Experiments(measure) => experiments(bench.name, measure, &session, &self)?,
                Measure::Scores => (scores::run(&session, &report, &self)?, String::new()),
                Measure::Figures(measure) => {
                    let figures = measure(&session)?;
                    if let Some(path) = &self.html {
                        let page = plots_page(bench, &report.name, &figures, session.take_plots())?;
                        write_text(interrupt::files().target(path), &page)?;
                    }
                    let stated = |figure: &Figure| Some(record.as_ref()?.score(bench.name, figure)?.stated);
                    let text = figures_text(&figures, stated);
                    let system = system_facts(&device);
                    (Findings { system, measured: figures, ..Findings::default() }, text)
                }
            };
            verdict.judge(bench, &findings.measured, record.as_ref());
            if self.json {
                results.insert(bench.name.to_owned(), serde_json::to_value(&findings)?);
            } else {
                print(&format!("{} · {}\n{text}\n", bench.name, device_text(&report)))?;
            }
        }
        if self.json {
            print_json(&results)?;
        }
        verdict.miss_data(session.missing());
        if let Some(line) = verdict.finish(self.allow_missing)? {
            say(&format!("warning: {line}"));
        }
        Ok(())
    }
}

/// Refuses a page whose folder does not exist, before minutes are spent on measuring.
fn check_folder(arguments: &BenchArguments) -> Result<(), BenchError> {
    let folder = arguments.html.as_deref().and_then(Path::parent).filter(|p| !p.as_os_str().is_empty());
    if let Some(missing) = folder.filter(|folder| !folder.is_dir()) {
        let source = std::io::ErrorKind::NotFound.into();
        return Err(IoError::Open { path: missing.to_owned(), source }.into());
    }
    Ok(())
}

/// Repeats a paper's experiments; what they give, and their tables as text.
fn experiments(
    name: &str,
    measure: MeasureExperiments,
    session: &Session<'_>,
    arguments: &BenchArguments,
) -> Result<(Findings, String), BenchError> {
    check_folder(arguments)?;
    let write_page = |so_far: &dyn Experiments| -> Result<(), BenchError> {
        let Some(path) = &arguments.html else { return Ok(()) };
        Ok(write_text(interrupt::files().target(path), &so_far.html()?)?)
    };
    let result = measure(session, &mut |event| match event {
        Event::Next(what) => {
            say(&format!("{name}: {what}"));
            Ok(())
        }
        // What was measured stays there if the program is stopped.
        Event::Measured { figures, so_far } => {
            write_page(so_far)?;
            let line = |f: &Figure| format!("{}: {} {}\n", f.what, number::text(f.value), f.unit);
            let lines: String = figures.iter().map(line).collect();
            if arguments.json {
                eprint!("{lines}");
                return Ok(());
            }
            Ok(print(&lines)?)
        }
    })?;
    write_page(&*result)?;
    let (measured, published, not_measured) = (result.figures(), result.published(), result.not_measured());
    let text = experiment_text(&result.tables(), &measured, &not_measured, &result.notes());
    let system = system_facts(session.device());
    Ok((Findings { system, measured, published, not_measured }, text))
}

/// The tables, then the figures that have a bar, then what was not measured, then the notes.
fn experiment_text(
    tables: &[ExperimentTable],
    figures: &[Figure],
    not_measured: &[NotMeasured],
    notes: &[String],
) -> String {
    let table_text = |experiment: &ExperimentTable| {
        let rows = table(&experiment.head, experiment.rows.iter().cloned());
        format!("{}\n{}\n\n{rows}\n", experiment.title, experiment.note)
    };
    let mut text: String = tables.iter().map(table_text).collect();
    let held: Vec<Figure> = figures.iter().filter(|figure| figure.bar.is_some()).cloned().collect();
    if !held.is_empty() {
        text.push_str(&figures_text(&held, |_| None));
        text.push('\n');
    }
    if !not_measured.is_empty() {
        let lines: Vec<_> = not_measured.iter().map(|one| (one.what.as_str(), one.because.clone())).collect();
        text.push_str(&format!("Not measured here\n\n{}\n", two_columns(&lines)));
    }
    notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
    text
}

/// The figures beside their bars, and beside the stated figures where there are any.
fn figures_text(figures: &[Figure], stated: impl Fn(&Figure) -> Option<f64>) -> String {
    let stated: Vec<Option<f64>> = figures.iter().map(stated).collect();
    let row = |(figure, stated): (&Figure, &Option<f64>)| {
        let bar = match figure.bar {
            Some(Bar::AtMost(limit)) => format!("≤ {}", number::text(limit)),
            Some(Bar::AtLeast(limit)) => format!("≥ {}", number::text(limit)),
            Some(Bar::Between(low, high)) => format!("{} to {}", number::text(low), number::text(high)),
            None => String::new(),
        };
        let verdict = figure.reached.map_or("", |is_reached| if is_reached { "reached" } else { "missed" });
        let value = format!("{} {}", number::text(figure.value), figure.unit);
        let stated = stated.map_or_else(String::new, |value| value.to_string());
        vec![figure.what.clone(), value.trim().to_owned(), stated, bar, verdict.to_owned()]
    };
    let head =
        ["figure", "measured", if stated.iter().any(Option::is_some) { "stated" } else { "" }, "bar", ""];
    table(&head, figures.iter().zip(&stated).map(row))
}

/// Runs this program again, so that its peak memory is that of one pair.
fn fresh_process(size: usize, arguments: &BenchArguments) -> Result<VolumeCost, BenchError> {
    let fail = |reason: String| BenchError::Process { reason };
    let program = std::env::current_exe().map_err(|e| fail(e.to_string()))?;
    let output = Command::new(program)
        .args(["bench", "--volume", &size.to_string()])
        .args(["--device", &arguments.device.device, "--threads", &arguments.device.threads.to_string()])
        .output()
        .map_err(|e| fail(e.to_string()))?;
    if !output.status.success() {
        return Err(fail(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| fail(e.to_string()))
}
