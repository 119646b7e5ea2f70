//! The element types of buffers: f32, u32, i32, u16 and u8.

use bytemuck::Pod;
use std::fmt::Debug;

/// The type of a buffer's samples: `f32`, `u32`, `i32`, `u16` or `u8`.
pub trait Element: Pod + Debug + Default + PartialEq + Send + Sync + sealed::Sealed {}

/// The unit of device memory, four bytes: shaders access no smaller unit, and transfers move whole words.
pub(crate) type Word = u32;

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl Element for $type {}
    )*};
}

elements! { f32 u32 i32 u16 u8 }

/// Number of words that hold `len` elements.
pub(crate) fn words_of<T: Element>(len: usize) -> usize {
    len.saturating_mul(size_of::<T>()).div_ceil(size_of::<Word>())
}

/// The `len` elements that start at element `first` of `words`. Elements of four bytes are converted in place, without
/// a copy of the allocation.
pub(crate) fn elements_of<T: Element>(words: Vec<Word>, first: usize, len: usize) -> Vec<T> {
    match bytemuck::allocation::try_cast_vec(words) {
        Ok(mut all) => {
            all.truncate(first + len);
            all.drain(..first);
            all
        }
        Err((_, words)) => bytemuck::cast_slice(&words)[first..first + len].to_vec(),
    }
}

/// Elements of four bytes as words, without a copy; other elements are returned unchanged as the error.
pub(crate) fn try_words_of<T: Element>(elements: Vec<T>) -> Result<Vec<Word>, Vec<T>> {
    bytemuck::allocation::try_cast_vec(elements).map_err(|(_, elements)| elements)
}

/// Copies of the parts of `words` that follow each other, of so many words each.
pub(crate) fn parts_of(mut words: &[Word], lengths: impl Iterator<Item = usize>) -> Vec<Vec<Word>> {
    let part = |len| {
        let (part, rest) = words.split_at(len);
        words = rest;
        part.to_vec()
    };
    lengths.map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_come_out_of_words_as_they_went_in() {
        let bytes: Vec<u8> = (1..=10).collect();
        assert_eq!(words_of::<u8>(bytes.len()), 3);
        let mut words = vec![0; 3];
        bytemuck::cast_slice_mut(&mut words)[..10].copy_from_slice(&bytes);
        assert_eq!(elements_of::<u8>(words, 3, 5), [4, 5, 6, 7, 8]);
        let floats = try_words_of(vec![1.0f32, -2.0, f32::INFINITY]).unwrap();
        assert_eq!(elements_of::<f32>(floats, 1, 2), [-2.0, f32::INFINITY]);
        assert_eq!(try_words_of(vec![1u16, 2]), Err(vec![1, 2]));
    }
}
