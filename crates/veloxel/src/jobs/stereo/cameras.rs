//! What is known of the cameras of a stereo pair.

use crate::Result;
use std::path::PathBuf;
use veloxel_core::{Rectification, RectifiedView, StereoRig, Warnings};
use veloxel_io::{self as io, Reading};

/// What is known of the cameras.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum StereoCameras {
    /// Nothing: the pictures are rectified, and there are no depths.
    #[default]
    Unknown,
    /// The pictures are rectified already.
    Rectified {
        /// Focal length, pixels.
        focal_px: f64,
        /// Distance of the cameras, metres.
        baseline_m: f64,
        /// Principal point, pixels; none: the middle of the picture.
        centre_px: Option<[f64; 2]>,
    },
    /// The pictures are as they were taken, and are rectified first.
    Calibrated {
        /// One file, or two.
        files: Vec<PathBuf>,
        /// Distance of the cameras, metres, where the files have another unit.
        baseline_m: Option<f64>,
    },
}

impl StereoCameras {
    /// The files of a calibration.
    pub(super) fn files(&self) -> &[PathBuf] {
        match self {
            Self::Calibrated { files, .. } => files,
            Self::Unknown | Self::Rectified { .. } => &[],
        }
    }

    /// The rig that a calibration describes.
    pub(super) fn rig(&self, reading: &Reading, warnings: &mut Warnings) -> Result<Option<StereoRig>> {
        let Self::Calibrated { files, baseline_m } = self else { return Ok(None) };
        let Some(baseline_m) = *baseline_m else {
            return Ok(Some(io::read_calibration(files, reading, warnings)?));
        };
        // The unit is told: there is nothing to say about it.
        let mut said = Warnings::new();
        let rig = io::read_calibration(files, reading, &mut said)?.with_baseline_m(baseline_m).checked()?;
        said.iter()
            .filter(|warning| warning.hint.is_none())
            .for_each(|warning| warnings.add(warning.clone()));
        Ok(Some(rig))
    }

    /// The cameras of the rectified pictures, where they are known.
    pub(super) fn view(
        &self,
        rectification: Option<&Rectification>,
        size_px: [usize; 2],
    ) -> Result<Option<RectifiedView>> {
        Ok(match (self, rectification) {
            (Self::Rectified { focal_px, baseline_m, centre_px }, _) => {
                Some(RectifiedView::new(*focal_px, *baseline_m, *centre_px, size_px)?)
            }
            (_, rectification) => rectification.map(|found| found.view),
        })
    }
}
