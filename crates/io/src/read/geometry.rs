//! Makes a [`Grid`] of a header's axes, with a warning for every assumption.

use crate::error::Result;
use crate::read::context::Context;
use std::ops::Range;
use veloxel_core::matrix3::{IDENTITY, determinant};
use veloxel_core::{Dimension, Grid};

/// Cosines and lengths that differ by less are the rounding of 32-bit headers.
const TOLERANCE: f64 = 1e-4;

/// The directions of a file's first two axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorldAxes {
    /// To the left, to the back, up.
    Lps,
    /// To the right, to the front, up.
    Ras,
}

impl WorldAxes {
    /// From the file's axes to LPS, and from LPS to the file's.
    pub fn turned(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Lps => [x, y, z],
            Self::Ras => [-x, -y, z],
        }
    }
}

/// Axes as a header gives them, already in LPS millimetres.
#[derive(Debug, Clone)]
pub(crate) struct Axes {
    pub size: [usize; 3],
    pub spacing_mm: [f64; 3],
    pub origin_mm: [f64; 3],
    /// Row-major; column `a` is the world direction of axis `a`.
    pub direction: [[f64; 3]; 3],
}

impl Axes {
    /// Axes along the world's, 1 mm apart.
    pub fn new(size: [usize; 3]) -> Self {
        Self { size, spacing_mm: [1.0; 3], origin_mm: [0.0; 3], direction: IDENTITY }
    }

    /// The same samples with an axis of one voxel last: what is one voxel thick is a plane in space, a 2-D image, whatever number of
    /// axes its header lists, and the order of its samples does not change.
    fn thin_axis_last(self) -> Self {
        let order = match self.size {
            [_, _, 1] => return self,
            [_, 1, _] => [0, 2, 1],
            [1, _, _] => [1, 2, 0],
            _ => return self,
        };
        Self {
            size: order.map(|axis| self.size[axis]),
            spacing_mm: order.map(|axis| self.spacing_mm[axis]),
            direction: self.direction.map(|row| order.map(|axis| row[axis])),
            ..self
        }
    }

    /// Mends what cannot be, in this order: spacing, origin, lengths and independence of the directions.
    pub(crate) fn into_grid(self, context: &mut Context) -> Result<Grid> {
        let Self { size, mut spacing_mm, mut origin_mm, mut direction } = self.thin_axis_last();
        for (axis, h) in spacing_mm.iter_mut().enumerate() {
            if h.is_finite() && *h < 0.0 {
                let name = ["x", "y", "z"][axis];
                context.assume(format!("spacing {h} along {name} is below 0: the axis is turned around"))?;
                *h = -*h;
                direction.iter_mut().for_each(|row| row[axis] = -row[axis]);
            }
            *h = usable_spacing(*h, axis, context)?;
        }
        if origin_mm.iter().any(|o| !o.is_finite()) {
            context.assume(format!("origin {origin_mm:?} is not finite: 0 is assumed for such values"))?;
            origin_mm = origin_mm.map(|o| if o.is_finite() { o } else { 0.0 });
        }
        let length = column_lengths(&direction);
        let unit = [0, 1, 2].map(|r| [0, 1, 2].map(|a| direction[r][a] / length[a]));
        let det = determinant(&unit);
        if !det.is_finite() || det.abs() < 1e-6 {
            context.assume(format!(
                "direction {direction:?} has no inverse: axes along the world's are assumed"
            ))?;
            direction = IDENTITY;
        } else {
            if length.iter().any(|l| (l - 1.0).abs() > TOLERANCE) {
                context.assume(format!(
                    "direction columns have lengths {length:?}: spacing is multiplied by them"
                ))?;
            }
            let skew = (0..3).map(|a| {
                let b = (a + 1) % 3;
                (0..3).map(|r| unit[r][a] * unit[r][b]).sum::<f64>().abs()
            });
            let skew = skew.fold(0.0, f64::max);
            if skew > TOLERANCE {
                context.assume(format!(
                    "axes are not orthogonal (largest cosine {skew:.6}): they are used as the header gives them"
                ))?;
            }
            for (h, l) in spacing_mm.iter_mut().zip(length) {
                // Rounding of a 32-bit header must not change a spacing given as 0.7.
                if (l - 1.0).abs() > TOLERANCE {
                    *h *= l;
                }
            }
            direction = unit;
        }
        require_floats(spacing_mm, origin_mm, context)?;
        let [nx, ny, nz] = size;
        let grid = if nz == 1 { Grid::image(nx, ny) } else { Grid::volume(nx, ny, nz) };
        grid.and_then(|g| g.with_spacing_mm(spacing_mm))
            .and_then(|g| g.with_direction(direction))
            .map(|g| g.with_origin_mm(origin_mm))
            .map_err(|e| context.core(e))
    }
}

