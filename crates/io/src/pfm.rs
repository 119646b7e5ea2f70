//! Portable float maps: grey (`Pf`) pictures and disparities, and flow as three channels (`PF`: u, v, unused).
//!
//! *Specification*: Paul Debevec's PFM page; Scharstein et al., Middlebury Stereo v3 (disparity, +inf unknown);
//! Mayer et al., "A Large Dataset to Train Convolutional Networks for Disparity, Optical Flow, and Scene Flow
//! Estimation", CVPR 2016, doi:10.1109/CVPR.2016.438 (three-channel flow).
//! Rows run from bottom to top in the file; a negative scale means little-endian. The scale's size is left alone.
//! *Invalid*: infinity in the file, NaN in memory; NaN in the file stays NaN.
//! *Limits*: 2-D; three channels are always flow.

use crate::IoError;
use crate::content::{Content, Decoded};
use crate::context::Context;
use crate::element::{ByteOrder, Element, Scaling};
use crate::source::{Source, Stored};
use std::io::Write;
use std::path::Path;
use veloxel_core::{Dimension, Flow, Grid, Volume};

const LINE_LIMIT: usize = 256;

pub(crate) fn read(mut source: Source, context: &mut Context) -> Result<Decoded, IoError> {
    let mut words = Vec::new();
    // Magic, width, height and scale; most writers use three lines.
    while words.len() < 4 {
        let Some(line) = source.line(LINE_LIMIT, context)? else {
            return Err(context.malformed(
                "PFM header",
                "magic, width, height and scale",
                "the end of the file",
            ));
        };
        words.extend(line.split_whitespace().map(str::to_owned));
    }
    let [magic, width, height, scale] = &words[..] else {
        return Err(context.malformed("PFM header", "magic, width, height and scale", words.join(" ")));
    };
    let channels = match magic.as_str() {
        "Pf" => 1,
        "PF" => 3,
        other => return Err(context.malformed("PFM magic", "Pf or PF", other)),
    };
    let side = |name: &'static str, word: &String| {
        word.parse::<usize>().map_err(|_| context.malformed(name, "a whole number", word))
    };
    let grid = Grid::image(side("width", width)?, side("height", height)?).map_err(|e| context.core(e))?;
    let order = match scale.parse::<f64>() {
        Ok(s) if s < 0.0 => ByteOrder::Little,
        Ok(s) if s > 0.0 => ByteOrder::Big,
        _ => return Err(context.malformed("scale", "a number other than 0", scale)),
    };
    let stored = Stored { element: Element::F32, order, scaling: Scaling::NONE };
    let samples = source.samples(channels * grid.len(), stored, context)?;
    source.finish(context)?;
    let [nx, ny, _] = grid.size();
    let channel = |c: usize| -> Vec<f32> {
        (0..ny)
            .rev()
            .flat_map(|y| &samples[channels * nx * y..channels * nx * (y + 1)])
            .skip(c)
            .step_by(channels)
            .map(|&v| if v.is_infinite() { f32::NAN } else { v })
            .collect()
    };
    let content = if channels == 1 {
        Content::Image(Volume::new(grid, channel(0)).map_err(|e| context.core(e))?)
    } else {
        let (mut u, mut v) = (channel(0), channel(1));
        for (a, b) in u.iter_mut().zip(&mut v) {
            if a.is_nan() || b.is_nan() {
                (*a, *b) = (f32::NAN, f32::NAN);
            }
        }
        Content::Flow(Flow::new(grid, vec![u, v]).map_err(|e| context.core(e))?)
    };
    Ok(Decoded { content, sample_type: format!("f32 × {channels}") })
}

/// Writes a grey picture; NaN becomes +inf.
pub(crate) fn write_image(path: &Path, image: &Volume<f32>) -> Result<(), IoError> {
    write(path, image.grid(), "Pf", |i| [image.data()[i]])
}

/// Writes a field as (u, v, 0); an invalid vector becomes +inf in u and v.
pub(crate) fn write_flow(path: &Path, flow: &Flow) -> Result<(), IoError> {
    write(path, flow.grid(), "PF", |i| {
        let [u, v, _] = flow.vector_vox(i);
        if flow.is_valid(i) { [u, v, 0.0] } else { [f32::NAN, f32::NAN, 0.0] }
    })
}

fn write<const N: usize>(
    path: &Path,
    grid: &Grid,
    magic: &str,
    pixel: impl Fn(usize) -> [f32; N],
) -> Result<(), IoError> {
    if grid.dimension() != Dimension::Two {
        return Err(IoError::Unsupported {
            what: format!("{} as .pfm", grid.size_text()),
            hint: "write volumes as .nii.gz, .mha or .nrrd",
            path: path.to_owned(),
        });
    }
    let [nx, ny, _] = grid.size();
    crate::atomic::write(path, |w| {
        write!(w, "{magic}\n{nx} {ny}\n-1.0\n")?;
        for y in (0..ny).rev() {
            for i in y * nx..(y + 1) * nx {
                for value in pixel(i) {
                    let stored = if value.is_nan() { f32::INFINITY } else { value };
                    w.write_all(&stored.to_le_bytes())?;
                }
            }
        }
        Ok(())
    })
}
