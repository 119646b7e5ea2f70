//! The head of raw frames: one JSON object.

use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element, Scaling, Stored};
use crate::read::geometry::Axes;
use crate::text::json;
use serde_json::{Map, Value};
use veloxel_core::Grid;

const WHAT: &str = "head of raw frames";
const EXPECTED: &str = "one line of JSON such as {\"shape\": [128, 128, 128], \"dtype\": \"float32\"}";
const DTYPES: &str =
    "uint8, int8, uint16, int16, uint32, int32, float16, float32, float64, or NumPy's <f4 and its like";
const KEYS: [&str; 7] = ["shape", "dtype", "spacing_mm", "origin_mm", "direction", "interval_ms", "frames"];
/// A frame lasts no longer than a day.
const LONGEST_MS: f64 = 86_400_000.0;

/// What a head says.
#[derive(Debug)]
pub(super) struct Head {
    pub grid: Grid,
    pub stored: Stored,
    pub interval_ms: Option<f64>,
    /// How many frames there are; none: as many as come.
    pub frames: Option<u64>,
}

impl Head {
    /// Reads the line.
    ///
    /// # Errors
    /// [`IoError::Malformed`](crate::IoError::Malformed) with the key that is wrong.
    pub fn parse(line: &str, context: &mut Context) -> Result<Self> {
        let Value::Object(keys) = json::parse(line.as_bytes(), WHAT, EXPECTED, context)? else {
            return Err(context.malformed(WHAT, EXPECTED, line));
        };
        if let Some(unknown) = keys.keys().find(|key| !KEYS.contains(&key.as_str())) {
            context.assume(format!(
                "the key `{unknown}` of the head of raw frames is unknown: it is left out"
            ))?;
        }
        let (sides, size) = shape(&keys, context)?;
        let mut axes = Axes::new(size);
        numbers(&keys, "spacing_mm", sides, &mut axes.spacing_mm, context)?;
        numbers(&keys, "origin_mm", sides, &mut axes.origin_mm, context)?;
        if let Some(given) = keys.get("direction") {
            let rows = "three rows of three numbers";
            axes.direction = serde_json::from_value(given.clone())
                .map_err(|_| context.malformed("direction of raw frames", rows, text(Some(given))))?;
        }
        let stored = stored(&keys, context)?;
        let (interval_ms, frames) = (interval_ms(&keys, context)?, frames(&keys, context)?);
        Ok(Self { grid: axes.into_grid(context)?, stored, interval_ms, frames })
    }
}

/// A value as an error shows it.
fn text(given: Option<&Value>) -> String {
    given.map_or_else(|| "nothing".to_owned(), Value::to_string)
}

/// How many sides are given, and the size that they are of.
fn shape(keys: &Map<String, Value>, context: &Context) -> Result<(usize, [usize; 3])> {
    const SIDES: &str = "[y, x] or [z, y, x], whole numbers above 0";
    let given = keys.get("shape");
    let side = |v: &Value| v.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
    let sides: Option<Vec<usize>> =
        given.and_then(Value::as_array).and_then(|sides| sides.iter().map(side).collect());
    match sides.as_deref() {
        Some(&[y, x]) => Ok((2, [x, y, 1])),
        Some(&[z, y, x]) => Ok((3, [x, y, z])),
        _ => Err(context.malformed("shape of raw frames", SIDES, text(given))),
    }
}

/// Numbers along the axes, where they are given.
fn numbers(
    keys: &Map<String, Value>,
    key: &'static str,
    sides: usize,
    out: &mut [f64; 3],
    context: &Context,
) -> Result<()> {
    let Some(given) = keys.get(key) else { return Ok(()) };
    let read: Option<Vec<f64>> = given.as_array().and_then(|each| each.iter().map(Value::as_f64).collect());
    let Some(read) = read.filter(|read| (sides..=3).contains(&read.len())) else {
        let expected = if sides == 2 { "[x, y], numbers" } else { "[x, y, z], numbers" };
        return Err(context.malformed(format!("{key} of raw frames"), expected, given));
    };
    out[..read.len()].copy_from_slice(&read);
    Ok(())
}

fn stored(keys: &Map<String, Value>, context: &Context) -> Result<Stored> {
    let given = keys.get("dtype");
    let name = given.and_then(Value::as_str).unwrap_or_default();
    let (order, bare) = match name.split_at_checked(1) {
        Some((">", bare)) => (ByteOrder::Big, bare),
        Some(("<" | "|" | "=", bare)) => (ByteOrder::Little, bare),
        _ => (ByteOrder::Little, name),
    };
    let element = match bare {
        "uint8" | "u1" | "bool" | "b1" => Element::U8,
        "int8" | "i1" => Element::I8,
        "uint16" | "u2" => Element::U16,
        "int16" | "i2" => Element::I16,
        "uint32" | "u4" => Element::U32,
        "int32" | "i4" => Element::I32,
        "float16" | "f2" => Element::F16,
        "float32" | "f4" => Element::F32,
        "float64" | "f8" => Element::F64,
        _ => return Err(context.malformed("dtype of raw frames", DTYPES, text(given))),
    };
    Ok(Stored { element, order, scaling: Scaling::NONE })
}

fn interval_ms(keys: &Map<String, Value>, context: &Context) -> Result<Option<f64>> {
    let Some(given) = keys.get("interval_ms").filter(|given| !given.is_null()) else { return Ok(None) };
    match given.as_f64().filter(|ms| *ms > 0.0 && *ms <= LONGEST_MS) {
        Some(ms) => Ok(Some(ms)),
        None => Err(context.malformed("interval_ms of raw frames", "a number above 0", given)),
    }
}

fn frames(keys: &Map<String, Value>, context: &Context) -> Result<Option<u64>> {
    let Some(given) = keys.get("frames").filter(|given| !given.is_null()) else { return Ok(None) };
    match given.as_u64().filter(|count| *count > 0) {
        Some(count) => Ok(Some(count)),
        None => Err(context.malformed("number of raw frames", "a whole number above 0", given)),
    }
}
