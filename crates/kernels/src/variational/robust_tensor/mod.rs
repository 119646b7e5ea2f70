//! One tensor from several constraints, each under a robust penaliser:
//! `J = Σ_g γ_g ψ'(e_g) J_g` with `e_g = (δ, 1)ᵀ J_g (δ, 1)` and `ψ'(e) = (1 + e/ε²)^{−½}` (Charbonnier, lagged,
//! scaled to 1 for small residuals; Bruhn et al. 2005, section 4).
//!
//! *In*: groups as [`super::motion_tensor`] writes them, with tt; the present increment δ, edges.
//! *Out*: spatial entries, then the right-hand side. *Halo*: none.

mod cpu;
mod gpu;

use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

/// One constraint.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    /// Spatial entries, minus mixed entries, tt.
    pub tensor: &'a [Buffer],
    /// γ: its share in the data term.
    pub gain: f32,
}

/// Combines the groups.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn robust_tensor(
    device: &Device,
    (shape, epsilon): (Shape, f32),
    (groups, increment): (&[Group<'_>], &[Buffer]),
    out: &mut [Buffer],
) -> Result<(), ComputeError> {
    let (n, d) = (shape.len(), shape.components());
    let entries = shape.tensor_entries() + d;
    for group in groups {
        require_field(group.tensor, (entries + 1, n), "robust_tensor", "group")?;
    }
    require_field(increment, (d, n), "robust_tensor", "increment")?;
    require_field(out, (entries, n), "robust_tensor", "out")?;
    match device.kind() {
        Kind::Cpu(cpu) => cpu::robust_tensor(cpu, (shape, epsilon), (groups, increment), out),
        Kind::Gpu(gpu) => gpu::robust_tensor(&**gpu, (shape, epsilon), (groups, increment), out)?,
    }
    Ok(())
}
