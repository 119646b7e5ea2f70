//! Closed curves of 3D Slicer: control points in millimetres, joined by a smooth curve as Slicer draws it.
//!
//! *Specification*: <https://slicer.readthedocs.io/en/latest/developer_guide/modules/markups.html>.

use super::collection::Collection;
use super::{ContourReading, CurvePoints};
use crate::error::Result;
use crate::tables::slicer::{axes_of, coordinates};
use serde_json::Value;
use veloxel_core::Structure;

/// Points of the curve between two control points.
const BETWEEN: usize = 8;

pub(super) fn read(document: &Value, options: &ContourReading, into: &mut Collection) -> Result<()> {
    let markups = document["markups"].as_array().cloned().unwrap_or_default();
    for markup in &markups {
        let name = markup["name"].as_str().or_else(|| document["name"].as_str()).unwrap_or_default();
        let kind = markup["type"].as_str().unwrap_or_default();
        let got = format!("{kind} \"{name}\"");
        let is_clicked = options.curves == CurvePoints::Clicked;
        let is_known = kind == "ClosedCurve" || (is_clicked && kind == "Fiducial");
        let expected = if is_clicked { "a closed curve or a list of points" } else { "a closed curve" };
        into.context.require(is_known, "a markup", expected, got)?;
        let axes = axes_of(markup).ok_or_else(|| {
            let system = markup["coordinateSystem"].as_str();
            into.context.malformed("coordinateSystem", "LPS or RAS", system.unwrap_or("nothing"))
        })?;
        let position = |point: &Value| {
            let is_set = point["positionStatus"].as_str().is_none_or(|status| status == "defined");
            coordinates(&point["position"]).filter(|_| is_set).map(|p| axes.turned(p))
        };
        let points = markup["controlPoints"].as_array().cloned().unwrap_or_default();
        let Some(points) = points.iter().map(position).collect::<Option<Vec<_>>>() else {
            return Err(into.context.malformed("a control point", "a position of three numbers", name));
        };
        into.context.require(
            points.len() >= 3,
            "a closed curve",
            "at least 3 control points",
            points.len(),
        )?;
        let (structure, frame) = named(name, markup, options).map_err(|reason| {
            into.context.malformed("the name of a closed curve", "endo, epi, rv, rv-epi or region", reason)
        })?;
        match options.curves {
            CurvePoints::Smooth => into.add_mm(structure, frame, &curve(&points))?,
            CurvePoints::Clicked => into.add_mm(structure, frame, &points)?,
        }
    }
    Ok(())
}

/// The structure and the frame that a name such as `endo`, `LV epi` or `rv frame 3` gives, or the first label.
fn named(name: &str, markup: &Value, options: &ContourReading) -> Result<(Structure, usize), String> {
    let label = markup["controlPoints"][0]["label"].as_str().unwrap_or_default();
    let tried = [name, label].map(|text| {
        let lower = text.to_lowercase().replace(['_', '-'], " ");
        let (what, frame) = lower.split_once("frame").map_or((lower.as_str(), None), |(a, b)| (a, Some(b)));
        let frame = frame.map_or(Some(options.frame), |digits| digits.trim().parse().ok());
        let what: String = what.trim().trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ').to_owned();
        what.parse::<Structure>().ok().zip(frame)
    });
    tried.into_iter().flatten().next().ok_or_else(|| format!("\"{name}\""))
}

/// A closed Catmull-Rom spline through the points.
fn curve(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let n = points.len();
    let at = |i: usize, share: f64| {
        let [a, b, c, d] = [n - 1, 0, 1, 2].map(|shift| points[(i + shift) % n]);
        [0, 1, 2].map(|k: usize| {
            let (t, t2, t3) = (share, share * share, share * share * share);
            0.5 * (2.0 * b[k]
                + (c[k] - a[k]) * t
                + (2.0 * a[k] - 5.0 * b[k] + 4.0 * c[k] - d[k]) * t2
                + (3.0 * b[k] - a[k] - 3.0 * c[k] + d[k]) * t3)
        })
    };
    (0..n * BETWEEN).map(|i| at(i / BETWEEN, (i % BETWEEN) as f64 / BETWEEN as f64)).collect()
}
