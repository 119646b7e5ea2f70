//! Results of streams in the types that people use: four bytes, two or one a sample, chosen for each result.
//!
//! Samples are rounded on the device ([`Deliver`](veloxel_kernels::image::deliver::Deliver)), so that a result of one byte costs a
//! quarter of the transfer. A sample that is unknown stays so: NaN in `f32` and `f16`, and in `u8` 255 for angles; a confidence is 0
//! where nothing is known, in every type.
//!
//! ```
//! use veloxel_core::DeliveredType;
//! use veloxel_motion::{DeliveredResult, DeliveredTypes};
//!
//! let types: DeliveredTypes = "flow=f16,confidence=u8".parse()?;
//! assert_eq!(types.of(DeliveredResult::Flow), DeliveredType::F16);
//! assert_eq!(types.of(DeliveredResult::Disparity), DeliveredType::F32);
//! assert!("flow=u8".parse::<DeliveredTypes>().is_err());
//! # Ok::<(), veloxel_motion::DeliveryError>(())
//! ```

mod fields;
mod leaving;
pub(crate) mod stretch;
mod types;

pub(crate) use fields::Results;
pub use fields::{DeliveredFeatures, DeliveredFields};
pub use leaving::LeavingFields;
pub use types::{DeliveredResult, DeliveredTypes, Delivery, DeliveryError};
