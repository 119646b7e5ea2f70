//! The steps that methods are made of, each written once: images and their pyramids, what a level does, and how a run over all
//! levels goes.

pub(crate) mod brightness;
pub(crate) mod buffers;
pub mod choices;
pub mod composition;
pub(crate) mod frame;
pub(crate) mod image_pyramids;
pub(crate) mod intensity;
pub(crate) mod level_account;
pub(crate) mod level_by_level;
pub(crate) mod level_steps;
pub mod linear;
pub mod maps;
pub(crate) mod masking;
pub(crate) mod moving_image;
pub(crate) mod noise;
pub mod pyramid;
pub(crate) mod settling;
pub mod solving;
