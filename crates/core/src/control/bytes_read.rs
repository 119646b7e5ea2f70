//! The progress of a stage in which files are read: a share of their bytes.

use super::{Control, Stage, Step};
use std::sync::atomic::Ordering;

impl Control {
    /// Says how many bytes the files have that the next stage of reading reads; 0: that is not known. In that stage the
    /// observer gets the share of them that was read.
    pub fn expect_bytes(&self, bytes: u64) {
        self.0.bytes_expected.store(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that came out of a file; threads that read beside each other may count at the same time.
    pub fn count_bytes(&self, bytes: u64) {
        self.0.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The share of the expected bytes that was read; none in other stages, and where the number of bytes is not known. It does
    /// not fall: a file that is read twice counts twice, and the whole is reached early.
    pub(super) fn share_read(&self, step: &Step) -> Option<f64> {
        let expected = self.0.bytes_expected.load(Ordering::Relaxed);
        let is_counted = step.stage == Stage::Read && expected > 0;
        is_counted.then(|| {
            let share = self.0.bytes_read.load(Ordering::Relaxed) as f64 / expected as f64;
            share.clamp(step.done, 1.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Observer;
    use std::ops::ControlFlow;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// Keeps the shares, and takes so long that every question reaches it.
    #[derive(Default)]
    struct Slow(Mutex<Vec<f64>>);

    impl Observer for Slow {
        fn step(&self, step: Step) -> ControlFlow<()> {
            self.0.lock().unwrap().push(step.done);
            std::thread::sleep(Duration::from_millis(super::super::ASK_EVERY_MS + 1));
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn the_share_of_the_bytes_is_told_while_files_are_read() {
        let observer = Arc::new(Slow::default());
        let control = Control::followed_by(observer.clone());
        let read = |bytes: u64| {
            control.count_bytes(bytes);
            std::thread::sleep(Duration::from_millis(super::super::ASK_EVERY_MS + 1));
            control.check().unwrap();
        };
        control.expect_bytes(1000);
        control.count_bytes(77);
        control.enter(Stage::Read).unwrap();
        [250, 500, 900].into_iter().for_each(read);
        control.enter(Stage::Solve).unwrap();
        read(100);
        control.expect_bytes(0);
        control.enter(Stage::Read).unwrap();
        read(100);
        assert_eq!(*observer.0.lock().unwrap(), [0.0, 0.25, 0.75, 1.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
