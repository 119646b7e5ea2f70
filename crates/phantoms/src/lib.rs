//! Phantoms: image pairs and sequences whose motion is known exactly, in 2-D and 3-D.
//!
//! A [`Motion`] gives the displacement of every point in closed form, a [`Texture`] the intensity of every
//! point; a [`Phantom`] evaluates them on a grid, without interpolation.
//! A [`HeartPhantom`] is a whole beat of a left ventricle, a [`CinePhantom`] a short-axis cine with exact outlines and strain,
//! [`EdgeToLine`] a picture whose local features are known, [`rasterise_pair`] draws a finite-element mesh at
//! two times, [`catalogue`] lists what every estimator is tried on, and [`named`] makes any of them by its name.
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
//!
//! # What is stable
//!
//! Nothing: phantoms serve tests and benchmarks, and may change in any version. The library `veloxel` has them in its module
//! `phantoms`.

pub mod catalogue;
mod centred;
mod edge_to_line;
mod elements;
mod erosion;
mod error;
mod hearts;
mod motions;
pub mod named;
mod noise;
mod phantom;
mod rasterise;
mod textures;

pub use centred::CentredFrame;
pub use edge_to_line::{EdgeToLine, TrueFeatures};
pub use erosion::eroded;
pub use error::PhantomError;
pub use hearts::cine::{CineParams, CinePhantom};
pub use hearts::heart::{HeartParams, HeartPhantom};
pub use hearts::heart_motion::HeartMotion;
pub use motions::affine::Affine;
pub use motions::breathing::Breathing;
pub use motions::motion::{Composed, Motion};
pub use motions::shell::{BeatingShell, ShellShape};
pub use motions::sinusoid::Sinusoid;
pub use motions::twist::{Twist, Vortex};
pub use noise::{Noise, signed_noise, uniform};
pub use phantom::{Phantom, interior};
pub use rasterise::{MeshTexture, RasteriseParams, SurfaceEdges, rasterise_pair};
pub use textures::texture::{SmoothTexture, SpeckleTexture, Texture};
pub use textures::wall_texture::WallTexture;
