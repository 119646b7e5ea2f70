//! Ordered pairs of NIREP's brains.

use crate::accuracy::nirep::CarriedBrain;
use crate::scores::measured::Measured;
use crate::scores::ways::Way;
use crate::{BenchError, Session};

/// A pair, by the name `moving → fixed`.
pub(crate) fn pair(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    let (moving, fixed) = item.split_once(" → ").expect("an item should be `moving → fixed`");
    let Some(folder) = session.data("volumes/nirep") else { return Ok(Vec::new()) };
    let of_way = |&name: &&'static str| {
        let carried = CarriedBrain::of(&folder, [fixed, moving], session, &Way::named(name))?;
        let further = [1.0 - carried.dice_of_union, 100.0 * carried.share_folded];
        Ok(Measured::new(name, 1.0 - carried.dice_of_grey, carried.time_s).with(further))
    };
    ways.iter().map(of_way).collect()
}
