//! The lattices of a grid: which elements, on images of which size.

use super::parameters::{ElementCover, FiniteElementsParams};
use crate::error::Result;
use crate::steps::pyramid::levels;
use veloxel_core::{Axes, Dimension, Grid, Shape};
use veloxel_kernels::elements::lattice::{AxisPlan, LastAxis, LatticePlan};

/// Along an axis of large voxels an element is at least so many of them long.
const LEAST_VOXELS: f64 = 2.0;
/// Elements are halved where the halves are at least this much of the length that is asked for.
const SHORT: f64 = 0.75;

/// One lattice and the size of its images.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LevelPlan {
    pub lattice: LatticePlan,
    /// Shape of all problems' images: two dimensions with several planes for a stack of slices.
    pub stack: Shape,
    /// Voxels of this level for an edge of the full grid.
    pub per_edge: Axes<f32>,
    /// Voxels of the full grid that one of this level stands for.
    pub voxels: f64,
}

/// The lattices of a grid, finest first; and a plan of the coarsest lattice on the full grid, for starts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub levels: Vec<LevelPlan>,
    /// Voxel spacing in edges.
    pub spacing_edges: Axes<f32>,
}

impl Plan {
    pub fn new(grid: &Grid, params: &FiniteElementsParams) -> Result<Self> {
        let [nx, ny, nz] = grid.size();
        let cover = if grid.dimension() == Dimension::Two { ElementCover::Volume } else { params.cover };
        let (own, [problems, pictures]) = match cover {
            ElementCover::Volume => (grid.clone(), [1, 1]),
            ElementCover::Slices => (Grid::image(nx, ny)?.with_spacing_mm(grid.spacing_mm())?, [nz, 1]),
            ElementCover::Time | ElementCover::Cycle => {
                (Grid::image(nx, ny)?.with_spacing_mm(grid.spacing_mm())?, [1, nz])
            }
        };
        let last = match cover {
            ElementCover::Volume | ElementCover::Slices => LastAxis::Space,
            ElementCover::Time => LastAxis::Time,
            ElementCover::Cycle => LastAxis::Cycle,
        };
        let images = levels(&own, 0.5, params.lattices);
        let d = own.dimension().count();
        let spacing = images[0].spacing_edges;
        let axes = axes_of(params, own.size(), spacing.map(f64::from), d);
        let level = |nth: usize| {
            let image = &images[nth.min(images.len() - 1)];
            let s = image.spacing_vox;
            let axis = |a: usize| {
                if last != LastAxis::Space && a == 2 {
                    return time(params.time_element, pictures, last);
                }
                let Lattice1 { elements, length, origin } = axes[nth][a];
                AxisPlan {
                    elements,
                    element_edges: length * f64::from(spacing[a]),
                    first: (0.5 * s[a] - 0.5 - origin) / length,
                    step: s[a] / length,
                }
            };
            let full_pixel = (0..d).map(|a| f64::from(spacing[a])).product();
            let (mut stack, mut shape) = (image.shape, image.shape);
            stack.size[2] *= problems * pictures;
            if last != LastAxis::Space {
                shape = Shape { size: stack.size, dimension: Dimension::Three };
            }
            let axes = [0, 1, 2].map(axis);
            LevelPlan {
                lattice: LatticePlan { shape, problems, last, axes, full_pixel },
                stack,
                per_edge: [0, 1, 2].map(|a| (1.0 / (f64::from(spacing[a]) * s[a])) as f32),
                voxels: (0..d).map(|a| s[a]).product(),
            }
        };
        Ok(Self { levels: (0..params.lattices).map(level).collect(), spacing_edges: spacing })
    }

    /// A lattice with the pixels of the full grid.
    pub(crate) fn on_full_grid(&self, nth: usize) -> LatticePlan {
        let (level, full) = (&self.levels[nth].lattice, &self.levels[0].lattice);
        let mut axes = level.axes;
        for (own, finest) in axes.iter_mut().zip(&full.axes) {
            let ratio = own.element_edges / finest.element_edges;
            (own.first, own.step) = (finest.first / ratio, finest.step / ratio);
        }
        LatticePlan { shape: full.shape, axes, ..level.clone() }
    }
}

/// The elements of an axis, voxels of the full grid.
#[derive(Debug, Clone, Copy)]
struct Lattice1 {
    elements: usize,
    length: f64,
    /// Position of the first node.
    origin: f64,
}

/// The elements along time, a unit of which is the time between two pictures; the same on every lattice.
fn time(wanted: f64, pictures: usize, last: LastAxis) -> AxisPlan {
    let (least, span) = match last {
        LastAxis::Cycle => (2.0, pictures as f64),
        _ => (1.0, pictures as f64 - 1.0),
    };
    let elements = (span / wanted).round().max(least);
    AxisPlan {
        elements: elements as usize,
        element_edges: span / elements,
        first: 0.0,
        step: elements / span,
    }
}

/// The elements of every lattice, finest first: each is the next coarser one's, or its halves.
fn axes_of(
    params: &FiniteElementsParams,
    size: Axes<usize>,
    spacing: Axes<f64>,
    d: usize,
) -> Vec<Axes<Lattice1>> {
    let wanted =
        |nth: usize, a: usize| (params.element * 2f64.powi(nth as i32) / spacing[a]).max(LEAST_VOXELS);
    let mut axes = [0, 1, 2].map(|a| {
        let (length, last) = (wanted(params.lattices - 1, a), size[a] as f64 - 1.0);
        let elements = if a < d { (last / length).ceil().max(1.0) } else { 1.0 };
        Lattice1 { elements: elements as usize, length, origin: 0.5 * (last - elements * length) }
    });
    let mut out = vec![axes];
    for nth in (0..params.lattices - 1).rev() {
        for (a, axis) in axes.iter_mut().enumerate() {
            if 0.5 * axis.length >= SHORT * wanted(nth, a) {
                (axis.elements, axis.length) = (2 * axis.elements, 0.5 * axis.length);
            }
        }
        out.insert(0, axes);
    }
    out
}
