//! The curves that a report shows: convergence, errors, and a sequence over time.

use crate::error::ReportError;
use crate::number;
use crate::pictures::view::PairView;
use crate::plots::svg_plot::{AxisLabels, Band, Ink, Line, LinePlot, Scale, Series};
use crate::run::flow_report::PairReport;
use veloxel_core::{Control, DiagnosticCurves, Dimension, sort_by};
use veloxel_measure::{FlowError, Reliability, SparsificationPoint, end_point_error_vox, measured_indices};

fn series(name: &str, ink: Ink, line: Line, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.to_owned(), ink, line, points }
}

/// A size as text: `64 × 64 × 32`, or `64³`.
pub(crate) fn size_text(size: [usize; 3], dimension: Dimension) -> String {
    let shown = &size[..dimension.count()];
    if dimension == Dimension::Three && shown.iter().all(|n| n == &shown[0]) {
        return format!("{}³", shown[0]);
    }
    shown.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}

/// A method's own curves.
pub(crate) fn diagnostics(curves: &[DiagnosticCurves], dimension: Dimension) -> Vec<LinePlot> {
    let name = |size: [usize; 3]| size_text(size, dimension);
    let plot = |each: &DiagnosticCurves| LinePlot {
        title: each.title.into(),
        x_label: each.x_label.into(),
        y_label: each.y_label.into(),
        x_scale: Scale::Linear,
        y_scale: if each.is_logarithmic { Scale::Logarithmic } else { Scale::Linear },
        y_include: if each.is_logarithmic { Vec::new() } else { vec![0.0] },
        series: (each.curves.iter())
            .map(|curve| {
                let (ink, line) = match curve.shade {
                    Some(shade) => (Ink::Between(shade), Line::Solid),
                    None => (Ink::Numbered(0), Line::Dotted),
                };
                // A gap between pieces is a point that is none.
                let gap = || std::iter::once((f64::NAN, f64::NAN));
                let points =
                    curve.pieces.iter().flat_map(|piece| piece.iter().map(|p| (p[0], p[1])).chain(gap()));
                series(&curve.size.map(name).unwrap_or_default(), ink, line, points.collect())
            })
            .collect(),
        bands: (each.sections.iter())
            .map(|section| {
                let [from, to] = section.x_range;
                Band { from, to, name: name(section.size) }
            })
            .collect(),
    };
    curves.iter().map(plot).filter(|plot| !plot.is_empty()).collect()
}

/// The reliability diagram: how often vectors are off by less than the threshold, over the probability of that.
fn reliability(diagram: &Reliability, unit: &str) -> LinePlot {
    let within = number::text(diagram.within_vox.unwrap_or_default());
    let points = diagram.points.iter().map(|point| (100.0 * point.foretold, 100.0 * point.found)).collect();
    LinePlot::new(
        "Reliability of the probability",
        AxisLabels {
            x: &format!("foretold: % off by less than {within} {unit}"),
            y: &format!("found: % off by less than {within} {unit}"),
        },
        vec![
            series("found", Ink::Numbered(0), Line::Dotted, points),
            series("as foretold", Ink::Numbered(2), Line::Dashed, vec![(0.0, 0.0), (100.0, 100.0)]),
        ],
        &[0.0, 100.0],
    )
}

