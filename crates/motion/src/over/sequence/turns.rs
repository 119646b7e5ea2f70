//! Whose turn the next pair of a sequence is, and how many pairs may be under way.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Pairs of each device that are begun and not handed out yet: one leaves the device, one waits for that, one is computed, and the
/// frames of one are on their way.
const AHEAD: usize = 4;

/// Which pair is next, for several who take them.
pub(super) struct Turns {
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
pub(super) enum Turn {
    Take(usize),
    /// Too many pairs wait to be handed out.
    Wait,
    End,
}

impl Turns {
    pub fn new(count: usize, devices: usize) -> Self {
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
    pub fn now(&self) -> Turn {
        self.turn_of(&mut self.state())
    }

    /// The next pair, as soon as one may be taken; none at the end.
    pub fn wait(&self) -> Option<usize> {
        let mut state = self.state();
        loop {
            match self.turn_of(&mut state) {
                Turn::Take(pair) => return Some(pair),
                Turn::End => return None,
                Turn::Wait => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// The oldest pair that was begun was handed out.
    pub fn handed_out(&self) {
        self.state().handed_out += 1;
        self.changed.notify_all();
    }

    /// Ends the turns when what it returns goes, however that comes.
    pub fn end_when_dropped(&self) -> EndOf<'_> {
        EndOf(self)
    }

    /// No further pair is taken.
    pub fn end(&self) {
        self.state().has_ended = true;
        self.changed.notify_all();
    }
}

/// Ends the turns when it goes.
pub(super) struct EndOf<'a>(&'a Turns);

impl Drop for EndOf<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_taken_in_order_and_no_further_ahead_than_results_allow() {
        let turns = Turns::new(10, 2);
        let taken: Vec<Turn> = (0..9).map(|_| turns.now()).collect();
        assert_eq!(taken[..8], (0..8).map(Turn::Take).collect::<Vec<_>>());
        assert_eq!(taken[8], Turn::Wait);
        turns.handed_out();
        assert_eq!((turns.wait(), turns.now()), (Some(8), Turn::Wait));
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
