//! The covariance of every vector's error: how long it is says the confidence, which way it lies say image and field.
//!
//! *In*: the fixed image, the field (voxels) and its confidence, on one grid. *Out*: a covariance a voxel, squared voxels.
//! *Shape*: `S = S_J + S_D` of two tensors over a Gaussian window of 2 edges, each with a trace of d and a floor ε = 0.3:
//! `S_J ~ (J + ε I)⁻¹` of the image's structure tensor `J = ⟨∇I ∇Iᵀ⟩` is long along edges, where data do not say how far a vector goes
//! (aperture problem), and `S_D ~ D + ε I` of the field's own `D = ⟨Σ_a ∂_a d ∂_a dᵀ⟩` is long along the jump of the motion, because
//! vectors near a motion boundary err towards the motion beyond it.
//! *Length*: `C = r² / q · S` with a trace of S of d, where r is the curve of the ellipse at the vector's confidence ([`ErrorCurves`]) and q the
//! level of the ellipse of 90 %: of vectors with such a confidence nine of ten lay within `eᵀ C⁻¹ e ≤ q` where the motion was known.
//! *Border*: replicated. *Unknown*: a NaN of the image or of a neighbour's vector adds nothing; where the vector or its confidence is NaN
//! the covariance is.
//! *Why of image and field alone*: all methods have both, at the end, on one grid, in tiles and after refinement as well; the tensor of
//! a method is neither kept nor there in all of them.
//! *Cost*: one pass a component and an entry on the device, the matrices on the host.
//! *Evidence*: the tests below; coverage of the ellipses on kept pairs in docs/confidence.md.

use super::ErrorCurves;
use crate::error::MotionError;
use crate::steps::buffers::convolved;
use veloxel_core::matrix3::{IDENTITY, inverse};
use veloxel_core::{Flow, FlowCovariance, Grid, Shape, Volume};
use veloxel_gpu::Device;
use veloxel_kernels::image::gradient::{Gradient, Scheme};
use veloxel_kernels::{Kernel, Taps};

/// Standard deviation of the window of both tensors, edges.
const WINDOW_EDGES: f64 = 2.0;
/// Windows are cut here, in standard deviations.
const TRUNCATE: f64 = 2.5;
/// What is added to the eigenvalues of a tensor, in their mean.
const FLOOR: f64 = 0.3;
/// The squared derivative of a field below which it tells no direction, on each axis.
const STILL: f64 = 1e-6;
/// The share of errors within the ellipse that covariances are fitted to.
const FITTED_SHARE: f64 = 0.9;

/// A matrix; of pictures the third row and column are those of the unit matrix.
type Matrix = [[f64; 3]; 3];

impl ErrorCurves {
    /// The covariance of the error of every vector, squared voxels, by the image that the flow lives on.
    ///
    /// # Errors
    /// [`MotionError::Input`] unless image, flow and confidence lie on one grid; [`MotionError::Compute`].
    pub fn covariances(
        &self,
        device: &Device,
        fixed: &Volume<f32>,
        flow: &Flow,
        confidence: &Volume<f32>,
    ) -> Result<FlowCovariance, MotionError> {
        let grid = flow.grid();
        grid.require_same(fixed.grid(), "flow and fixed image")?;
        grid.require_same(confidence.grid(), "flow and confidence")?;
        let windows = Windows::of(device, grid);
        let axes = grid.dimension().count();
        let image = windows.of_image(fixed)?;
        let field = windows.of_field(flow)?;
        let level = FlowCovariance::level(axes, FITTED_SHARE);
        let entries = FlowCovariance::entries_of(grid);
        let mut planar_vox2 = vec![f32::NAN; entries.len() * grid.len()];
        let mut pace = device.control().once_in(VOXELS_AT_ONCE);
        for voxel in 0..grid.len() {
            pace.step()?;
            let confidence = confidence.data()[voxel];
            if confidence.is_nan() || !flow.is_valid(voxel) {
                continue;
            }
            let shape = shape_of(axes, image.at(voxel), field.at(voxel));
            let variance = f64::from(self.ellipse_vox(confidence)).powi(2) / level;
            for (nth, [row, column]) in entries.iter().enumerate() {
                let per_vox = windows.spacing_edges[*row] * windows.spacing_edges[*column];
                planar_vox2[nth * grid.len() + voxel] = (variance * shape[*row][*column] / per_vox) as f32;
            }
        }
        Ok(FlowCovariance::from_planar_vox2(grid.clone(), planar_vox2)?)
    }
}

