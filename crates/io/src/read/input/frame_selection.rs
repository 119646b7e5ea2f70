//! Frames of a sequence by their numbers, as a range.

use std::fmt;
use std::str::FromStr;

/// Frames `begin`, `begin + step`, … before `end`, as in `0:10:2`; each part may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameSelection {
    begin: usize,
    end: Option<usize>,
    step: usize,
}

impl Default for FrameSelection {
    /// All of them.
    fn default() -> Self {
        Self { begin: 0, end: None, step: 1 }
    }
}

impl FromStr for FrameSelection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXPECTED: &str =
            "expected BEGIN:END or BEGIN:END:STEP, without END, such as 0:10:2 for 0, 2, 4, 6 and 8";
        let wrong = || EXPECTED.to_owned();
        let number = |part: &str| match part.trim() {
            "" => Ok(None),
            digits => digits.parse::<usize>().map(Some).map_err(|_| wrong()),
        };
        let parts = text.split(':').map(number).collect::<Result<Vec<_>, _>>()?;
        let (begin, end, step) = match parts[..] {
            [begin, end] => (begin, end, None),
            [begin, end, step] => (begin, end, step),
            _ => return Err(wrong()),
        };
        let all = Self { begin: begin.unwrap_or(0), end, step: step.unwrap_or(1) };
        if all.step == 0 || end.is_some_and(|end| end <= all.begin) { Err(wrong()) } else { Ok(all) }
    }
}

/// Its text as it is typed: `0:10:2`.
impl fmt::Display for FrameSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.begin)?;
        self.end.map_or(Ok(()), |end| write!(f, "{end}"))?;
        if self.step == 1 { Ok(()) } else { write!(f, ":{}", self.step) }
    }
}

impl FrameSelection {
    /// One frame.
    pub fn one(number: usize) -> Self {
        Self { begin: number, end: number.checked_add(1), step: 1 }
    }

    /// Frames from one taken to the next.
    pub fn step(self) -> usize {
        self.step
    }

    /// The numbers of the frames taken, of so many; those beyond the last are left out.
    pub fn of(self, count: usize) -> Vec<usize> {
        (self.begin..self.end.unwrap_or(count).min(count)).step_by(self.step).collect()
    }

    /// The numbers of the frames taken, where the range has an end of its own.
    pub fn numbers(self) -> Option<Vec<usize>> {
        self.end.map(|end| self.of(end))
    }

    /// The same step over so many frames, of which the first is taken.
    pub(crate) fn stepping(self, count: usize) -> Self {
        Self { begin: 0, end: Some(count), step: self.step }
    }

    /// Whether a frame is taken.
    pub(crate) fn holds(self, number: usize) -> bool {
        number >= self.begin
            && self.end.is_none_or(|end| number < end)
            && (number - self.begin).is_multiple_of(self.step)
    }

    /// Whether no frame from this one on is taken.
    pub(crate) fn ends_before(self, number: usize) -> bool {
        self.end.is_some_and(|end| number >= end)
    }

    /// Whether all of its frames are among so many, and there is one at least.
    pub(crate) fn is_within(self, count: usize) -> bool {
        self.begin < count && self.end.is_none_or(|end| end <= count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_as_in_python() {
        let of = |text: &str| text.parse::<FrameSelection>().map(|s| s.of(7));
        assert_eq!(of("0:10:2"), Ok(vec![0, 2, 4, 6]));
        assert_eq!(of("2:5"), Ok(vec![2, 3, 4]));
        assert_eq!((of("5:"), of(":2"), of("::3")), (Ok(vec![5, 6]), Ok(vec![0, 1]), Ok(vec![0, 3, 6])));
        for wrong in ["", "3", "3:3", "5:2", "0:4:0", "a:b", "-1:3", "1:2:3:4"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_know_their_frames() {
        let selection: FrameSelection = "2:9:3".parse().unwrap();
        assert_eq!((0..12).filter(|&n| selection.holds(n)).collect::<Vec<_>>(), [2, 5, 8]);
        assert_eq!((selection.is_within(9), selection.is_within(8)), (true, false));
        assert_eq!((selection.ends_before(8), selection.ends_before(9)), (false, true));
        assert_eq!(FrameSelection::one(4).numbers(), Some(vec![4]));
        assert_eq!(
            ["2:9:3", "4:"].map(|t| t.parse::<FrameSelection>().unwrap().to_string()),
            ["2:9:3", "4:"]
        );
    }
}
