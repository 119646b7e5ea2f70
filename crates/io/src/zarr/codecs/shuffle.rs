//! Bytes, or bits, of samples ordered by their place in the sample.

/// Puts bytes back that stand by their place in samples of `size` bytes; a rest shorter than a sample stands at the end.
pub(super) fn unshuffle(shuffled: &[u8], size: usize, out: &mut [u8]) {
    let count = shuffled.len() / size;
    for place in 0..size {
        let column = &shuffled[place * count..(place + 1) * count];
        out[place..].iter_mut().step_by(size).zip(column).for_each(|(out, &byte)| *out = byte);
    }
    out[count * size..].copy_from_slice(&shuffled[count * size..]);
}

/// Orders bytes by their place in samples of `size` bytes.
pub(super) fn shuffle(plain: &[u8], size: usize, out: &mut [u8]) {
    let count = plain.len() / size;
    for place in 0..size {
        let column = &mut out[place * count..(place + 1) * count];
        column.iter_mut().zip(plain[place..].iter().step_by(size)).for_each(|(out, &byte)| *out = byte);
    }
    out[count * size..].copy_from_slice(&plain[count * size..]);
}

/// Puts bits back that stand by their place in samples of `size` bytes, eight samples a byte; what are no eight samples stands as it
/// is.
pub(super) fn unshuffle_bits(shuffled: &[u8], size: usize, out: &mut [u8]) {
    let count = shuffled.len() / size;
    if !count.is_multiple_of(8) {
        out.copy_from_slice(shuffled);
        return;
    }
    let row = count / 8;
    for byte in 0..size {
        for eight in 0..row {
            let mut samples = [0u8; 8];
            for bit in 0..8 {
                let bits = shuffled[(byte * 8 + bit) * row + eight];
                for (nth, sample) in samples.iter_mut().enumerate() {
                    *sample |= (bits >> nth & 1) << bit;
                }
            }
            for (nth, sample) in samples.iter().enumerate() {
                out[(8 * eight + nth) * size + byte] = *sample;
            }
        }
    }
    out[count * size..].copy_from_slice(&shuffled[count * size..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_by_their_place() {
        let mut out = [0; 7];
        unshuffle(&[1, 3, 5, 2, 4, 6, 9], 2, &mut out);
        assert_eq!(out, [1, 2, 3, 4, 5, 6, 9]);
        let mut back = [0; 7];
        shuffle(&out, 2, &mut back);
        assert_eq!(back, [1, 3, 5, 2, 4, 6, 9]);
    }

    #[test]
    fn bits_by_their_place() {
        // Eight samples of one byte: the n-th has the bit n alone.
        let mut out = [0; 9];
        unshuffle_bits(&[1, 2, 4, 8, 16, 32, 64, 128], 1, &mut out[..8]);
        assert_eq!(out[..8], [1, 2, 4, 8, 16, 32, 64, 128]);
        unshuffle_bits(&[0xff, 0, 0, 0, 0, 0, 0, 1], 1, &mut out[..8]);
        assert_eq!(out[..8], [129, 1, 1, 1, 1, 1, 1, 1]);
        unshuffle_bits(&[1, 2, 3], 1, &mut out[..3]);
        assert_eq!(out[..3], [1, 2, 3]);
    }
}
