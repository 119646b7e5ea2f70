//! Numbers in elements whose type a file does not say: their bytes, as their writers are known to store them.

/// How a value is stored where its type is not said.
#[derive(Clone, Copy)]
pub(super) enum Stored {
    /// Digits, with backslashes between values.
    Text,
    /// 16 bits with a sign.
    I16,
    F32,
    F64,
}

/// The first `N` values that bytes hold.
pub(super) fn values<const N: usize>(bytes: &[u8], stored: Stored) -> Option<[f64; N]> {
    let values: Vec<f64> = match stored {
        Stored::Text => {
            let texts = std::str::from_utf8(bytes).ok()?.split('\\');
            let number =
                |text: &str| text.trim_matches(|c: char| c.is_whitespace() || c == '\0').parse().ok();
            texts.take(N).map(number).collect::<Option<_>>()?
        }
        Stored::I16 => bytes.as_chunks().0.iter().map(|two| f64::from(i16::from_le_bytes(*two))).collect(),
        Stored::F32 => bytes.as_chunks().0.iter().map(|four| f64::from(f32::from_le_bytes(*four))).collect(),
        Stored::F64 => bytes.as_chunks().0.iter().map(|eight| f64::from_le_bytes(*eight)).collect(),
    };
    values.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_without_a_type_are_values_of_their_elements() {
        assert_eq!(values(b"1000000800\\8\\0\\0 ", Stored::Text), Some([1_000_000_800.0]));
        assert_eq!(values(b" 500\0", Stored::Text), Some([500.0]));
        assert_eq!(values(&500f32.to_le_bytes(), Stored::F32), Some([500.0]));
        assert_eq!(values(&[0; 4], Stored::F32), Some([0.0]));
        assert_eq!(values(&[3, 0], Stored::I16), Some([3.0]));
        assert_eq!(values::<3>(&[0; 24], Stored::F64), Some([0.0; 3]));
        assert_eq!(values::<1>(&[3], Stored::I16), None);
        assert_eq!(values::<1>(b"abc", Stored::Text), None);
    }
}
