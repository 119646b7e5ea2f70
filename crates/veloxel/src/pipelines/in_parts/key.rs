//! What decides the tiles of a run: those of an ended run are taken where all of it is the same.

use super::PartsRequest;
use super::prepared::PreparedBoxes;
use crate::Result;
use crate::pipelines::account::Account;
use crate::pipelines::dense::PairStart;
use serde_json::{Map, Value, json};
use veloxel_motion::TilePlan;
use veloxel_report::ReportError;

/// All that decides the tiles of a run, by name: the samples of both images as well, of which it holds a checksum each.
#[derive(Debug, Clone, PartialEq)]
pub struct TileKey(Map<String, Value>);

impl TileKey {
    pub(super) fn of(
        request: &PartsRequest<'_>,
        prepared: &PreparedBoxes<'_>,
        plan: &TilePlan,
        account: &Account,
    ) -> Result<Self> {
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
            ("version", json!(env!("CARGO_PKG_VERSION"))),
            ("device", json!(account.device.name)),
            ("fixed image", image(request.fixed.grid(), fixed)?),
            ("moving image", image(request.moving.grid(), moving)?),
            ("method", method),
            ("start", json!(start)),
            ("plan of tiles", value(serde_json::to_value(plan))?),
        ];
        Ok(Self(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
    }

    /// As one line of text.
    pub fn line(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }

    /// The name of the first entry that another line has otherwise; none where all are the same.
    pub fn differs_from(&self, line: &str) -> Option<String> {
        let other: Map<String, Value> = serde_json::from_str(line).unwrap_or_default();
        // Both as they are written: numbers keep their digits.
        let own: Map<String, Value> = serde_json::from_str(&self.line()).unwrap_or_default();
        let mut names = own.keys().chain(other.keys());
        names.find(|name| own.get(*name) != other.get(*name)).cloned()
    }
}
