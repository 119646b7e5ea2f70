//! Frames in order of time: streams, hearts, points that are followed.

pub mod contours;
pub mod delivered;
pub mod engine;
pub mod feed;
pub mod heart;
pub mod outlines;
pub mod resident;
pub mod tracks;
