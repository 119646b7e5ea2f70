//! Zstandard frames, one after the other, with their checksums.

use super::TOO_LONG;
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;

/// All frames of these bytes.
pub(super) fn decode(mut bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    while !bytes.is_empty() {
        let mut frame = StreamingDecoder::new(&mut bytes).map_err(|error| error.to_string())?;
        let room = most as u64 + 1 - out.len() as u64;
        frame.by_ref().take(room).read_to_end(&mut out).map_err(|error| error.to_string())?;
        if out.len() > most {
            return Err(TOO_LONG.to_owned());
        }
        let (told, found) = (frame.decoder.get_checksum_from_data(), frame.decoder.get_calculated_checksum());
        if told.is_some() && told != found {
            return Err("another checksum".to_owned());
        }
    }
    Ok(out)
}
