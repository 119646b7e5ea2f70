//! A field of a sequence as reports show it.

use super::request::{PreparedSequence, SequenceRequest};
use crate::pipelines::dense::view_of;
use veloxel_core::Flow;
use veloxel_motion::SequenceField;
use veloxel_report::PairView;

/// `frame 3 → 4`, with the names of the files where there are any.
pub(super) fn title(request: &SequenceRequest<'_>, field: &SequenceField) -> String {
    request.names.title(field.role, [field.fixed, field.moving])
}

/// A field with its frames, as reports show it.
pub(super) fn field_view<'v>(
    request: &SequenceRequest<'_>,
    prepared: &'v PreparedSequence,
    title: &'v str,
    field: &'v SequenceField,
    truth: Option<&'v Flow>,
) -> Option<PairView<'v>> {
    let [fixed, moving] = [field.fixed, field.moving].map(|nth| &prepared.frames[nth]);
    let numbers = [field.fixed, field.moving].map(|nth| request.names.number(nth));
    let view = view_of(title, fixed, moving, &field.output)?;
    Some(PairView { truth, mask: prepared.measured(field.fixed), frames: Some(numbers), ..view })
}
