//! A row's values: one for all presets, and those of the presets that differ.

use super::Choice;
use crate::grid::Dimension;

/// What a value of a preset is for.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Images and volumes.
    Both,
    /// Images.
    Image,
    /// Volumes.
    Volume,
}

/// Where a row names a value of its own: `fast`, `fast.image` or `fast.volume`.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The preset's word, with `_` for `-`.
    pub preset: &'static str,
    /// Images, volumes or both.
    pub scope: Scope,
}

/// A row's values; `places` and `others` belong together.
#[doc(hidden)]
#[derive(Debug)]
pub struct Row<T: 'static> {
    /// The value of all presets that are not among the places.
    pub value: T,
    /// Where another value stands.
    pub places: &'static [Place],
    /// That value.
    pub others: &'static [T],
}

impl<T: Copy> Row<T> {
    /// The value of a preset, by its word.
    pub fn of(&self, preset: &str, dimension: Dimension) -> T {
        let mut values = self.places.iter().zip(self.others);
        let own = values.find(|(place, _)| place.is_of(preset, dimension));
        own.map_or(self.value, |(_, value)| *value)
    }
}

impl Place {
    fn is_of(self, preset: &str, dimension: Dimension) -> bool {
        let is_in_scope = match self.scope {
            Scope::Both => true,
            Scope::Image => dimension == Dimension::Two,
            Scope::Volume => dimension == Dimension::Three,
        };
        is_in_scope && is_word(preset, self.preset)
    }

    /// Whether two places name a value for the same preset and dimension.
    const fn meets(self, other: Self) -> bool {
        let are_apart = matches!(
            (self.scope, other.scope),
            (Scope::Image, Scope::Volume) | (Scope::Volume, Scope::Image)
        );
        !are_apart && is_word(self.preset, other.preset)
    }
}

/// Whether there is such a preset.
#[doc(hidden)]
pub const fn is_preset(name: &str, presets: &[Choice]) -> bool {
    let mut nth = 0;
    while nth < presets.len() {
        if is_word(presets[nth].name, name) {
            return true;
        }
        nth += 1;
    }
    false
}

/// Whether a preset has two values for the same dimension.
#[doc(hidden)]
pub const fn is_double(places: &[Place]) -> bool {
    let mut nth = 0;
    while nth < places.len() {
        let mut before = 0;
        while before < nth {
            if places[before].meets(places[nth]) {
                return true;
            }
            before += 1;
        }
        nth += 1;
    }
    false
}

/// Whether a name in Rust, which has no `-`, stands for a word.
const fn is_word(word: &str, name: &str) -> bool {
    let (word, name) = (word.as_bytes(), name.as_bytes());
    let mut nth = 0;
    while nth < word.len() && nth < name.len() {
        if word[nth] != name[nth] && !(word[nth] == b'-' && name[nth] == b'_') {
            return false;
        }
        nth += 1;
    }
    word.len() == name.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn place(preset: &'static str, scope: Scope) -> Place {
        Place { preset, scope }
    }

    #[test]
    fn a_value_is_that_of_its_preset_and_dimension() {
        const PLACES: &[Place] = &[place("fast", Scope::Volume), place("by_hand", Scope::Both)];
        let row = Row { value: 1, places: PLACES, others: &[2, 3] };
        let both = |preset| [Dimension::Two, Dimension::Three].map(|dimension| row.of(preset, dimension));
        assert_eq!(both("accurate"), [1, 1]);
        assert_eq!(both("fast"), [1, 2]);
        assert_eq!(both("by-hand"), [3, 3]);
    }

    #[test]
    fn names_stand_for_whole_words() {
        let preset = |name| Choice { name, meaning: "", fields: &[] };
        let presets = [preset("fast"), preset("by-hand")];
        for name in ["fast", "by_hand"] {
            assert!(is_preset(name, &presets), "{name}");
        }
        for name in ["", "fas", "faster", "by", "byXhand"] {
            assert!(!is_preset(name, &presets), "{name}");
        }
    }

    #[test]
    fn two_values_for_one_place_are_found() {
        let [both, image, volume] =
            [Scope::Both, Scope::Image, Scope::Volume].map(|scope| place("fast", scope));
        assert!(!is_double(&[image, volume, place("paper", Scope::Both)]));
        for twice in [[both, both], [both, image], [volume, both], [image, image]] {
            assert!(is_double(&twice), "{twice:?}");
        }
    }
}
