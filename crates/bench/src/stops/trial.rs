//! One command: whole runs, runs that are stopped, and what these leave behind.

use super::commands::Job;
use crate::BenchError;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use veloxel::VeloxelError;
use veloxel_core::{Control, Diagnosis, ErrorKind, Observer, Stage, Step};
use veloxel_io::IoError;

/// Seed of the moments.
const SEED: u64 = 29;

/// A command, and how it is tried.
pub(super) struct Plan<'a> {
    pub job: &'a Job,
    /// Where its inputs lie; its outputs get a folder there.
    pub place: &'a Path,
    pub session: &'a veloxel::Session,
    /// How many stops.
    pub moments: usize,
}

/// A stop: how long it took, and where the run was.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stop {
    pub time_ms: f64,
    pub stage: Stage,
    /// When it was asked for, as a share of the whole run's time.
    pub share: f64,
}

/// What came of a command's trial.
pub(super) struct Trial {
    pub whole_ms: f64,
    pub longest: Stop,
    pub median_ms: f64,
    /// Stops that met a run; the others came after its end.
    pub stopped: usize,
    /// Names of files that a stopped run left.
    pub left_files: Vec<String>,
    /// Most bytes of the device's memory in use after a stopped run beyond those before.
    pub kept_bytes: usize,
    /// Names of results that differ after the last stop.
    pub differing: Vec<String>,
}

/// What a whole run gives: a number for every file by its name, and for the answer.
type Results = BTreeMap<String, u64>;

impl Trial {
    pub fn of(plan: &Plan<'_>) -> Result<Self, BenchError> {
        let watch = Arc::new(Watch::default());
        plan.session.follow(Some(watch.clone()));
        let first = plan.whole()?;
        let begin = Instant::now();
        plan.whole()?;
        let whole = begin.elapsed();
        let (mut stops, mut left_files, mut kept_bytes) = (Vec::new(), Vec::new(), 0);
        for nth in 0..plan.moments {
            let share = veloxel_phantoms::uniform(SEED, nth as u64);
            let used_before = plan.used_bytes()?;
            let stop = plan.stopped(whole.mul_f64(share), &watch)?;
            kept_bytes = kept_bytes.max(plan.used_bytes()?.saturating_sub(used_before));
            match stop {
                Some(stop) => {
                    stops.push(Stop { share, ..stop });
                    left_files.extend(plan.left_files()?);
                }
                None => plan.compare_names(&first, &mut left_files)?,
            }
            plan.clear()?;
        }
        let last = plan.whole()?;
        plan.session.follow(None);
        let differs = |name: &&String| first.get(*name) != last.get(*name);
        let differing = first.keys().chain(last.keys()).filter(differs).cloned().collect();
        stops.sort_unstable_by(|a, b| a.time_ms.total_cmp(&b.time_ms));
        let at = |nth: usize| stops.get(nth).copied().unwrap_or_default();
        Ok(Self {
            whole_ms: whole.as_secs_f64() * 1e3,
            longest: at(stops.len().saturating_sub(1)),
            median_ms: at(stops.len() / 2).time_ms,
            stopped: stops.len(),
            left_files,
            kept_bytes,
            differing,
        })
    }
}

