//! What decides the tiles of a run: those of an ended run are taken where all of it is the same.

use super::PartsRequest;
use super::prepared::PreparedBoxes;
use crate::Result;
use crate::pipelines::account::Account;
use crate::pipelines::boxes::PartsKey;
use crate::pipelines::dense::PairStart;
use serde_json::{Value, json};
use veloxel_motion::TilePlan;
use veloxel_report::ReportError;

/// All that decides the tiles of a run: the samples of both images as well, of which it holds a checksum each.
pub(super) fn tile_key(
    request: &PartsRequest<'_>,
    prepared: &PreparedBoxes<'_>,
    plan: &TilePlan,
    account: &Account,
) -> Result<PartsKey> {
    let choice = request.method;
    let value = |value: serde_json::Result<Value>| value.map_err(ReportError::from);
    let [fixed, moving] = prepared.checksums();
    let image = |grid, checksum: u64| -> Result<Value> {
        Ok(json!({"grid": value(serde_json::to_value(grid))?, "samples": format!("{checksum:016x}")}))
    };
    let start = match &request.start {
        PairStart::Transform(transform) => format!("{transform:?}"),
        other => format!("{other:?}"),
    };
    let method = json!({
        "name": choice.draft.method_name(),
        "parameters": value(serde_json::to_value(&account.parameters))?,
        "directions": format!("{:?}", choice.directions),
        "refinement": format!("{:?}", choice.refinement),
    });
    let entries = [
        ("device", json!(account.device.name)),
        ("fixed image", image(request.fixed.grid(), fixed)?),
        ("moving image", image(request.moving.grid(), moving)?),
        ("method", method),
        ("start", json!(start)),
        ("plan of tiles", value(serde_json::to_value(plan))?),
    ];
    Ok(PartsKey::of(entries.map(|(name, value)| (name.to_owned(), value))))
}
