//! The filters of PNG's rows, and the choice among them: bytes become differences to their neighbours, which pack better.
//!
//! *Specification*: PNG, third edition, chapter 9 (filters) and 12.7 (the choice by the smallest sum of absolute differences).

/// What a byte is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filter {
    /// The byte of the pixel on the left.
    Left = 1,
    /// The byte above.
    Above = 2,
    /// Their mean.
    Mean = 3,
    /// Whichever of left, above and above left is nearest to `left + above - above left`.
    Nearest = 4,
}

/// In the order in which they are tried; of equals the last one is taken.
const TRIED: [Filter; 4] = [Filter::Above, Filter::Left, Filter::Mean, Filter::Nearest];

/// Two rows of pixels.
pub(super) struct Rows<'a> {
    /// The row.
    pub row: &'a [u8],
    /// The row above it; zeros above the first.
    pub above: &'a [u8],
    /// Bytes of a pixel.
    pub pixel_bytes: usize,
}

impl Rows<'_> {
    /// Writes the filtered row to `out`; the number of its filter, which stands in front of it.
    pub fn filter(&self, out: &mut [u8]) -> u8 {
        let (mut best, mut least) = (Filter::Above, u64::MAX);
        for filter in TRIED {
            self.apply(filter, out);
            let sum = out.iter().map(|&byte| u64::from(byte.cast_signed().unsigned_abs())).sum();
            if sum <= least {
                (best, least) = (filter, sum);
            }
            if sum == 0 {
                return best as u8;
            }
        }
        if best != Filter::Nearest {
            self.apply(best, out);
        }
        best as u8
    }

    fn apply(&self, filter: Filter, out: &mut [u8]) {
        match filter {
            Filter::Left => self.differences(out, |[left, _, _]| left),
            Filter::Above => self.differences(out, |[_, above, _]| above),
            Filter::Mean => {
                self.differences(out, |[left, above, _]| ((u16::from(left) + u16::from(above)) / 2) as u8);
            }
            Filter::Nearest => self.differences(out, nearest),
        }
    }

    /// What is left of every byte without what is predicted from the bytes left, above, and above left; 0 outside of the picture.
    fn differences(&self, out: &mut [u8], predicted: impl Fn([u8; 3]) -> u8) {
        let (first, rest) = out.split_at_mut(self.pixel_bytes);
        for ((out, &own), &above) in first.iter_mut().zip(self.row).zip(self.above) {
            *out = own.wrapping_sub(predicted([0, above, 0]));
        }
        let (own, above) = (&self.row[self.pixel_bytes..], &self.above[self.pixel_bytes..]);
        let lefts = self.row.iter().zip(self.above);
        for (((out, &own), &above), (&left, &corner)) in rest.iter_mut().zip(own).zip(above).zip(lefts) {
            *out = own.wrapping_sub(predicted([left, above, corner]));
        }
    }
}

fn nearest([left, above, corner]: [u8; 3]) -> u8 {
    let [l, a, c] = [left, above, corner].map(i16::from);
    let (to_left, to_above, to_corner) = ((a - c).abs(), (l - c).abs(), (l + a - 2 * c).abs());
    if to_left <= to_above && to_left <= to_corner {
        left
    } else if to_above <= to_corner {
        above
    } else {
        corner
    }
}
