//! 3D Slicer's markups: JSON with control points, each list of them in LPS or RAS.

use super::Point;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::geometry::WorldAxes;
use crate::tables::slicer::{axes_of, coordinates};
use serde_json::{Value, json};
use veloxel_core::Dimension;

/// A markups file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Markups {
    json: Value,
}

impl Markups {
    pub fn parse(text: &str, dimension: Dimension, context: &Context) -> Result<Self> {
        let got = "3D Slicer's markups, which lie in millimetres";
        let is_volume = dimension == Dimension::Three;
        context.require(is_volume, "the points", "a table of pixels for a 2-D field", got)?;
        let mut json =
            crate::text::json::parse(text.as_bytes(), "the markups", "JSON as 3D Slicer writes it", context)?;
        let mut count = 0;
        for list in lists_mut(&mut json) {
            context.check()?;
            let (has_axes, got) = (axes_of(list).is_some(), &list["coordinateSystem"]);
            context.require(has_axes, "coordinateSystem of the markups", "\"LPS\" or \"RAS\"", got)?;
            for (nth, point) in points_of_mut(list).enumerate() {
                count += 1;
                let (is_point, what) = (point.is_object(), format!("control point {}", nth + 1));
                context.require(is_point, what, "an object with a position", &*point)?;
                let position = &point["position"];
                let is_right = position.is_null() || coordinates(position).is_some();
                let what = format!("position of control point {}", nth + 1);
                context.require(is_right, what, "three numbers or null", position)?;
            }
        }
        context.require(count > 0, "the markups", "at least one control point", "no point")?;
        Ok(Self { json })
    }

    pub fn points(&self) -> Vec<Point> {
        let lists = self.json["markups"].as_array().into_iter().flatten();
        let of_list = |list: &Value| {
            let axes = axes_of(list).unwrap_or(WorldAxes::Lps);
            let points = list["controlPoints"].as_array().into_iter().flatten();
            points.map(|point| position(point).map(|p| axes.turned(p))).collect::<Vec<_>>()
        };
        lists.flat_map(of_list).collect()
    }

    pub fn with_points(&self, points: &[Point]) -> String {
        let mut json = self.json.clone();
        let mut points = points.iter();
        for list in lists_mut(&mut json) {
            let axes = axes_of(list).unwrap_or(WorldAxes::Lps);
            for (point, moved) in points_of_mut(list).zip(points.by_ref()) {
                match moved {
                    Some(moved) => point["position"] = json!(axes.turned(*moved)),
                    None => {
                        point["position"] = Value::Null;
                        point["positionStatus"] = json!("undefined");
                    }
                }
            }
        }
        format!("{json:#}\n")
    }
}

fn lists_mut(json: &mut Value) -> impl Iterator<Item = &mut Value> {
    json.get_mut("markups").and_then(Value::as_array_mut).into_iter().flatten()
}

fn points_of_mut(list: &mut Value) -> impl Iterator<Item = &mut Value> {
    list.get_mut("controlPoints").and_then(Value::as_array_mut).into_iter().flatten()
}

fn position(point: &Value) -> Point {
    let undefined = point["positionStatus"] == "undefined";
    coordinates(&point["position"]).filter(|_| !undefined)
}
