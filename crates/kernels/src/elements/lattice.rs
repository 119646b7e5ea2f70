//! The lattice of elements, and how pixels lie in it.
//!
//! Along an axis every lattice node owns two control points, a third of an element before and after it; those of all nodes in a
//! row number `2 · nodes`. The value at a node is the mean of its two control points, so a cubic Bézier element's four control
//! points are the global-to-local map of the four nearest ones (Li et al. 2008, section 2): the field and its first derivatives
//! are continuous, and a node moves its two elements alone. Control points of a picture are products of both axes', four a
//! node. The functions are B-splines with double knots: none is negative, and they sum to 1.

use std::ops::Range;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device};

/// Control points that a position depends on, along an axis.
pub const TAPS: usize = 4;
/// Control points that share an element with a given one, along an axis.
const NEIGHBOURS: usize = 6;
/// Matrices of an axis: products of values, of first and of second derivatives.
const MATRICES: usize = 3;

/// What the last axis of a lattice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LastAxis {
    /// An axis of space: displacements have a component along it.
    #[default]
    Space,
    /// Time: pictures follow each other, and displacements lie within them.
    Time,
    /// Time in a cycle: the first picture follows the last, and the last element ends at the first node.
    Cycle,
}

/// Where the pixels of an axis lie among its elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisPlan {
    /// Number of elements.
    pub elements: usize,
    /// Length of an element, in edges of the full grid.
    pub element_edges: f64,
    /// Position of the first pixel, in elements.
    pub first: f64,
    /// Distance between pixels, in elements.
    pub step: f64,
}

/// The plan that a lattice is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct LatticePlan {
    /// Shape of one problem, pixels.
    pub shape: Shape,
    /// Image pairs of a batch.
    pub problems: usize,
    /// Meaning of the last axis of the shape.
    pub last: LastAxis,
    /// Plan of each axis; those beyond the axes of the shape are not used.
    pub axes: Axes<AxisPlan>,
    /// Volume (area in 2-D) of a pixel of the full grid, in edges: smoothness is measured per pixel.
    pub full_pixel: f64,
}

/// A lattice, with its tables on a device.
#[derive(Debug)]
pub struct Elements {
    /// Shape of one problem, pixels.
    pub shape: Shape,
    /// Image pairs of a batch.
    pub problems: usize,
    /// Elements per axis; 0 along an axis that does not count.
    pub elements: Axes<usize>,
    /// Meaning of the last axis of the shape.
    pub last: LastAxis,
    /// Position of the first pixel and distance between pixels, in elements.
    pub(super) placed: [Axes<f32>; 2],
    /// The first control point that each pixel depends on: pixels along x, then along y, then along z.
    pub(super) first: Buffer<u32>,
    /// The [`TAPS`] weights of each pixel's control points, in the same order.
    pub(super) weights: Buffer,
    /// The first pixel of each element, then the number of pixels: elements along x, then along y, then along z.
    pub(super) begins: Buffer<u32>,
    /// Rows of the three matrices of smoothness for each control point: along x, then along y, then along z.
    pub(super) stencil: Buffer,
}

impl Elements {
    /// Computes the tables of a lattice, and sends them to a device.
    ///
    /// # Errors
    /// [`ComputeError`] of the device.
    pub fn new(device: &Device, plan: &LatticePlan) -> Result<Self, ComputeError> {
        let (mut first, mut weights) = (Vec::new(), Vec::new());
        let (mut begins, mut stencil) = (Vec::new(), Vec::new());
        let mut elements = [0; 3];
        let axes = plan.shape.components();
        for a in 0..axes {
            let axis = &plan.axes[a];
            elements[a] = axis.elements;
            let mut element_of = Vec::new();
            for i in 0..plan.shape.size[a] {
                let at = axis.first + axis.step * i as f64;
                let element = (at.floor().max(0.0) as usize).min(axis.elements - 1);
                element_of.push(element);
                first.push(2 * element as u32);
                weights.extend(values(at - element as f64).map(|w| w as f32));
            }
            begins.extend((0..=axis.elements).map(|e| element_of.partition_point(|&of| of < e) as u32));
            let scale = if a == 0 { 1.0 / plan.full_pixel } else { 1.0 };
            let is_cycle = plan.last == LastAxis::Cycle && a + 1 == axes;
            let nodes = if is_cycle { axis.elements } else { axis.elements + 1 };
            let entries = matrices(axis.elements, nodes, axis.element_edges);
            stencil.extend(entries.map(|entry| (scale * entry) as f32));
        }
        Ok(Self {
            shape: plan.shape,
            problems: plan.problems,
            elements,
            last: plan.last,
            placed: [plan.axes.map(|axis| axis.first as f32), plan.axes.map(|axis| axis.step as f32)],
            first: device.upload(first)?,
            weights: device.upload(weights)?,
            begins: device.upload(begins)?,
            stencil: device.upload(stencil)?,
        })
    }

