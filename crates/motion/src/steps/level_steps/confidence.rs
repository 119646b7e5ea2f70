//! The confidence of a displacement at the end, by the expected error of every vector (docs/algorithms/clg.md, *Confidence*).

use super::TRUNCATE;
use crate::steps::buffers::{convolved, written};
use crate::steps::pyramid::LevelGeometry;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device};
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::pointwise::CopyBuffer;
use veloxel_kernels::variational::bend::Bend;
use veloxel_kernels::variational::confidence::Confidence;
use veloxel_kernels::variational::confidence_odds::{ConfidenceOfOdds, SquaredOdds};
use veloxel_kernels::variational::expected_error::ExpectedError;
use veloxel_kernels::variational::field_confidence::FieldConfidence;
use veloxel_kernels::{Kernel, Taps};

/// Distance of the samples that tell whether the field is rough, edges: less, and errors of neighbours are alike; more, and
/// bends of the motion count as errors.
const ROUGHNESS_STEP_EDGES: f32 = 4.0;
/// Error expected of a vector that leads out of the image, edges.
const OUTSIDE_ERROR_EDGES: f32 = 1.0;
/// Standard deviation of the window that expected errors are averaged over, voxels.
const CONFIDENCE_WINDOW_VOX: f64 = 1.0;
/// Expected error at which the confidence is halved, edges.
const HALF_CONFIDENCE_EDGES: f32 = 0.5;
/// The confidence falls for lack of contrast alone below this share of [`DETERMINACY_PER_ALPHA`], where eight bits end.
const CONTRAST_PER_DETERMINACY: f32 = 1e-4;
/// In volumes: below this, J's eigenvalues are interpolation: the smoothness weight of a voxel's springs.
const DETERMINACY_PER_ALPHA: f32 = 0.1;
/// In volumes: voxels along an axis whose data the smoothness pools.
const POOLED_ALONG_AXIS: f32 = 6.0;
/// In pictures: standard deviation of the window in which the data are averaged, pixels.
const PICTURE_WINDOW_VOX: f64 = 4.0;
/// In pictures: the eigenvalue of that window's mean below which its residual tells little, over α.
const PICTURE_DETERMINACY_PER_ALPHA: f32 = 0.0025;
/// In pictures: pixels of that window that tell as much as if their residuals were independent.
const PICTURE_POOLED: f32 = 60.0;

/// Weight of the field's squared bend among its squared errors where noise counts in full, edges².
pub(crate) const NOISE_BEND: f32 = 30.0;

/// Voxels that the expected error of a vector depends on, beyond those that its tensor depends on: the fourth differences or the
/// window of the data, and the mean over the window of errors.
pub(crate) fn reach_vox(components: usize) -> usize {
    let roughness = 2 * ROUGHNESS_STEP_EDGES as usize;
    let data = if components == 2 { picture_window().radius() } else { 0 };
    roughness.max(data) + confidence_window().radius()
}

fn confidence_window() -> Taps {
    Taps::gaussian(CONFIDENCE_WINDOW_VOX, TRUNCATE)
}

fn picture_window() -> Taps {
    Taps::gaussian(PICTURE_WINDOW_VOX, TRUNCATE)
}

/// What tells how sure a vector is.
pub(crate) struct ConfidenceScales {
    pub data: PooledData,
    /// Below this the confidence falls for lack of contrast alone.
    pub contrast: f32,
    /// The least eigenvalue that halves the confidence; none: it is not asked for.
    pub half_eigenvalue: Option<f32>,
    /// Weight, edges², of the field's squared bend among the squared errors: where noise is averaged over wide windows, bends tell where
    /// it still pulls. 0: none. Above 0 `half_eigenvalue` is not asked for.
    pub bend: f32,
    /// The window, voxels, over which what is known of vectors is shared at the end; 0: none.
    pub shared_vox: f64,
}

/// The data that the variance of a vector is told from.
pub(crate) struct PooledData {
    /// The window over which the tensor is averaged first; none: its own.
    pub window: Option<Taps>,
    /// Eigenvalue of the tensor below which its residual tells little.
    pub determinacy: f32,
    /// Voxels whose data are pooled.
    pub pooled: f32,
}

impl PooledData {
    /// A picture's data, where an eigenvalue of `determinacy` tells little.
    pub fn of_picture(determinacy: f32) -> Self {
        Self { window: Some(picture_window()), determinacy, pooled: PICTURE_POOLED }
    }
}

