//! Covariances of fields in files: NumPy's arrays, `[e, z, y, x]` with the entries of the matrices first.
//!
//! Pictures have the entries xx, xy, yy (z has one place), volumes xx, xy, xz, yy, yz, zz, in squared pixels or voxels along the axes of the
//! grid, as the components of a field in `.npy` are in voxels.
//! *Limits*: no other format is taken: volume formats have no common order and unit for symmetric matrices.

use crate::content::ContentKind;
use crate::error::{IoError, Result};
use crate::read::read_sequence;
use crate::read::reading::Reading;
use crate::tables::npy::check_npy_output;
use crate::write::target::Target;
use crate::write::{check_output, write_sequence};
use std::path::Path;
use veloxel_core::{Dimension, FlowCovariance, Grid, Sequence, Volume, Warnings};

/// Checks that covariances could be written there: a name that ends in `.npy`, and a folder that exists.
///
/// # Errors
/// [`IoError::UnknownExtension`], or [`IoError::NoFolder`] for the missing folder.
pub fn check_covariance_output(path: &Path) -> Result<()> {
    named(path)?;
    check_output(path, ContentKind::Sequence, None)
}

/// Writes covariances as an array of 32-bit floats, squared voxels: `[3, 1, y, x]` of pictures, `[6, z, y, x]` of volumes.
///
/// # Errors
/// [`IoError::UnknownExtension`] unless the name ends in `.npy`; [`IoError::Write`]. Nothing is left behind then.
pub fn write_covariance(target: impl Into<Target>, covariance: &FlowCovariance) -> Result<()> {
    let target = target.into();
    let path = target.path().to_owned();
    named(&path)?;
    let grid = covariance.grid();
    let entries = covariance.planar_vox2().chunks_exact(grid.len());
    let entries =
        entries.map(|entry| Volume::new(grid.clone(), entry.to_vec())).collect::<Result<Vec<_>, _>>();
    let entries =
        Sequence::new(entries.map_err(IoError::core(&path))?, None).map_err(IoError::core(&path))?;
    write_sequence(target, &entries)
}

/// Reads covariances that [`write_covariance`] wrote, squared voxels, on a grid without a place.
///
/// # Errors
/// [`IoError::UnknownExtension`] unless the name ends in `.npy`; [`IoError::Kind`] for an array of another shape; as
/// [`read_sequence`](crate::read_sequence).
pub fn read_covariance(
    path: &Path,
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<FlowCovariance> {
    named(path)?;
    let entries = read_sequence(path, reading, warnings)?;
    let (count, grid) = (entries.frames().len(), entries.grid());
    let [nx, ny, nz] = grid.size();
    let grid = match (count, grid.dimension()) {
        (3, Dimension::Two) | (6, Dimension::Three) => grid.clone(),
        // A volume of one slice is not told from a picture by its shape.
        (6, Dimension::Two) => Grid::volume(nx, ny, nz).map_err(IoError::core(path))?,
        _ => {
            let got = format!("{count} numbers for each of {}", grid.size_text());
            let hint = "give [3, 1, y, x] of pictures or [6, z, y, x] of volumes, as a run writes them";
            return Err(IoError::kind(path, "covariances", got, hint));
        }
    };
    let planar_vox2 = entries.frames().iter().flat_map(|entry| entry.data().iter().copied()).collect();
    FlowCovariance::from_planar_vox2(grid, planar_vox2).map_err(IoError::core(path))
}

fn named(path: &Path) -> Result<()> {
    check_npy_output(path).map_err(|_| IoError::UnknownExtension {
        path: path.to_owned(),
        what: "covariances",
        known: ".npy".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;
    use crate::{Strictness, write_image};

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.npy");
        for (grid, entries) in [
            (Grid::image(4, 3).unwrap(), 3),
            (Grid::volume(4, 3, 2).unwrap(), 6),
            (Grid::volume(4, 3, 1).unwrap(), 6),
        ] {
            let samples = (0..entries * grid.len()).map(|nth| 0.5 * nth as f32).collect();
            let covariance = FlowCovariance::from_planar_vox2(grid, samples).unwrap();
            write_covariance(&path, &covariance).unwrap();
            let read = read_covariance(&path, Strictness::Lenient, &mut Warnings::new()).unwrap();
            assert_eq!(read, covariance);
        }
    }

    #[test]
    fn other_names_and_other_arrays_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refused = check_covariance_output(&folder.path().join("c.nii.gz"));
        assert!(matches!(refused, Err(IoError::UnknownExtension { .. })), "{refused:?}");
        let missing = check_covariance_output(&folder.path().join("none/c.npy"));
        assert!(matches!(missing, Err(IoError::NoFolder { .. })), "{missing:?}");
        let path = folder.path().join("c.npy");
        let frame = Volume::from_fn(Grid::image(4, 3).unwrap(), |_| 1.0);
        write_sequence(&path, &Sequence::new(vec![frame.clone(); 4], None).unwrap()).unwrap();
        let read = read_covariance(&path, Strictness::Lenient, &mut Warnings::new());
        assert!(matches!(read, Err(IoError::Kind { .. })), "{read:?}");
        write_image(&path, &frame, &mut Warnings::new()).unwrap();
        assert!(read_covariance(&path, Strictness::Lenient, &mut Warnings::new()).is_err());
    }
}
