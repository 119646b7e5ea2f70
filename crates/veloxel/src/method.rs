//! What a dense method of your own is made of.
//!
//! A method implements [`PairMethod`], for two images, or [`WindowMethod`], for a few frames, and [`DenseMethod`], which both
//! need. Its parameters are declared by [`parameters!`](crate::parameters!). A `static` [`DenseMethodEntry`] says what it is called, what it
//! uses beside its images, and how it is opened. A [`DenseDraft`] of that `static` goes wherever a method goes, into
//! [`MethodChoice`](crate::pipelines::MethodChoice) of pipelines and [`DenseMethodOptions`](crate::jobs::DenseMethodOptions) of
//! jobs: masks, starts, tiles, both directions, sequences, presets, settings, refusals and reports are then as for every other
//! method.
//!
//! The example `custom_method` is such a method, whole.

pub use veloxel_gpu::{Buffer, Field};
pub use veloxel_kernels::image::warp::{Interpolation, VoxelAffine};
pub use veloxel_motion::{
    AnyMethod, DataRegion, DenseDraft, DenseMethod, DenseMethodEntry, DimensionSupport, Footprint, FoundFlow,
    Frame, FrameSource, FrameWindow, GivenInput, ImagePair, InputUse, METHODS, MethodAccount, MethodOpening,
    MethodUses, OpenedMethod, PairMethod, PendingAccount, PendingFlow, ResidentFlow, ResidentMask,
    ResidentStart, TakenImages, TileSupport, Tiling, WindowMethod, voxel_map,
};
