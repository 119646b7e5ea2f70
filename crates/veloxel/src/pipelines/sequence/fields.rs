//! One field of a sequence: what it is called, handed out with its maps, and measured.

use super::Deliver;
use super::found_field::FoundField;
use super::label::FieldLabel;
use super::request::{PreparedSequence, SequenceRequest};
use super::result::{Collected, MeasuredField};
use super::view::{field_view, title};
use crate::Result;
use crate::pipelines::account::Stages;
use crate::pipelines::dense::{doubt_phases, doubt_short, doubt_unexplained};
use crate::pipelines::prepare::grids::{OutsideFill, WHOLE_IMAGE};
use crate::pipelines::prepare::holes::{blank_sampled_holes, doubt_vectors_of_holes};
use crate::pipelines::prepare::passes::Passes;
use veloxel_core::{Flow, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_motion::{DenseFlow, SequenceField, SequenceMode, SequencePlan, SequenceRole, TakenImages};
use veloxel_report::PairReport;

/// One field of a sequence, as it is handed out.
#[derive(Debug)]
pub struct SequenceOutput<'a> {
    /// Which one.
    pub label: FieldLabel,
    /// The flow, its confidence and its diagnostics.
    pub found: FoundField<'a>,
    /// The warped image with its outside filled, if it was wanted.
    pub warped: Option<Volume<f32>>,
    /// The frame that it was sampled from.
    pub moving: &'a Volume<f32>,
}

/// A run over the frames of a sequence.
pub(super) struct SequenceRun<'a> {
    pub request: &'a SequenceRequest<'a>,
    pub prepared: &'a PreparedSequence,
    pub plan: SequencePlan,
    pub device: &'a Device,
    pub passes: Passes<'a>,
    pub deliver: Deliver<'a>,
}