    /// A lattice whose pixels are the control points of a finer one. Along an axis where the finer lattice has twice as many
    /// elements, its control points are de Casteljau's of both halves, so that the field stays the same; along an axis with as
    /// many elements, they are copied.
    ///
    /// # Errors
    /// [`ComputeError`] of the device.
    pub fn refining(device: &Device, coarse: &Self, finer: &Self) -> Result<Self, ComputeError> {
        let (mut first, mut weights) = (Vec::new(), Vec::new());
        for a in 0..coarse.shape.components() {
            let controls = coarse.controls()[a];
            for k in 0..finer.controls()[a] {
                let (low, own) = refined(k, finer.elements[a] == coarse.elements[a]);
                // Four of them exist: at the last node those of the one before stand in front.
                let shift = (low + TAPS).saturating_sub(controls);
                first.push((low - shift) as u32);
                let mut shifted = [0.0f32; TAPS];
                (0..TAPS - shift).for_each(|i| shifted[i + shift] = own[i]);
                weights.extend(shifted);
            }
        }
        Ok(Self {
            shape: Shape { size: finer.controls(), dimension: finer.shape.dimension },
            problems: coarse.problems,
            elements: coarse.elements,
            last: coarse.last,
            placed: coarse.placed,
            first: device.upload(first)?,
            weights: device.upload(weights)?,
            // No sum uses these pixels.
            begins: device.zeros(0)?,
            stencil: device.zeros(0)?,
        })
    }

    /// Control points per axis; 1 along an axis that does not count.
    pub fn controls(&self) -> Axes<usize> {
        let mut controls = self.elements.map(|n| if n == 0 { 1 } else { 2 * (n + 1) });
        if self.last == LastAxis::Cycle {
            controls[self.axes() - 1] -= 2;
        }
        controls
    }
    /// Number of axes of the lattice.
    pub fn axes(&self) -> usize {
        self.shape.components()
    }
    /// Number of components of a displacement.
    pub fn components(&self) -> usize {
        self.axes() - usize::from(self.last != LastAxis::Space)
    }
    /// Control points of a problem.
    pub fn controls_of_problem(&self) -> usize {
        self.controls().iter().product()
    }
    /// Unknowns of a problem: one for every control point and component.
    pub fn unknowns(&self) -> usize {
        self.components() * self.controls_of_problem()
    }
    /// Number of sums along rows of all problems: one for every component, row of pixels and control point along x.
    pub fn row_sums(&self) -> usize {
        self.problems * self.components() * self.shape.rows() * self.controls()[0]
    }
    /// Pixels of all problems.
    pub fn pixels(&self) -> usize {
        self.problems * self.shape.len()
    }

    /// The host's tables of an axis.
    pub(super) fn axis(&self, axis: usize) -> AxisTables<'_> {
        let span = |counts: Axes<usize>| {
            let before: usize = counts[..axis].iter().sum();
            before..before + counts[axis]
        };
        let (pixels, begins) = (span(self.shape.size), span(self.elements.map(|elements| elements + 1)));
        AxisTables {
            is_cycle: self.last == LastAxis::Cycle && axis + 1 == self.axes(),
            first: &self.first.host()[pixels.clone()],
            weights: &self.weights.host().as_chunks().0[pixels],
            begins: self.begins.host().get(begins).unwrap_or_default(),
            stencil: self.stencil.host().as_chunks().0.get(span(self.controls())).unwrap_or_default(),
        }
    }
}

/// The tables of an axis.
pub(super) struct AxisTables<'a> {
    is_cycle: bool,
    pub first: &'a [u32],
    pub weights: &'a [[f32; TAPS]],
    begins: &'a [u32],
    /// Rows of the matrices of values, of first and of second derivatives.
    stencil: &'a [[f32; MATRICES * NEIGHBOURS]],
}

