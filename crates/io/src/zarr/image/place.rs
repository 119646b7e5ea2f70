//! Where the voxels of a level lie in the world, in LPS millimetres.
//!
//! The coordinates of an image count as LPS, as those of ITK do, unless its axes have anatomical orientations (RFC-4), which turn
//! them, or a transformation leads to another coordinate system (0.6), which takes their place.

use super::Level;
use super::axes::{Axis, AxisKind, grid_axes};
use super::units::{length_mm, time_ms};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::geometry::{Axes, cross, length};
use crate::text::quotation::quoted;
use veloxel_core::matrix3::{IDENTITY, product};

/// The place of a level, and which of the array's axes are which of the grid's.
pub(crate) struct Place {
    /// The grid's axes x, y and z among the array's.
    pub space: [Option<usize>; 3],
    pub axes: Axes,
    /// Millimetres of the world in a unit of each of the image's own coordinates x, y, z: what a component of a displacement counts.
    pub world_from_intrinsic: [[f64; 3]; 3],
    /// Milliseconds between frames, where the image says so.
    pub frame_interval_ms: Option<f64>,
}

impl Level {
    /// Where its voxels lie.
    ///
    /// # Errors
    /// [`IoError::Unsupported`](crate::IoError::Unsupported) for axes that are mixed.
    pub fn place(&self, context: &mut Context) -> Result<Place> {
        let space = grid_axes(&self.axes, context)?;
        self.require_own_axes(space, context)?;
        let size = space.map(|axis| axis.map_or(1, |axis| self.array.shape[axis]));
        let of = |values: &[f64], a: usize, none: f64| space[a].map_or(none, |axis| values[axis]);
        let diagonal: Vec<f64> = (0..self.axes.len()).map(|axis| self.intrinsic.matrix[axis][axis]).collect();
        let spacing = [0, 1, 2].map(|a| of(&diagonal, a, 1.0));
        let origin = [0, 1, 2].map(|a| of(&self.intrinsic.offset, a, 0.0));
        let (world, shift) = self.world(space, context)?;
        let column = |a: usize| [0, 1, 2].map(|row| world[row][a]);
        let lengths = [0, 1, 2].map(|a| length(column(a)));
        let mut axes = Axes::new(size);
        for (a, own) in lengths.into_iter().enumerate() {
            axes.spacing_mm[a] = spacing[a] * own;
            for row in 0..3 {
                axes.direction[row][a] = if own > 0.0 { world[row][a] / own } else { axes.direction[row][a] };
                axes.origin_mm[row] += world[row][a] * origin[a];
            }
        }
        (0..3).for_each(|row| axes.origin_mm[row] += shift[row]);
        if space[2].is_none() {
            // A picture in the xy plane keeps z as its third axis, mirrored or not.
            let [a, b] = [0, 1].map(|a| [0, 1, 2].map(|row| axes.direction[row][a]));
            let normal = cross(a, b);
            let is_flat = a[2] == 0.0 && b[2] == 0.0;
            let across = if is_flat { [0.0, 0.0, 1.0] } else { normal.map(|v| v / length(normal)) };
            (0..3).for_each(|row| axes.direction[row][2] = across[row]);
            axes.spacing_mm[2] = 1.0;
        }
        let frame_interval_ms = self.frame_interval_ms(&diagonal, context)?;
        Ok(Place { space, axes, world_from_intrinsic: world, frame_interval_ms })
    }

    /// Refuses scales that mix axes.
    fn require_own_axes(&self, space: [Option<usize>; 3], context: &Context) -> Result<()> {
        let is_own =
            |matrix: &[Vec<f64>], row: usize, column: usize| row == column || matrix[row][column] == 0.0;
        let all = 0..self.axes.len();
        let is_plain =
            all.clone().all(|row| all.clone().all(|column| is_own(&self.intrinsic.matrix, row, column)));
        let hint = "give the scale and translation of each axis";
        context.support(is_plain, "a level whose axes are mixed by its transformation", hint)?;
        let Some(world) = &self.world else { return Ok(()) };
        let is_space = |axis: usize| space.contains(&Some(axis));
        let mixes = |row: usize, column: usize| {
            (is_space(row) != is_space(column)) && !is_own(&world.from_intrinsic.matrix, row, column)
        };
        let is_plain = !all.clone().any(|row| all.clone().any(|column| mixes(row, column)));
        context.support(is_plain, "a transformation that mixes space with other axes", hint)
    }

