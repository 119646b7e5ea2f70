//! Stops asked for at random moments of every command that computes: how long until it returns, and what it leaves behind.
//!
//! A command is run as a job, from files to files, in a folder of its own and through one session. It runs whole twice, so that
//! every kernel is compiled and its time is known, and is then stopped from another thread at moments that are spread evenly over
//! that time. After each stop its folder has to be empty and the device's memory given back; the run after the last stop has to
//! give the bytes of the first.
//!
//! What a driver does in one call cannot be stopped. Opening the device and compiling the slowest kernel are told beside the
//! stops; kernels are compiled anew only where the cache on disk is empty (`XDG_CACHE_HOME`).

mod commands;
mod inputs;
mod trial;

use crate::{BenchError, Figure, Session};
use commands::COMMANDS;
use inputs::{Inputs, Scale};
use trial::{Plan, Trial};
use veloxel_io::IoError;

/// Milliseconds within which a stopped command returns.
const RETURNS_WITHIN_MS: f64 = 200.0;
/// Moments of the whole form and of the short one.
const MOMENTS: [usize; 2] = [40, 4];

/// `stops`: every command of the README that computes; in the short form some of them, on small data, where times only inform.
pub(crate) fn stops(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let own = veloxel::Session::open(&session.device_options)?;
    let is_chosen = |name: &str| session.only.as_ref().is_none_or(|part| name.contains(part.as_str()));
    let (scale, moments) =
        if session.is_quick { (Scale::Small, MOMENTS[1]) } else { (Scale::Whole, MOMENTS[0]) };
    let mut figures = Vec::new();
    for command in COMMANDS {
        // The short form has a few commands; those that are named are tried whichever they are.
        let is_short = command.is_quick || !session.is_quick || session.only.is_some();
        if !is_short || !is_chosen(command.name) {
            continue;
        }
        let place =
            tempfile::tempdir().map_err(|source| IoError::Write { path: std::env::temp_dir(), source })?;
        let job = (command.prepare)(&Inputs { folder: place.path(), scale })?;
        let own = own.beside()?.with_max_memory(command.max_memory_bytes);
        let plan = Plan { job: &job, place: place.path(), session: &own, moments };
        let trial = Trial::of(&plan).map_err(|error| named(command.name, error))?;
        figures.extend(told(command.name, &trial, session.is_quick));
    }
    figures.extend(drivers(session, &own)?);
    Ok(figures)
}

/// Which command failed.
fn named(command: &str, error: BenchError) -> BenchError {
    BenchError::Missed { reason: format!("{command}: {error}") }
}

fn told(name: &str, trial: &Trial, is_quick: bool) -> Vec<Figure> {
    let Trial { whole_ms, longest, .. } = trial;
    let at = format!("in stage {} at {:.0} % of its time", longest.stage.word(), 1e2 * longest.share);
    let figure = Figure::new(format!("{name}: longest, {at}"), longest.time_ms, "ms");
    let mut figures = vec![
        if is_quick { figure } else { figure.at_most(RETURNS_WITHIN_MS) },
        Figure::new(format!("{name}: median of {}", trial.stopped), trial.median_ms, "ms"),
        Figure::new(format!("{name}: whole"), *whole_ms, "ms"),
        Figure::new(format!("{name}: files left behind"), trial.left_files.len() as f64, "").at_most(0.0),
        Figure::new(format!("{name}: device memory kept"), trial.kept_bytes as f64, "bytes").at_most(0.0),
        Figure::new(format!("{name}: results that differ afterwards"), trial.differing.len() as f64, "")
            .at_most(0.0),
    ];
    for file in trial.left_files.iter().chain(&trial.differing) {
        figures.push(Figure::new(format!("{name}: {file}"), 1.0, "").at_most(0.0));
    }
    figures
}

/// What drivers do in one call.
fn drivers(session: &Session<'_>, own: &veloxel::Session) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    let device = own.device()?;
    if let Some(opening_ms) = session.opening_ms {
        figures.push(Figure::new(format!("opening {}", device.info().name), opening_ms, "ms"));
    }
    if let Some(compilations) = device.compilations() {
        let (slowest, ms) = (compilations.slowest, compilations.slowest_ms);
        figures.push(Figure::new("kernels compiled by the driver", compilations.count as f64, ""));
        figures.push(Figure::new(format!("compiling `{slowest}`, the slowest"), ms, "ms"));
    }
    Ok(figures)
}
