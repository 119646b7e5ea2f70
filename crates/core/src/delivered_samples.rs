//! Samples of a result in the type in which they are delivered.

use std::fmt;

/// The type of samples in which a result is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeliveredType {
    /// Four bytes, IEEE 754 binary32.
    #[default]
    F32,
    /// Two bytes, IEEE 754 binary16.
    F16,
    /// One byte.
    U8,
}

impl DeliveredType {
    /// All types, the widest first.
    pub const ALL: [Self; 3] = [Self::F32, Self::F16, Self::U8];

    /// Bytes of a sample.
    pub const fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
            Self::U8 => 1,
        }
    }

    /// Its name: `f32`, `f16` or `u8`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::U8 => "u8",
        }
    }

    /// The type of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for DeliveredType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Samples of a result, the first in the lowest bytes of the first word.
#[derive(Clone, PartialEq, Eq)]
pub struct DeliveredSamples {
    kind: DeliveredType,
    len: usize,
    words: Vec<u32>,
}

impl DeliveredSamples {
    /// Takes words that hold `len` samples of a type.
    ///
    /// # Panics
    /// If the words are not as many as these samples need.
    pub fn new(kind: DeliveredType, len: usize, words: Vec<u32>) -> Self {
        assert_eq!(words.len(), (len * kind.bytes()).div_ceil(4), "the words should be those of the samples");
        Self { kind, len, words }
    }

    /// Their type.
    pub fn kind(&self) -> DeliveredType {
        self.kind
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes of all samples, in the order of the machine.
    pub fn as_bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len * self.kind.bytes()]
    }

    /// Samples of four bytes; none where they are of another type.
    pub fn as_f32(&self) -> Option<&[f32]> {
        (self.kind == DeliveredType::F32).then(|| bytemuck::cast_slice(&self.words))
    }

    /// The bits of samples of two bytes (binary16); none where they are of another type.
    pub fn as_f16_bits(&self) -> Option<&[u16]> {
        (self.kind == DeliveredType::F16).then(|| &bytemuck::cast_slice(&self.words)[..self.len])
    }

    /// Samples of one byte; none where they are of another type.
    pub fn as_u8(&self) -> Option<&[u8]> {
        (self.kind == DeliveredType::U8).then(|| self.as_bytes())
    }

    /// The memory, for those who use it again.
    pub fn into_words(self) -> Vec<u32> {
        self.words
    }
}

impl fmt::Debug for DeliveredSamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} samples of {}", self.len, self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_seen_in_their_own_type_alone() {
        let bytes = DeliveredSamples::new(DeliveredType::U8, 5, vec![0x0403_0201, 5]);
        assert_eq!((bytes.as_u8(), bytes.as_f16_bits()), (Some(&[1, 2, 3, 4, 5][..]), None));
        let halves = DeliveredSamples::new(DeliveredType::F16, 3, vec![0x0002_0001, 3]);
        assert_eq!((halves.as_f16_bits(), halves.as_u8()), (Some(&[1, 2, 3][..]), None));
        let whole = DeliveredSamples::new(DeliveredType::F32, 1, vec![1.5f32.to_bits()]);
        assert_eq!((whole.as_f32(), whole.as_bytes().len()), (Some(&[1.5][..]), 4));
    }

    #[test]
    #[should_panic(expected = "the words should be those of the samples")]
    fn words_of_another_number_of_samples_are_a_mistake() {
        DeliveredSamples::new(DeliveredType::F16, 3, vec![0]);
    }
}
