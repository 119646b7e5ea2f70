//! Pairs of a sequence on several devices: each takes the next pair as soon as it is free, and flows are handed out in order.
//!
//! *Bits*: those of one device, since no pair needs another one's flow.
//!
//! *Threads*: one a device asks and fetches, with a pair under way while the one before it leaves; the caller's hands out.
//!
//! *Cost*: every device gets both frames of its pairs. At most [`AHEAD`] pairs a device are begun before the oldest of them is handed out.

use super::run::Run;
use super::{
    Deliver, SequenceField, SequenceFrames, SequenceMode, SequencePlan, SequenceRole, require_frames,
};
use crate::error::{MotionError, Result};
use crate::method::pair::PairMethod;
use crate::method::pending_flow::{DenseFlow, FlowExtras, PendingFlow};
use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Pairs of each device that are begun and not handed out yet.
const AHEAD: usize = 3;

/// Which pair is next, for several who take them.
struct Turns {
    state: Mutex<State>,
    changed: Condvar,
    count: usize,
    most_ahead: usize,
}

struct State {
    next: usize,
    handed_out: usize,
    has_ended: bool,
}

/// What a device does next.
#[derive(Debug, PartialEq)]
enum Turn {
    Take(usize),
    /// Too many pairs wait to be handed out.
    Wait,
    End,
}

impl Turns {
    fn new(count: usize, devices: usize) -> Self {
        let state = Mutex::new(State { next: 0, handed_out: 0, has_ended: false });
        Self { state, changed: Condvar::new(), count, most_ahead: AHEAD * devices }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn_of(&self, state: &mut State) -> Turn {
        if state.has_ended || state.next == self.count {
            return Turn::End;
        }
        if state.next >= state.handed_out + self.most_ahead {
            return Turn::Wait;
        }
        state.next += 1;
        Turn::Take(state.next - 1)
    }

    /// The next turn, without waiting.
    fn now(&self) -> Turn {
        self.turn_of(&mut self.state())
    }

    /// The next pair, as soon as one may be taken; none at the end.
    fn wait(&self) -> Option<usize> {
        let mut state = self.state();
        loop {
            match self.turn_of(&mut state) {
                Turn::Take(pair) => return Some(pair),
                Turn::End => return None,
                Turn::Wait => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn handed_out(&self) {
        self.state().handed_out += 1;
        self.changed.notify_all();
    }

    /// No further pair is taken.
    fn end(&self) {
        self.state().has_ended = true;
        self.changed.notify_all();
    }
}

/// Ends the turns when it goes, however that comes.
struct EndOf<'a>(&'a Turns);

impl Drop for EndOf<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Estimates the flow of every frame to its successor, with a method opened on each of several devices, and hands the flows out in
/// the order of the frames.
///
/// # Errors
/// As [`run_sequence`](super::run_sequence); [`MotionError::Sequence`] without a method.
pub fn run_pairs_side_by_side<E: From<MotionError>>(
    methods: &mut [Box<dyn PairMethod>],
    frames: SequenceFrames<'_>,
    extras: FlowExtras,
    deliver: Deliver<'_, E>,
) -> Result<(), E> {
    require_frames(&frames, 0)?;
    if methods.is_empty() {
        return Err(MotionError::Sequence {
            reason: "expected a method for each device, got none".to_owned(),
        }
        .into());
    }
    let plan = SequencePlan { mode: SequenceMode::Consecutive, reference: 0, extras };
    let turns = Turns::new(frames.frames.len() - 1, methods.len());
    std::thread::scope(|scope| {
        let _end = EndOf(&turns);
        let (sender, receiver) = channel();
        for method in methods {
            let (sender, turns) = (sender.clone(), &turns);
            let work = move || {
                if let Err(error) = take_turns(&mut **method, frames, plan, turns, &sender) {
                    // No thread listens any more once something else has failed.
                    let _ = sender.send(Err(error));
                }
            };
            let no_thread = |error| MotionError::Sequence {
                reason: format!("a thread is needed for each device, and none could start: {error}"),
            };
            std::thread::Builder::new().spawn_scoped(scope, work).map_err(no_thread)?;
        }
        drop(sender);
        let (mut early, mut next) = (BTreeMap::new(), 0);
        for found in receiver {
            let (fixed, output) = found?;
            early.insert(fixed, output);
            while let Some(output) = early.remove(&next) {
                let role = SequenceRole::Consecutive;
                deliver(SequenceField { role, fixed: next, moving: next + 1, output })?;
                turns.handed_out();
                next += 1;
            }
        }
        Ok(())
    })
}

/// What one device does: the next pair is under way before the flow of the last one is fetched.
fn take_turns(
    method: &mut dyn PairMethod,
    frames: SequenceFrames<'_>,
    plan: SequencePlan,
    turns: &Turns,
    found: &Sender<Result<(usize, DenseFlow)>>,
) -> Result<()> {
    let mut run = Run::new(method, frames, plan)?;
    let mut under_way: Option<(usize, PendingFlow)> = None;
    loop {
        let turn = turns.now();
        // What is handed out next may be what is under way here.
        if turn == Turn::Wait && send(under_way.take(), plan.extras, found)? == Listener::Gone {
            return Ok(());
        }
        let next = match turn {
            Turn::Take(pair) => Some(pair),
            Turn::Wait => turns.wait(),
            Turn::End => None,
        };
        let asked = next.map(|fixed| Ok::<_, MotionError>((fixed, run.ask_nth(fixed)?)));
        if send(under_way.take(), plan.extras, found)? == Listener::Gone {
            return Ok(());
        }
        match asked {
            Some(asked) => under_way = Some(asked?),
            None => return Ok(()),
        }
    }
}

/// Whether the thread that hands flows out still takes them.
#[derive(Debug, PartialEq)]
enum Listener {
    There,
    Gone,
}

fn send(
    under_way: Option<(usize, PendingFlow)>,
    extras: FlowExtras,
    found: &Sender<Result<(usize, DenseFlow)>>,
) -> Result<Listener> {
    let Some((fixed, pending)) = under_way else { return Ok(Listener::There) };
    let output = pending.finish(extras)?;
    Ok(if found.send(Ok((fixed, output))).is_ok() { Listener::There } else { Listener::Gone })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_taken_in_order_and_no_further_ahead_than_results_allow() {
        let turns = Turns::new(8, 2);
        let taken: Vec<Turn> = (0..7).map(|_| turns.now()).collect();
        assert_eq!(taken[..6], (0..6).map(Turn::Take).collect::<Vec<_>>());
        assert_eq!(taken[6], Turn::Wait);
        turns.handed_out();
        assert_eq!((turns.wait(), turns.now()), (Some(6), Turn::Wait));
        turns.end();
        assert_eq!((turns.wait(), turns.now()), (None, Turn::End));
    }

    #[test]
    fn who_waits_goes_on_once_a_flow_is_handed_out() {
        let turns = Turns::new(9, 1);
        (0..AHEAD).for_each(|_| assert_ne!(turns.now(), Turn::Wait));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| turns.wait());
            turns.handed_out();
            assert_eq!(waits.join().unwrap(), Some(AHEAD));
        });
    }
}
