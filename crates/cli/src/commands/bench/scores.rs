//! `veloxel bench scores`: the scoreboard.

use super::{BenchArguments, experiment_text};
use crate::{Fallible, interrupt, print, say, wrong_usage};
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use veloxel::io::{IoError, write_text};
use veloxel::report::{DeviceReport, number};
use veloxel_bench::{
    BenchError, Findings, SETS, Score, ScoreFile, ScorePage, ScoreRequest, Session, score_table, scores,
    system_facts,
};

/// What `scores` measures, and where that goes.
#[derive(Debug, Args)]
pub(super) struct ScoreArguments {
    /// Which sets `scores` measures, again for several; without it all, with --quick the small ones
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(SETS.iter().map(|set| set.name)))]
    set: Vec<String>,

    /// Which items of these sets, again for several; without it all: `nirep` has "na02 → na01", `meshes` has 381
    #[arg(long, value_name = "NAME", requires = "set")]
    item: Vec<String>,

    /// Which of their ways, again for several; without it all: `nirep` has "register"
    #[arg(long, value_name = "NAME", requires = "set")]
    way: Vec<String>,

    /// The scores, a line of JSON each, and the means. Scores that are in the file already stay there, for --markdown as well, unless
    /// they are measured again
    #[arg(long, value_name = "SCORES.jsonl")]
    lines: Option<PathBuf>,

    /// Measure only what the file of --lines lacks
    #[arg(long, requires = "lines")]
    resume: bool,

    /// The tables of `scores` as sections of a Markdown page; those of other sets stay as they are
    #[arg(long, value_name = "PAGE.md")]
    markdown: Option<PathBuf>,
}

impl ScoreArguments {
    /// Refuses what belongs to `scores` where something else is measured as well.
    pub fn check(&self, names: &[String]) -> Result<(), clap::Error> {
        let Self { set, item: _, way: _, lines, resume: _, markdown } = self;
        let is_given = !set.is_empty() || lines.is_some() || markdown.is_some();
        if !is_given || names == ["scores"] {
            return Ok(());
        }
        let text = "--set, --lines and --markdown belong to `veloxel bench scores`";
        Err(wrong_usage("bench", ErrorKind::ArgumentConflict, text))
    }

    /// What is measured, beside scores of a file.
    fn request(&self, session: &Session<'_>, file: &ScoreFile) -> Result<ScoreRequest, clap::Error> {
        let known = if self.resume { file.clone() } else { ScoreFile::default() };
        let (sets, items, ways) = (self.set.clone(), self.item.clone(), self.way.clone());
        let request = ScoreRequest { sets, items, ways, known };
        if let Some(name) = request.unknown(session) {
            let sets = request.sets(session);
            let all = |names: Vec<&str>| names.join("; ");
            let items = all(sets.iter().flat_map(|set| set.items()).collect());
            let ways = all(sets.iter().flat_map(|set| set.all_ways()).collect());
            let text = format!(
                "no item or way of these sets is named '{name}': their items are {items}, their ways {ways}"
            );
            return Err(wrong_usage("bench", ErrorKind::InvalidValue, &text));
        }
        Ok(request)
    }
}

/// Measures the sets that are asked for, shows each once it is done, and gives the means as figures.
pub(super) fn run(
    session: &Session<'_>,
    report: &DeviceReport,
    arguments: &BenchArguments,
) -> Fallible<Findings> {
    let ScoreArguments { lines, markdown, .. } = &arguments.scores;
    let mut page = ScorePage::new(markdown.as_deref().map(text_of).transpose()?.flatten());
    let mut file = lines.as_deref().map_or_else(|| Ok(ScoreFile::default()), file_of)?;
    let request = arguments.scores.request(session, &file)?;
    let place = format!("{} on {}", today(), machine(session, report));
    let mut measured = Vec::new();
    for set in request.sets(session) {
        scores(session, set, &request, &mut |score| {
            tell(&score);
            file.put(Score { measured: place.clone(), ..score });
            // What was measured stays there if the program is stopped.
            if let Some(path) = lines {
                write_text(interrupt::files().target(path), &file.lines())?;
            }
            Ok(())
        })?;
        let Some(of_set) = file.of_set(set) else { continue };
        if let Some(path) = markdown {
            page.put(&of_set);
            write_text(interrupt::files().target(path), page.text())?;
        }
        measured.extend(of_set.figures());
        if !arguments.json {
            print(&experiment_text(&[score_table(&of_set)], &[], &[], &[]))?;
        }
    }
    Ok(Findings { system: system_facts(session.device()), measured, ..Findings::default() })
}

/// Says a score.
fn tell(Score { set, item, way, error, time_s, .. }: &Score) {
    let time = time_s.map_or_else(String::new, |time_s| format!(", {} s", number::text(time_s)));
    say(&format!("{set}: {item}: {way}: {}{time}", number::text(*error)));
}

/// The text of a file; none if there is no such file.
fn text_of(path: &Path) -> Result<Option<String>, BenchError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(IoError::Read { path: path.to_owned(), source }.into()),
    }
}

/// The scores of a file; none if there is no such file.
fn file_of(path: &Path) -> Result<ScoreFile, BenchError> {
    let refused = |line: usize| {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidData, format!("line {line} is not JSON"));
        BenchError::from(IoError::Read { path: path.to_owned(), source })
    };
    ScoreFile::parse(&text_of(path)?.unwrap_or_default()).map_err(refused)
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
