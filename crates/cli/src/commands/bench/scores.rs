//! `veloxel bench scores`: the scoreboard.

use super::{BenchArguments, experiment_text};
use crate::{Fallible, interrupt, print, say, wrong_usage};
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use std::path::PathBuf;
use std::time::SystemTime;
use veloxel::io::{IoError, write_text};
use veloxel::report::{DeviceReport, number};
use veloxel_bench::{
    BenchError, Findings, SETS, ScorePage, Session, score_lines, score_table, scores, system_facts,
};

/// What `scores` measures, and where that goes.
#[derive(Debug, Args)]
pub(super) struct ScoreArguments {
    /// Which sets `scores` measures, again for several; without it all, with --quick the small ones
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(SETS.iter().map(|set| set.name)))]
    set: Vec<String>,

    /// The scores, a line of JSON each, and the means
    #[arg(long, value_name = "OUT.jsonl")]
    lines: Option<PathBuf>,

    /// The tables of `scores` as sections of a Markdown page; those of other sets stay as they are
    #[arg(long, value_name = "PAGE.md")]
    markdown: Option<PathBuf>,
}

impl ScoreArguments {
    /// Refuses what belongs to `scores` where something else is measured as well.
    pub fn check(&self, names: &[String]) -> Result<(), clap::Error> {
        let Self { set, lines, markdown } = self;
        let is_given = !set.is_empty() || lines.is_some() || markdown.is_some();
        if !is_given || names == ["scores"] {
            return Ok(());
        }
        let text = "--set, --lines and --markdown belong to `veloxel bench scores`";
        Err(wrong_usage("bench", ErrorKind::ArgumentConflict, text))
    }
}

/// Measures the sets that are asked for, shows each once it is done, and gives the means as figures.
pub(super) fn run(
    session: &Session<'_>,
    report: &DeviceReport,
    arguments: &BenchArguments,
) -> Fallible<Findings> {
    let ScoreArguments { set, lines, markdown } = &arguments.scores;
    let mut page = markdown.as_ref().map(page_of).transpose()?;
    let (mut measured, mut text) = (Vec::new(), String::new());
    let machine = machine(session, report);
    let place = format!("Measured on {} on {machine}", today());
    let mut told = |score: &veloxel_bench::Score| {
        let time = score.time_s.map_or_else(String::new, |time_s| format!(", {} s", number::text(time_s)));
        say(&format!("{}: {}: {}: {}{time}", score.set, score.item, score.way, number::text(score.error)));
    };
    let mut done = |of_set: &veloxel_bench::SetScores| -> Result<(), BenchError> {
        text.push_str(&score_lines(of_set, &machine));
        // What was measured stays there if the program is stopped.
        if let Some(path) = lines {
            write_text(interrupt::files().target(path), &text)?;
        }
        if let (Some(page), Some(path)) = (&mut page, markdown) {
            page.put(of_set, &place);
            write_text(interrupt::files().target(path), page.text())?;
        }
        measured.extend(of_set.figures());
        if !arguments.json {
            print(&experiment_text(&[score_table(of_set)], &[], &[], &[]))?;
        }
        Ok(())
    };
    scores(session, set, &mut told, &mut done)?;
    Ok(Findings { system: system_facts(session.device()), measured, ..Findings::default() })
}

/// The page that is there, or a new one.
fn page_of(path: &PathBuf) -> Result<ScorePage, BenchError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(ScorePage::new(Some(text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(ScorePage::new(None)),
        Err(source) => Err(IoError::Read { path: path.clone(), source }.into()),
    }
}

/// The device, and what computes on it.
fn machine(session: &Session<'_>, report: &DeviceReport) -> String {
    let facts = system_facts(session.device());
    let fact =
        |what: &str| facts.iter().find(|fact| fact.what == what).map_or("–", |fact| fact.value.as_str());
    let processor = fact("host processor");
    let build = if cfg!(debug_assertions) { "development build" } else { "release build" };
    match session.device().is_gpu() {
        true => format!("{} of {processor}, {build}", report.name),
        false => format!("{processor}, {} threads, {build}", report.threads),
    }
}

/// The day, in universal time: `2026-11-28`.
fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs() / 86_400)
}

/// The date of a day, counted from 1970-01-01.
fn date(mut days: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_788, "2026-12-01"),
            (20_818, "2026-12-31"),
        ] {
            assert_eq!(date(days), expected);
        }
    }
}
