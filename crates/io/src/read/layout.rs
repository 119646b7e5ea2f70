//! The layout that the header of a volume format describes, and the [`Content`] that is made of its samples.

use crate::content::Content;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{Element, Stored};
use crate::read::geometry::WorldAxes;
use crate::read::luminance::{Channels, Picture, Samples};
use veloxel_core::matrix3::apply;
use veloxel_core::{Dimension, Flow, Grid};

/// What several components in one voxel mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Scalar,
    Colour(Channels),
    /// A displacement in mm, one component an axis of the grid.
    Vector(WorldAxes),
}

impl Meaning {
    /// What channels that a header leaves unnamed stand for: colour if they are 3 or 4 small integers, else vectors.
    pub(crate) fn of_channels(
        channels: usize,
        element: Element,
        dimension: Dimension,
        context: &Context,
    ) -> Result<Self> {
        match (channels, element) {
            (1, _) => Ok(Self::Scalar),
            (3, Element::U8 | Element::U16) => Ok(Self::Colour(Channels::Rgb)),
            (4, Element::U8 | Element::U16) => Ok(Self::Colour(Channels::Rgba)),
            (n, Element::F32 | Element::F64) if n == dimension.count() => Ok(Self::Vector(WorldAxes::Lps)),
            _ => Err(context.unsupported(
                format!("{channels} channels of {} in a {}-D image", element.name(), dimension.count()),
                "displacement fields have one floating-point channel an axis",
            )),
        }
    }
}

/// Whether frames or components of one voxel stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrangement {
    Planar,
    Interleaved,
}

/// Which axis of the grid runs fastest in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AxisOrder {
    /// x, then y, then z; frames last.
    XFastest,
    /// Frames first, then z, then y; x last.
    XSlowest,
}

#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub grid: Grid,
    pub meaning: Meaning,
    pub arrangement: Arrangement,
    /// The order of the axes, for scalar samples.
    pub axis_order: AxisOrder,
    pub frames: usize,
    pub frame_interval_ms: Option<f64>,
    pub stored: Stored,
}

/// What a frame of a sequence takes beside its samples: a file can hold very many small ones.
const FRAME_BYTES: u64 = 512;

impl Layout {
    pub fn components(&self) -> usize {
        match self.meaning {
            Meaning::Scalar => 1,
            Meaning::Colour(channels) => channels.count(),
            Meaning::Vector(_) => self.grid.dimension().count(),
        }
    }

    /// Samples in the file.
    pub(crate) fn sample_count(&self, context: &Context) -> Result<usize> {
        self.grid
            .len()
            .checked_mul(self.components())
            .and_then(|n| n.checked_mul(self.frames))
            .ok_or_else(|| context.malformed("size", "a product below 2^64", "more"))
    }

    /// Bytes that the samples take when they are not compressed.
    pub(crate) fn sample_bytes(&self, context: &Context) -> Result<u64> {
        (self.sample_count(context)? as u64)
            .checked_mul(self.stored.element.bytes() as u64)
            .ok_or_else(|| context.malformed("size", "a product below 2^64", "more"))
    }

    /// The samples with x fastest and frames last.
    pub(crate) fn in_axis_order(&self, samples: Vec<f32>, context: &Context) -> Result<Vec<f32>> {
        if self.axis_order == AxisOrder::XFastest {
            return Ok(samples);
        }
        let ([nx, ny, nz], frames) = (self.grid.size(), self.frames);
        let mut turned = context.room_for(samples.len())?;
        for t in 0..frames {
            for z in 0..nz {
                context.check()?;
                for y in 0..ny {
                    turned.extend((0..nx).map(|x| samples[t + frames * (z + nz * (y + ny * x))]));
                }
            }
        }
        Ok(turned)
    }

