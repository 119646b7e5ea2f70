//! How far each outline of a run moved, and the error to expect of it.

use super::setting::Setting;
use super::tables::{OutlineError, OutlineErrorTable};
use crate::Result;
use veloxel_core::{Contour, ContourSet, Structure};
use veloxel_measure::ContourDistance;
use veloxel_motion::OutlineErrors;

impl OutlineErrorTable {
    /// The table of a method's outlines; none where no heart was measured with the method.
    ///
    /// # Errors
    /// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub(super) fn of(setting: &Setting<'_>, contours: &ContourSet, method: &str) -> Result<Option<Self>> {
        let (seeds, [sx, sy, _]) = (&setting.seeds, setting.request.cine.grid().spacing_mm());
        let pixel_mm = (sx * sy).sqrt();
        let mut rows = Vec::new();
        for structure in Structure::ALL {
            let Some(curves) = OutlineErrors::of(method, structure) else { continue };
            let is_own = |one: &&Contour| one.structure == structure;
            let drawn: Vec<&Contour> = seeds.contours.contours().iter().filter(is_own).collect();
            let carried = contours.contours().iter().filter(is_own);
            for contour in carried.filter(|contour| !seeds.frames.contains(&contour.frame)) {
                setting.session.control().check()?;
                let apart = |seed: &&Contour| {
                    ContourDistance::between(contour, &seed.polygon, [sx, sy]).modified_hausdorff_mm
                };
                let from = drawn.iter().filter(|seed| seed.slice == contour.slice);
                let Some(moved_mm) = from.map(apart).reduce(f64::min) else { continue };
                let moved_px = moved_mm / pixel_mm;
                let expected_mm = pixel_mm * curves.expected_px(moved_px);
                let nine_of_ten_mm = pixel_mm * curves.nine_of_ten_px(moved_px);
                let Contour { frame, slice, .. } = *contour;
                rows.push(OutlineError { structure, frame, slice, moved_mm, expected_mm, nine_of_ten_mm });
            }
        }
        Ok((!rows.is_empty()).then_some(Self { rows }))
    }
}
