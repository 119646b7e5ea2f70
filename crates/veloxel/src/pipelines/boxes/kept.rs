//! Boxes of a result that are kept as they are found: a run that was ended, by whatever, goes on with them.

use super::BoxSink;
use crate::Result;
use std::collections::HashSet;
use veloxel_core::{GridBox, WarningKind, Warnings};

/// Keeps boxes of a result until it is whole, also when the run is ended.
pub trait BoxStore: Sync {
    /// What was noted of a box; none of one that is not kept.
    fn note(&self, part: GridBox) -> Option<String>;

    /// Keeps a box, a slice for each component, x fastest; it outlives the run when this returns. The note is one line.
    ///
    /// # Errors
    /// What keeps it from being kept.
    fn keep(&self, part: GridBox, slices: &[Vec<f32>], note: &str) -> Result<()>;

    /// The slices of a box that is kept, of so many components.
    ///
    /// # Errors
    /// What keeps them from being read.
    fn slices(&self, part: GridBox, components: usize) -> Result<Vec<Vec<f32>>>;
}

/// Keeps the sums of a measurement that is under way, also when the run is ended.
pub trait SumStore {
    /// The numbers that were kept last; none where none are.
    ///
    /// # Errors
    /// What keeps them from being read.
    fn kept(&self) -> Result<Option<Vec<u64>>>;

    /// Keeps numbers in place of the last ones; they outlive the run when this returns.
    ///
    /// # Errors
    /// What keeps them from being kept.
    fn keep(&mut self, words: &[u64]) -> Result<()>;
}

/// Where the boxes of a result go.
#[derive(Clone, Copy)]
pub struct BoxesOutput<'a> {
    /// Takes each box of the result.
    pub sink: &'a dyn BoxSink,
    /// Keeps each box before; none: a run that was ended begins again.
    pub store: Option<&'a dyn BoxStore>,
}

/// A box of a result that was found, or kept by an ended run.
pub(crate) struct FoundBox {
    pub part: GridBox,
    /// A slice for each component.
    pub slices: Vec<Vec<f32>>,
    /// Voxels without a value, by two reasons.
    pub missing: [usize; 2],
    /// Whether an ended run has kept it.
    pub is_kept: bool,
}

impl BoxesOutput<'_> {
    /// Keeps a box unless it is kept, and hands it out.
    ///
    /// # Errors
    /// What store and sink fail with.
    pub(crate) fn put(&self, found: &FoundBox) -> Result<()> {
        let FoundBox { part, slices, missing: [first, second], is_kept } = found;
        if let Some(store) = self.store.filter(|_| !is_kept) {
            store.keep(*part, slices, &format!("{first} {second}"))?;
        }
        self.sink.put(*part, slices)
    }
}

/// Which boxes of a result are kept.
pub(crate) struct KeptBoxes<'a> {
    store: Option<&'a dyn BoxStore>,
    all: Vec<GridBox>,
    /// Voxels without a value of each box that is kept.
    missing: Vec<Option<[usize; 2]>>,
}

impl<'a> KeptBoxes<'a> {
    /// These boxes, of which some are kept.
    pub fn of(all: Vec<GridBox>, out: BoxesOutput<'a>) -> Self {
        let missing = |part: &GridBox| {
            let note = out.store?.note(*part)?;
            let (first, second) = note.split_once(' ')?;
            // A box with a note that cannot be read is found again.
            Some([first.parse().ok()?, second.parse().ok()?])
        };
        Self { store: out.store, missing: all.iter().map(missing).collect(), all }
    }

    /// Takes none of a row of boxes along x of which not all are kept: its boxes depend on those before them.
    #[must_use]
    pub fn in_whole_rows(mut self) -> Self {
        let row = |part: &GridBox| [part.begin[1], part.begin[2]];
        let lacking = self.all.iter().zip(&self.missing).filter(|(_, kept)| kept.is_none());
        let broken: HashSet<_> = lacking.map(|(part, _)| row(part)).collect();
        for (part, kept) in self.all.iter().zip(&mut self.missing) {
            if broken.contains(&row(part)) {
                *kept = None;
            }
        }
        self
    }

    /// How many are kept, which a run that goes on says.
    pub fn tell(&self, warnings: &mut Warnings) -> usize {
        let kept = self.missing.iter().flatten().count();
        if kept > 0 {
            let text = format!("goes on with a run that was ended: {kept} of its boxes are kept");
            warnings.push(WarningKind::Note, text);
        }
        kept
    }

    /// All boxes, in their order.
    pub fn all(&self) -> &[GridBox] {
        &self.all
    }

    /// A box by its number, of so many components, if it is kept.
    ///
    /// # Errors
    /// What reading it fails with.
    pub fn read(&self, nth: usize, components: usize) -> Result<Option<FoundBox>> {
        let (Some(store), Some(missing)) = (self.store, self.missing[nth]) else { return Ok(None) };
        let part = self.all[nth];
        Ok(Some(FoundBox { part, slices: store.slices(part, components)?, missing, is_kept: true }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipelines::boxes::boxes;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    /// Notes by the begin of their boxes.
    #[derive(Default)]
    struct Notes(Mutex<BTreeMap<[usize; 3], String>>);

    impl BoxStore for Notes {
        fn note(&self, part: GridBox) -> Option<String> {
            self.0.lock().unwrap().get(&part.begin).cloned()
        }

        fn keep(&self, part: GridBox, _: &[Vec<f32>], note: &str) -> Result<()> {
            self.0.lock().unwrap().insert(part.begin, note.to_owned());
            Ok(())
        }

        fn slices(&self, part: GridBox, components: usize) -> Result<Vec<Vec<f32>>> {
            Ok(vec![vec![1.0; part.len()]; components])
        }
    }

    impl BoxSink for Notes {
        fn step(&self) -> [usize; 3] {
            [2; 3]
        }

        fn put(&self, _: GridBox, _: &[Vec<f32>]) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn rows_that_were_not_finished_are_found_again() {
        let notes = Notes::default();
        let out = BoxesOutput { sink: &notes, store: Some(&notes) };
        let all = boxes([6, 4, 2], [2; 3], 1);
        for part in &all[..4] {
            let slices = vec![vec![0.0; part.len()]];
            out.put(&FoundBox { part: *part, slices, missing: [part.begin[0], 1], is_kept: false }).unwrap();
        }
        notes.0.lock().unwrap().insert(all[4].begin, "unreadable".to_owned());
        let mut warnings = Warnings::new();
        let kept = KeptBoxes::of(all.clone(), out);
        assert_eq!(kept.tell(&mut warnings), 4);
        assert!(warnings.iter().any(|own| own.message.contains("4 of its boxes are kept")), "{warnings:?}");
        let kept = kept.in_whole_rows();
        assert_eq!(kept.tell(&mut Warnings::new()), 3);
        let found = kept.read(2, 3).unwrap().unwrap();
        assert_eq!((found.part, found.missing, found.slices.len(), found.is_kept), (all[2], [4, 1], 3, true));
        assert!(kept.read(3, 3).unwrap().is_none());
        let nowhere = KeptBoxes::of(all, BoxesOutput { sink: &notes, store: None });
        assert_eq!(nowhere.tell(&mut Warnings::new()), 0);
    }
}