impl AxisTables<'_> {
    /// The first pixel of an element; beyond the last element, the number of pixels.
    pub fn begin(&self, element: usize) -> usize {
        self.begins[element.min(self.begins.len() - 1)] as usize
    }
    /// The pixels of an element; empty for an element outside.
    pub fn pixels(&self, element: Option<usize>) -> Range<usize> {
        match element.filter(|e| e + 1 < self.begins.len()) {
            Some(e) => self.begins[e] as usize..self.begins[e + 1] as usize,
            None => 0..0,
        }
    }
    /// Pixels of the element before a control point's node, then of the element after it, each with the number of the tap that
    /// the control point is in that element.
    pub fn support(&self, control: usize) -> [(Range<usize>, usize); 2] {
        let (node, side) = (control / 2, control % 2);
        let before = if self.is_cycle && node == 0 { self.controls() / 2 } else { node };
        [(self.pixels(before.checked_sub(1)), 2 + side), (self.pixels(Some(node)), side)]
    }
    /// Number of control points.
    pub fn controls(&self) -> usize {
        self.stencil.len()
    }
    /// The control points that share an element with a given one: the first of them, and the entries of each; in a cycle the
    /// first follows the last.
    pub fn neighbours(&self, control: usize) -> (usize, impl Iterator<Item = [f32; MATRICES]>) {
        let node = control / 2;
        let (begin, end, first) = if self.is_cycle {
            (0, NEIGHBOURS, 2 * node + self.controls() - 2)
        } else {
            let begin = if node == 0 { 2 } else { 0 };
            let end = if 2 * node + 2 == self.controls() { 4 } else { NEIGHBOURS };
            (begin, end, 2 * node + begin - 2)
        };
        (first, (begin..end).map(move |n| self.entries(control, n)))
    }
    /// Entries of the matrices of values, of first and of second derivatives for a control point and its `n`-th neighbour.
    pub fn entries(&self, control: usize, n: usize) -> [f32; MATRICES] {
        [0, 1, 2].map(|matrix| self.stencil[control][matrix * NEIGHBOURS + n])
    }
}

/// Weights of four control points at a position within their element, 0 to 1.
pub fn values(t: f64) -> [f64; TAPS] {
    let s = 1.0 - t;
    global_to_local([s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t])
}

/// Derivatives of [`values`] per element.
pub fn slopes(t: f64) -> [f64; TAPS] {
    let s = 1.0 - t;
    let b = [s * s, 2.0 * s * t, t * t].map(|b| 3.0 * b);
    global_to_local([-b[0], b[0] - b[1], b[1] - b[2], b[2]])
}

/// Second derivatives of [`values`] per element.
pub fn curvatures(t: f64) -> [f64; TAPS] {
    let b = [6.0 * (1.0 - t), 6.0 * t];
    global_to_local([b[0], b[1] - 2.0 * b[0], b[0] - 2.0 * b[1], b[1]])
}

/// Weights of the four global control points from the weights of an element's own four.
fn global_to_local(b: [f64; 4]) -> [f64; TAPS] {
    [0.5 * b[0], b[1] + 0.5 * b[0], b[2] + 0.5 * b[3], 0.5 * b[3]]
}

/// The control points of the coarser lattice that a control point of the finer one is a mean of: the first of them, and their
/// weights.
fn refined(control: usize, is_copy: bool) -> (usize, [f32; TAPS]) {
    let (node, side) = (control / 2, control % 2);
    if is_copy {
        return (control - side, if side == 0 { [1.0, 0.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0, 0.0] });
    }
    let weights = match (node % 2, side) {
        (0, 0) => [0.75, 0.25, 0.0, 0.0],
        (0, _) => [0.25, 0.75, 0.0, 0.0],
        (_, 0) => [0.125, 0.625, 0.25, 0.0],
        _ => [0.0, 0.25, 0.625, 0.125],
    };
    (2 * (node / 2), weights)
}

/// Gauss points and weights of `0..1`: exact for polynomials up to the seventh degree; the products have the sixth.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// Rows of the matrices of an axis: `∫ ψ_i ψ_j`, `∫ ψ_i' ψ_j'`, `∫ ψ_i'' ψ_j''` over the lattice, lengths in edges. If there
/// are as many nodes as elements, the last element ends at the first node.
fn matrices(elements: usize, nodes: usize, length: f64) -> impl Iterator<Item = f64> {
    let functions: [fn(f64) -> [f64; TAPS]; MATRICES] = [values, slopes, curvatures];
    let mut rows = vec![[[0.0; NEIGHBOURS]; MATRICES]; 2 * nodes];
    for element in 0..elements {
        for (t, weight) in GAUSS {
            for (m, function) in functions.iter().enumerate() {
                let f = function(t).map(|v| v / length.powi(m as i32));
                for i in 0..TAPS {
                    // Relative to the first control point of the node before.
                    let shift = if i < 2 { 2 } else { 0 };
                    for j in 0..TAPS {
                        rows[(2 * element + i) % (2 * nodes)][m][j + shift] += length * weight * f[i] * f[j];
                    }
                }
            }
        }
    }
    rows.into_iter().flatten().flatten()
}

