//! Writes results in the types in which they were delivered.

use super::header;
use crate::error::Result;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use veloxel_core::{DeliveredSamples, DeliveredType};

/// Writes a `.npy` of a shape, the last axis fastest: the samples of `planes` one after the other, which are of one type.
///
/// # Errors
/// [`IoError::Write`](crate::IoError::Write), [`IoError::Stopped`](crate::IoError::Stopped); nothing is left behind.
///
/// # Panics
/// If the planes have other samples than the shape has places, or several types.
pub fn write_delivered(
    target: impl Into<Target>,
    shape: &[usize],
    planes: &[&DeliveredSamples],
) -> Result<()> {
    let kind = planes.first().map_or(DeliveredType::F32, |plane| plane.kind());
    let count: usize = planes.iter().map(|plane| plane.len()).sum();
    assert_eq!(count, shape.iter().product::<usize>(), "there should be a sample for each place");
    assert!(planes.iter().all(|plane| plane.kind() == kind), "an array should have one type");
    let name = match kind {
        DeliveredType::F32 => "<f4",
        DeliveredType::F16 => "<f2",
        DeliveredType::U8 => "|u1",
    };
    whole_file::write(&target.into(), |file| {
        file.write_all(&header::text(name, shape))?;
        for plane in planes {
            if cfg!(target_endian = "little") {
                file.write_all(plane.as_bytes())?;
            } else {
                let turned =
                    plane.as_bytes().chunks_exact(kind.bytes()).flat_map(|sample| sample.iter().rev());
                file.write_all(&turned.copied().collect::<Vec<u8>>())?;
            }
        }
        Ok(())
    })
}
