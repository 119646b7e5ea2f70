//! BloscLZ: literals, and matches up to 8191 bytes back, or further with two bytes more.
//!
//! *Specification*: c-blosc, `blosclz.c`, `blosclz_decompress`.

/// Distance that the first 13 bits hold.
const MOST_DISTANCE: usize = 8191;

/// Fills `out`, whose length is known.
pub(super) fn decode(bytes: &[u8], out: &mut [u8]) -> Result<(), String> {
    let ends = || "a block beyond the end".to_owned();
    let mut input = bytes.iter().map(|&byte| usize::from(byte));
    let mut written = 0;
    // The first one is a literal, whatever its upper bits.
    let mut control = input.next().ok_or_else(ends)? & 31;
    loop {
        if control < 32 {
            for _ in 0..=control {
                let byte = input.next().ok_or_else(ends)?;
                *out.get_mut(written).ok_or_else(ends)? = byte as u8;
                written += 1;
            }
        } else {
            let (mut length, upper) = ((control >> 5) - 1, (control & 31) << 8);
            if length == 6 {
                loop {
                    let more = input.next().ok_or_else(ends)?;
                    length += more;
                    if more != 255 {
                        break;
                    }
                }
            }
            let lower = input.next().ok_or_else(ends)?;
            let mut distance = upper + lower;
            if distance == MOST_DISTANCE {
                let far = input.next().ok_or_else(ends)? << 8;
                distance += far + input.next().ok_or_else(ends)?;
            }
            let from = written.checked_sub(distance + 1).ok_or("a match before the beginning")?;
            let to = written + length + 3;
            if to > out.len() {
                return Err(ends());
            }
            for place in 0..length + 3 {
                out[written + place] = out[from + place];
            }
            written = to;
        }
        match input.next() {
            Some(next) => control = next,
            None if written == out.len() => return Ok(()),
            None => return Err("a block that is too short".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_matches() {
        let mut out = [0; 9];
        // Three literals, then six bytes from three back.
        decode(&[2, 1, 2, 3, 4 << 5, 2], &mut out).unwrap();
        assert_eq!(out, [1, 2, 3, 1, 2, 3, 1, 2, 3]);
        for bytes in [&[][..], &[5, 1], &[0, 1, 32, 9], &[0, 1]] {
            assert!(decode(bytes, &mut out).is_err(), "{bytes:?}");
        }
    }
}
