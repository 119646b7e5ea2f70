//! The sets' items: what is read, estimated, and held against the truth.

pub(crate) mod brains;
pub(crate) mod breathing;
pub(crate) mod hearts;
pub(crate) mod meshes;
pub(crate) mod phantoms;
pub(crate) mod pictures;
pub(crate) mod rigid;
pub(crate) mod stereo;
pub(crate) mod tissue;

use crate::scores::measured::Measured;
use crate::scores::ways::Way;
use crate::{BenchError, Session};
use veloxel::pipelines::PairWanted;
use veloxel_core::{Control, Flow, Mask, Volume};
use veloxel_measure::flow_error;

/// Two images with the true field between them.
pub(crate) struct KnownMotion<'a> {
    pub images: [&'a Volume<f32>; 2],
    pub truth: &'a Flow,
    /// Where errors count; none: wherever the truth is known.
    pub within: Option<&'a Mask>,
}

impl KnownMotion<'_> {
    /// The mean end-point error of each way, voxels, and its time.
    pub fn errors(&self, session: &Session<'_>, ways: &[&'static str]) -> Result<Vec<Measured>, BenchError> {
        let of_way = |&name: &&'static str| {
            let (result, time_s) = Way::named(name).run(session, self.images, PairWanted::default())?;
            let error = flow_error(&result.found.flow, self.truth, self.within, &Control::default())?;
            Ok(Measured::new(name, error.end_point_vox.mean, time_s))
        };
        ways.iter().map(of_way).collect()
    }
}
