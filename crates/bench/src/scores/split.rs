//! Which items of a set presets were tuned on, and which were kept from them: one table for all sets, `split.tsv`.
//!
//! A set's items are the rows of the table, so nothing is scored that is in neither half. *Tuned on* counts for ever: an item moves
//! from *kept* to *tuned* once a value was chosen, or refused, by a look at it, and never back.

use serde::{Deserialize, Serialize};

/// The table, as it was when this program was built: set, item, half, why.
const TABLE: &str = include_str!("split.tsv");

/// The half of a set that an item belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Half {
    /// Values were chosen on it.
    Tuned,
    /// It took no part.
    Kept,
}

impl Half {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Tuned, Self::Kept];

    /// `tuned` or `kept`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tuned => "tuned",
            Self::Kept => "kept",
        }
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitItem {
    /// The set.
    pub set: &'static str,
    /// The item, by a name that its set knows.
    pub item: &'static str,
    /// The half that it belongs to.
    pub half: Half,
    /// The reason.
    pub why: &'static str,
}

/// Every row, in the order of the table.
pub fn split() -> impl Iterator<Item = SplitItem> {
    TABLE.lines().skip(1).map(|line| {
        let cells: Vec<&'static str> = line.split('\t').collect();
        let [set, item, half, why] = cells[..] else { panic!("split.tsv should have four columns: {line}") };
        let half = Half::ALL.into_iter().find(|own| own.name() == half);
        SplitItem { set, item, half: half.expect("a half should be tuned or kept"), why }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scores::SETS;

    fn half_of(set: &str, item: &str) -> Half {
        let found = split().find(|own| own.set == set && own.item == item);
        found.unwrap_or_else(|| panic!("{set} should have {item}")).half
    }

    #[test]
    fn every_row_belongs_to_a_set_and_no_item_is_there_twice() {
        let rows: Vec<_> = split().collect();
        for (nth, row) in rows.iter().enumerate() {
            assert!(SETS.iter().any(|set| set.name == row.set), "{row:?}");
            assert!(!rows[..nth].iter().any(|own| (own.set, own.item) == (row.set, row.item)), "{row:?}");
            assert!(!row.why.is_empty(), "{row:?}");
        }
        for set in SETS {
            assert!(rows.iter().any(|row| row.set == set.name), "{} should have items", set.name);
        }
    }

    #[test]
    fn what_was_tuned_on_counts_for_ever() {
        for nth in (1..=381u32).step_by(20).filter(|nth| *nth != 261) {
            assert_eq!(half_of("meshes", &nth.to_string()), Half::Tuned);
            assert_eq!(half_of("meshes", &(nth + 2).to_string()), Half::Kept);
            assert_eq!(half_of("meshes", &(nth + 6).to_string()), Half::Tuned);
            assert_eq!(half_of("meshes", &(nth + 11).to_string()), Half::Kept);
        }
        let tuned = |set: &str| {
            split()
                .filter(|row| row.set == set && row.half == Half::Tuned)
                .map(|row| row.item)
                .collect::<Vec<_>>()
        };
        assert_eq!(tuned("nirep"), ["na02 → na01"]);
        assert_eq!(tuned("middlebury"), ["RubberWhale", "Grove2", "Urban2", "Dimetrodon"]);
        assert_eq!(tuned("stereo"), ["venus", "teddy", "tsukuba"]);
        assert_eq!(tuned("meshes").len(), 38);
        assert_eq!(split().filter(|row| row.set == "nirep").count(), 12);
    }
}
