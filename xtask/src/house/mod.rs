//! The rules of the house, each read from the sources without building them.

pub mod allowed;
pub mod circles;
pub mod dependencies;
pub mod floors;
pub mod folders;
pub mod kernels;
pub mod lengths;
pub mod manifests;
pub mod statics;
pub mod thin;
