//! The seam between methods and everything that is not one.
//!
//! A dense method is opened for a grid and a device, and then asked for the flow of images that are on that device already:
//! a pair of them ([`PairMethod`](crate::PairMethod)), or a window of frames ([`WindowMethod`](crate::WindowMethod)). It returns a [`PendingFlow`](crate::PendingFlow): a flow, a
//! confidence and diagnostics of its own, all on the device.
//! Starts, masks, sequences, streaming ahead and inverse consistency are written once over these two traits.

pub mod calibration;
pub mod dense;
pub(crate) mod footprint;
pub(crate) mod local_method;
pub(crate) mod local_window;
pub mod pair;
pub(crate) mod pending_account;
pub(crate) mod pending_flow;
pub(crate) mod resident;
pub(crate) mod shared_scalars;
pub(crate) mod start;
pub mod table;
pub(crate) mod uses;
pub mod window;
