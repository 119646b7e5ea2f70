//! How far two images are apart: mean |warped − fixed| where the warped one has data.
//!
//! *Units*: the images'. NaN samples of the warped image (outside) are left out. *Halo*: none.

use crate::{Buffer, ComputeError, Device};

/// Sum of |a − b| and number of voxels that count, within `weight > 0` where one is given.
///
/// # Errors
/// [`ComputeError::Length`] if the lengths differ.
pub fn absolute_difference(
    device: &Device,
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
) -> Result<(f64, f64), ComputeError> {
    let n = fixed.len();
    warped.require(n, "absolute_difference", "warped")?;
    if let Some(weight) = weight {
        weight.require(n, "absolute_difference", "weight")?;
    }
    let [sum, count] = device.as_cpu().sum(n, n, |range| {
        let (mut sum, mut count) = (0.0, 0.0);
        for i in range {
            let difference = warped.host()[i] - fixed.host()[i];
            if !difference.is_nan() && weight.is_none_or(|w| w.host()[i] > 0.0) {
                sum += f64::from(difference.abs());
                count += 1.0;
            }
        }
        [sum, count]
    });
    Ok((sum, count))
}