/// Voxels whose matrices are made between two questions whether to go on.
const VOXELS_AT_ONCE: usize = 1 << 15;

/// Where tensors are averaged.
struct Windows<'a> {
    device: &'a Device,
    grid: &'a Grid,
    /// Lengths of a voxel's edges, the shortest being 1.
    spacing_edges: [f64; 3],
}

/// A symmetric tensor of every voxel, averaged over windows: entry by entry, as a covariance lies.
struct Tensors<'a> {
    grid: &'a Grid,
    entries: Vec<Vec<f32>>,
}

impl<'a> Windows<'a> {
    fn of(device: &'a Device, grid: &'a Grid) -> Self {
        let spacing_mm = grid.spacing_mm();
        let axes = grid.dimension().count();
        let shortest_mm = spacing_mm[..axes].iter().copied().fold(f64::INFINITY, f64::min);
        let spacing_edges = [0, 1, 2].map(|a| if a < axes { spacing_mm[a] / shortest_mm } else { 1.0 });
        Self { device, grid, spacing_edges }
    }

    /// `⟨∇I ∇Iᵀ⟩`, per squared edge.
    fn of_image(&self, image: &Volume<f32>) -> Result<Tensors<'a>, MotionError> {
        let gradient = self.gradient(image.data())?;
        self.averaged(|[row, column], voxel| gradient[row][voxel] * gradient[column][voxel])
    }

    /// `⟨Σ_a ∂_a d ∂_a dᵀ⟩`, of a field in edges.
    fn of_field(&self, flow: &Flow) -> Result<Tensors<'a>, MotionError> {
        let gradients = flow.components_vox().map(|component| self.gradient(component));
        let gradients = gradients.collect::<Result<Vec<_>, MotionError>>()?;
        let [row_edges, column_edges] = [self.spacing_edges; 2].map(|edges| edges.map(|edge| edge as f32));
        self.averaged(|[row, column], voxel| {
            let along = gradients[row].iter().zip(&gradients[column]);
            let sum: f32 = along.map(|(one, other)| one[voxel] * other[voxel]).sum();
            row_edges[row] * column_edges[column] * sum
        })
    }

    /// The derivatives of samples along every axis, per edge.
    fn gradient(&self, samples: &[f32]) -> Result<Vec<Vec<f32>>, MotionError> {
        let shape = Shape::of(self.grid);
        let image = &self.device.upload_copy(samples)?;
        let mut out = self.device.zeros_field(shape.components(), shape.len())?;
        Gradient { shape, scheme: Scheme::Central4, image, out: &mut out }.run(self.device)?;
        let per_edge = |(axis, buffer)| -> Result<Vec<f32>, MotionError> {
            let mut derivative = self.device.download(buffer)?;
            let edges = self.spacing_edges[axis] as f32;
            derivative.iter_mut().for_each(|value| *value /= edges);
            Ok(derivative)
        };
        out.into_iter().enumerate().map(per_edge).collect()
    }

    /// Entries that a function gives, averaged; what is NaN adds nothing.
    fn averaged(&self, entry: impl Fn([usize; 2], usize) -> f32) -> Result<Tensors<'a>, MotionError> {
        let taps = &self.spacing_edges.map(|edges| Taps::gaussian(WINDOW_EDGES / edges, TRUNCATE));
        let mut entries = Vec::new();
        for axes in FlowCovariance::entries_of(self.grid) {
            self.device.control().check()?;
            let known = |value: f32| if value.is_nan() { 0.0 } else { value };
            let samples = (0..self.grid.len()).map(|voxel| known(entry(*axes, voxel))).collect();
            let samples = self.device.upload(samples)?;
            entries.push(self.device.download(convolved(
                self.device,
                &samples,
                Shape::of(self.grid),
                taps,
            )?)?);
        }
        Ok(Tensors { grid: self.grid, entries })
    }
}

