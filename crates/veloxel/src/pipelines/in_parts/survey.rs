//! One pass over an image that is not in memory, in which everything is found that its preparation asks for.

use crate::pipelines::dense::DenseError;
use crate::pipelines::prepare::looked_at::GatheredSamples;
use crate::pipelines::prepare::sentinels::first_not_plain;
use crate::{Result, Session};
use veloxel_core::{Grid, GridBox};
use veloxel_motion::ImageBoxes;

/// What was found.
pub(super) struct Survey {
    /// The samples that preparation looks at.
    pub looked_at: GatheredSamples,
    /// The largest sample, or 0.
    pub largest: f32,
    /// A checksum of all samples in their order.
    pub checksum: u64,
}

/// Reads an image once, so many samples at a time, and gathers those of some indices.
///
/// # Errors
/// [`DenseError::InParts`] for a sample that is no number or stands for no data; what reading fails with.
pub(super) fn survey(
    image: &dyn ImageBoxes,
    name: &str,
    indices: Vec<usize>,
    most_samples: usize,
    session: &Session,
) -> Result<Survey> {
    let grid = image.grid();
    let looked_at = GatheredSamples::of(grid.clone(), indices);
    let mut found = Survey { looked_at, largest: 0.0, checksum: FIRST };
    for slab in slabs(grid, most_samples) {
        session.control().check()?;
        let samples = image.samples(slab)?;
        let first = grid.index(slab.begin);
        if let Some(nth) = first_not_plain(&samples) {
            let (value, position) = (samples[nth], grid.position(first + nth));
            let what = format!(
                "take samples that are no numbers or beyond ±1e15: {name} has {value:e} at voxel (x, y, z) = {position:?}"
            );
            return Err(DenseError::in_parts(&what, session.max_memory_bytes()).into());
        }
        found.largest = samples.iter().copied().fold(found.largest, f32::max);
        found.checksum = samples.iter().fold(found.checksum, |sum, v| mixed(sum, v.to_bits()));
        found.looked_at.gather(first, &samples);
    }
    Ok(found)
}

/// The slabs of a grid along its last axis, of so many samples at most.
fn slabs(grid: &Grid, most_samples: usize) -> impl Iterator<Item = GridBox> {
    let (size, axis) = (grid.size(), grid.dimension().count() - 1);
    let across = grid.len() / size[axis];
    let thickness = (most_samples / across).clamp(1, size[axis]);
    (0..size[axis]).step_by(thickness).map(move |begin| {
        let mut slab = GridBox::all(size);
        (slab.begin[axis], slab.size[axis]) = (begin, thickness.min(size[axis] - begin));
        slab
    })
}

/// The checksum of nothing, and the factor of FNV-1a (Fowler, Noll, Vo) in 64 bits, here a sample at a time.
const FIRST: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0000_0100_0000_01b3;

fn mixed(sum: u64, bits: u32) -> u64 {
    // The rotation brings high bits, which the product leaves alone, to where it does not.
    ((sum ^ u64::from(bits)).wrapping_mul(FACTOR)).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipelines::prepare::looked_at::LookedAt;
    use veloxel_core::Volume;
    use veloxel_gpu::Device;

    #[test]
    fn slabs_of_any_thickness_find_the_same() {
        let session = Session::on(Device::cpu(1).unwrap());
        let grid = Grid::volume(7, 5, 9).unwrap();
        let image = Volume::from_fn(grid.clone(), |[x, y, z]| ((x * 3 + y * 5 + z * 7) % 11) as f32);
        let of = |most| survey(&image, "FIXED", vec![300, 0, 71], most, &session).unwrap();
        let (one, whole) = (of(1), of(usize::MAX));
        assert_eq!((one.largest, one.checksum), (10.0, whole.checksum));
        for index in [0, 71, 300] {
            assert_eq!(one.looked_at.at(index), image.data()[index]);
        }
        let mut other = image.clone();
        other.data_mut().swap(3, 4);
        assert_ne!(survey(&other, "FIXED", Vec::new(), 1, &session).unwrap().checksum, whole.checksum);
        other.data_mut()[100] = f32::NAN;
        let refused = survey(&other, "FIXED", Vec::new(), 1, &session).err().unwrap().to_string();
        assert!(refused.contains("FIXED has NaN at voxel (x, y, z) = [2, 4, 2]"), "{refused}");
    }
}
