//! Vectors of samples that are used again: pages that are new to a process cost more than most of what is done with them.

/// Vectors that are used again. It keeps no more of them than were in use at once.
#[derive(Debug, Default)]
pub struct SampleMemory {
    free: Vec<Vec<f32>>,
}

impl SampleMemory {
    /// An empty vector with room for so many samples.
    pub fn room(&mut self, samples: usize) -> Vec<f32> {
        let by_room = |nth: &usize| self.free[*nth].capacity();
        let has_room = |nth: &usize| by_room(nth) >= samples;
        if let Some(nth) = (0..self.free.len()).filter(has_room).min_by_key(by_room) {
            return self.free.swap_remove(nth);
        }
        // One that is too small would not be asked for again.
        if let Some(nth) = (0..self.free.len()).max_by_key(by_room) {
            self.free.swap_remove(nth);
        }
        Vec::with_capacity(samples)
    }

    /// A vector of so many zeros.
    pub fn zeros(&mut self, samples: usize) -> Vec<f32> {
        let mut zeros = self.room(samples);
        zeros.resize(samples, 0.0);
        zeros
    }

    /// Takes a vector that is not needed any more.
    pub fn give_back(&mut self, mut samples: Vec<f32>) {
        samples.clear();
        self.free.push(samples);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_vector_with_room_is_used_again() {
        let mut memory = SampleMemory::default();
        let [mut large, small] = [memory.zeros(100), memory.zeros(10)];
        large[3] = 1.0;
        let places = [large.as_ptr(), small.as_ptr()];
        memory.give_back(large);
        memory.give_back(small);
        let [again, other] = [memory.zeros(9), memory.zeros(100)];
        assert_eq!([other.as_ptr(), again.as_ptr()], places);
        assert!(other.iter().all(|v| *v == 0.0) && other.len() == 100);
        memory.give_back(again);
        // In place of the one that is too small.
        memory.give_back(memory.free[0].clone());
        let larger = memory.room(20);
        assert!(larger.capacity() >= 20 && memory.free.len() == 1);
    }
}