impl Tensors<'_> {
    fn at(&self, voxel: usize) -> Matrix {
        let mut matrix = [[0.0; 3]; 3];
        for ([row, column], entry) in FlowCovariance::entries_of(self.grid).iter().zip(&self.entries) {
            let value = f64::from(entry[voxel]);
            (matrix[*row][*column], matrix[*column][*row]) = (value, value);
        }
        matrix
    }
}

/// The shape of an error, with a trace of as many axes as there are, from the tensors of image and field.
fn shape_of(axes: usize, image: Matrix, field: Matrix) -> Matrix {
    let along_edges = with_trace(axes, inverse(&floored(axes, image, 0.0)));
    let along_jumps = with_trace(axes, floored(axes, field, STILL));
    let sum =
        [0, 1, 2].map(|row| [0, 1, 2].map(|column| along_edges[row][column] + along_jumps[row][column]));
    with_trace(axes, sum)
}

/// A tensor scaled to a trace of as many axes as there are, with [`FLOOR`] on its diagonal; the unit matrix where it tells nothing.
/// Axes that do not count are left with 1 on the diagonal.
fn floored(axes: usize, mut matrix: Matrix, still: f64) -> Matrix {
    (0..axes).for_each(|axis| matrix[axis][axis] += still);
    let mut scaled = with_trace(axes, matrix);
    (0..axes).for_each(|axis| scaled[axis][axis] += FLOOR);
    (axes..3).for_each(|axis| scaled[axis][axis] = 1.0);
    scaled
}

