//! The files of a frame whose results are delivered in types of their own: NumPy arrays.

use crate::Result;
use crate::pipelines::engine::DeliveredFields;
use veloxel_core::{DeliveredSamples, Dimension, Grid};
use veloxel_io::{self as io, Target};

/// Writes every result of a frame: `flow_000002.npy` of `[c, z, y, x]` in voxels, maps of `[y, x]`, or `[z, y, x]` of volumes; maps of
/// coarser scales are called `energy_000002_1.npy`.
pub(super) fn write_delivered(folder: &Target, frame: u64, fields: &DeliveredFields) -> Result<()> {
    let DeliveredFields { grid, flow, flow_confidence, disparity_px, disparity_confidence, features } =
        fields;
    let write = |name: &str, rest: &str, shape: &[usize], planes: &[&DeliveredSamples]| {
        io::write_delivered(folder.join(format!("{name}_{frame:06}{rest}.npy")), shape, planes)
    };
    if let Some(components) = flow {
        let [nx, ny, nz] = grid.size();
        write("flow", "", &[components.len(), nz, ny, nx], &components.iter().collect::<Vec<_>>())?;
    }
    let maps = [
        ("flow_confidence", flow_confidence),
        ("disparity", disparity_px),
        ("disparity_confidence", disparity_confidence),
    ];
    for (name, map) in maps.into_iter().filter_map(|(name, map)| Some((name, map.as_ref()?))) {
        write(name, "", &shape_of(grid), &[map])?;
    }
    for (level, maps) in features.iter().enumerate() {
        let [nx, ny] = maps.size;
        let rest = if level == 0 { String::new() } else { format!("_{level}") };
        let named = [("energy", &maps.energy), ("orientation", &maps.orientation), ("phase", &maps.phase)];
        for (name, map) in named {
            write(name, &rest, &[ny, nx], &[map])?;
        }
    }
    Ok(())
}

fn shape_of(grid: &Grid) -> Vec<usize> {
    let [nx, ny, nz] = grid.size();
    match grid.dimension() {
        Dimension::Two => vec![ny, nx],
        Dimension::Three => vec![nz, ny, nx],
    }
}
