//! A row's values: one for all presets, and those of the presets that differ.

use super::ParameterChoice;
use crate::grid::Dimension;

/// What a value of a preset is for.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresetScope {
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
pub struct PresetPlace {
    /// The preset's word, with `_` for `-`.
    pub preset: &'static str,
    /// Images, volumes or both.
    pub scope: PresetScope,
}

/// A row's values; `places` and `others` belong together.
#[doc(hidden)]
#[derive(Debug)]
pub struct PresetRow<T: 'static> {
    /// The value of all presets that are not among the places.
    pub value: T,
    /// Where another value stands.
    pub places: &'static [PresetPlace],
    /// That value.
    pub others: &'static [T],
}

impl<T: Copy> PresetRow<T> {
    /// The value of a preset, by its word.
    pub fn of(&self, preset: &str, dimension: Dimension) -> T {
        let mut values = self.places.iter().zip(self.others);
        let own = values.find(|(place, _)| place.is_of(preset, dimension));
        own.map_or(self.value, |(_, value)| *value)
    }
}

impl PresetPlace {
    fn is_of(self, preset: &str, dimension: Dimension) -> bool {
        let is_in_scope = match self.scope {
            PresetScope::Both => true,
            PresetScope::Image => dimension == Dimension::Two,
            PresetScope::Volume => dimension == Dimension::Three,
        };
        is_in_scope && is_word(preset, self.preset)
    }

    /// Whether two places name a value for the same preset and dimension.
    const fn meets(self, other: Self) -> bool {
        let are_apart = matches!(
            (self.scope, other.scope),
            (PresetScope::Image, PresetScope::Volume) | (PresetScope::Volume, PresetScope::Image)
        );
        !are_apart && is_word(self.preset, other.preset)
    }
}

/// Whether there is such a preset.
#[doc(hidden)]
pub const fn is_preset(name: &str, presets: &[ParameterChoice]) -> bool {
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
pub const fn is_double(places: &[PresetPlace]) -> bool {
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

    const fn place(preset: &'static str, scope: PresetScope) -> PresetPlace {
        PresetPlace { preset, scope }
    }

    #[test]
    fn a_value_is_that_of_its_preset_and_dimension() {
        const PLACES: &[PresetPlace] =
            &[place("fast", PresetScope::Volume), place("by_hand", PresetScope::Both)];
        let row = PresetRow { value: 1, places: PLACES, others: &[2, 3] };
        let both = |preset| [Dimension::Two, Dimension::Three].map(|dimension| row.of(preset, dimension));
        assert_eq!(both("accurate"), [1, 1]);
        assert_eq!(both("fast"), [1, 2]);
        assert_eq!(both("by-hand"), [3, 3]);
    }

    #[test]
    fn names_stand_for_whole_words() {
        let preset = |name| ParameterChoice { name, meaning: "", fields: &[] };
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
            [PresetScope::Both, PresetScope::Image, PresetScope::Volume].map(|scope| place("fast", scope));
        assert!(!is_double(&[image, volume, place("paper", PresetScope::Both)]));
        for twice in [[both, both], [both, image], [volume, both], [image, image]] {
            assert!(is_double(&twice), "{twice:?}");
        }
    }
}
