//! The pictures of a stereo job: read, and rectified where the cameras are known.

use super::StereoJob;
use crate::pipelines::account::Account;
use crate::pipelines::{RectifyRequest, StereoRequest, rectify};
use crate::{Result, Session};
use veloxel_core::{Mask, Rectification, RectifiedView, Volume};
use veloxel_io as io;

/// What was read, on the rectified left picture's grid.
pub(super) struct Inputs {
    pub left: Volume<f32>,
    pub right: Volume<f32>,
    pub truth: Option<Volume<f32>>,
    /// Red, green and blue of the left picture, where a point cloud is wanted.
    pub colours: Option<[Volume<f32>; 3]>,
    pub rectification: Option<Rectification>,
    pub view: Option<RectifiedView>,
    mask: Option<Mask>,
    right_mask: Option<Mask>,
}

impl Inputs {
    pub fn load(job: &StereoJob, session: &Session, account: &mut Account) -> Result<Self> {
        let reading = &session.reading(job.options.reading);
        let Account { stages, warnings, .. } = account;
        // Samples between known and unknown ones, which rectifying makes, would be unknown: there alpha stays dropped.
        let of_pictures = match job.cameras.files() {
            [] => reading.clone().without_transparent(),
            _ => reading.clone(),
        };
        let taken = stages.time("load", || Self::read(job, &of_pictures, warnings))?;
        let rig = job.cameras.rig(reading, warnings)?;
        let Some(rig) = rig else {
            let [width, height, _] = taken.left.grid().size();
            let view = job.cameras.view(None, [width, height])?;
            return Ok(Self { view, ..taken });
        };
        let rectified = {
            let Self { left, right, mask, colours, .. } = &taken;
            let (mask, colours) = (mask.as_ref(), colours.as_ref());
            let (left, right) = (left.into(), right.into());
            rectify(&RectifyRequest { left, right, rig: &rig, mask, colours }, session)?
        };
        account.absorb(rectified.account);
        let rectification = Some(rectified.geometry);
        Ok(Self {
            left: rectified.left.image,
            right: rectified.right.image,
            truth: taken.truth,
            colours: rectified.colours,
            view: job.cameras.view(rectification.as_ref(), [0; 2])?,
            rectification,
            mask: Some(rectified.left.seen),
            right_mask: Some(rectified.right.seen),
        })
    }

    /// The files as they are.
    fn read(job: &StereoJob, reading: &io::Reading, warnings: &mut veloxel_core::Warnings) -> Result<Self> {
        let (left, colours) = match job.cloud {
            Some(_) => io::read_image_and_colours(&job.left, reading, warnings)?,
            None => (io::read_image(&job.left, reading, warnings)?, None),
        };
        let right = io::read_image(&job.right, reading, warnings)?;
        let truth = job.truth.as_deref();
        let truth = truth.map(|path| io::read_disparity(path, job.truth_scale, reading, warnings));
        let mask = job.mask.as_ref().map(|file| file.read(reading, warnings)).transpose()?;
        let (rectification, view, right_mask) = (None, None, None);
        Ok(Self { left, right, truth: truth.transpose()?, colours, rectification, view, mask, right_mask })
    }

    pub fn request<'a>(&'a self, job: &'a StereoJob) -> StereoRequest<'a> {
        let Self { left, right, truth, mask, right_mask, .. } = self;
        let method = job.options.method.draft();
        StereoRequest {
            mask: mask.as_ref(),
            right_mask: right_mask.as_ref(),
            truth_px: truth.as_ref(),
            ..StereoRequest::new(left, right, method)
        }
    }
}
