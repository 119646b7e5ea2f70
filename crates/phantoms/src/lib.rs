//! Phantoms: image pairs and sequences whose motion is known exactly, in 2-D and 3-D.
//!
//! A [`Motion`] gives the displacement of every point in closed form, a [`Texture`] the intensity of every
//! point; a [`Phantom`] evaluates them on a grid, without interpolation.
//! A [`HeartPhantom`] is a whole beat of a left ventricle, a [`CinePhantom`] a short-axis cine with exact outlines and strain,
//! [`rasterise_pair`] draws a finite-element mesh at
//! two times, and [`catalogue`] lists what every estimator is tried on.
//! Everything is deterministic: the same arguments give the same bits.
//!
//! ```
//! use veloxel_core::Dimension;
//! use veloxel_phantoms::catalogue;
//!
//! for phantom in catalogue::all(Dimension::Two, 32)? {
//!     assert_eq!(phantom.fixed.grid(), phantom.truth.grid());
//! }
//! # Ok::<(), veloxel_core::CoreError>(())
//! ```

mod affine;
mod beat;
mod breathing;
pub mod catalogue;
mod centred;
mod cine;
mod elements;
mod erosion;
mod error;
mod heart;
mod heart_motion;
mod heart_picture;
mod monotone;
mod motion;
mod noise;
mod phantom;
mod rasterise;
mod shell;
mod sinusoid;
mod texture;
mod twist;
mod wall_texture;

pub use affine::Affine;
pub use breathing::Breathing;
pub use centred::CentredFrame;
pub use cine::{CineParams, CinePhantom};
pub use erosion::eroded;
pub use error::PhantomError;
pub use heart::{HeartParams, HeartPhantom};
pub use heart_motion::HeartMotion;
pub use motion::{Composed, Motion};
pub use noise::{Noise, signed_noise, uniform};
pub use phantom::{Phantom, interior};
pub use rasterise::{MeshTexture, RasteriseParams, SurfaceEdges, rasterise_pair};
pub use shell::{BeatingShell, ShellShape};
pub use sinusoid::Sinusoid;
pub use texture::{SmoothTexture, SpeckleTexture, Texture};
pub use twist::{Twist, Vortex};
pub use wall_texture::WallTexture;
