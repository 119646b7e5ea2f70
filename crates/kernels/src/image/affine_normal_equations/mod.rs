//! The Gauss-Newton normal equations of an affine map, summed over an image pair.
//!
//! For the constraint `g · (δA x + δt) + I_t = 0` at every voxel the unknowns are the D(D+1) entries of `[δA | δt]`, row by
//! row; each voxel adds `n q qᵀ` and `−n q I_t` with `q = g ⊗ (x, 1)`, the data term of [`crate::variational::motion_tensor`].
//! *Units*: g per voxel, positions in voxels from `centre`. A voxel that is NaN in the warped image adds nothing. *Halo*: 2
//! voxels.
//!
//! q qᵀ is (g gᵀ) ⊗ (p pᵀ) with p = (x, 1): both texts sum each of the 6 entries of n g gᵀ against the 10 products of
//! positions and each of the 3 of −n g I_t against the 4 positions, in the order of a GPU's workgroups.

mod cpu;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::NAN;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource, sum_rows};

static SOURCE: ShaderSource =
    wgsl!("affine_normal_equations", Bindings, [NAN], "affine_normal_equations.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec4<u32>,
            /// Origin of the positions (x, y, z); ζ² (w).
            centre: vec4<f32>,
        },
        fixed: read f32,
        warped: read f32,
        weight: may_read f32,
    } -> sums: vec4<f32>
}

/// The normal equations `matrix · unknowns = rhs`.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalEquations {
    /// Number of unknowns: 6 or 12.
    pub unknowns: usize,
    /// The matrix, row-major and symmetric.
    pub matrix: Vec<f64>,
    /// Right-hand side.
    pub rhs: Vec<f64>,
    /// Mean n I_t² over the voxels that count.
    pub mean_energy: f64,
}

/// Sums the equations; derivatives are those of the warped image.
#[derive(Debug)]
pub struct AffineNormalEquations<'a> {
    /// Shape of both images.
    pub shape: Shape,
    /// Origin of positions, voxels.
    pub centre: Axes<f64>,
    /// ζ of the normalisation `n = 1 / (|g|² + ζ²)`, intensity per voxel.
    pub zeta: f32,
    /// The fixed image.
    pub fixed: &'a Buffer,
    /// The moving image, warped; NaN outside.
    pub warped: &'a Buffer,
    /// Factor of n; none for 1 everywhere. Voxels without weight do not count.
    pub weight: Option<&'a Buffer>,
}

impl Kernel for AffineNormalEquations<'_> {
    const NAME: &'static str = "affine_normal_equations";
    type Output = Later<NormalEquations>;

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths.of("fixed", self.fixed, n).of("warped", self.warped, n).optional("weight", self.weight, n);
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        Later::known(equations(self.shape.components(), &sum_rows(&cpu::partial_sums(cpu, &self))))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let d = self.shape.components();
        let [cx, cy, cz] = self.centre.map(|c| c as f32);
        let centre = [cx, cy, cz, self.zeta * self.zeta].into();
        let block = Block { size: self.shape.size.into(), centre };
        let Self { fixed, warped, weight, .. } = self;
        gpu.launch(&SOURCE, "affine_normal_equations")
            .constant("COMPONENTS", d)
            .constant("WEIGHTED", self.weight.is_some())
            .bind(&Bindings { block, fixed, warped, weight })
            .sums(self.shape.len(), move |sums: [f64; SUMS]| equations(d, &sums))
    }
}

/// Number of sums that a workgroup leaves, in the order of both texts.
const SUMS: usize = 76;

/// The equations that follow from the sums: unknown `(D + 1) r + k` belongs to component r and position k, the last of which is
/// 1.
fn equations(d: usize, sums: &[f64; SUMS]) -> NormalEquations {
    let unknowns = d * (d + 1);
    // Position k among x, y, z, 1.
    let position = |unknown: usize| match unknown % (d + 1) {
        k if k == d => 3,
        k => k,
    };
    let mut matrix = vec![0.0; unknowns * unknowns];
    for row in 0..unknowns {
        for column in 0..unknowns {
            let entry = pair(3, row / (d + 1), column / (d + 1));
            matrix[row * unknowns + column] = sums[against(entry, position(row), position(column))];
        }
    }
    let rhs = (0..unknowns).map(|u| sums[60 + 4 * (u / (d + 1)) + position(u)]).collect();
    let (energy, count) = (sums[72], sums[73]);
    let mean_energy = if count > 0.0 { energy / count } else { f64::INFINITY };
    NormalEquations { unknowns, matrix, rhs, mean_energy }
}

/// The number of entry (a, b) in the upper triangle of a symmetric matrix.
fn pair(size: usize, a: usize, b: usize) -> usize {
    let (a, b) = (a.min(b), a.max(b));
    a * (2 * size + 1 - a) / 2 + b - a
}

/// Index of the sum of an entry of n g gᵀ against the product of two positions among x, y, z, 1.
fn against(entry: usize, k: usize, l: usize) -> usize {
    match (k.min(l), k.max(l)) {
        (3, 3) => 48 + 2 * entry + 1,
        (2, 3) => 48 + 2 * entry,
        (k, 3) => 24 + 4 * entry + 2 + k,
        (k, l) => {
            let product = pair(3, k, l);
            if product < 4 { 4 * entry + product } else { 24 + 4 * entry + product - 4 }
        }
    }
}
