//! Where the method's own flow explains the images better than the flow from matches.
//!
//! Matches of a texture that repeats agree in both directions and with their neighbours, a period beside the truth. What does not
//! repeat (noise of the texture, light, what lies around) tells: the moving image is seen through both flows, and voxels where
//! these differ vote for the one whose census differs less, in a window. Where nearly all votes around are for the method's own
//! flow, it stands.

use super::search::{CENSUS_SIGMA_VOX, CENSUS_THRESHOLD};
use super::{Work, smoothed};
use crate::error::Result;
use crate::steps::buffers::written;
use crate::steps::moving_image::{FinerImage, MovingImage};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{Multiply, Operation};
use veloxel_kernels::image::warp::{Border, Interpolation};
use veloxel_kernels::image::window_sum::WindowSum;
use veloxel_kernels::matching::census::Census;
use veloxel_kernels::matching::preference::{Contrast, Votes};

/// Bits of a code that count at most, as in the search.
const MOST_BITS: u32 = 9;
/// Half width of the window in which a voxel's codes are compared, in pictures and in volumes, voxels.
const REACH_VOX: [usize; 2] = [4, 2];
/// Bits a voxel by which its window must differ for it to vote.
const MARGIN_BITS: f32 = 0.1;
/// Distance of two vectors from which on their voxel votes, voxels.
const APART_VOX: f32 = 1.0;

/// Half width of a window of votes in pictures and in volumes, voxels, and the share of its votes that decides: both on a plateau.
pub(super) struct Majority {
    pub around_vox: [usize; 2],
    pub least_share: f32,
}

/// Any of these is enough. The wide one decides where all votes are far away as well: outside of the moving image, say.
pub(super) const MAJORITIES: [Majority; 2] = [
    Majority { around_vox: [56, 24], least_share: 0.8 },
    Majority { around_vox: [24, 10], least_share: 0.9 },
];

/// Votes between two flows.
pub(super) struct Preference {
    /// 1 where a voxel votes for the first one.
    pub for_first: Buffer,
    /// 1 where a voxel votes.
    pub all: Buffer,
}

impl Preference {
    /// The votes between two fields of a pair, within its mask.
    pub fn between(work: &Work<'_>, fields: [&[Buffer]; 2]) -> Result<Self> {
        let (device, shape) = (work.device, work.shape());
        let fixed_codes = codes(device, work.images[0], shape)?;
        let moving = MovingImage::new(
            device,
            work.images[1],
            work.grid,
            work.grid,
            Interpolation::CubicSpline,
            FinerImage::Smoothed,
        )?;
        let seen = |field: &[Buffer]| -> Result<Buffer<u32>> {
            let mut warped = moving.warp(field, Border::Unbounded)?;
            // What is unknown does not vote; codes are of numbers.
            Operation::MapAffine { gain: 1.0, offset: 0.0 }.on(&mut warped).run(device)?;
            Ok(codes(device, &warped, shape)?)
        };
        let [first, second] = [seen(fields[0])?, seen(fields[1])?];
        let contrast = written(device, shape.len(), |out| {
            let (fixed_codes, seen_codes) = (&fixed_codes, [&first, &second]);
            Contrast { shape, most_bits: MOST_BITS, fields, fixed_codes, seen_codes, out }.run(device)
        })?;
        drop((fixed_codes, first, second));
        let reach = REACH_VOX[shape.components() - 2];
        let contrast = written(device, shape.len(), |output| {
            WindowSum { shape, radius: [reach; 3], input: &contrast, output }.run(device)
        })?;
        let margin = MARGIN_BITS * (2 * reach + 1).pow(shape.components() as u32) as f32;
        let [mut for_first, mut all] = [device.scratch(shape.len())?, device.scratch(shape.len())?];
        let votes = Votes {
            shape,
            apart: APART_VOX,
            margin,
            fields,
            contrast: &contrast,
            for_first: &mut for_first,
            all: &mut all,
        };
        votes.run(device)?;
        if let Some(mask) = work.sides.masks[0] {
            for out in [&mut for_first, &mut all] {
                Multiply { factor: &mask.weight, out }.run(device)?;
            }
        }
        Ok(Self { for_first, all })
    }
}

/// The census of an image in 0..1.
fn codes(device: &Device, image: &Buffer, shape: Shape) -> Result<Buffer<u32>, ComputeError> {
    let smooth = smoothed(device, image, shape, CENSUS_SIGMA_VOX)?;
    written(device, shape.len(), |codes| {
        Census { shape, threshold: CENSUS_THRESHOLD, image: &smooth, start: 0, margin: 0, codes }.run(device)
    })
}
