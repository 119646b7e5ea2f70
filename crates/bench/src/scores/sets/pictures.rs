//! Pairs of pictures with true fields.

use super::KnownMotion;
use crate::accuracy::true_fields::TrueField;
use crate::phase::yosemite::yosemite as frames_of_yosemite;
use crate::scores::measured::Measured;
use crate::{BenchError, Session};

/// A pair of the table of true fields.
pub(crate) fn of_files(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    let Some(TrueField { fixed, moving, truth }) = TrueField::read(session, item)? else {
        return Ok(Vec::new());
    };
    KnownMotion { images: [&fixed, &moving], truth: &truth, within: None }.errors(session, ways)
}

/// The frames around Yosemite's true field, on the land.
pub(crate) fn yosemite(
    session: &Session<'_>,
    _: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    let Some(scene) = frames_of_yosemite(session)? else { return Ok(Vec::new()) };
    let centre = scene.frames.len() / 2;
    let images = [&scene.frames[centre], &scene.frames[centre + 1]];
    KnownMotion { images, truth: &scene.truth, within: scene.mask.as_ref() }.errors(session, ways)
}
