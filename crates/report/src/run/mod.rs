//! The JSON of a run, one file a kind of run; its keys are stable.

pub(crate) mod batch_report;
pub(crate) mod cameras_report;
pub(crate) mod cell_words;
pub(crate) mod chamber_words;
pub(crate) mod flow_report;
pub(crate) mod header;
pub(crate) mod motion_report;
pub(crate) mod phase_reports;
pub(crate) mod segment_report;
pub(crate) mod track_report;
pub(crate) mod tracks_table;
pub(crate) mod value_range;
