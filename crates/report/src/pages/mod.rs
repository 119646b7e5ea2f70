//! Pages: the parts of every page, and a page for each kind of run.

pub(crate) mod batch_page;
mod cine_loops;
pub(crate) mod compare;
pub(crate) mod engine_page;
pub(crate) mod features_page;
pub(crate) mod flow_page;
pub mod page;
mod reader_plots;
mod said;
pub(crate) mod segment_page;
pub(crate) mod stereo_page;
pub(crate) mod tables;
pub(crate) mod track_page;
pub(crate) mod words;