impl SequenceRun<'_> {
    /// Takes a field: hands it out, measures it, and keeps what the report and the page need.
    pub fn take(
        &mut self,
        mut field: SequenceField,
        collected: &mut Collected,
        elsewhere: &mut Stages,
        warnings: &mut Warnings,
    ) -> Result<()> {
        self.leave_holes_out(&mut field);
        self.doubt_narrow(&mut field, collected, warnings);
        let title = title(self.request, &field);
        let change = field.output.statistics.jacobian.mean_abs_minus_one;
        collected.volume_change.add(change);
        for warning in field.output.statistics.warnings.iter() {
            let mut warning = warning.clone();
            warning.message = format!("{title}: {}", warning.message);
            warnings.add(warning);
        }
        let label = self.label(&field, collected);
        let (role, fixed, moving) = (field.role, field.fixed, field.moving);
        let left = elsewhere.time("write", || self.hand_out(field, label.clone(), warnings))?;
        let truth = self.request.truth.map(|truth| elsewhere.time("truth", || truth(&label, warnings)));
        let truth = truth.transpose()?.flatten();
        if let Some(field) = left {
            return self.measure(field, truth, title, collected, elsewhere);
        }
        collected.fields.push(MeasuredField { title, role, fixed, moving, report: None, thumbnail: None });
        Ok(())
    }

    /// Takes confidence from the flow of a narrow picture as that of a window of its own loses it; what holds for all fields is said once.
    fn doubt_narrow(&self, field: &mut SequenceField, collected: &Collected, warnings: &mut Warnings) {
        if self.request.method.takes() == TakenImages::Pairs {
            return;
        }
        let DenseFlow { flow, confidence, statistics, .. } = &mut field.output;
        doubt_unexplained(flow, statistics.brightness, confidence, &mut statistics.warnings);
        let frames = [field.fixed, field.moving].map(|nth| &self.prepared.frames[nth]);
        doubt_short(frames, flow, confidence, &mut statistics.warnings);
        let mut of_all = Warnings::new();
        doubt_phases(flow, Some(confidence), &mut of_all);
        if collected.fields.is_empty() {
            warnings.extend(of_all);
        }
    }

    /// Takes the confidence from vectors from and into holes, and what was sampled there from the warped image.
    fn leave_holes_out(&self, field: &mut SequenceField) {
        let known = [field.fixed, field.moving].map(|frame| self.prepared.known.get(frame));
        let found = &mut field.output;
        doubt_vectors_of_holes(&found.flow, known, &mut found.confidence, self.passes);
        if let (Some(known), Some(warped)) = (known[1], &mut found.warped) {
            blank_sampled_holes(&found.flow, known, false, warped, self.passes);
        }
    }

    fn label(&self, field: &SequenceField, collected: &Collected) -> FieldLabel {
        let (role, fixed, moving) = (field.role, field.fixed, field.moving);
        let numbers = [fixed, moving].map(|nth| self.request.names.number(nth));
        let nth = match (role, self.plan.mode) {
            (SequenceRole::Consecutive, _) => collected.consecutive_so_far(),
            (SequenceRole::Reference, mode) => {
                let first = if mode == SequenceMode::Both { self.prepared.frames.len() } else { 0 };
                first + moving - usize::from(moving > self.plan.reference)
            }
        };
        FieldLabel { role, fixed, moving, numbers, nth, count: collected.count }
    }

    /// Hands a field out; what comes back of it was not taken.
    fn hand_out(
        &mut self,
        mut field: SequenceField,
        label: FieldLabel,
        warnings: &mut Warnings,
    ) -> Result<Option<SequenceField>> {
        let wanted = self.request.wanted;
        let is_needed = wanted.measures.is_yes() || wanted.page.is_yes();
        let own = if is_needed { field.output.warped.clone() } else { field.output.warped.take() };
        let warped = wanted.warped.map(|outside| self.warped(&field, own, &label, outside, warnings));
        let warped = warped.transpose()?.flatten();
        let SequenceField { role, fixed, moving, output } = field;
        let mut held = Some(output);
        let found = FoundField::new(&mut held, is_needed);
        let sampled = &self.prepared.frames[moving];
        (self.deliver)(SequenceOutput { label, found, warped, moving: sampled })?;
        Ok(held.map(|output| SequenceField { role, fixed, moving, output }))
    }

    /// The warped image with its outside filled: the method's own one, where that serves.
    fn warped(
        &self,
        field: &SequenceField,
        own: Option<Volume<f32>>,
        label: &FieldLabel,
        outside: OutsideFill,
        warnings: &mut Warnings,
    ) -> Result<Option<Volume<f32>>> {
        let (moving, flow) = (&self.prepared.frames[field.moving], &field.output.flow);
        let mut warped = outside.continued(self.device, flow, moving, WHOLE_IMAGE, false)?.or(own);
        if let Some(warped) = &mut warped {
            outside.fill(warped, &format!("warped_{}", label.name()), self.passes, warnings);
        }
        Ok(warped)
    }

    fn measure(
        &self,
        field: SequenceField,
        truth: Option<Flow>,
        title: String,
        collected: &mut Collected,
        stages: &mut Stages,
    ) -> Result<()> {
        let (role, fixed, moving) = (field.role, field.fixed, field.moving);
        let view = field_view(self.request, self.prepared, &title, &field, truth.as_ref());
        let measured = view.filter(|_| self.request.wanted.measures.is_yes());
        let statistics = field.output.statistics.clone();
        let control = self.device.control();
        let threads = self.passes.threads(control);
        let report =
            measured.map(|view| stages.time("measure", || PairReport::measure(&view, statistics, threads)));
        let report = report.transpose()?;
        let on_page = view.filter(|_| self.request.wanted.page.is_yes() && collected.is_on_page(role));
        let thumbnail = on_page
            .map(|view| collected.thumbnail(self.request, self.prepared, &view, &field, control))
            .transpose()?;
        let mean_vox = report.as_ref().map(|report| report.motion.mean_vox);
        collected.fields.push(MeasuredField { title, role, fixed, moving, report, thumbnail });
        let not_shown = match mean_vox.filter(|_| self.request.wanted.page.is_yes()) {
            Some(mean_vox) => collected.show(field, truth, mean_vox),
            None => Some(field),
        };
        if let Some(field) = not_shown {
            field.output.reuse(self.device);
        }
        Ok(())
    }
}