    /// From the image's own coordinates to LPS millimetres.
    fn world(&self, space: [Option<usize>; 3], context: &mut Context) -> Result<([[f64; 3]; 3], [f64; 3])> {
        let units = |axes: &[Axis], context: &mut Context| -> Result<[f64; 3]> {
            let mut units = [1.0; 3];
            for (unit, axis) in units.iter_mut().zip(space) {
                *unit = axis.map_or(Ok(1.0), |axis| millimetres(&axes[axis], context))?;
            }
            Ok(units)
        };
        let (axes, matrix, offset) = match &self.world {
            None => {
                let diagonal = [0, 1, 2].map(|a| [0, 1, 2].map(|b| f64::from(u8::from(a == b))));
                (&self.axes, diagonal, [0.0; 3])
            }
            Some(world) => {
                let entry = |a: usize, b: usize| match (space[a], space[b]) {
                    (Some(row), Some(column)) => world.from_intrinsic.matrix[row][column],
                    _ => IDENTITY[a][b],
                };
                let matrix = [0, 1, 2].map(|a| [0, 1, 2].map(|b| entry(a, b)));
                (
                    &world.axes,
                    matrix,
                    space.map(|axis| axis.map_or(0.0, |axis| world.from_intrinsic.offset[axis])),
                )
            }
        };
        let units = units(axes, context)?;
        let scaled = [0, 1, 2].map(|row| matrix[row].map(|value| value * units[row]));
        let shift = [0, 1, 2].map(|row| offset[row] * units[row]);
        Ok(match anatomy(axes, space, context)? {
            None => (scaled, shift),
            Some(lps) => {
                let turned = [0, 1, 2].map(|row| (0..3).map(|k| lps[row][k] * shift[k]).sum());
                (product(&lps, &scaled), turned)
            }
        })
    }

    fn frame_interval_ms(&self, diagonal: &[f64], context: &mut Context) -> Result<Option<f64>> {
        let Some(time) = self.axis_of(AxisKind::Time, context)?.filter(|&axis| self.array.shape[axis] > 1)
        else {
            return Ok(None);
        };
        let Some(unit) = &self.axes[time].unit else { return Ok(None) };
        match time_ms(unit) {
            Some(ms) => Ok(context.frame_interval_ms(diagonal[time] * ms)),
            None => {
                context.assume(format!(
                    "{} is no time that is known: the frame interval is unknown",
                    quoted(unit)
                ))?;
                Ok(None)
            }
        }
    }
}

/// Millimetres in the unit of an axis; an axis without one is in mm, as other formats without a unit are.
fn millimetres(axis: &Axis, context: &mut Context) -> Result<f64> {
    let Some(unit) = &axis.unit else { return Ok(1.0) };
    match length_mm(unit) {
        Some(mm) => Ok(mm),
        None => {
            context.assume(format!("{} is no length that is known: mm is assumed", quoted(unit)))?;
            Ok(1.0)
        }
    }
}

/// LPS from the coordinates x, y, z of axes that have anatomical orientations, all of them; none where they have none.
fn anatomy(axes: &[Axis], space: [Option<usize>; 3], context: &mut Context) -> Result<Option<[[f64; 3]; 3]>> {
    let said = space.map(|axis| axis.and_then(|axis| axes[axis].orientation.as_deref()));
    if said.iter().all(Option::is_none) {
        return Ok(None);
    }
    let known = said.map(|orientation| orientation.and_then(world_axis));
    let mut lps = [[0.0; 3]; 3];
    let mut taken = [false; 3];
    for (a, found) in known.into_iter().enumerate() {
        let Some((row, sign)) = found else { continue };
        lps[row][a] = sign;
        taken[row] = true;
    }
    if taken == [true; 3] {
        return Ok(Some(lps));
    }
    let said: Vec<String> = said.iter().map(|said| quoted(said.unwrap_or("none"))).collect();
    context.assume(format!(
        "orientations {} are no three directions: x, y, z are assumed to be LPS",
        said.join(", ")
    ))?;
    Ok(None)
}

/// The axis of LPS that an orientation runs along, and 1, or −1 against it.
fn world_axis(orientation: &str) -> Option<(usize, f64)> {
    Some(match orientation {
        "right-to-left" => (0, 1.0),
        "left-to-right" => (0, -1.0),
        "anterior-to-posterior" => (1, 1.0),
        "posterior-to-anterior" => (1, -1.0),
        "inferior-to-superior" => (2, 1.0),
        "superior-to-inferior" => (2, -1.0),
        _ => return None,
    })
}
