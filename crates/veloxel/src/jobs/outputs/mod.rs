//! What jobs write: the plan of all files, what they hold, and how they appear together or not at all.

pub(crate) mod field_format;
pub(crate) mod film;
pub(crate) mod output_plan;
pub(crate) mod pictures;
pub(crate) mod planned_files;
pub(crate) mod role;
