//! What a writer of a volume format is given: samples on a grid, in one of a few shapes.

use crate::element::Element;
use crate::geometry::is_in_plane;
use std::io::Write;
use veloxel_core::{Flow, Grid, Sequence, Volume};

/// Samples to be written, with the grid they lie on.
pub(crate) struct Record<'a> {
    pub grid: &'a Grid,
    samples: Samples<'a>,
}

enum Samples<'a> {
    Image(&'a [f32]),
    Labels(&'a [i32], Element),
    Frames(&'a Sequence),
    /// World vectors in LPS mm, planar.
    Vectors(Vec<Vec<f32>>),
}

impl<'a> Record<'a> {
    pub fn image(image: &'a Volume<f32>) -> Self {
        Self { grid: image.grid(), samples: Samples::Image(image.data()) }
    }

    /// Labels in the smallest of u8, i16 and i32 that holds them all.
    pub fn labels(labels: &'a Volume<i32>) -> Self {
        let within = |low: i32, high: i32| labels.data().iter().all(|v| (low..=high).contains(v));
        let element = if within(0, i32::from(u8::MAX)) {
            Element::U8
        } else if within(i32::from(i16::MIN), i32::from(i16::MAX)) {
            Element::I16
        } else {
            Element::I32
        };
        Self { grid: labels.grid(), samples: Samples::Labels(labels.data(), element) }
    }

    pub fn sequence(sequence: &'a Sequence) -> Self {
        Self { grid: sequence.grid(), samples: Samples::Frames(sequence) }
    }

    /// A field as LPS millimetres: two components for a picture in the world's xy plane, else three.
    pub fn flow(flow: &'a Flow) -> Self {
        let mut vectors = Vec::from(flow.displacement_mm());
        if is_in_plane(flow.grid()) {
            vectors.truncate(2);
        }
        Self { grid: flow.grid(), samples: Samples::Vectors(vectors) }
    }

    pub fn element(&self) -> Element {
        match self.samples {
            Samples::Labels(_, element) => element,
            _ => Element::F32,
        }
    }

    pub fn components(&self) -> usize {
        match &self.samples {
            Samples::Vectors(parts) => parts.len(),
            _ => 1,
        }
    }

    pub fn frames(&self) -> usize {
        match &self.samples {
            Samples::Frames(sequence) => sequence.frames().len(),
            _ => 1,
        }
    }

    pub fn frame_interval_ms(&self) -> Option<f64> {
        match &self.samples {
            Samples::Frames(sequence) => sequence.frame_interval_ms(),
            _ => None,
        }
    }

    /// Little-endian samples, frame by frame or component by component.
    pub fn write_planar(&self, out: &mut impl Write) -> std::io::Result<()> {
        match &self.samples {
            Samples::Image(data) => write_floats(data.iter().copied(), out),
            Samples::Labels(data, element) => write_labels(data, *element, out),
            Samples::Frames(sequence) => {
                sequence.frames().iter().try_for_each(|f| write_floats(f.data().iter().copied(), out))
            }
            Samples::Vectors(parts) => parts.iter().try_for_each(|p| write_floats(p.iter().copied(), out)),
        }
    }

    /// Little-endian samples, the components of a voxel together.
    pub fn write_interleaved(&self, out: &mut impl Write) -> std::io::Result<()> {
        match &self.samples {
            Samples::Vectors(parts) => {
                let n = self.grid.len();
                write_floats((0..n).flat_map(|i| parts.iter().map(move |p| p[i])), out)
            }
            _ => self.write_planar(out),
        }
    }
}

const BLOCK_BYTES: usize = 1 << 16;

fn write_floats(values: impl Iterator<Item = f32>, out: &mut impl Write) -> std::io::Result<()> {
    write_blocks(values.map(f32::to_le_bytes), out)
}

fn write_labels(values: &[i32], element: Element, out: &mut impl Write) -> std::io::Result<()> {
    let values = values.iter();
    match element {
        Element::U8 => write_blocks(values.map(|&v| [v as u8]), out),
        Element::I16 => write_blocks(values.map(|&v| (v as i16).to_le_bytes()), out),
        _ => write_blocks(values.map(|v| v.to_le_bytes()), out),
    }
}

/// Hands the bytes over in blocks: a compressor is slow when fed sample by sample.
fn write_blocks<const N: usize>(
    values: impl Iterator<Item = [u8; N]>,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let mut block = Vec::with_capacity(BLOCK_BYTES + N);
    for value in values {
        block.extend_from_slice(&value);
        if block.len() >= BLOCK_BYTES {
            out.write_all(&block)?;
            block.clear();
        }
    }
    out.write_all(&block)
}