/// A matrix of a trace of as many axes as there are; the unit matrix for one without a trace.
fn with_trace(axes: usize, matrix: Matrix) -> Matrix {
    let trace: f64 = (0..axes).map(|axis| matrix[axis][axis]).sum();
    let scale = axes as f64 / trace;
    if trace > 0.0 && scale.is_finite() { matrix.map(|row| row.map(|v| v * scale)) } else { IDENTITY }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;
    use veloxel_core::Dimension;
    use veloxel_core::matrix3::symmetric_eigenvalues;

    /// The covariances of a field on an image, of confidence 0.9.
    fn covariances(fixed: &Volume<f32>, flow: &Flow) -> FlowCovariance {
        let curves = ErrorCurves::of("clg", "accurate", flow.grid().dimension()).unwrap();
        curves.covariances(&Device::cpu(1).unwrap(), fixed, flow, &fixed.map(|_| 0.9)).unwrap()
    }

    #[test]
    fn an_ellipse_is_long_along_an_edge_and_round_at_a_spot() {
        let grid = Grid::image(48, 48).unwrap();
        // An edge along y.
        let edge = Volume::from_fn(grid.clone(), |[x, ..]| if x < 24 { 0.0 } else { 1.0 });
        let at_edge = covariances(&edge, &Flow::zeros(grid.clone())).matrix_vox2(24 * 48 + 24);
        assert!(at_edge[1][1] > 1.8 * at_edge[0][0] && at_edge[0][1].abs() < 1e-6, "{at_edge:?}");
        let flat = covariances(&edge.map(|_| 0.3), &Flow::zeros(grid)).matrix_vox2(24 * 48 + 24);
        assert!((flat[0][0] - flat[1][1]).abs() < 1e-9 && flat[0][1] == 0.0, "{flat:?}");
        // As long in all: the curve at one confidence.
        assert!((at_edge[0][0] + at_edge[1][1] - flat[0][0] - flat[1][1]).abs() < 1e-6);
    }

    #[test]
    fn an_ellipse_is_long_along_the_jump_of_the_motion() {
        let grid = Grid::volume(24, 24, 24).unwrap();
        let flat = Volume::from_fn(grid.clone(), |_| 0.5);
        // What moves along z lies beside what does not.
        let sliding = Flow::from_fn(grid, |[x, ..]| [0.0, 0.0, if x < 12.0 { 0.0 } else { 2.0 }]);
        let matrix = covariances(&flat, &sliding).matrix_vox2(12 * (24 * 24 + 24) + 12);
        assert!(matrix[2][2] > 1.8 * matrix[0][0] && matrix[2][2] > 1.8 * matrix[1][1], "{matrix:?}");
    }

    #[test]
    fn the_length_is_the_curves_and_falls_as_confidence_rises() {
        let grid = Grid::volume(12, 10, 8).unwrap();
        let image = Volume::from_fn(grid.clone(), |[x, y, z]| ((x * y + 3 * z) % 7) as f32);
        let flow = Flow::from_fn(grid.clone(), |[x, y, z]| [0.1 * x, 0.2 * y, -0.1 * z]);
        let curves = ErrorCurves::of("clg", "fast", Dimension::Three).unwrap();
        let device = Device::cpu(1).unwrap();
        let mut before = f64::INFINITY;
        for confidence in [0.1, 0.5, 0.9, 0.999] {
            let found = curves.covariances(&device, &image, &flow, &image.map(|_| confidence)).unwrap();
            let matrix = found.matrix_vox2(517);
            let trace = matrix[0][0] + matrix[1][1] + matrix[2][2];
            let radius = f64::from(curves.ellipse_vox(confidence));
            let expected = 3.0 * radius * radius / FlowCovariance::level(3, 0.9);
            assert!((trace - expected).abs() < 1e-5 * expected, "{trace} beside {expected}");
            assert!(symmetric_eigenvalues(matrix).iter().all(|value| *value > 0.0), "{matrix:?}");
            assert!(trace <= before);
            before = trace;
        }
    }

    #[test]
    fn long_voxels_have_the_same_ellipses_in_millimetres() {
        let isotropic = Grid::volume(20, 20, 20).unwrap();
        let slices = Grid::volume(20, 20, 10).unwrap().with_spacing_mm([1.0, 1.0, 2.0]).unwrap();
        let of = |grid: &Grid, z_mm: f64| {
            let image = Volume::from_fn(grid.clone(), |[x, y, z]| {
                (0.3 * x as f32 + 0.2 * y as f32 + 0.4 * (z as f64 * z_mm) as f32).sin()
            });
            let flow = Flow::from_fn(grid.clone(), |[x, _, z]| [0.1 * x, 0.0, 0.05 * x / z_mm + 0.02 * z]);
            covariances(&image, &flow)
        };
        let (one, two) = (of(&isotropic, 1.0), of(&slices, 2.0));
        let (at_one, at_two) =
            (one.matrix_vox2(10 * 400 + 10 * 20 + 10), two.matrix_vox2(5 * 400 + 10 * 20 + 10));
        for (row, column, per_mm2) in [(0, 0, 1.0), (2, 2, 4.0), (0, 2, 2.0)] {
            let [one, two] = [at_one[row][column], per_mm2 * at_two[row][column]];
            assert!((one - two).abs() < 0.1 * at_one[0][0], "{row} {column}: {one} beside {two}");
        }
    }

    #[test]
    fn what_is_unknown_stays_unknown_and_alone() {
        let grid = Grid::image(16, 16).unwrap();
        let mut image = Volume::from_fn(grid.clone(), |[x, y, _]| (x * y) as f32);
        image.data_mut()[8 * 16 + 8] = f32::NAN;
        let mut flow = Flow::from_fn(grid.clone(), |[x, _, _]| [0.1 * x, 0.0, 0.0]);
        flow.components_vox_mut().for_each(|component| component[5 * 16 + 5] = f32::NAN);
        let found = covariances(&image, &flow);
        let unknown: Vec<usize> = (0..256).filter(|voxel| found.matrix_vox2(*voxel)[0][0].is_nan()).collect();
        assert_eq!(unknown, [5 * 16 + 5]);
        let elsewhere = Flow::zeros(Grid::image(8, 8).unwrap());
        let curves = ErrorCurves::of("clg", "accurate", Dimension::Two).unwrap();
        let refused = curves.covariances(&Device::cpu(1).unwrap(), &image, &elsewhere, &image);
        assert!(matches!(refused, Err(MotionError::Input(_))));
    }
}
