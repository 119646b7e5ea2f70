//! The experiments as a page.

use super::PaperC;
use crate::BenchError;
use crate::experiments::{Experiments, comparison_section, machines_section, not_measured_section};
use veloxel_report::page::{Page, Section};

pub(super) fn html(result: &PaperC) -> Result<String, BenchError> {
    let mut how = Section::new("How it was measured");
    how.notes = result.notes().split_off(result.machines.len());
    let title = "Finite-element registration on GPUs: the paper's experiments on this machine";
    let mut page = Page::new(title, "Li, Young, Cowan, MICCAI 2008");
    page.sections = vec![machines_section(&result.machines)];
    let parts = result.parts.iter();
    page.sections.extend(parts.map(|part| comparison_section(&part.comparison, part.plots.clone())));
    page.sections.extend([not_measured_section(&result.not_measured), how]);
    Ok(page.to_html()?)
}
