//! Kernels of variational methods: terms of the energy over a displacement, its Euler-Lagrange operator, and solvers' steps.

pub mod bend;
pub mod cell_bounds;
pub mod compose;
pub mod confidence;
pub mod confidence_odds;
pub mod diffusivity;
pub mod expected_error;
pub mod field_confidence;
pub mod flow_composition;
pub mod flow_length;
pub mod inverse_consistency;
pub mod jacobian;
pub mod motion_tensor;
pub mod multigrid_transfer;
pub mod occlusion;
pub mod operator;
pub mod robust_tensor;
pub mod step_share;
pub mod total_displacement;
