//! Readers: how far carried outlines lie from what each of them drew, and how far the readers lie from each other.

use super::request::Reader;
use super::setting::Setting;
use crate::Result;
use veloxel_core::{ContourSet, Stopped, WarningKind, Warnings};
use veloxel_measure::{ContourDistances, DistanceCurve, MeasureError};
use veloxel_report::{BetweenReaders, ReaderDistances};

impl Setting<'_> {
    /// Distances of the outlines of every frame to those of each reader.
    pub(super) fn to_readers(&self, contours: &ContourSet) -> Result<Vec<ReaderDistances>> {
        let frames = self.request.cine.frames().len();
        let to = |reader: &Reader<'_>| {
            let distances = self.between(contours, reader.contours)?;
            let curves = DistanceCurve::all(&distances, frames);
            Ok(ReaderDistances { reader: reader.name.to_owned(), curves, distances })
        };
        self.request.readers.iter().map(to).collect()
    }

    /// Distances between readers, pair by pair; pairs that outlined nothing in common are told.
    pub(super) fn between_readers(&self, warnings: &mut Warnings) -> Result<Vec<BetweenReaders>, Stopped> {
        let (readers, frames) = (self.request.readers, self.request.cine.frames().len());
        let mut all = Vec::new();
        for (nth, one) in readers.iter().enumerate() {
            for other in &readers[nth + 1..] {
                let names = [one.name, other.name].map(str::to_owned);
                match self.between(other.contours, one.contours) {
                    Ok(distances) => {
                        let curves = DistanceCurve::all(&distances, frames);
                        all.push(BetweenReaders { readers: names, curves, distances });
                    }
                    Err(MeasureError::Stopped(stopped)) => return Err(stopped),
                    Err(_) => {
                        let text = format!(
                            "{} outlined nothing in common: nothing is measured between them",
                            names.join(" and ")
                        );
                        warnings.push(WarningKind::Content, text);
                    }
                }
            }
        }
        Ok(all)
    }

    /// Distances of outlines, of which those in the same place belong together.
    pub(super) fn between(
        &self,
        result: &ContourSet,
        truth: &ContourSet,
    ) -> Result<ContourDistances, MeasureError> {
        let [sx, sy, _] = self.request.cine.grid().spacing_mm();
        ContourDistances::measure(result, truth, [sx, sy], self.session.control())
    }
}