/// Refuses lengths that 32-bit floats cannot hold, of fields as of headers.
fn require_floats(spacing_mm: [f64; 3], origin_mm: [f64; 3], context: &Context) -> Result<()> {
    if let Some(h) = spacing_mm.iter().find(|h| !SPACINGS_MM.contains(h)) {
        let Range { start, end } = SPACINGS_MM;
        return Err(context.malformed("spacing", format!("{start:e} to {end:e} mm"), format!("{h:e}")));
    }
    if let Some(o) = origin_mm.iter().find(|o| o.abs() > FARTHEST_MM) {
        return Err(context.malformed("origin", format!("at most {FARTHEST_MM:e} mm"), format!("{o:e}")));
    }
    Ok(())
}

/// Spacings, mm, whose squares and whose products with motions are 32-bit floats.
const SPACINGS_MM: Range<f64> = 1e-15..1e15;
/// The largest coordinate of a voxel, mm: headers and fields have 32-bit floats.
const FARTHEST_MM: f64 = 1e30;

/// A spacing that a grid can have: what the header says, or what is assumed in its place.
pub(crate) fn usable_spacing(spacing: f64, axis: usize, context: &mut Context) -> Result<f64> {
    if spacing.is_finite() && spacing > 0.0 {
        return Ok(spacing);
    }
    let name = ["x", "y", "z", "t"][axis.min(3)];
    let assumed = if spacing.is_finite() && spacing < 0.0 { -spacing } else { 1.0 };
    context.assume(format!("spacing {spacing} along {name} is not possible: {assumed} mm is assumed"))?;
    Ok(assumed)
}

/// The lengths of the axes of a matrix whose columns they are.
pub(crate) fn column_lengths(m: &[[f64; 3]; 3]) -> [f64; 3] {
    [0, 1, 2].map(|a| length([m[0][a], m[1][a], m[2][a]]))
}

/// The direction at right angles to two others, of length 1; of no length where these lie along each other.
#[cfg(feature = "dicom")]
pub(crate) fn normal(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    let n = cross(a, b);
    let length = length(n);
    if length > 0.0 { n.map(|v| v / length) } else { n }
}

pub(crate) fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Axes that a header must list to say all about a grid: 2 for a picture in the world's xy plane at z = 0, else 3. A plane
/// elsewhere in space is written as a volume of one slice, with all three directions, and its vectors have three components.
pub(crate) fn header_axes(grid: &Grid) -> usize {
    let d = grid.direction();
    let off_plane = [d[2][0], d[2][1], d[0][2], d[1][2], grid.origin_mm()[2]];
    let in_plane = grid.dimension() == Dimension::Two && off_plane.iter().all(|v| v.abs() < 1e-9);
    if in_plane { 2 } else { 3 }
}

#[cfg(test)]
mod tests {
    use crate::read::reading::Strictness;
    use veloxel_core::{Grid, Warnings};

    fn grid(name: &str, text: &str) -> (Grid, String) {
        let mut warnings = Warnings::new();
        let bytes = [text.as_bytes(), &[0; 8]].concat();
        let content = crate::read_bytes(name.as_ref(), &bytes, Strictness::Lenient, &mut warnings).unwrap();
        let crate::Content::Image(image) = content else { panic!("no image") };
        (image.grid().clone(), warnings.iter().map(|w| w.message.clone()).collect())
    }

    #[test]
    fn a_negative_spacing_turns_its_axis_around() {
        let text = "NDims = 3\nDimSize = 2 2 2\nElementSpacing = 1 -2 3\nOffset = 5 6 7\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n";
        let (grid, said) = grid("a.mha", text);
        assert_eq!((grid.spacing_mm(), grid.origin_mm()), ([1.0, 2.0, 3.0], [5.0, 6.0, 7.0]));
        assert_eq!(grid.direction()[1], [0.0, -1.0, 0.0]);
        assert!(said.contains("turned around"), "{said}");
    }

    #[test]
    fn space_units_are_millimetres_in_the_end() {
        let header = |more: &str| {
            format!("NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n{more}\n\n")
        };
        let placed = "space: LPS\nspace directions: (2,0,0) (0,2,0) (0,0,4)\nspace origin: (1,2,3)\n";
        let (found, _) = grid("a.nrrd", &header(&format!("{placed}space units: \"um\" \"um\" \"um\"")));
        assert!((0..3).all(|a| (found.spacing_mm()[a] - [0.002, 0.002, 0.004][a]).abs() < 1e-12));
        assert!((found.origin_mm()[2] - 0.003).abs() < 1e-12);
        let (found, _) = grid("a.nrrd", &header("spacings: 1 1 0.5\nunits: \"cm\" \"cm\" \"cm\""));
        assert_eq!(found.spacing_mm(), [10.0, 10.0, 5.0]);
        let (_, said) = grid("a.nrrd", &header(&format!("{placed}space units: \"s\" \"s\" \"s\"")));
        assert!(said.contains("mm is assumed"), "{said}");
    }
}
