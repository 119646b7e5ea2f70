//! Where outlines went whose place is not written beside their points: each for itself where there are few, else in one sentence
//! with the list of all behind it.

use super::spot::Spot;
use crate::read::context::Context;
use std::collections::{BTreeMap, BTreeSet};
use veloxel_core::{WarningKind, number_runs};

/// Outlines up to which each has a sentence of its own.
const FEW: usize = 6;
/// Groups of slices that the one sentence names.
const MOST_GROUPS: usize = 4;

/// Outlines by their names, and their places.
#[derive(Debug, Default)]
pub(super) struct Told(Vec<(String, Spot)>);

impl Told {
    pub fn add(&mut self, name: &str, spot: Spot) {
        self.0.push((name.to_owned(), spot));
    }

    /// Says it.
    pub fn say(&self, context: &mut Context<'_>) {
        let each = self.0.iter().map(|(name, Spot { structure, frame, slice })| {
            format!("{name} is {structure} on slice {slice}, frame {frame}")
        });
        if self.0.len() <= FEW {
            each.for_each(|text| context.note(WarningKind::Note, text));
        } else {
            context.note_with_details(WarningKind::Note, self.sentence(), each.collect());
        }
    }

    /// `800 outlines (400 endo, 400 epi) went by their names to slices 0 to 19, frames 0 to 19`.
    fn sentence(&self) -> String {
        let mut by_structure = BTreeMap::<String, usize>::new();
        let mut frames_of = BTreeMap::<usize, BTreeSet<usize>>::new();
        for (_, Spot { structure, frame, slice }) in &self.0 {
            *by_structure.entry(structure.to_string()).or_default() += 1;
            frames_of.entry(*slice).or_default().insert(*frame);
        }
        let counts: Vec<String> =
            by_structure.iter().map(|(name, count)| format!("{count} {name}")).collect();
        let mut groups: Vec<(BTreeSet<usize>, BTreeSet<usize>)> = Vec::new();
        for (slice, frames) in frames_of {
            match groups.iter_mut().find(|(_, of)| *of == frames) {
                Some((slices, _)) => _ = slices.insert(slice),
                None => groups.push(([slice].into(), frames)),
            }
        }
        let place = |(slices, frames): &(BTreeSet<usize>, BTreeSet<usize>)| {
            format!("{}, {}", number_runs("slice", slices), number_runs("frame", frames))
        };
        let mut places: Vec<String> = groups.iter().take(MOST_GROUPS).map(place).collect();
        if groups.len() > MOST_GROUPS {
            let left: usize = groups[MOST_GROUPS..].iter().map(|(slices, _)| slices.len()).sum();
            places.push(format!("and {left} more slices"));
        }
        let (count, counts) = (self.0.len(), counts.join(", "));
        format!("{count} outlines ({counts}) went by their names to {}", places.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Structure;

    fn told(places: impl IntoIterator<Item = (Structure, usize, usize)>) -> Told {
        let of = |(structure, slice, frame)| ("a.txt".to_owned(), Spot { structure, frame, slice });
        Told(places.into_iter().map(of).collect())
    }

    #[test]
    fn slices_with_the_same_frames_are_named_together() {
        let both = [Structure::Endo, Structure::Epi];
        let all = told(both.into_iter().flat_map(|s| (0..60).map(move |n| (s, n / 20, n % 20))));
        let expected = "120 outlines (60 endo, 60 epi) went by their names to slices 0 to 2, frames 0 to 19";
        assert_eq!(all.sentence(), expected);
    }

    #[test]
    fn a_slice_with_a_hole_is_named_for_itself() {
        let whole = (0..15).map(|n| (n / 3, n % 3));
        let places = whole.filter(|&place| place != (1, 2)).chain([(7, 9)]);
        let said = told(places.map(|(slice, frame)| (Structure::Rv, slice, frame))).sentence();
        let expected = "15 outlines (15 rv) went by their names to slices 0, 2 to 4, frames 0 to 2; slice 1, frames 0, 1; \
                        slice 7, frame 9";
        assert_eq!(said, expected);
    }

    #[test]
    fn not_every_ragged_slice_is_named() {
        let ragged = (0..9).flat_map(|slice| (0..=slice).map(move |frame| (Structure::Endo, slice, frame)));
        assert!(told(ragged).sentence().ends_with("; and 5 more slices"));
    }
}
