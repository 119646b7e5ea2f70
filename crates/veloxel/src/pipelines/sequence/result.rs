//! The result of a sequence: its fields in numbers, and the one that a page shows in full.

use super::names::FrameNames;
use super::request::{PreparedSequence, SequenceRequest};
use super::view::{field_view, title};
use crate::Result;
use crate::pipelines::account::Account;
use crate::pipelines::dense::{VolumeChange, view_of};
use veloxel_core::{Control, Flow, Grid};
use veloxel_measure::MeasureError;
use veloxel_motion::{SequenceField, SequenceMode, SequenceRole};
use veloxel_report::{PairReport, PairView, RunReport, Thumbnail, sequence_html};

/// The measurements of a sequence, and the one field that a page shows in full.
#[derive(Debug)]
pub struct SequenceResult {
    /// Mean length of the motion composed once around the cycle, voxels, where it was asked for and something of it is known.
    pub drift_vox: Option<f64>,
    /// Device, times, warnings and parameters.
    pub account: Account,
    prepared: PreparedSequence,
    names: FrameNames,
    collected: Collected,
}

/// A field in numbers, and small where the page shows it.
#[derive(Debug)]
pub(super) struct MeasuredField {
    pub title: String,
    pub role: SequenceRole,
    pub fixed: usize,
    pub moving: usize,
    pub report: Option<PairReport>,
    pub thumbnail: Option<Thumbnail>,
}

/// The field that a page shows in full.
#[derive(Debug)]
struct Shown {
    field: SequenceField,
    truth: Option<Flow>,
    mean_vox: f64,
}

/// What is kept of the fields that were handed out.
#[derive(Debug)]
pub(super) struct Collected {
    /// In order: consecutive, then reference.
    pub fields: Vec<MeasuredField>,
    /// How many there will be.
    pub count: usize,
    drift_vox: Option<f64>,
    /// The mean |det − 1| of each field, where it is measured.
    pub volume_change: VolumeChange,
    /// The series on the page.
    page_role: SequenceRole,
    /// The first field on the page, whose scales the thumbnails share.
    first: Option<SequenceField>,
    shown: Option<Shown>,
}

impl Collected {
    pub fn of(mode: SequenceMode, count: usize) -> Self {
        let is_consecutive = mode == SequenceMode::Consecutive;
        let page_role = if is_consecutive { SequenceRole::Consecutive } else { SequenceRole::Reference };
        Self {
            fields: Vec::new(),
            count,
            drift_vox: None,
            volume_change: VolumeChange::default(),
            page_role,
            first: None,
            shown: None,
        }
    }

    pub fn consecutive_so_far(&self) -> usize {
        self.fields.iter().filter(|field| field.role == SequenceRole::Consecutive).count()
    }

    pub fn is_on_page(&self, role: SequenceRole) -> bool {
        role == self.page_role
    }

    /// A field in small, on the scales of the first one.
    pub fn thumbnail(
        &mut self,
        request: &SequenceRequest<'_>,
        prepared: &PreparedSequence,
        view: &PairView<'_>,
        field: &SequenceField,
        control: &Control,
    ) -> Result<Thumbnail> {
        let first = self.first.get_or_insert_with(|| field.clone());
        let first_title = title(request, first);
        let like = field_view(request, prepared, &first_title, first, None);
        Ok(Thumbnail::of(view, like.as_ref().unwrap_or(view), control)?)
    }

    /// Keeps the field with the largest motion among those on the page; returns the one that is not kept.
    pub fn show(
        &mut self,
        field: SequenceField,
        truth: Option<Flow>,
        mean_vox: f64,
    ) -> Option<SequenceField> {
        let is_larger = self.shown.as_ref().is_none_or(|shown| shown.mean_vox < mean_vox);
        if field.role != self.page_role || !is_larger {
            return Some(field);
        }
        let before = self.shown.replace(Shown { field, truth, mean_vox });
        before.map(|shown| shown.field)
    }

    pub fn finish(&mut self, drift_vox: Option<f64>) {
        (self.drift_vox, self.first) = (drift_vox, None);
        self.fields.sort_by_key(|field| (field.role == SequenceRole::Reference, field.fixed, field.moving));
    }
}

impl SequenceResult {
    pub(super) fn new(
        request: &SequenceRequest<'_>,
        prepared: PreparedSequence,
        collected: Collected,
        account: Account,
    ) -> Self {
        let names = request.names.clone();
        Self { drift_vox: collected.drift_vox, account, prepared, names, collected }
    }

    /// The grid of all fields.
    pub fn grid(&self) -> &Grid {
        self.prepared.frames[0].grid()
    }

    /// The fields in numbers, consecutive ones first, if [measures](crate::pipelines::PairWanted::measures) were wanted.
    pub fn measured(&self) -> impl Iterator<Item = &PairReport> {
        self.collected.fields.iter().filter_map(|field| field.report.as_ref())
    }

    /// The page of a report: the reference's fields where there are any, else the consecutive ones; the largest motion in full.
    ///
    /// # Errors
    /// [`MeasureError::NothingToMeasure`] unless the page and the measures were wanted, and there is a field.
    pub fn page(&self, report: &RunReport, control: &Control) -> Result<String> {
        let (what, reason) = ("report page", "the sequence has no field");
        let nothing = || MeasureError::NothingToMeasure { what, reason };
        let Shown { field, truth, .. } = self.collected.shown.as_ref().ok_or_else(nothing)?;
        let is_on_page = |pair: &&MeasuredField| self.collected.is_on_page(pair.role);
        let on_page: Vec<_> = self.collected.fields.iter().filter(is_on_page).collect();
        let position = on_page
            .iter()
            .position(|pair| (pair.fixed, pair.moving) == (field.fixed, field.moving))
            .ok_or_else(nothing)?;
        let pairs = on_page.iter().filter_map(|pair| pair.report.clone()).collect();
        let page = RunReport { pairs, ..report.clone() };
        let thumbnails: Vec<Thumbnail> = on_page.iter().filter_map(|pair| pair.thumbnail.clone()).collect();
        let [fixed, moving] = [field.fixed, field.moving].map(|nth| &self.prepared.frames[nth]);
        let numbers = [field.fixed, field.moving].map(|nth| self.names.number(nth));
        let view = view_of(&on_page[position].title, fixed, moving, &field.output).ok_or_else(nothing)?;
        let mask = self.prepared.measured(field.fixed);
        let view = PairView { truth: truth.as_ref(), mask, frames: Some(numbers), ..view };
        Ok(sequence_html(&page, &view, position, &thumbnails, control)?)
    }
}
