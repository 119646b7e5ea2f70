//! A loop of many small steps that asks from time to time whether to go on.

use super::{Control, Stopped};

/// Asks a [`Control`] once in so many steps; see [`Control::once_in`].
#[derive(Debug)]
pub struct Pace<'a> {
    control: &'a Control,
    steps: usize,
    left: usize,
}

impl Control {
    /// Asks in a loop, once in so many steps: as many as take some milliseconds, so that the question costs nothing.
    pub fn once_in(&self, steps: usize) -> Pace<'_> {
        Pace { control: self, steps: steps.max(1), left: 0 }
    }
}

impl Pace<'_> {
    /// Counts a step, and asks whether to go on where it is time to: at the first step, and then once in as many as were named.
    ///
    /// # Errors
    /// [`Stopped`] once the run is to stop.
    #[inline]
    pub fn step(&mut self) -> Result<(), Stopped> {
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => {
                self.left = self.steps - 1;
                self.control.check()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_noticed_within_as_many_steps() {
        let control = Control::default();
        let mut pace = control.once_in(4);
        assert!((0..6).all(|_| pace.step().is_ok()));
        control.stop();
        assert_eq!((0..9).position(|_| pace.step().is_err()), Some(2));
        assert_eq!(control.once_in(1000).step(), Err(Stopped), "the first step asks");
    }
}
