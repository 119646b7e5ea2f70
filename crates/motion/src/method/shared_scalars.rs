//! Numbers of the whole image by which a method decides: taken once, so that its tiles decide alike.

use std::collections::BTreeMap;

/// Where in a run a number is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScalarKey {
    /// The level of the run.
    pub level: usize,
    /// How many numbers the level asked for before.
    pub nth: usize,
}

/// The numbers of a run.
///
/// By themselves every run decides by its own. A caller with tiles lets a few of them [note](Self::note) theirs, and all of them
/// decide by the [means](Self::settle).
#[derive(Debug, Default, Clone, PartialEq)]
pub struct SharedScalars {
    mode: Mode,
    /// Sum and count of what was noted.
    noted: BTreeMap<ScalarKey, (f64, f64)>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Mode {
    #[default]
    Own,
    Noting,
    Settled,
}

impl SharedScalars {
    /// From here on numbers are noted.
    pub fn note(&mut self) {
        self.mode = Mode::Noting;
        self.noted.clear();
    }

    /// From here on the means of what was noted take the place of numbers that are measured.
    pub fn settle(&mut self) {
        self.mode = Mode::Settled;
    }

    /// The numbers that were noted, as texts that hold every bit.
    pub(crate) fn texts(&self) -> Vec<[String; 4]> {
        let bits = |number: &f64| format!("{:016x}", number.to_bits());
        let text = |(key, (sum, count)): (&ScalarKey, &(f64, f64))| {
            [key.level.to_string(), key.nth.to_string(), bits(sum), bits(count)]
        };
        self.noted.iter().map(text).collect()
    }

    /// Settled numbers of such [texts](Self::texts); none where one is no such text.
    pub(crate) fn of_texts(texts: &[[String; 4]]) -> Option<Self> {
        let number = |text: &str| u64::from_str_radix(text, 16).ok().map(f64::from_bits);
        let one = |[level, nth, sum, count]: &[String; 4]| {
            let key = ScalarKey { level: level.parse().ok()?, nth: nth.parse().ok()? };
            Some((key, (number(sum)?, number(count)?)))
        };
        let noted = texts.iter().map(one).collect::<Option<_>>()?;
        Some(Self { mode: Mode::Settled, noted })
    }

    /// The number to decide by, where this one was measured; a run that asks more often than any that was noted goes on with
    /// the last one of its level.
    pub(crate) fn number(&mut self, key: ScalarKey, measured: f64) -> f64 {
        match self.mode {
            Mode::Own => measured,
            Mode::Noting => {
                let (sum, count) = self.noted.entry(key).or_default();
                (*sum, *count) = (*sum + measured, *count + 1.0);
                measured
            }
            Mode::Settled => {
                let last = self.noted.range(ScalarKey { level: key.level, nth: 0 }..=key).next_back();
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
        let key = |level, nth| ScalarKey { level, nth };
        let mut shared = SharedScalars::default();
        assert_eq!(shared.number(key(0, 0), 5.0), 5.0);
        shared.note();
        for (key, measured) in [(key(1, 0), 2.0), (key(1, 1), 1.0), (key(1, 0), 4.0), (key(0, 0), 8.0)] {
            assert_eq!(shared.number(key, measured), measured);
        }
        shared.settle();
        let asked =
            [key(0, 0), key(1, 0), key(1, 1), key(1, 5), key(2, 0)].map(|key| shared.number(key, 7.0));
        assert_eq!(asked, [8.0, 3.0, 1.0, 1.0, 7.0]);
        assert_eq!(SharedScalars::of_texts(&shared.texts()), Some(shared));
        assert_eq!(SharedScalars::of_texts(&[["0", "0", "x", "0"].map(str::to_owned)]), None);
    }
}
