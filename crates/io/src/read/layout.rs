//! The layout that the header of a volume format describes, and the [`Content`] that is made of its samples.

use crate::content::Content;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{Element, Stored};
use crate::read::geometry::{WorldAxes, length};
use crate::read::luminance::{Channels, Picture, Samples};
use veloxel_core::matrix3::apply;
use veloxel_core::{CoreError, Dimension, Flow, Grid, WarningKind};

/// What a frame of a sequence takes beside its samples: a file can hold very many small ones.
pub(crate) const FRAME_BYTES: u64 = 512;

/// What several components in one voxel mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Scalar,
    Colour(Channels),
    /// Vectors in mm, one component an axis of the world: two, or three for planes in space and volumes.
    Vector {
        axes: WorldAxes,
        kind: VectorKind,
        components: usize,
    },
}

/// What a vector in a voxel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VectorKind {
    /// The way from the voxel to where it is found in the moving image.
    Displacement,
    /// Where that is in the world.
    Position,
}

impl Meaning {
    /// What channels that a header with so many axes of space leaves unnamed stand for: colour if they are 3 or 4 small integers,
    /// else vectors.
    pub(crate) fn of_channels(
        channels: usize,
        element: Element,
        space_axes: usize,
        context: &Context,
    ) -> Result<Self> {
        match (channels, element) {
            (1, _) => Ok(Self::Scalar),
            (3, Element::U8 | Element::U16) => Ok(Self::Colour(Channels::Rgb)),
            (4, Element::U8 | Element::U16) => Ok(Self::Colour(Channels::Rgba)),
            (components, Element::F16 | Element::F32 | Element::F64) if components == space_axes => {
                Ok(Self::Vector { axes: WorldAxes::Lps, kind: VectorKind::Displacement, components })
            }
            _ => Err(context.unsupported(
                format!("{channels} channels of {} in a {space_axes}-D image", element.name()),
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

impl Layout {
    pub fn components(&self) -> usize {
        match self.meaning {
            Meaning::Scalar => 1,
            Meaning::Colour(channels) => channels.count(),
            Meaning::Vector { components, .. } => components,
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
            Meaning::Vector { axes, kind, .. } => {
                // Once more than in the file's order.
                context.claim((self.grid.len() as u64).saturating_mul(12))?;
                let flow = self.field(&samples, Vectors { axes, kind }, context)?;
                if kind == VectorKind::Displacement && look_like_places(&flow) {
                    let text = "its vectors are nearly the places of their voxels: they look like positions in the world, and are taken \
                                as displacements";
                    context.note(WarningKind::Content, text);
                }
                Ok(Content::Flow(flow))
            }
        }
    }
}

impl Layout {
    /// A field in voxels, of vectors in the world's millimetres; one of a plane is a volume's if it leads out of the plane.
    fn field(self, samples: &[f32], stands: Vectors, context: &Context) -> Result<Flow> {
        let (length, components) = (self.grid.len(), self.components());
        let stored = |voxel: usize, component: usize| match self.arrangement {
            _ if component >= components => 0.0,
            Arrangement::Interleaved => samples[voxel * components + component],
            Arrangement::Planar => samples[component * length + voxel],
        };
        let placed = self.grid.clone();
        let vector_mm = |voxel: usize| {
            let vector = stands.axes.turned([0, 1, 2].map(|component| f64::from(stored(voxel, component))));
            if stands.kind == VectorKind::Displacement {
                return vector;
            }
            let from = placed.world_from_voxel(placed.position(voxel).map(|v| v as f64));
            [0, 1, 2].map(|axis| if axis < components { vector[axis] - from[axis] } else { 0.0 })
        };
        let may_leave = self.grid.dimension() == Dimension::Two && components == 3;
        let grid = if may_leave && leads_out_of_plane(&self.grid, vector_mm, context)? {
            one_slice_volume(&self.grid).map_err(|e| context.core(e))?
        } else {
            self.grid
        };
        let voxel_from_world = grid.voxel_from_world_matrix();
        let mut planar = vec![0.0; grid.dimension().count() * length];
        for first in (0..length).step_by(BLOCK) {
            context.check()?;
            for voxel in first..length.min(first + BLOCK) {
                let vector_vox = apply(&voxel_from_world, vector_mm(voxel));
                planar[voxel..]
                    .iter_mut()
                    .step_by(length)
                    .zip(vector_vox)
                    .for_each(|(place, v)| *place = v as f32);
            }
        }
        Flow::from_planar_vox(grid, planar).map_err(|e| context.core(e))
    }
}

/// How vectors are stored.
#[derive(Clone, Copy)]
struct Vectors {
    axes: WorldAxes,
    kind: VectorKind,
}

/// Whether a vector of a plane has a part across it that is more than the rounding of a header and of 32-bit floats.
fn leads_out_of_plane(
    plane: &Grid,
    vector_mm: impl Fn(usize) -> [f64; 3],
    context: &Context,
) -> Result<bool> {
    let across = plane.voxel_from_world_matrix()[2].map(|v| v * plane.spacing_mm()[2]);
    for first in (0..plane.len()).step_by(BLOCK) {
        context.check()?;
        let leaves = |voxel: usize| {
            let vector_mm = vector_mm(voxel);
            let across_mm: f64 = across.iter().zip(vector_mm).map(|(a, v)| a * v).sum();
            across_mm.abs() > ROUNDING * length(vector_mm) + ROUNDING_MM
        };
        if (first..plane.len().min(first + BLOCK)).any(leaves) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the vectors of a field are nearer to the places of their voxels, LPS or RAS, than to none.
fn look_like_places(flow: &Flow) -> bool {
    let (grid, mut lengths, mut apart) = (flow.grid(), 0.0, [0.0; 2]);
    for voxel in (0..grid.len()).step_by(grid.len().div_ceil(LOOKED_AT) | 1) {
        let (from, d) = (grid.position(voxel).map(|v| v as f64), flow.vector_vox(voxel));
        if !d.iter().all(|v| v.is_finite()) {
            continue;
        }
        let place = grid.world_from_voxel(from);
        let to = grid.world_from_voxel([0, 1, 2].map(|k| from[k] + f64::from(d[k])));
        let vector = [0, 1, 2].map(|k| to[k] - place[k]);
        lengths += length(vector);
        for (sum, sign) in apart.iter_mut().zip([1.0, -1.0]) {
            *sum += length([vector[0] - sign * place[0], vector[1] - sign * place[1], vector[2] - place[2]]);
        }
    }
    apart.iter().any(|sum| *sum < 0.5 * lengths)
}

/// Vectors that are looked at, at most.
const LOOKED_AT: usize = 1 << 12;

/// The same slice, as a volume.
fn one_slice_volume(plane: &Grid) -> Result<Grid, CoreError> {
    let [nx, ny, nz] = plane.size();
    let volume = Grid::volume(nx, ny, nz)?.with_spacing_mm(plane.spacing_mm())?;
    Ok(volume.with_direction(plane.direction())?.with_origin_mm(plane.origin_mm()))
}

/// Share of a vector that rounding turns out of its plane, where directions are written with five digits.
const ROUNDING: f64 = 1e-4;
/// Length of a vector that is no motion, mm.
const ROUNDING_MM: f64 = 1e-6;

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
