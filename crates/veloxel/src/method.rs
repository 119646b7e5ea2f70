//! What a dense method of your own is made of.
//!
//! A method implements [`PairMethod`], for two images, or [`WindowMethod`], for a few frames, and [`DenseMethod`], which both
//! need. Its parameters are declared by [`parameters!`](crate::parameters!). A `static` [`Method`] says what it is called, what it
//! uses beside its images, and how it is opened. A [`DenseDraft`] of that `static` goes wherever a method goes, into
//! [`MethodChoice`](crate::pipelines::MethodChoice) of pipelines and [`DenseMethodOptions`](crate::jobs::DenseMethodOptions) of
//! jobs: masks, starts, tiles, both directions, sequences, presets, settings, refusals and reports are then as for every other
//! method.
//!
//! The example `custom_method` is such a method, whole.

pub use veloxel_gpu::{Buffer, Field};
pub use veloxel_kernels::image::warp::{Interpolation, VoxelAffine};
pub use veloxel_motion::{
    AnyMethod, DenseDraft, DenseMethod, Dimensions, Footprint, Found, Frame, FrameSource, Given, ImagePair,
    METHODS, Method, MethodAccount, Opened, Opening, PairMethod, PendingAccount, PendingFlow, Region,
    ResidentFlow, ResidentMask, ResidentStart, Takes, Tiles, Tiling, Use, Uses, Window, WindowMethod,
    voxel_map,
};