impl Plan<'_> {
    fn output(&self) -> PathBuf {
        self.place.join("out")
    }

    /// Makes the folder for outputs anew.
    fn clear(&self) -> Result<(), BenchError> {
        let output = self.output();
        if output.exists() {
            std::fs::remove_dir_all(&output).map_err(writing(&output))?;
        }
        std::fs::create_dir(&output).map_err(writing(&output))?;
        Ok(())
    }

    /// Gives back what the session keeps; bytes that are in use all the same.
    fn used_bytes(&self) -> Result<usize, BenchError> {
        self.session.release();
        Ok(self.session.device()?.memory_stats().used_bytes)
    }

    /// Runs the command to its end.
    fn whole(&self) -> Result<Results, BenchError> {
        self.clear()?;
        self.session.release();
        let answer = (self.job)(self.session, &self.output())?;
        let mut results = Results::new();
        collect(&self.output(), &mut |name, content| {
            results.insert(name.to_owned(), hash(&content));
        })?;
        results.insert("the answer".to_owned(), hash(answer.as_bytes()));
        self.clear()?;
        Ok(results)
    }

    /// Runs the command and stops it after so long; none if it had ended before.
    fn stopped(&self, after: Duration, watch: &Watch) -> Result<Option<Stop>, BenchError> {
        let (ended, ends) = channel::<()>();
        let control = self.session.control().clone();
        let stopper = std::thread::spawn(move || stop_after(after, &ends, &control));
        let result = (self.job)(self.session, &self.output());
        let returned = Instant::now();
        // The other end is gone where the stop has been asked for.
        let _ = ended.send(());
        let asked = stopper.join().expect("a thread that waits should not panic");
        self.session.control().resume();
        match (result, asked) {
            (Ok(_), _) => Ok(None),
            (Err(error), Some(asked)) if error.kind() == ErrorKind::Stopped => {
                let time_ms = returned.saturating_duration_since(asked).as_secs_f64() * 1e3;
                Ok(Some(Stop { time_ms, stage: watch.stage(), share: 0.0 }))
            }
            (Err(error), _) => Err(error.into()),
        }
    }

    /// What lies where a stopped run should have left nothing.
    fn left_files(&self) -> Result<Vec<String>, BenchError> {
        let mut names = Vec::new();
        for folder in [self.place, &self.output()] {
            for entry in std::fs::read_dir(folder).map_err(writing(folder))? {
                let name = entry.map_err(writing(folder))?.file_name().to_string_lossy().into_owned();
                // Inputs have names that do not begin with a dot; hidden ones are unfinished outputs.
                if folder != self.place || name.starts_with('.') {
                    names.push(format!("left behind: {name}"));
                }
            }
        }
        Ok(names)
    }

    /// A run that ended before its stop has to be complete.
    fn compare_names(&self, first: &Results, wrong: &mut Vec<String>) -> Result<(), BenchError> {
        let mut missing = first.clone();
        missing.remove("the answer");
        collect(&self.output(), &mut |name, _| {
            missing.remove(name);
        })?;
        wrong.extend(missing.into_keys().map(|name| format!("missing after a run that ended: {name}")));
        Ok(())
    }
}

/// Stops a run unless it ends before; when.
fn stop_after(after: Duration, ends: &Receiver<()>, control: &Control) -> Option<Instant> {
    match ends.recv_timeout(after) {
        Err(RecvTimeoutError::Timeout) => {
            let asked = Instant::now();
            control.stop();
            Some(asked)
        }
        _ => None,
    }
}

/// Gives every file below a folder to `take`; reports and pages, which hold times, without their contents.
fn collect(folder: &Path, take: &mut dyn FnMut(&str, Vec<u8>)) -> Result<(), BenchError> {
    for entry in std::fs::read_dir(folder).map_err(writing(folder))? {
        let path = entry.map_err(writing(folder))?.path();
        if path.is_dir() {
            collect(&path, take)?;
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let holds_times = name.ends_with(".html") || name.ends_with("report.json");
        let content = if holds_times { Vec::new() } else { std::fs::read(&path).map_err(writing(&path))? };
        take(&name, content);
    }
    Ok(())
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn writing(path: &Path) -> impl FnOnce(std::io::Error) -> BenchError {
    let path = path.to_owned();
    move |source| BenchError::Job(VeloxelError::Io(IoError::Write { path, source }))
}

/// Remembers which stage a run is in, as a bar of progress would.
#[derive(Debug, Default)]
struct Watch(Mutex<Stage>);

impl Watch {
    fn stage(&self) -> Stage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Watch {
    fn step(&self, step: Step) -> ControlFlow<()> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = step.stage;
        ControlFlow::Continue(())
    }
}