impl ConfidenceScales {
    /// The scales of a field of so many components that smoothness of the weight α holds together.
    pub fn of_smoothness(alpha: f32, components: usize) -> Self {
        let least = DETERMINACY_PER_ALPHA * alpha;
        let pooled = POOLED_ALONG_AXIS.powi(components as i32);
        let data = match components {
            2 => PooledData::of_picture(PICTURE_DETERMINACY_PER_ALPHA * alpha),
            _ => PooledData { window: None, determinacy: least, pooled },
        };
        Self {
            data,
            contrast: CONTRAST_PER_DETERMINACY * least,
            half_eigenvalue: None,
            bend: 0.0,
            shared_vox: 0.0,
        }
    }
}

impl LevelGeometry {
    /// The confidence of a displacement. `tensor` holds spatial and mixed entries, and tt; where data are averaged over a window, it holds
    /// their means afterwards, and no mixed entries.
    pub(crate) fn confidence(
        &self,
        device: &Device,
        displacement: &[Buffer],
        tensor: &mut [Buffer],
        warped_to_error: &mut Buffer,
        scales: ConfidenceScales,
    ) -> Result<Buffer, ComputeError> {
        let ConfidenceScales { data, contrast, half_eigenvalue, bend, shared_vox } = scales;
        let (shape, half_edges) = (self.shape, HALF_CONFIDENCE_EDGES);
        if let Some(window) = &data.window {
            self.average(device, tensor, window)?;
        }
        let (entries, mixed_and_tt) = tensor.split_at(shape.tensor_entries());
        let (mixed, tt) = mixed_and_tt.split_at(shape.components());
        let own = match data.window {
            Some(_) => mixed.iter().collect(),
            None => diagonal(shape).iter().map(|&entry| &entries[entry]).collect::<Vec<_>>(),
        };
        let errors = ExpectedError {
            shape,
            spacing_edges: self.spacing_edges,
            step_edges: ROUGHNESS_STEP_EDGES,
            determinacy: data.determinacy,
            pooled: data.pooled,
            displacement,
            tensor: entries,
            tt: &tt[0],
            outside_edges: OUTSIDE_ERROR_EDGES,
            warped_to_error,
        };
        let (taps, own) = (&isotropic(&confidence_window()), &own[..]);
        let mut out = written(device, shape.len(), |out| {
            if bend == 0.0 {
                return FieldConfidence { errors, taps, own, contrast, half_edges, half_eigenvalue, out }
                    .run(device);
            }
            ExpectedError { warped_to_error: &mut *errors.warped_to_error, ..errors }.run(device)?;
            let error = &mut *errors.warped_to_error;
            Bend { shape, spacing_edges: self.spacing_edges, weight: bend, displacement, error }
                .run(device)?;
            Convolve { shape, taps, input: errors.warped_to_error, output: &mut *out }.run(device)?;
            Confidence { shape, contrast, half_edges, diagonal: own, error_to_confidence: out }.run(device)
        })?;
        if shared_vox > 0.0 {
            // Vectors become as sure as those around them that data hold.
            SquaredOdds { confidence: &out, out: warped_to_error }.run(device)?;
            let taps = &isotropic(&Taps::gaussian(shared_vox, TRUNCATE));
            let squared_odds = &convolved(device, warped_to_error, shape, taps)?;
            ConfidenceOfOdds { squared_odds, contrast, diagonal: own, out: &mut out }.run(device)?;
        }
        Ok(out)
    }

    /// Averages spatial entries and tt over a window; the mixed entries, which are not needed any more, hold the diagonal that was there.
    fn average(&self, device: &Device, tensor: &mut [Buffer], window: &Taps) -> Result<(), ComputeError> {
        let (entries, mixed_and_tt) = tensor.split_at_mut(self.shape.tensor_entries());
        let (mixed, tt) = mixed_and_tt.split_at_mut(self.shape.components());
        for (&from, to) in diagonal(self.shape).iter().zip(mixed) {
            CopyBuffer { from: &entries[from], to }.run(device)?;
        }
        let taps = isotropic(window);
        for entry in entries.iter_mut().chain(&mut tt[..1]) {
            *entry = convolved(device, entry, self.shape, &taps)?;
        }
        Ok(())
    }
}

/// The entries on a tensor's diagonal.
fn diagonal(shape: Shape) -> &'static [usize] {
    if shape.components() == 2 { &[0, 2] } else { &[0, 3, 5] }
}
