//! Pairs of a header and its samples, `.hdr` and `.img`: NIfTI-1, NIfTI-2, and Analyze 7.5, which says nothing of the world.
//!
//! *Specification*: `nifti1.h` and `nifti2.h`; Mayo Clinic, "Analyze 7.5 file format".
//! *Either name*: the other file lies beside it under the same name, compressed or not.
//! *Analyze*: axes are taken to lie along the world's, which a warning says: whether x leads to the left or to the right is a
//! convention of the program that wrote it.

use super::header::Header;
use super::reader::{self, Start};
use crate::content::ContentKind;
use crate::error::Result;
use crate::format::{Format, FormatPrecision, Reader, VOLUME_LIMITS};
use crate::read::context::Context;
use crate::read::layout::Layout;
use crate::read::source::Source;
use crate::write::detached;

pub(in crate::formats) static FORMAT: Format = Format {
    reads: &[ContentKind::Image, ContentKind::Sequence, ContentKind::Flow],
    precision: FormatPrecision::Float,
    keeps_place: true,
    limits: VOLUME_LIMITS,
    names_data_files: Some(|_, context| other_name(context).into_iter().collect()),
    ..Format::picture("nifti-pair", "NIfTI pair", &["hdr", "img", "hdr.gz", "img.gz"], Reader::Header(layout))
};

/// Whether a name is that of samples.
fn is_samples(name: &str) -> bool {
    let name = name.to_lowercase();
    name.ends_with(".img") || name.ends_with(".img.gz")
}

/// The name of the file beside this one: its header, or its samples.
fn other_name(context: &Context) -> Option<String> {
    let name = context.path.file_name()?.to_str()?;
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".GZ")).unwrap_or(name);
    let (stem, extension) = plain.rsplit_once('.')?;
    let other = match extension {
        "img" => "hdr",
        "IMG" => "HDR",
        "HDR" => "IMG",
        _ => "img",
    };
    let names = [format!("{stem}.{other}"), format!("{stem}.{other}.gz")];
    let is_there = |name: &&String| context.path.with_file_name("").join(name).is_file();
    names.iter().find(is_there).or(names.first()).cloned()
}

fn layout<'a>(source: Source<'a>, context: &mut Context) -> Result<(Layout, Source<'a>)> {
    let name = other_name(context).unwrap_or_default();
    let is_samples = context.path.file_name().is_some_and(|name| is_samples(&name.to_string_lossy()));
    let other = detached::open(&name, context)?;
    let (header, samples) = if is_samples { (other, source) } else { (source, other) };
    let mut header = header.gunzip_if_compressed(context)?;
    let Start { mut header, offset } = reader::start(&mut header, context)?;
    match &header.magic {
        b"ni1\0" => {}
        b"n+1\0" => {
            let expected = "a header whose samples lie in a file beside it";
            return Err(context.malformed("NIfTI magic", expected, "\"n+1\": samples in one file (.nii)"));
        }
        _ => {
            without_place(&mut header);
            context.assume(
                "an Analyze 7.5 header says nothing of the world: axes are taken along it, the first voxel at 0",
            )?;
        }
    }
    let layout = reader::interpret(&header, context)?;
    let mut samples = samples.gunzip_if_compressed(context)?;
    let is_there = (0.0..1e15).contains(&offset) && offset.fract() == 0.0;
    context.require(is_there, "vox_offset", "a whole number of bytes", offset)?;
    samples.skip("the part before the samples", offset as u64, context)?;
    Ok((layout, samples))
}

/// Fields that an older header has other things in.
fn without_place(header: &mut Header) {
    (header.qform_code, header.sform_code, header.xyzt_units, header.intent_code) = (0, 0, 0, 0);
    header.scl_inter = 0.0;
    if !header.scl_slope.is_finite() {
        header.scl_slope = 0.0;
    }
}
