//! What 3D Slicer's files say of positions.
//!
//! *Specification*: <https://slicer.readthedocs.io/en/latest/developer_guide/modules/markups.html>.

use serde_json::Value;

/// The directions of a file's first two axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axes {
    /// To the left, to the back, up.
    Lps,
    /// To the right, to the front, up.
    Ras,
}

impl Axes {
    /// From the file's axes to LPS, and from LPS to the file's.
    pub fn turned(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Lps => [x, y, z],
            Self::Ras => [-x, -y, z],
        }
    }
}

/// What a list of markups says of its axes. Early versions wrote numbers, 0 for RAS and 1 for LPS.
pub(crate) fn axes_of(list: &Value) -> Option<Axes> {
    match &list["coordinateSystem"] {
        Value::String(name) if name == "LPS" || name == "1" => Some(Axes::Lps),
        Value::String(name) if name == "RAS" || name == "0" => Some(Axes::Ras),
        _ => None,
    }
}

/// Three numbers.
pub(crate) fn coordinates(position: &Value) -> Option<[f64; 3]> {
    let numbers: Vec<f64> = position.as_array()?.iter().filter_map(Value::as_f64).collect();
    numbers.try_into().ok()
}
