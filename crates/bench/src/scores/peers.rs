//! What other programs reach on the same items: `peers.json`, which `benches/peers.py` writes.

use super::score::Score;
use serde::Deserialize;
use std::sync::LazyLock;

/// The file, as it was when this program was built.
const FILE: &str = include_str!("peers.json");

/// Scores of other programs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Peers {
    /// The programs with their versions, the machine, and the day.
    pub measured: String,
    /// The scores.
    pub scores: Vec<Score>,
}

/// The scores of other programs.
pub static PEERS: LazyLock<Peers> =
    LazyLock::new(|| serde_json::from_str(FILE).expect("peers.json should hold scores"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scores::{SETS, split};

    #[test]
    fn peers_are_scored_on_items_of_the_table_in_their_halves() {
        assert!(!PEERS.measured.is_empty() && !PEERS.scores.is_empty());
        for peer in &PEERS.scores {
            let found = split().find(|own| own.set == peer.set && own.item == peer.item);
            assert_eq!(found.map(|own| own.half), Some(peer.half), "{peer:?}");
            assert!(peer.error.is_finite() && peer.error >= 0.0, "{peer:?}");
            let set = SETS.iter().find(|set| set.name == peer.set).unwrap();
            assert!(!set.ways.contains(&peer.way.as_str()), "{peer:?} has the name of a way of ours");
        }
    }
}
