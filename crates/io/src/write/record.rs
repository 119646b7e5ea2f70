//! The input of a writer of a volume format: scalar or vector samples on a grid.

use crate::read::element::Element;
use crate::read::geometry::header_axes;
use crate::read::layout::Arrangement;
use std::io::{Error, Result, Write};
use veloxel_core::{Control, Flow, Grid, Sequence, Volume};

/// Samples to be written, with the grid they lie on.
pub(crate) struct Record<'a> {
    pub grid: &'a Grid,
    pub element: Element,
    /// Components of a vector, 1 otherwise.
    pub components: usize,
    pub frames: usize,
    pub frame_interval_ms: Option<f64>,
    samples: Samples<'a>,
}

enum Samples<'a> {
    Image(&'a [f32]),
    Labels(&'a [i32]),
    Frames(&'a [Volume<f32>]),
    /// Components in voxels.
    Components(&'a Flow),
    /// World vectors in LPS mm.
    Vectors(&'a Flow),
}

impl<'a> Record<'a> {
    fn new(grid: &'a Grid, samples: Samples<'a>) -> Self {
        Self { grid, element: Element::F32, components: 1, frames: 1, frame_interval_ms: None, samples }
    }

    pub fn image(image: &'a Volume<f32>) -> Self {
        Self::new(image.grid(), Samples::Image(image.data()))
    }

    /// Labels in the smallest of u8, i16 and i32 that holds them all.
    pub fn labels(labels: &'a Volume<i32>) -> Self {
        let element = label_element(labels.data());
        Self { element, ..Self::new(labels.grid(), Samples::Labels(labels.data())) }
    }

    pub fn sequence(sequence: &'a Sequence) -> Self {
        let (frames, frame_interval_ms) = (sequence.frames(), sequence.frame_interval_ms());
        let record = Self::new(sequence.grid(), Samples::Frames(frames));
        Self { frames: frames.len(), frame_interval_ms, ..record }
    }

    /// A field as LPS millimetres: two components for a picture in the world's xy plane, else three.
    pub fn flow(flow: &'a Flow) -> Self {
        Self { components: header_axes(flow.grid()), ..Self::new(flow.grid(), Samples::Vectors(flow)) }
    }

    /// An image on a grid whose samples come later, for what is said of it.
    #[cfg(feature = "zarr")]
    pub(crate) fn image_on(grid: &'a Grid) -> Self {
        Self::new(grid, Samples::Image(&[]))
    }

    /// Labels on a grid that come later, of a type.
    #[cfg(feature = "zarr")]
    pub(crate) fn labels_on(grid: &'a Grid, element: Element) -> Self {
        Self { element, ..Self::image_on(grid) }
    }

    /// A field on a grid whose vectors come later, for what is said of it.
    #[cfg(feature = "zarr")]
    pub(crate) fn field_on(grid: &'a Grid) -> Self {
        Self { components: header_axes(grid), ..Self::image_on(grid) }
    }

    /// A field as it is in memory: the components of the grid's axes, in voxels.
    pub(crate) fn flow_vox(flow: &'a Flow) -> Self {
        let components = flow.grid().dimension().count();
        Self { components, ..Self::new(flow.grid(), Samples::Components(flow)) }
    }

    /// Little-endian samples: frame by frame, and the components of a voxel together or one after the other; those in voxels
    /// always one after the other. Asks before every block whether to go on.
    pub fn write(&self, arrangement: Arrangement, out: &mut impl Write, control: &Control) -> Result<()> {
        match (&self.samples, arrangement) {
            (Samples::Image(data), _) => write_blocks(data, f32::to_le_bytes, out, control),
            (Samples::Frames(frames), _) => {
                frames.iter().try_for_each(|f| write_blocks(f.data(), f32::to_le_bytes, out, control))
            }
            (Samples::Labels(data), _) => match self.element {
                Element::U8 => write_blocks(data, |v| [v as u8], out, control),
                Element::I16 => write_blocks(data, |v| (v as i16).to_le_bytes(), out, control),
                _ => write_blocks(data, i32::to_le_bytes, out, control),
            },
            (Samples::Components(flow), _) => write_blocks(flow.planar_vox(), f32::to_le_bytes, out, control),
            (Samples::Vectors(flow), Arrangement::Interleaved) => {
                self.write_vectors(flow, 0..self.components, out, control)
            }
            (Samples::Vectors(flow), Arrangement::Planar) => (0..self.components)
                .try_for_each(|axis| self.write_vectors(flow, axis..axis + 1, out, control)),
        }
    }

    /// Little-endian samples of as many voxels from `first` on as `out` has room for, of one frame, or of one component of a field:
    /// millimetres along the grid's own axes.
    #[cfg(feature = "zarr")]
    pub(crate) fn fill_row(&self, part: usize, first: usize, out: &mut [u8]) {
        let floats = |data: &[f32], out: &mut [u8]| fill(&data[first..], f32::to_le_bytes, out);
        match &self.samples {
            Samples::Image(data) => floats(data, out),
            Samples::Frames(frames) => floats(frames[part].data(), out),
            Samples::Labels(data) => match self.element {
                Element::U8 => fill(&data[first..], |v| [v as u8], out),
                Element::I16 => fill(&data[first..], |v| (v as i16).to_le_bytes(), out),
                _ => fill(&data[first..], i32::to_le_bytes, out),
            },
            Samples::Components(flow) | Samples::Vectors(flow) => {
                // A plane in space has vectors of three components, the third of which is 0.
                if part >= flow.grid().dimension().count() {
                    out.fill(0);
                    return;
                }
                let spacing_mm = flow.grid().spacing_mm()[part];
                let along = |v: f32| (f64::from(v) * spacing_mm) as f32;
                fill(&flow.component_vox(part)[first..], |v| along(v).to_le_bytes(), out);
            }
        }
    }

    /// Some components of every vector, those of a voxel together.
    fn write_vectors(
        &self,
        flow: &Flow,
        axes: std::ops::Range<usize>,
        out: &mut impl Write,
        control: &Control,
    ) -> Result<()> {
        let mut together = vec![0.0; axes.len() * BLOCK];
        for first in (0..self.grid.len()).step_by(BLOCK) {
            let length = BLOCK.min(self.grid.len() - first);
            let mut values = [0.0; BLOCK];
            for (place, axis) in axes.clone().enumerate() {
                flow.component_mm(axis, first, &mut values[..length]);
                let places = together[place..].iter_mut().step_by(axes.len());
                places.zip(&values[..length]).for_each(|(place, value)| *place = *value);
            }
            write_blocks(&together[..axes.len() * length], f32::to_le_bytes, out, control)?;
        }
        Ok(())
    }
}

/// Fills bytes with as many values as they have room for.
#[cfg(feature = "zarr")]
pub(crate) fn fill<T: Copy, const N: usize>(values: &[T], bytes_of: impl Fn(T) -> [u8; N], out: &mut [u8]) {
    let places = out.as_chunks_mut().0;
    places.iter_mut().zip(values).for_each(|(place, &value)| *place = bytes_of(value));
}

/// The smallest of u8, i16 and i32 that holds all labels.
pub(crate) fn label_element(labels: &[i32]) -> Element {
    let within = |low: i32, high: i32| labels.iter().all(|v| (low..=high).contains(v));
    if within(0, i32::from(u8::MAX)) {
        Element::U8
    } else if within(i32::from(i16::MIN), i32::from(i16::MAX)) {
        Element::I16
    } else {
        Element::I32
    }
}

/// Samples that are made ready for writing together: they stay in the cache.
const BLOCK: usize = 1 << 12;

/// Hands the bytes over in blocks: a compressor is slow when fed sample by sample.
fn write_blocks<T: Copy, const N: usize>(
    values: &[T],
    bytes_of: impl Fn(T) -> [u8; N],
    out: &mut impl Write,
    control: &Control,
) -> Result<()> {
    let mut bytes = vec![0; BLOCK * N];
    for block in values.chunks(BLOCK) {
        // A compressor takes a block of zeros without a byte for the file.
        control.check().map_err(Error::other)?;
        let places = bytes.as_chunks_mut().0;
        places.iter_mut().zip(block).for_each(|(place, &value)| *place = bytes_of(value));
        out.write_all(&bytes[..block.len() * N])?;
    }
    Ok(())
}
