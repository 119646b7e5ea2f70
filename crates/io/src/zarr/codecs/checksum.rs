//! CRC-32C (Castagnoli), little-endian behind the bytes.

/// Bytes of a checksum.
pub(crate) const CHECKSUM_BYTES: usize = 4;

/// Remainders of all bytes, for the polynomial 0x1EDC6F41 with the lowest bit first.
const TABLE: [u32; 256] = {
    let (mut table, mut byte) = ([0; 256], 0);
    while byte < 256 {
        let (mut remainder, mut bit) = (byte as u32, 0);
        while bit < 8 {
            remainder = if remainder & 1 == 1 { remainder >> 1 ^ 0x82f6_3b78 } else { remainder >> 1 };
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
};

/// The checksum of these bytes.
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| TABLE[usize::from(crc as u8 ^ byte)] ^ crc >> 8;
    !bytes.iter().fold(!0, step)
}

/// The bytes before their checksum, if it is right.
pub(super) fn checked(bytes: &[u8]) -> Result<&[u8], String> {
    let Some((content, checksum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
        return Err("fewer than 4".to_owned());
    };
    let is_right = crc32c(content).to_le_bytes() == *checksum;
    if is_right { Ok(content) } else { Err("another checksum".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_catalogue() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        let mut bytes = b"123456789".to_vec();
        bytes.extend(0xe306_9283u32.to_le_bytes());
        assert_eq!(checked(&bytes), Ok(&b"123456789"[..]));
        bytes[0] ^= 1;
        assert!(checked(&bytes).is_err() && checked(b"123").is_err());
    }
}
