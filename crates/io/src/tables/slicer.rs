//! What 3D Slicer's files say of positions.
//!
//! *Specification*: <https://slicer.readthedocs.io/en/latest/developer_guide/modules/markups.html>.

use crate::read::geometry::WorldAxes;
use serde_json::Value;

/// What a list of markups says of its axes. Early versions wrote numbers, 0 for RAS and 1 for LPS.
pub(crate) fn axes_of(list: &Value) -> Option<WorldAxes> {
    match &list["coordinateSystem"] {
        Value::String(name) if name == "LPS" || name == "1" => Some(WorldAxes::Lps),
        Value::String(name) if name == "RAS" || name == "0" => Some(WorldAxes::Ras),
        _ => None,
    }
}

/// Three numbers and nothing else.
pub(crate) fn coordinates(position: &Value) -> Option<[f64; 3]> {
    let numbers: Option<Vec<f64>> = position.as_array()?.iter().map(Value::as_f64).collect();
    numbers?.try_into().ok()
}
