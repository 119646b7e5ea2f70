//! Plots of distances over the cycle: what was carried along against each reader, beside what lies between the readers (Fig. 3 of
//! Li, Young and Cowan, MICCAI 2008).

use crate::plots::svg_plot::{AxisLabels, Ink, Line, LinePlot, Series};
use crate::run::track_report::{TrackReport, TrackRun};
use veloxel_core::Structure;
use veloxel_measure::DistanceCurve;

/// A plot for every structure that readers outlined; none for fewer than two readers.
pub(super) fn reader_plots(report: &TrackReport) -> Vec<LinePlot> {
    if report.between_readers.is_empty() {
        return Vec::new();
    }
    let plot = |structure: Structure| {
        let mut curves: Vec<Series> =
            report.runs.iter().flat_map(|run| tracked(report, run, structure)).collect();
        let own = curves.len();
        curves.extend(report.between_readers.iter().filter_map(|pair| {
            let name = pair.readers.join(" – ");
            series(&name, Line::Dashed, &pair.curves, structure)
        }));
        for (nth, curve) in curves.iter_mut().enumerate() {
            curve.ink = Ink::Numbered(nth);
        }
        let title = format!("{}: tracked and read", structure.title());
        (own > 0).then(|| LinePlot::new(&title, AxisLabels { x: "frame", y: "mm" }, curves, &[0.0]))
    };
    Structure::ALL.into_iter().filter_map(plot).collect()
}

/// The curves of a method, one for each reader.
fn tracked(report: &TrackReport, run: &TrackRun, structure: Structure) -> Vec<Series> {
    let own = |reader: &str| match report.runs.len() {
        1 => format!("tracked – {reader}"),
        _ => format!("{} – {reader}", run.name()),
    };
    let all = run.readers.iter();
    all.filter_map(|reader| series(&own(&reader.reader), Line::Dotted, &reader.curves, structure)).collect()
}

fn series(name: &str, line: Line, curves: &[DistanceCurve], structure: Structure) -> Option<Series> {
    let curve = curves.iter().find(|curve| curve.structure == structure)?;
    let values = curve.modified_hausdorff_mm.iter().enumerate();
    let points = values.map(|(frame, mm)| (frame as f64, mm.unwrap_or(f64::NAN))).collect();
    Some(Series { name: name.to_owned(), ink: Ink::Numbered(0), line, points })
}
