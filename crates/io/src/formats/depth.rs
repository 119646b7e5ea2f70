//! Depths in files: metres in formats of floats, NaN where there is none; millimetres in 16-bit PNG, 0 where there is none.
//!
//! *Specification*: the convention of ROS (REP 118): 32-bit floats in metres with NaN, or 16-bit whole numbers in millimetres with 0.
//! *Limits*: a PNG holds 1 mm to 65.535 m; what lies beyond has no depth there, and a warning says how many pixels that are.

use crate::error::Result;
use crate::format::{Format, FormatPrecision};
use crate::formats::lookup::require;
use crate::formats::png;
use crate::read::luminance::Channels;
use crate::write::raster::{Depth, Raster};
use crate::write::target::Target;
use crate::write::{check_folder, write_image};
use std::path::Path;
use veloxel_core::{Volume, WarningKind, Warnings};

/// Millimetres in a metre.
const MM: f32 = 1000.0;

/// A format of floats, or PNG.
fn is_written(format: &Format) -> Option<()> {
    let floats = format.write_image.is_some() && format.precision == FormatPrecision::Float;
    (floats || is_png(format)).then_some(())
}

fn is_png(format: &Format) -> bool {
    format.extensions.contains(&"png")
}

/// Checks that a depth could be written there: a known extension, and a folder that exists.
///
/// # Errors
/// [`IoError::UnknownExtension`](crate::IoError::UnknownExtension), [`IoError::NoFolder`](crate::IoError::NoFolder).
pub fn check_depth_output(path: &Path) -> Result<()> {
    require(path, "writing a depth", is_written)?;
    check_folder(path)
}

/// Writes a depth, metres, NaN where there is none: metres in `.tif`, `.pfm`, `.npy` and volume formats, millimetres of 16 bits in
/// `.png` with 0 where there is none.
///
/// # Errors
/// As [`write_image`].
pub fn write_depth(target: impl Into<Target>, depth_m: &Volume<f32>, warnings: &mut Warnings) -> Result<()> {
    let target = &target.into();
    let (format, ()) = require(target.path(), "writing a depth", is_written)?;
    format.check_grid(target.path(), depth_m.grid())?;
    if !is_png(format) {
        // Float formats keep every sample: there is nothing to warn of.
        return write_image(target, depth_m, &mut Warnings::new());
    }
    let (mut bytes, mut beyond) = (Vec::with_capacity(2 * depth_m.data().len()), 0usize);
    for &depth in depth_m.data() {
        let millimetres = (depth * MM).round();
        let is_held = (1.0..=65535.0).contains(&millimetres);
        beyond += usize::from(millimetres.is_finite() && !is_held);
        bytes.extend((if is_held { millimetres as u16 } else { 0 }).to_be_bytes());
    }
    if beyond > 0 {
        let text = format!(
            "{}: {beyond} of {} depths lie beyond what 16 bits of millimetres hold (65.535 m) and are 0 there (.tif and .npy \
             keep them)",
            target.path().display(),
            depth_m.data().len()
        );
        warnings.push(WarningKind::Samples, text);
    }
    let [nx, ny, _] = depth_m.grid().size();
    let (channels, depth) = (Channels::Grey, Depth::Sixteen);
    png::stream::write(target, &Raster { size: [nx, ny], channels, depth, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Strictness, read_image};
    use veloxel_core::Grid;

    #[test]
    fn metres_in_floats_and_millimetres_in_png() {
        let folder = tempfile::tempdir().unwrap();
        let depth = vec![1.2344, f32::NAN, 70.0, 0.05];
        let depth = Volume::new(Grid::image(4, 1).unwrap(), depth).unwrap();
        let written = |name: &str, warnings: &mut Warnings| {
            let path = folder.path().join(name);
            write_depth(path.as_path(), &depth, warnings).unwrap();
            read_image(&path, Strictness::Lenient, &mut Warnings::new()).unwrap().into_data()
        };
        let mut warnings = Warnings::new();
        assert_eq!(written("a.png", &mut warnings), [1234.0, 0.0, 0.0, 50.0]);
        assert!(warnings.urgent().any(|w| w.message.contains("1 of 4 depths")), "{warnings:?}");
        let floats = written("a.npy", &mut warnings);
        assert!(floats[0] == 1.2344 && floats[1].is_nan() && floats[2] == 70.0);
        assert!(check_depth_output(Path::new("a.jpg")).is_err());
    }
}