    /// Puts the decoded samples on the grid.
    pub fn content(self, samples: Vec<f32>, context: &mut Context) -> Result<Content> {
        let is_plain = self.frames <= 1 || self.meaning == Meaning::Scalar;
        let hint = "split it into one file a frame, or convert it to scalars";
        context.support(is_plain, "a sequence of vectors or colours", hint)?;
        let samples = self.in_axis_order(samples, context)?;
        match self.meaning {
            Meaning::Scalar => {
                if self.frames > 1 {
                    let own_bytes = (self.frames as u64).saturating_mul(FRAME_BYTES);
                    context.claim(own_bytes.saturating_add(size_of_val(&samples[..]) as u64))?;
                }
                let frames = planes(samples, self.frames, self.arrangement, context)?.into_iter();
                let frames = frames.map(|samples| context.volume(self.grid.clone(), samples));
                Content::of_frames(frames.collect::<Result<_>>()?, self.frame_interval_ms, context)
            }
            Meaning::Colour(channels) => {
                context.claim(size_of_val(&samples[..]) as u64)?;
                let samples = match self.arrangement {
                    Arrangement::Interleaved => samples,
                    Arrangement::Planar => interleave(&samples, channels.count()),
                };
                let opaque = if self.stored.element.bytes() == 1 { 255.0 } else { 65535.0 };
                let picture =
                    Picture { grid: self.grid, channels, opaque, samples: Samples::Floats(samples) };
                Ok(Content::Image(picture.into_luminance(context)?))
            }
            Meaning::Vector(axes) => {
                // Once more than in the file's order.
                context.claim((self.grid.len() as u64).saturating_mul(12))?;
                let flow = self.field(&samples, axes, context)?;
                Ok(Content::Flow(flow))
            }
        }
    }
}

impl Layout {
    /// A field in voxels, of vectors in the world's millimetres.
    fn field(self, samples: &[f32], axes: WorldAxes, context: &Context) -> Result<Flow> {
        let (length, components) = (self.grid.len(), self.components());
        let stored = |voxel: usize, component: usize| match self.arrangement {
            _ if component >= components => 0.0,
            Arrangement::Interleaved => samples[voxel * components + component],
            Arrangement::Planar => samples[component * length + voxel],
        };
        let voxel_from_world = self.grid.voxel_from_world_matrix();
        let mut planar = vec![0.0; self.grid.dimension().count() * length];
        for first in (0..length).step_by(BLOCK) {
            context.check()?;
            for voxel in first..length.min(first + BLOCK) {
                // A picture's vectors lie in its plane.
                let [x, y, z] = [0, 1, 2].map(|component| f64::from(stored(voxel, component)));
                let vector_mm = if axes == WorldAxes::Ras { [-x, -y, z] } else { [x, y, z] };
                let vector_vox = apply(&voxel_from_world, vector_mm);
                planar[voxel..]
                    .iter_mut()
                    .step_by(length)
                    .zip(vector_vox)
                    .for_each(|(place, v)| *place = v as f32);
            }
        }
        Flow::from_planar_vox(self.grid, planar).map_err(|e| context.core(e))
    }
}

/// Voxels whose vectors are turned between two questions whether to go on.
const BLOCK: usize = 1 << 16;

/// The parts of `samples`, one after the other.
fn planes(
    samples: Vec<f32>,
    count: usize,
    arrangement: Arrangement,
    context: &Context,
) -> Result<Vec<Vec<f32>>> {
    if count == 1 {
        return Ok(vec![samples]);
    }
    let length = (samples.len() / count).max(1);
    let part = |nth: usize| {
        context.check()?;
        Ok(match arrangement {
            Arrangement::Planar => samples[nth * length..(nth + 1) * length].to_vec(),
            Arrangement::Interleaved => samples.iter().skip(nth).step_by(count).copied().collect(),
        })
    };
    (0..count).map(part).collect()
}

/// Planar parts, sample by sample.
pub(crate) fn interleave(planar: &[f32], count: usize) -> Vec<f32> {
    let n = planar.len() / count;
    (0..n).flat_map(|i| (0..count).map(move |c| planar[c * n + i])).collect()
}
