//! Runs of launches, recorded as CUDA graphs ([`super::graphs`]). The host needs as long to launch a recorded run as to launch one kernel.
//! That matters on the coarse levels of a hierarchy, where a kernel takes longer to launch than to compute.
//!
//! A run is identified by its kernels and their numbers of workgroups. The first time, its kernels are launched one by
//! one. The second time it is recorded, and from then on it is replayed. Arguments that changed since the last launch
//! (a buffer's address, a number) are updated in the graph first. Launches within a graph depend only on those whose
//! memory they share ([`launch_dependencies`]).
//!
//! A kernel that [waits by itself](wgsl_to_cuda::AWAITS) begins when the workgroups of the kernels that it depends on have
//! ended, before their memory can be seen (a *programmatic* edge of the graph): this saves a fifth of a microsecond a launch.
//! Its end comes after theirs, so that what depends on it comes after them as well. (To begin still earlier, with the last of
//! those workgroups, costs more than it saves where a kernel fills the device.)

use super::fast_map::FastMap;
use super::graphs::{Begins, Gpus, NotLaunched, RunGraphs};
use super::launch_dependencies::{self, Before};
use super::profile::HostTimes;
use super::task::Task;
use cudarc::driver::DriverError;

/// Minimal number of launches of a recorded run; a shorter one gains nothing.
const SHORTEST: usize = 4;
/// Maximal number of runs remembered: more than a method launches on one grid.
const MOST_RUNS: usize = 256;

/// The identity of a run.
type Key = Vec<usize>;

/// The dependencies of a run.
fn waits(tasks: &[Task]) -> Vec<Before> {
    launch_dependencies::waits(tasks.iter().map(Task::needs))
}

/// The runs seen so far; the value is `None` after a run was seen once, and a recording from the second time on.
pub(super) struct Recordings {
    seen: FastMap<Key, Option<Recording>>,
    begins: Begins,
}

impl Recordings {
    pub fn new(begins: Begins) -> Self {
        Self { seen: FastMap::default(), begins }
    }

    /// Submits `tasks` from a recording and empties them. Returns false, and leaves `tasks` for the caller to submit,
    /// if the run is too short, too long, or new.
    ///
    /// # Errors
    /// The driver's error. No recording may be used any more, and the context of another GPU may be current.
    pub fn run(
        &mut self,
        tasks: &mut Vec<Task>,
        gpus: Gpus<'_>,
        times: &HostTimes,
    ) -> Result<bool, NotLaunched> {
        if tasks.len() < SHORTEST || tasks.len() > launch_dependencies::MOST {
            return Ok(false);
        }
        if !gpus.record(tasks) {
            return Ok(false);
        }
        let mut key = Key::with_capacity(5 * tasks.len());
        tasks.iter().for_each(|task| task.add_key(&mut key));
        if let Some(seen) = self.seen.get_mut(&key) {
            let recording = match seen {
                Some(recording) if recording.repeats(tasks) || recording.keeps(&waits(tasks)) => {
                    times.time("replay: new arguments", || recording.set(tasks, gpus))?;
                    recording
                }
                // The same kernels, but their buffers are shared in another way. The new recording keeps the
                // dependencies of both.
                Some(recording) => {
                    let waits = launch_dependencies::both(&recording.waits, &waits(tasks));
                    let new = || Recording::new(tasks, self.begins, waits, gpus);
                    seen.insert(times.time("replay: record", new)?)
                }
                None => {
                    let new = || Recording::new(tasks, self.begins, waits(tasks), gpus);
                    seen.insert(times.time("replay: record", new)?)
                }
            };
            times.time("replay: launch", || recording.graphs.launch(gpus))?;
            recording.tasks = std::mem::take(tasks);
            return Ok(true);
        }
        if self.seen.len() >= MOST_RUNS {
            self.seen.clear();
        }
        self.seen.insert(key, None);
        Ok(false)
    }
}

/// The graphs of a run's tasks.
struct Recording {
    /// For each task, the set of earlier ones that it waits for.
    waits: Vec<Before>,
    /// The tasks, with their arguments, of the last launch; empty before the first.
    tasks: Vec<Task>,
    graphs: RunGraphs,
}

impl Recording {
    /// Builds and instantiates graphs of `tasks` with the dependencies `waits`. The context of the first GPU must be current, here
    /// and in the functions below.
    fn new(tasks: &[Task], begins: Begins, waits: Vec<Before>, gpus: Gpus<'_>) -> Result<Self, DriverError> {
        let graphs = RunGraphs::new(tasks, begins, &waits, gpus)?;
        Ok(Self { waits, tasks: Vec::new(), graphs })
    }

    /// Whether all tasks use the memory that they used before.
    fn repeats(&self, tasks: &[Task]) -> bool {
        let same = |(old, new): (&Task, &Task)| new.is_event() || old.has_values_of(new);
        self.tasks.len() == tasks.len() && self.tasks.iter().zip(tasks).all(same)
    }

    /// Whether the recording keeps all the dependencies `waits`; it may have more.
    fn keeps(&self, waits: &[Before]) -> bool {
        self.waits.iter().zip(waits).all(|(kept, needed)| needed & !kept == 0)
    }

    /// Updates the graphs to the arguments of `tasks`, which must be those they were made of except for these arguments. Launches
    /// that are under way keep their own arguments.
    fn set(&self, tasks: &[Task], gpus: Gpus<'_>) -> Result<(), DriverError> {
        let changed = |&nth: &usize| self.tasks.get(nth).is_some_and(|old| !old.has_values_of(&tasks[nth]));
        (0..tasks.len()).filter(changed).try_for_each(|nth| self.graphs.set(nth, &tasks[nth], gpus))
    }
}