/// Curves of the share of voxels below each error, of the error over the confidence, and the reliability diagram.
pub(crate) fn errors(
    view: &PairView,
    error: &FlowError,
    pair: &PairReport,
    control: &Control,
) -> Result<Vec<LinePlot>, ReportError> {
    let Some(truth) = view.truth else { return Ok(Vec::new()) };
    let (unit, what) = (view.voxels(), if view.voxels() == "px" { "pixels" } else { "voxels" });
    control.check()?;
    let map = end_point_error_vox(view.flow, truth)?;
    let mut errors: Vec<f32> =
        measured_indices(view.flow, truth, view.mask)?.into_iter().map(|i| map.data()[i]).collect();
    sort_by(&mut errors, &f32::total_cmp, control)?;
    let at_most = |share: f64| f64::from(errors[(share * (errors.len() - 1) as f64).round() as usize]);
    let cumulative = (0..=100)
        .map(|percent| (at_most(0.01 * f64::from(percent)), f64::from(percent)))
        .take_while(|p| p.0 <= 2.0 * error.end_point_vox.a95.max(1e-6))
        .collect();
    let mut plots = vec![LinePlot::new(
        "Distribution of the error",
        AxisLabels { x: &format!("end-point error, {unit}"), y: &format!("% of {what} below") },
        vec![series("", Ink::Numbered(0), Line::Solid, cumulative)],
        &[0.0, 100.0],
    )];
    if let Some(curve) = &pair.sparsification {
        let points = |value: fn(&SparsificationPoint) -> f64| {
            curve.points.iter().map(|p| (100.0 * (1.0 - p.kept), value(p))).collect()
        };
        plots.push(LinePlot::new(
            "Error of the most confident vectors",
            AxisLabels {
                x: "% of vectors left out, least confident first",
                y: &format!("mean error of the rest, {unit}"),
            },
            vec![
                series("by confidence", Ink::Numbered(0), Line::Dotted, points(|p| p.by_confidence_vox)),
                series("by the error itself", Ink::Numbered(2), Line::Dashed, points(|p| p.oracle_vox)),
            ],
            &[0.0],
        ));
    }
    plots.extend(pair.reliability.as_ref().map(|diagram| reliability(diagram, unit)));
    Ok(plots)
}

/// What the numbers of a sequence are told in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units {
    /// Lengths in the world: `mm`, or `px` of pictures.
    pub length: &'static str,
    /// Lengths on the grid: `voxels`, or `px` of pictures.
    pub voxels: &'static str,
}

/// Curves over the pairs of a sequence.
pub(crate) fn over_time(pairs: &[PairReport], Units { length: unit, voxels }: Units) -> Vec<LinePlot> {
    let frames: Vec<[usize; 2]> =
        pairs.iter().enumerate().map(|(i, pair)| pair.frames.unwrap_or([i, i + 1])).collect();
    // Fields of one reference differ in the frame that they point into.
    let is_of_reference = frames.windows(2).all(|two| two[0][0] == two[1][0]);
    let (which, x_label) = if is_of_reference { (1, "frame") } else { (0, "frame, to the next one") };
    let curve = |value: &dyn Fn(&PairReport) -> f64| -> Vec<(f64, f64)> {
        pairs.iter().zip(&frames).map(|(p, frames)| (frames[which] as f64, value(p))).collect()
    };
    let plot = |title: &str, y_label: &str, curves: Vec<Series>, y_include: &[f64]| {
        LinePlot::new(title, AxisLabels { x: x_label, y: y_label }, curves, y_include)
    };
    let one = |points| vec![series("", Ink::Numbered(0), Line::Dotted, points)];
    let mut plots =
        vec![plot("Motion", &format!("mean length, {unit}"), one(curve(&|p| p.motion.mean_mm)), &[0.0])];
    if pairs.iter().any(|p| p.error.is_some()) {
        let error = |f: fn(&FlowError) -> f64| move |p: &PairReport| p.error.as_ref().map_or(f64::NAN, f);
        let curves = vec![
            series("mean", Ink::Numbered(0), Line::Dotted, curve(&error(|e| e.end_point_vox.mean))),
            series("95 %", Ink::Numbered(2), Line::Dashed, curve(&error(|e| e.end_point_vox.a95))),
        ];
        plots.push(plot("End-point error", voxels, curves, &[0.0]));
    }
    let volume = if voxels == "px" { "Area" } else { "Volume" };
    plots.push(plot(volume, "after / before", one(curve(&|p| p.motion.volume_ratio)), &[0.99, 1.01]));
    plots.push(plot(
        &format!("{volume} change"),
        "mean |det(I + ∇d) − 1|",
        one(curve(&|p| p.statistics.jacobian.mean_abs_minus_one)),
        &[0.0],
    ));
    if pairs.iter().any(|p| p.error.is_some()) {
        plots.push(plot("Confidence", "mean", one(curve(&|p| p.motion.mean_confidence)), &[0.0, 1.0]));
    }
    let brightness = vec![
        series("before", Ink::Numbered(2), Line::Dashed, curve(&|p| p.statistics.brightness.mean_abs_before)),
        series("after", Ink::Numbered(0), Line::Dotted, curve(&|p| p.statistics.brightness.mean_abs_after)),
    ];
    plots.push(plot("Brightness difference", "mean |Iₜ|", brightness, &[0.0]));
    plots
}
