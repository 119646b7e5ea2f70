//! Pairs of a sequence on several devices: each takes the next pair as soon as it is free, and flows are handed out in order.
//!
//! *Bits*: those of one device, since no pair needs another one's flow.
//!
//! *Threads*: two a device, of which one asks and the other fetches; the caller's hands out.
//!
//! *Cost*: every device gets both frames of its pairs. Few pairs a device are begun before the oldest of them is handed out
//! ([`Turns`]).

use super::ahead::asked_ahead;
use super::run::Run;
use super::turns::Turns;
use super::{
    Deliver, SequenceField, SequenceFrames, SequenceMode, SequencePlan, SequenceRole, require_frames,
};
use crate::error::{MotionError, Result};
use crate::method::pair::PairMethod;
use crate::method::pending_flow::{DenseFlow, FlowExtras, PendingFlow};
use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};

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
        let _end = turns.end_when_dropped();
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

/// What one device does: while a flow leaves it, the next one is at work.
fn take_turns(
    method: &mut dyn PairMethod,
    frames: SequenceFrames<'_>,
    plan: SequencePlan,
    turns: &Turns,
    found: &Sender<Result<(usize, DenseFlow)>>,
) -> Result<()> {
    let run = Run::new(method, frames, plan)?;
    std::thread::scope(|scope| {
        let fetch = |asked: Result<(usize, PendingFlow)>| {
            let (fixed, pending) = asked?;
            Ok((fixed, pending.finish(plan.extras)?))
        };
        for asked in asked_ahead(scope, run, turns)? {
            let fetched = fetch(asked);
            if fetched.is_err() {
                // The thread that asks may wait for a turn that never comes.
                turns.end();
            }
            // Nobody listens any more once something else has failed.
            if found.send(fetched).is_err() {
                break;
            }
        }
        Ok(())
    })
}
