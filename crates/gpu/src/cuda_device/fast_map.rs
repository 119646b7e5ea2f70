//! Maps whose keys the program makes itself: addresses, lengths, bits of constants. No attacker can choose keys that collide,
//! and a look-up for every launch should take less time than the launch.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map with [`Mixed`] keys.
pub(super) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Mixed>>;

/// A hash of one multiplication a word, whose upper half is folded onto the lower one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(size_of::<u64>()) {
            let mut word = [0; size_of::<u64>()];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_ne_bytes(word));
        }
    }
    fn write_u64(&mut self, word: u64) {
        // 2^64 over the golden ratio.
        let product = u128::from(self.0 ^ word ^ 0x2545_f491_4f6c_dd1d) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::{FastMap, Mixed};
    use std::collections::HashSet;
    use std::hash::Hasher;

    #[test]
    fn addresses_of_pages_spread_over_a_small_table() {
        let slot = |address: u64| {
            let mut hash = Mixed::default();
            hash.write_u64(address);
            hash.finish() % 128
        };
        let slots: HashSet<u64> = (0..64).map(|page| slot(0x7f00_0000_0000 + 4096 * page)).collect();
        assert!(slots.len() > 38, "{}", slots.len());
    }

    #[test]
    fn keys_are_found_again() {
        let mut map: FastMap<Vec<(usize, [u32; 3])>, usize> = FastMap::default();
        let key = |n: usize| vec![(n, [n as u32, 1, 2]), (7, [0; 3])];
        (0..1000).for_each(|n| assert_eq!(map.insert(key(n), n), None));
        assert!((0..1000).all(|n| map.get(&key(n)) == Some(&n)));
        assert_eq!(map.get(&key(1000)), None);
    }
}
