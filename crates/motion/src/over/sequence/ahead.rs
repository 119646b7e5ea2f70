//! A thread that brings frames and asks for pairs, ahead of the one that fetches what the device has found.

use super::run::Run;
use super::turns::{Turn, Turns};
use crate::error::{MotionError, Result};
use crate::method::pending_flow::PendingFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

/// A pair that was asked for: its first frame, and the flow that the device may not have found yet.
type Asked = Result<(usize, PendingFlow)>;

/// The pairs of a run, asked for in turn by a thread of their own, which ends with the turns, after an error, or once the receiver
/// is gone. While one flow leaves the device, the next one is at work, and the frames of the one after are there.
pub(super) fn asked_ahead<'scope, 'run: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    run: Run<'run>,
    turns: &'scope Turns,
) -> Result<Receiver<Asked>> {
    // With one pair waiting in between, the device has the next one before it is through with this one.
    let waiting = usize::from(run.has_room_for_three());
    let (sender, receiver) = sync_channel(waiting);
    let no_thread = |error| MotionError::Sequence {
        reason: format!("a thread is needed to bring frames, and none could start: {error}"),
    };
    std::thread::Builder::new().spawn_scoped(scope, move || ask(run, turns, sender)).map_err(no_thread)?;
    Ok(receiver)
}

fn ask(mut run: Run<'_>, turns: &Turns, sender: SyncSender<Asked>) {
    let mut turn = turns.wait();
    while let Some(fixed) = turn {
        let next = match turns.now() {
            Turn::Take(next) => Some(next),
            Turn::Wait | Turn::End => None,
        };
        let asked = run.ask_nth(fixed, next).map(|pending| (fixed, pending));
        let failed = asked.is_err();
        // Nobody listens any more once something else has failed.
        if sender.send(asked).is_err() || failed {
            return;
        }
        turn = next.or_else(|| turns.wait());
    }
}
