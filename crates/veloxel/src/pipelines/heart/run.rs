//! The run of one method over a cine, and everything that is measured of it.

use super::labels::labels;
use super::motion::{CineMotion, Way};
use super::setting::Setting;
use super::tables::{FunctionTable, StrainTable, Timing};
use super::{OutlineErrorTable, TrackedRun, outlines, walls};
use crate::Result;
use crate::pipelines::account::Account;
use crate::pipelines::dense::{ChangedPlace, ChangedSpace, preserves_volume, warn_of_volume_change};
use std::time::Instant;
use veloxel_core::{ContourSet, Portion, WarningKind, Warnings};
use veloxel_measure::{ContourDistances, StrainSummary, Ventricles, WallMotion, strains};
use veloxel_motion::DenseDraft;
use veloxel_report::TrackRun;

impl Setting<'_> {
    /// Runs a method.
    pub fn run(&self, draft: &DenseDraft, account: &mut Account) -> Result<TrackedRun> {
        let (cine, frames) = (self.request.cine, self.request.cine.frames().len());
        let begin = Instant::now();
        let motions = self.motions(draft)?;
        let solve_ms = begin.elapsed().as_secs_f64() * 1e3;
        account.stages.add("solve", solve_ms);
        let begin = Instant::now();
        let (motion, warnings) = (&motions[0], &mut account.warnings);
        let contours = outlines::carried(self, &motions, Way::Wanted, warnings)?;
        note_crossings(&contours, draft, warnings);
        if preserves_volume(draft, &motion.parameters) {
            let changes = motion.volume_changes(&self.seeds.contours, self.seeds.reference());
            let (name, change) =
                (format!("{}, the muscle", draft.method_name()), changes.into_iter().collect());
            let space = if motion.moves_across() { ChangedSpace::Whole } else { ChangedSpace::Planes };
            let place = ChangedPlace { name: &name, space };
            warn_of_volume_change(draft, &motion.parameters, place, &change, warnings);
        }
        let walls = walls::walls(self, motion, warnings)?;
        let errors = OutlineErrorTable::of(self, &contours, draft.method_name())?;
        let measures = TrackRun {
            time_ms: solve_ms,
            expected_errors: errors.as_ref().map_or_else(Vec::new, OutlineErrorTable::summary),
            ..self.measured(draft, &motions, &contours, &walls, warnings)?
        };
        let timing = Timing {
            interval_ms: cine.frame_interval_ms(),
            periodicity: measures.periodicity,
            reference: self.seeds.reference(),
        };
        let fields = (0..frames).map(|frame| motion.field(frame)).collect::<Result<_>>()?;
        let labels = labels(&contours, cine, self.request.labels, self.session.control())?;
        account.stages.add("measure", begin.elapsed().as_secs_f64() * 1e3);
        Ok(TrackedRun {
            function: FunctionTable::of(&measures, frames, timing),
            strain: StrainTable::of(&measures, timing),
            distances: None,
            expected_errors: errors,
            measures,
            contours,
            fields,
            labels,
        })
    }

    fn measured(
        &self,
        draft: &DenseDraft,
        motions: &[CineMotion],
        contours: &ContourSet,
        walls: &[WallMotion],
        warnings: &mut Warnings,
    ) -> Result<TrackRun> {
        let (request, motion) = (self.request, &motions[0]);
        let (frames, grid) = (request.cine.frames().len(), request.cine.grid());
        let [sx, ..] = grid.spacing_mm();
        let mut ways = Vec::new();
        if let Some(first) = request.readers.first() {
            for way in [Way::Forward, Way::Backward] {
                let carried = outlines::carried(self, motions, way, warnings)?;
                ways.push(self.without_seeds(&self.between(&carried, first.contours)?));
            }
        }
        let readers = self.to_readers(contours)?;
        self.session.control().check()?;
        let ventricles = Ventricles::measure(contours, frames, grid.spacing_mm());
        let strain = if walls.is_empty() { Vec::new() } else { strains(walls, self.seeds.reference()) };
        let end_systole = ventricles.lv.as_ref().map(|lv| lv.end_systole);
        Ok(TrackRun {
            method: draft.method_name().to_owned(),
            preset: draft.preset().to_owned(),
            parameters: motion.parameters.clone().into(),
            time_ms: 0.0,
            expected_errors: Vec::new(),
            periodicity: motion.periodicity(),
            drift_mm: motion.drift_vox().map(|drift| drift.map(|vox| vox * sx)),
            folded: motion.folded(frames),
            ventricles,
            strain_summary: strain.iter().map(|region| StrainSummary::of(region, end_systole)).collect(),
            strain,
            distances: readers.first().map(|first| self.without_seeds(&first.distances)),
            ways,
            readers,
        })
    }

    /// Distances but those of seeds, which are the truth themselves.
    fn without_seeds(&self, distances: &ContourDistances) -> ContourDistances {
        distances.of(|outline| !self.seeds.frames.contains(&outline.frame))
    }

    /// The motion from each frame that outlines are carried from.
    fn motions(&self, draft: &DenseDraft) -> Result<Vec<CineMotion>> {
        let starts = &self.seeds.frames;
        let follow = |(nth, &start): (usize, &usize)| {
            let portion = Portion::nth_of(nth, starts.len());
            self.session.control().portion(portion, || CineMotion::follow(self, draft, start))
        };
        starts.iter().enumerate().map(follow).collect()
    }
}

fn note_crossings(contours: &ContourSet, draft: &DenseDraft, warnings: &mut Warnings) {
    let count = contours.contours().iter().filter(|c| c.polygon.crossing_px().is_some()).count();
    if count > 0 {
        let (all, name) = (contours.contours().len(), draft.method_name());
        let text = format!("{name}: {count} of {all} outlines cross themselves once they are moved");
        warnings.push(WarningKind::Field, text);
    }
}
