//! Bounds that tests share, each with its reason.

/// Mean end-point error (voxels) in the interior of a noise-free phantom whose motion is smooth and at most 3
/// voxels.
///
/// The promise of the product; a linear interpolation of the textures alone costs a few thousandths of a
/// voxel, so a bound ten times smaller could not be met, and one ten times larger would hide a wrong
/// derivative.
pub const PHANTOM_ERROR_VOX: f64 = 0.02;

/// `|det F − 1|` of a motion that keeps volumes, by central differences: their error is far below, a slip far above.
pub const ISOCHORIC_DETERMINANT: f64 = 1e-3;

/// Intensities in [0, 1] that are equal but for their rounding to 32 bits (6e-8).
pub const EXACT_INTENSITY: f64 = 1e-6;

/// Displacements up to a few hundred voxels that are equal but for their rounding to 32 bits (3e-5 at 500).
pub const EXACT_DISPLACEMENT_VOX: f64 = 1e-4;

/// How many times smaller the mean `|det J − 1|` in the muscle has to become when volume preservation is on.
pub const VOLUME_PRESERVATION_GAIN: f64 = 4.0;

/// One kernel on a GPU against its processor text, relative to the largest value of the output: rounding in another
/// order, fused multiply-adds and a device's own square roots and exponentials.
pub const KERNEL_PARITY: f64 = 2e-5;

/// A whole field on a GPU against the processor's, voxels (the promise of the product).
pub const FIELD_PARITY_VOX: f64 = 1e-3;
