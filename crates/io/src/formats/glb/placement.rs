//! Where the nodes of a scene lie: each in the one above it.

use crate::error::Result;
use crate::read::context::Context;
use serde_json::Value;

/// Nodes below one another.
pub(super) const MOST_DEPTH: usize = 64;

/// A map of points: the rows of a 3 × 4 matrix.
pub(super) type Placement = [[f64; 4]; 3];
pub(super) const IDENTITY: Placement = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// Where a placement takes a point.
pub(super) fn moved(placement: &Placement, point: [f64; 3]) -> [f64; 3] {
    placement.map(|[x, y, z, at]| x * point[0] + y * point[1] + z * point[2] + at)
}

/// A matrix of four columns, the first one first, as rows.
pub(super) fn of_columns(m: [f64; 16]) -> Placement {
    [0, 1, 2].map(|row| [m[row], m[row + 4], m[row + 8], m[row + 12]])
}

/// The numbers of a node under a name; `default` where they are missing.
fn numbers<const N: usize>(
    node: &Value,
    name: &str,
    default: [f64; N],
    context: &Context,
) -> Result<[f64; N]> {
    if node[name].is_null() {
        return Ok(default);
    }
    let numbers = || node[name].as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>();
    let numbers = numbers().and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| context.malformed(format!("{name} of a node"), format!("{N} numbers"), "others"))
}

/// Where a node lies in the one above it.
pub(super) fn placement(node: &Value, context: &Context) -> Result<Placement> {
    if !node["matrix"].is_null() {
        // Columns first.
        let m = numbers(node, "matrix", [0.0; 16], context)?;
        return Ok(of_columns(m));
    }
    let t = numbers(node, "translation", [0.0; 3], context)?;
    let s = numbers(node, "scale", [1.0; 3], context)?;
    let [x, y, z, w] = numbers(node, "rotation", [0.0, 0.0, 0.0, 1.0], context)?;
    let turn = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    Ok([0, 1, 2].map(|row| [turn[row][0] * s[0], turn[row][1] * s[1], turn[row][2] * s[2], t[row]]))
}

/// First `inner`, then `outer`.
pub(super) fn after(outer: &Placement, inner: &Placement) -> Placement {
    outer.map(|row| {
        let column = |k: usize| row[0] * inner[0][k] + row[1] * inner[1][k] + row[2] * inner[2][k];
        [column(0), column(1), column(2), column(3) + row[3]]
    })
}
