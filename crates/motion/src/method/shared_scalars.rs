//! Numbers of the whole image by which a method decides: taken once, so that its tiles decide alike.

use std::collections::BTreeMap;

/// Where in a run a number is asked for: the level, and how many numbers it asked for before.
pub type Question = (usize, usize);

/// The numbers of a run.
///
/// By themselves every run decides by its own. A caller with tiles lets a few of them [note](Self::note) theirs, and all of them
/// decide by the [means](Self::settle).
#[derive(Debug, Default)]
pub struct Decisions {
    mode: Mode,
    /// Sum and count of what was noted.
    noted: BTreeMap<Question, (f64, f64)>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Mode {
    #[default]
    Own,
    Noting,
    Settled,
}

impl Decisions {
    /// From here on numbers are noted.
    pub fn note(&mut self) {
        self.mode = Mode::Noting;
        self.noted.clear();
    }

    /// From here on the means of what was noted take the place of numbers that are measured.
    pub fn settle(&mut self) {
        self.mode = Mode::Settled;
    }

    /// The number to decide by, where this one was measured; a run that asks more often than any that was noted goes on with
    /// the last one of its level.
    pub(crate) fn number(&mut self, question: Question, measured: f64) -> f64 {
        match self.mode {
            Mode::Own => measured,
            Mode::Noting => {
                let (sum, count) = self.noted.entry(question).or_default();
                (*sum, *count) = (*sum + measured, *count + 1.0);
                measured
            }
            Mode::Settled => {
                let last = self.noted.range((question.0, 0)..=question).next_back();
                last.map_or(measured, |(_, (sum, count))| sum / count)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_decide_by_the_mean_of_what_was_noted() {
        let mut decisions = Decisions::default();
        assert_eq!(decisions.number((0, 0), 5.0), 5.0);
        decisions.note();
        for (question, measured) in [((1, 0), 2.0), ((1, 1), 1.0), ((1, 0), 4.0), ((0, 0), 8.0)] {
            assert_eq!(decisions.number(question, measured), measured);
        }
        decisions.settle();
        let asked = [(0, 0), (1, 0), (1, 1), (1, 5), (2, 0)].map(|question| decisions.number(question, 7.0));
        assert_eq!(asked, [8.0, 3.0, 1.0, 1.0, 7.0]);
    }
}
