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
    /// World vectors in LPS mm, so many components of each.
    Vectors(&'a Flow, usize),
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
        let components = if is_in_plane(flow.grid()) { 2 } else { 3 };
        Self { grid: flow.grid(), samples: Samples::Vectors(flow, components) }
    }

    pub fn element(&self) -> Element {
        match self.samples {
            Samples::Labels(_, element) => element,
            _ => Element::F32,
        }
    }

    pub fn components(&self) -> usize {
        match &self.samples {
            Samples::Vectors(_, components) => *components,
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
            Samples::Image(data) => write_floats(data, out),
            Samples::Labels(data, element) => write_labels(data, *element, out),
            Samples::Frames(sequence) => {
                sequence.frames().iter().try_for_each(|f| write_floats(f.data(), out))
            }
            Samples::Vectors(flow, components) => (0..*components).try_for_each(|axis| {
                blocks(self.grid.len()).try_for_each(|(first, len)| {
                    let mut values = [0.0; BLOCK];
                    flow.component_mm(axis, first, &mut values[..len]);
                    write_floats(&values[..len], out)
                })
            }),
        }
    }

    /// Little-endian samples, the components of a voxel together.
    pub fn write_interleaved(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Samples::Vectors(flow, components) = &self.samples else { return self.write_planar(out) };
        let mut together = vec![0.0; components * BLOCK];
        blocks(self.grid.len()).try_for_each(|(first, len)| {
            let mut values = [0.0; BLOCK];
            for axis in 0..*components {
                flow.component_mm(axis, first, &mut values[..len]);
                let places = together[axis..].iter_mut().step_by(*components);
                places.zip(&values[..len]).for_each(|(place, value)| *place = *value);
            }
            write_floats(&together[..components * len], out)
        })
    }
}

/// Samples that are made ready for writing together: they stay in the cache.
const BLOCK: usize = 1 << 12;

/// Where each block of so many samples begins, and how long it is.
fn blocks(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).step_by(BLOCK).map(move |first| (first, BLOCK.min(count - first)))
}

const BLOCK_BYTES: usize = 1 << 16;

/// Hands the bytes over in blocks: a compressor is slow when fed sample by sample.
fn write_floats(values: &[f32], out: &mut impl Write) -> std::io::Result<()> {
    let mut bytes = [0; BLOCK * size_of::<f32>()];
    for block in values.chunks(BLOCK) {
        let bytes = &mut bytes[..size_of_val(block)];
        let places = bytes.chunks_exact_mut(size_of::<f32>());
        places.zip(block).for_each(|(place, value)| place.copy_from_slice(&value.to_le_bytes()));
        out.write_all(bytes)?;
    }
    Ok(())
}

fn write_labels(values: &[i32], element: Element, out: &mut impl Write) -> std::io::Result<()> {
    let values = values.iter();
    match element {
        Element::U8 => write_blocks(values.map(|&v| [v as u8]), out),
        Element::I16 => write_blocks(values.map(|&v| (v as i16).to_le_bytes()), out),
        _ => write_blocks(values.map(|v| v.to_le_bytes()), out),
    }
}

/// As [`write_floats`].
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
