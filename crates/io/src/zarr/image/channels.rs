//! Channels of an image, of which one is read.

use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::text::quotation::{quoted, told};
use serde_json::Value;

/// Channels that a refusal lists.
const MOST_LISTED: usize = 20;

/// The names of channels, as OMERO's metadata have them.
pub(super) fn names(ome: &Value) -> Vec<String> {
    let channels = ome.get("omero").and_then(|omero| omero.get("channels")).and_then(Value::as_array);
    let name = |channel: &Value| channel.get("label").and_then(Value::as_str).unwrap_or_default().to_owned();
    channels.into_iter().flatten().map(name).collect()
}

/// The channel of so many that is read: the only one, or the one that is asked for by its number, from 1 on, or its name.
///
/// # Errors
/// [`IoError::Ambiguous`] with the channels that there are.
pub(crate) fn chosen_channel(count: usize, names: &[String], context: &Context) -> Result<usize> {
    let name = |nth: usize| names.get(nth).map_or("", String::as_str);
    if let Some(asked) = context.reading.options.part {
        let is_it = |nth: &usize| asked.is(nth + 1, name(*nth));
        if let Some(found) = (0..count).find(is_it) {
            return Ok(found);
        }
    } else if count == 1 {
        return Ok(0);
    }
    let listed = |nth: usize| match name(nth) {
        "" => (nth + 1).to_string(),
        name => format!("{} ({})", nth + 1, quoted(name)),
    };
    let mut choices: Vec<String> = (0..count.min(MOST_LISTED)).map(listed).collect();
    if count > MOST_LISTED {
        choices.push("…".to_owned());
    }
    let what = match context.reading.options.part {
        Some(asked) => format!("{count} channels and none called {}", quoted(&asked.to_string())),
        None => format!("{count} channels"),
    };
    let hint = "name one behind the file, as in image.ome.zarr@part:1";
    Err(IoError::Ambiguous {
        what,
        choices: told(&choices.join(", ")),
        hint,
        option: None,
        path: context.path.to_owned(),
    })
}
