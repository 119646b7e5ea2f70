//! A bench's plots and figures as a page.

use crate::{Bench, BenchError, Figure};
use veloxel_report::number;
use veloxel_report::page::{Page, Plots, Section, Table};
use veloxel_report::svg_plot::LinePlot;

/// The page of a bench that was measured on a device, in one file.
///
/// # Errors
/// [`BenchError::Report`].
pub fn plots_page(
    bench: &Bench,
    device: &str,
    figures: &[Figure],
    plots: Vec<LinePlot>,
) -> Result<String, BenchError> {
    let rows = figures.iter().map(|figure| {
        vec![figure.what.clone(), format!("{} {}", number::text(figure.value), figure.unit).trim().to_owned()]
    });
    let mut section = Section::new("Measured");
    section.plots = Plots::of(plots);
    section.table = Some(Table::new(&["figure", "value"], rows));
    let mut page = Page::new(&format!("veloxel bench {}", bench.name), device);
    page.sections = vec![section];
    Ok(page.to_html()?)
}
