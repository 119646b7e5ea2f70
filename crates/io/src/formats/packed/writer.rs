//! Writes results of a picture in 63 bits a pixel.

use super::codes::{DISPARITY, FLOW, Packing, angles, energy_step};
use crate::error::{IoError, Result};
use crate::write::target::Target;
use crate::write::whole_file;
use serde_json::json;
use std::io::Write;
use veloxel_core::{CoreError, Dimension, Flow, Grid, Volume, WarningKind, Warnings};

/// What is packed of a picture: any of the three, all on one grid.
#[derive(Debug, Clone, Copy)]
pub struct PackedFields<'a> {
    /// Flow in pixels, NaN where unknown.
    pub flow: Option<&'a Flow>,
    /// Disparity in pixels, NaN where unknown.
    pub disparity_px: Option<&'a Volume<f32>>,
    /// Energy (squared intensity), orientation and phase (radians), NaN where unknown.
    pub features: Option<[&'a Volume<f32>; 3]>,
    /// What white is in the picture.
    pub white: f32,
}

/// Pixels that are packed between two writes.
const BLOCK: usize = 1 << 13;

/// Writes results of a picture in 63 bits a pixel (`.p63`): flow and disparity to 1/16 px, energy, orientation and phase in 9 bits
/// each. A warning says how many numbers were beyond their range.
///
/// # Errors
/// [`IoError::Unsupported`] for volumes, or nothing to pack; [`IoError::Core`] for results on several grids; [`IoError::Write`].
pub fn write_packed(
    target: impl Into<Target>,
    fields: &PackedFields<'_>,
    warnings: &mut Warnings,
) -> Result<()> {
    let target = target.into();
    let grid = fields.grid(target.path())?;
    let [width, height, _] = grid.size();
    let head = json!({
        "packed": 63,
        "width": width,
        "height": height,
        "fields": fields.names(),
        "white": fields.white,
    });
    let mut packing = Packing::default();
    whole_file::write(&target, |file| {
        writeln!(file, "{head}")?;
        let mut block = Vec::with_capacity(BLOCK * size_of::<u64>());
        for first in (0..grid.len()).step_by(BLOCK) {
            block.clear();
            for i in first..(first + BLOCK).min(grid.len()) {
                block.extend(fields.pixel(i, &mut packing).to_le_bytes());
            }
            file.write_all(&block)?;
        }
        Ok(())
    })?;
    let Packing { far, strong } = packing;
    for (count, what) in
        [(far, "displacements beyond 127.9375 px"), (strong, "energies beyond half of white²")]
    {
        if count > 0 {
            let name = target.path().display();
            let message =
                format!("{name}: {count} {what} were written as the nearest that 63 bits a pixel hold");
            warnings.push(WarningKind::Samples, message);
        }
    }
    Ok(())
}

impl PackedFields<'_> {
    /// The names of what is there.
    fn names(&self) -> Vec<&'static str> {
        let there = [self.flow.is_some(), self.disparity_px.is_some(), self.features.is_some()];
        let names = ["flow", "disparity", "features"].into_iter().zip(there);
        names.filter(|(_, there)| *there).map(|(name, _)| name).collect()
    }

    /// The one grid of all.
    fn grid(&self, path: &std::path::Path) -> Result<&Grid> {
        let maps = self.disparity_px.into_iter().chain(self.features.into_iter().flatten());
        let mut grids = self.flow.map(Flow::grid).into_iter().chain(maps.map(Volume::grid));
        let nothing = || IoError::unsupported(path, "nothing in 63 bits a pixel", "give at least one result");
        let first = grids.next().ok_or_else(nothing)?;
        if first.dimension() == Dimension::Three {
            let hint = "write fields of volumes as .nii, .mha or .nrrd";
            return Err(IoError::unsupported(path, "a volume in 63 bits a pixel", hint));
        }
        for grid in grids {
            if grid.size() != first.size() {
                let same = first.require_same(grid, "results of one picture");
                same.map_err(|error: CoreError| IoError::core(path)(error))?;
            }
        }
        Ok(first)
    }

    fn pixel(&self, i: usize, packing: &mut Packing) -> u64 {
        let [u, v, _] =
            self.flow.filter(|flow| flow.is_valid(i)).map_or([f32::NAN; 3], |flow| flow.vector_vox(i));
        let of = |map: Option<&Volume<f32>>| map.map_or(f32::NAN, |map| map.data()[i]);
        let [energy, orientation, phase] = match self.features {
            Some(maps) => maps.map(|map| of(Some(map))),
            None => [f32::NAN; 3],
        };
        packing.displacement(DISPARITY, of(self.disparity_px))
            | packing.displacement(FLOW[0], u)
            | packing.displacement(FLOW[1], v)
            | packing.energy(energy, energy_step(self.white))
            | angles(orientation, phase)
    }
}
