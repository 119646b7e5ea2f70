//! `veloxel stereo`, and disparities.

mod cameras;
mod disparity;
