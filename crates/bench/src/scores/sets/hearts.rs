//! Labels of hearts, carried from end-diastole to end-systole.

use crate::accuracy::acdc::Carried;
use crate::scores::measured::Measured;
use crate::scores::ways::Way;
use crate::{BenchError, Session};

/// A patient of ACDC.
pub(crate) fn patient(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    let Some(folder) = session.data(&format!("cardiac/acdc/training/{item}")) else { return Ok(Vec::new()) };
    let of_way = |&name: &&'static str| {
        let carried = Carried::of(&folder, session, Way::named(name).options()?)?;
        let dice = carried.dice.iter().sum::<f64>() / carried.dice.len() as f64;
        let off = 100.0 * (carried.ejection[0] - carried.ejection[1]).abs();
        Ok(Measured::new(name, 1.0 - dice, carried.time_s).with([off]))
    };
    ways.iter().map(of_way).collect()
}
