//! What other programs reach on the same items: `peers.json`, which `benches/peers.py` writes.

use super::score::Score;
use std::sync::LazyLock;

/// The file, as it was when this program was built.
const FILE: &str = include_str!("peers.json");

/// The scores of other programs; each says with which versions, where and when it was measured.
pub static PEERS: LazyLock<Vec<Score>> =
    LazyLock::new(|| serde_json::from_str(FILE).expect("peers.json should hold scores"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scores::{SETS, split};

    #[test]
    fn peers_are_scored_on_items_of_the_table_in_their_halves() {
        assert!(!PEERS.is_empty());
        for peer in PEERS.iter() {
            assert!(!peer.measured.is_empty(), "{peer:?}");
            let found = split().find(|own| own.set == peer.set && own.item == peer.item);
            assert_eq!(found.map(|own| own.half), Some(peer.half), "{peer:?}");
            assert!(peer.error.is_finite() && peer.error >= 0.0, "{peer:?}");
            let set = SETS.iter().find(|set| set.name == peer.set).unwrap();
            assert!(peer.further.len() <= set.further.len(), "{peer:?}");
            assert!(!set.ways.contains(&peer.way.as_str()), "{peer:?} has the name of a way of ours");
        }
    }
}
