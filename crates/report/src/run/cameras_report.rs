//! The cameras of a stereo pair, as a report tells them.

use crate::run::value_range::ValueRange;
use serde::Serialize;
use veloxel_core::{Rectification, RectifiedView};

/// The frame that depths and points have.
const FRAME: &str = "rectified left camera: x right, y down, z forward; metres";

/// The cameras of rectified pictures, and what was found of depth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CamerasReport {
    /// The frame of depths and points, in words.
    pub frame: &'static str,
    /// Focal length and principal point, pixels, and baseline, metres.
    #[serde(flatten)]
    pub view: RectifiedView,
    /// Q: from `(x, y, disparity, 1)` to homogeneous metres.
    pub world_from_disparity: [[f64; 4]; 4],
    /// P1 and P2: from homogeneous metres to pixels of the rectified pictures.
    pub projections: [[[f64; 4]; 3]; 2],
    /// R1 and R2: from the frames of the cameras as they were calibrated into those of the rectified pictures; none for pictures that
    /// were rectified already.
    pub rotations: Option<[[[f64; 3]; 3]; 2]>,
    /// Range of the depths, metres; none if there is no depth.
    pub depth_m: Option<ValueRange>,
}

impl CamerasReport {
    /// The report of rectified cameras, and of the rectification where there was one.
    pub fn new(
        view: RectifiedView,
        rectification: Option<&Rectification>,
        depth_m: Option<ValueRange>,
    ) -> Self {
        Self {
            frame: FRAME,
            view,
            world_from_disparity: view.world_from_disparity(),
            projections: [view.projection(0), view.projection(1)],
            rotations: rectification.map(|found| found.rotations),
            depth_m,
        }
    }
}
