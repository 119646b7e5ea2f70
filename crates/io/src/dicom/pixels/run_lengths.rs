//! Run lengths of DICOM, looked through before they are decoded: the decoder takes a header's word.
//!
//! *Specification*: DICOM PS3.5, annex G.

/// Bytes of a header: how many segments, and where up to 15 of them begin.
const HEADER: usize = 64;

/// A sentence if run lengths cannot be decoded into so many pixels.
pub(super) fn fault_of(fragment: &[u8], pixels: usize) -> Option<String> {
    let words = fragment.get(..HEADER).map(|header| header.as_chunks::<4>().0);
    let Some(words) = words else {
        return Some(format!("{} bytes of run lengths, whose header alone has {HEADER}", fragment.len()));
    };
    let word = |nth: usize| u32::from_le_bytes(words[nth]) as usize;
    let count = word(0);
    if !(1..=15).contains(&count) {
        return Some(format!("{count} segments of run lengths instead of 1 to 15"));
    }
    (0..count).find_map(|nth| {
        let end = if nth + 1 < count { word(nth + 2) } else { fragment.len() };
        let Some(segment) = fragment.get(word(nth + 1)..end) else {
            return Some(format!("segment {nth} of the run lengths lies outside of them"));
        };
        let found = unpacked(segment);
        (found < pixels).then(|| format!("segment {nth} of the run lengths has {found} of {pixels} pixels"))
    })
}

/// How many bytes a segment unpacks to; what is cut short does not count.
fn unpacked(segment: &[u8]) -> usize {
    let (mut at, mut found) = (0, 0);
    while let Some(&head) = segment.get(at) {
        let (taken, given) = match head {
            0..128 => (usize::from(head) + 1, usize::from(head) + 1),
            128 => (0, 0),
            129.. => (1, 257 - usize::from(head)),
        };
        at += 1 + taken;
        if at > segment.len() {
            break;
        }
        found += given;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(words: &[(usize, u32)], segments: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0u8; HEADER];
        for (nth, word) in words {
            bytes[4 * nth..4 * nth + 4].copy_from_slice(&word.to_le_bytes());
        }
        bytes.extend(segments);
        bytes
    }

    #[test]
    fn what_cannot_be_unpacked_is_said() {
        // Twelve times 1; four bytes as they are, nothing, and eight times 2.
        let whole = stream(&[(0, 2), (1, 64), (2, 66)], &[245, 1, 3, 9, 8, 7, 6, 128, 249, 2]);
        assert_eq!(fault_of(&whole, 12), None);
        for length in 0..whole.len() {
            assert!(fault_of(&whole[..length], 12).is_some(), "{length}");
        }
        assert!(fault_of(&whole, 13).is_some_and(|text| text.contains("12 of 13")));
        for words in [[(0, 0), (1, 64)], [(0, u32::MAX), (1, 64)], [(0, 1), (1, 900)]] {
            assert!(fault_of(&stream(&words, &[245, 1]), 12).is_some());
        }
    }
}
