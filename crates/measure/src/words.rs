//! Sums as whole numbers of 64 bits: a measurement that is ended in between goes on where it was, bit by bit.

/// Sums whose state is a fixed count of numbers.
pub(crate) trait Words {
    /// Shows every number to `visit`, which may change it, always in the same order.
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64));

    /// Adds the numbers to those of other sums.
    fn put(&mut self, words: &mut Vec<u64>) {
        self.visit(&mut |word| words.push(*word));
    }

    /// Takes the numbers that [`put`](Self::put) gave; whether there were enough of them.
    fn take(&mut self, words: &mut dyn Iterator<Item = u64>) -> bool {
        let mut is_whole = true;
        self.visit(&mut |word| match words.next() {
            Some(own) => *word = own,
            None => is_whole = false,
        });
        is_whole
    }
}

impl Words for u64 {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        visit(self);
    }
}

impl Words for i64 {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        let mut word = self.cast_unsigned();
        visit(&mut word);
        *self = word.cast_signed();
    }
}

impl Words for usize {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        let mut word = *self as u64;
        visit(&mut word);
        *self = word as Self;
    }
}

impl Words for u32 {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        let mut word = u64::from(*self);
        visit(&mut word);
        *self = word as Self;
    }
}

impl Words for bool {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        let mut word = u64::from(*self);
        visit(&mut word);
        *self = word != 0;
    }
}

impl Words for f32 {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        let mut bits = self.to_bits();
        bits.visit(visit);
        *self = Self::from_bits(bits);
    }
}

impl Words for f64 {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        let mut bits = self.to_bits();
        visit(&mut bits);
        *self = Self::from_bits(bits);
    }
}

impl<T: Words> Words for [T] {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        self.iter_mut().for_each(|item| item.visit(visit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_with_all_of_their_bits() {
        let nan = f64::from_bits(0x7ff8_0000_0000_0123);
        let (mut ints, mut floats) = ([-3i64, i64::MAX], [f64::MIN_POSITIVE, -0.0, nan]);
        let (mut count, mut single, mut is_set) = (usize::MAX, f32::MIN, true);
        let mut words = Vec::new();
        ints.put(&mut words);
        floats.put(&mut words);
        [&mut count as &mut dyn Words, &mut single, &mut is_set]
            .into_iter()
            .for_each(|own| own.put(&mut words));
        let mut again = words.iter().copied();
        let (mut other_ints, mut other_floats) = ([0i64; 2], [0.0f64; 3]);
        assert!(other_ints.take(&mut again) && other_floats.take(&mut again));
        let (mut other_count, mut other_single, mut other_set) = (0usize, 0.0f32, false);
        assert!(other_count.take(&mut again) && other_single.take(&mut again) && other_set.take(&mut again));
        assert_eq!((other_ints, other_count, other_single, other_set), (ints, count, single, is_set));
        assert_eq!(other_floats.map(f64::to_bits), floats.map(f64::to_bits));
        assert!(!other_count.take(&mut again), "nothing is left");
    }
}
