//! Positions of points over time as NumPy's array: `[frames, points, 2]`, 32-bit floats, columns x and y.

use crate::error::Result;
use crate::formats::npy::header;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;

/// Where a point is in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointPosition {
    /// The number of the frame, from 0 on.
    pub frame: usize,
    /// The number of the point, from 0 on.
    pub point: usize,
    /// x and y, pixels; NaN where there is no position.
    pub at_px: [f32; 2],
}

/// How many frames and points there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionCounts {
    /// Frames.
    pub frames: usize,
    /// Points.
    pub points: usize,
}

/// Writes positions, which come frame by frame; a point is NaN in the frames in which it has none.
///
/// # Errors
/// [`IoError::Write`](crate::IoError::Write). Nothing is left behind then.
///
/// # Panics
/// If a frame comes after a later one, or a number of a frame or a point is too large.
pub fn write_positions(
    target: impl Into<Target>,
    counts: PositionCounts,
    positions: impl IntoIterator<Item = PointPosition>,
) -> Result<()> {
    let target = target.into();
    let PositionCounts { frames, points } = counts;
    let control = target.files().control().clone();
    whole_file::write(&target, |file| {
        file.write_all(&header::text("<f4", &[frames, points, 2]))?;
        let mut positions = positions.into_iter().peekable();
        for frame in 0..frames {
            control.check().map_err(std::io::Error::other)?;
            let mut row = vec![[f32::NAN; 2]; points];
            while let Some(next) = positions.next_if(|next| next.frame <= frame) {
                assert_eq!(next.frame, frame, "frames should come in order");
                row[next.point] = next.at_px;
            }
            let bytes: Vec<u8> = row.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
            file.write_all(&bytes)?;
        }
        assert!(positions.next().is_none(), "every frame should be one of those that there are");
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Strictness, read_sequence};
    use veloxel_core::Warnings;

    #[test]
    fn points_are_nan_where_they_have_no_position() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.npy");
        let at = |frame, point, x: f32| PointPosition { frame, point, at_px: [x, 2.0 * x] };
        let positions = [at(0, 1, 5.0), at(0, 0, 3.0), at(2, 1, 7.0)];
        write_positions(path.as_path(), PositionCounts { frames: 3, points: 2 }, positions).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let head = String::from_utf8_lossy(&bytes[..128]);
        assert!(head.contains("(3, 2, 2)"), "{head}");
        let numbers: Vec<f32> =
            bytes[bytes.len() - 48..].as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        assert_eq!(numbers[..4], [3.0, 6.0, 5.0, 10.0]);
        assert!(numbers[4..10].iter().all(|v| v.is_nan()) && numbers[10..] == [7.0, 14.0]);
        assert!(read_sequence(&path, Strictness::Lenient, &mut Warnings::new()).is_err(), "it is no image");
    }
}
