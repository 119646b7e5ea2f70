//! The experiments as a page.

use super::PaperC;
use crate::BenchError;
use crate::experiments::{Experiments, comparison_section, machines_section};
use veloxel_report::page::{Page, Section};

pub(super) fn html(result: &PaperC) -> Result<String, BenchError> {
    let [table_1, steps, elements] = &result.comparisons;
    let [energy, cost] = &result.plots;
    let mut how = Section::new("How it was measured");
    how.notes = result.notes().split_off(result.machines.len());
    let title = "Finite-element registration on GPUs: the paper's experiments on this machine";
    let mut page = Page::new(title, "Li, Young, Cowan, MICCAI 2008");
    page.sections = vec![
        machines_section(&result.machines),
        comparison_section(table_1, Vec::new()),
        comparison_section(steps, vec![energy.clone()]),
        comparison_section(elements, vec![cost.clone()]),
        how,
    ];
    Ok(page.to_html()?)
}