/// The matrices `∫ ψ_i ψ_j`, `∫ ψ_i' ψ_j'` and `∫ ψ_i'' ψ_j''` of a closed axis, derivatives per element: dense, row by row, a
/// row for each of the two control points of every node. The last element ends at the first node.
pub fn closed_matrices(elements: usize) -> [Vec<f64>; 3] {
    let controls = 2 * elements;
    let mut dense = [0, 1, 2].map(|_| vec![0.0; controls * controls]);
    for (nth, entry) in matrices(elements, elements, 1.0).enumerate() {
        let (row, matrix, n) = (nth / (MATRICES * NEIGHBOURS), nth / NEIGHBOURS % MATRICES, nth % NEIGHBOURS);
        let column = (2 * (row / 2) + n + controls - 2) % controls;
        dense[matrix][row * controls + column] += entry;
    }
    dense
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_sum_to_one_and_join_smoothly() {
        for k in 0..=10 {
            let t = f64::from(k) / 10.0;
            assert!((values(t).iter().sum::<f64>() - 1.0).abs() < 1e-15);
            assert!(
                slopes(t).iter().sum::<f64>().abs() < 1e-14
                    && curvatures(t).iter().sum::<f64>().abs() < 1e-13
            );
            let e = 1e-5;
            for i in 0..TAPS {
                let slope = (values(t + e)[i] - values(t - e)[i]) / (2.0 * e);
                let curvature = (slopes(t + e)[i] - slopes(t - e)[i]) / (2.0 * e);
                assert!((slope - slopes(t)[i]).abs() < 1e-8 && (curvature - curvatures(t)[i]).abs() < 1e-8);
            }
        }
        for functions in [values, slopes] {
            // The control points of the node between two elements are the last two of one and the first two of the other.
            let (end, begin) = (functions(1.0), functions(0.0));
            assert!((0..2).all(|i| (end[i + 2] - begin[i]).abs() < 1e-15 && end[i].abs() < 1e-15));
        }
    }

    #[test]
    fn a_closed_axis_integrates_around() {
        // The projection of a cosine around eight elements: ∫p² = 4, and a factor of ω² for each derivative.
        let (elements, omega) = (8, std::f64::consts::TAU / 8.0);
        let controls: Vec<f64> = (0..elements)
            .flat_map(|node| {
                let t = omega * node as f64;
                [t.cos() + omega * t.sin() / 3.0, t.cos() - omega * t.sin() / 3.0]
            })
            .collect();
        for (m, matrix) in closed_matrices(elements).iter().enumerate() {
            let rows = matrix.chunks(2 * elements).zip(&controls);
            let found: f64 = rows
                .map(|(row, p)| p * row.iter().zip(&controls).map(|(entry, q)| entry * q).sum::<f64>())
                .sum();
            let expected = 4.0 * omega.powi(2 * m as i32);
            assert!((found - expected).abs() < 0.01 * expected, "{m}: {found} for {expected}");
        }
    }

    #[test]
    fn integrals_are_exact() {
        // A parabola p(x) = x²/2 over two elements of length 3: ∫p², ∫p'², ∫p''² = 6⁵/20, 6³/3, 6.
        let (elements, length) = (2, 3.0);
        let controls: Vec<f64> = (0..=elements)
            .flat_map(|node| {
                let x = length * node as f64;
                // Value and a third of the derivative across an element.
                [0.5 * x * x - length * x / 3.0, 0.5 * x * x + length * x / 3.0]
            })
            .collect();
        let rows: Vec<f64> = matrices(elements, elements + 1, length).collect();
        let expected = [6f64.powi(5) / 20.0, 6f64.powi(3) / 3.0, 6.0];
        for (m, expected) in expected.into_iter().enumerate() {
            let mut found = 0.0;
            for (k, p) in controls.iter().enumerate() {
                for n in 0..NEIGHBOURS {
                    let other = (2 * (k / 2) + n).checked_sub(2).and_then(|j| controls.get(j));
                    found += p * rows[(k * MATRICES + m) * NEIGHBOURS + n] * other.copied().unwrap_or(0.0);
                }
            }
            assert!((found - expected).abs() < 1e-10 * expected, "{m}: {found} for {expected}");
        }
    }
}
