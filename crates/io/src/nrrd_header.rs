//! The text at the head of a NRRD file: fields by name, and the values that they take.
//!
//! *Specification*: Gordon Kindlmann, "Definition of NRRD File Format", teem.sourceforge.net/nrrd/format.html.

use crate::IoError;
use crate::context::Context;
use crate::source::Source;
use std::collections::HashMap;

const LINE_LIMIT: usize = 1 << 16;
const MAX_LINES: usize = 10_000;

/// `field: value` lines by lower-case name; comments and key/value pairs are left out.
pub(crate) struct Fields(HashMap<String, String>);

impl Fields {
    /// Reads up to the empty line that ends an attached header, or the end of a detached one.
    pub fn parse(source: &mut Source, context: &Context) -> Result<Self, IoError> {
        let magic = source.line(LINE_LIMIT, context)?.unwrap_or_default();
        if !magic.starts_with("NRRD000") {
            let got: String = magic.chars().take(20).collect();
            return Err(context.malformed("NRRD magic", "NRRD0001 to NRRD0005", got));
        }
        let mut fields = HashMap::new();
        for _ in 0..MAX_LINES {
            let Some(line) = source.line(LINE_LIMIT, context)? else {
                if fields.contains_key("data file") {
                    return Ok(Self(fields));
                }
                return Err(context.malformed(
                    "NRRD header",
                    "an empty line at its end",
                    "the end of the file",
                ));
            };
            if line.is_empty() {
                return Ok(Self(fields));
            }
            if line.starts_with('#') {
                continue;
            }
            // A colon and an equals sign make a key/value pair, which is the writer's own affair.
            let Some((name, value)) = line.split_once(':') else {
                let got: String = line.chars().take(60).collect();
                return Err(context.malformed("NRRD header line", "field: value", got));
            };
            if !value.starts_with('=') {
                let name = match name.trim().to_lowercase().as_str() {
                    "datafile" => "data file".to_owned(),
                    "lineskip" => "line skip".to_owned(),
                    "byteskip" => "byte skip".to_owned(),
                    other => other.to_owned(),
                };
                fields.insert(name, value.trim().to_owned());
            }
        }
        Err(context.malformed("NRRD header", format!("at most {MAX_LINES} lines"), "more"))
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub fn require(&self, name: &str, context: &Context) -> Result<&str, IoError> {
        self.text(name).ok_or_else(|| context.malformed(name, "a value", "none"))
    }

    pub fn whole(&self, name: &str, context: &Context) -> Result<Option<i64>, IoError> {
        let parsed =
            self.text(name).map(|t| t.parse().map_err(|_| context.malformed(name, "a whole number", t)));
        parsed.transpose()
    }

    /// One value an axis, separated by spaces.
    pub fn words(&self, name: &str, axes: usize, context: &Context) -> Result<Option<Vec<&str>>, IoError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() == axes { Ok(Some(words)) } else { Err(count_error(name, axes, words.len(), context)) }
    }

    /// One number an axis; NaN where an axis has none.
    pub fn numbers(&self, name: &str, axes: usize, context: &Context) -> Result<Option<Vec<f64>>, IoError> {
        let Some(words) = self.words(name, axes, context)? else { return Ok(None) };
        let numbers = words.iter().map(|w| w.parse().map_err(|_| context.malformed(name, "numbers", w)));
        numbers.collect::<Result<_, _>>().map(Some)
    }

    /// One quoted text an axis.
    pub fn quoted(&self, name: &str, axes: usize, context: &Context) -> Result<Option<Vec<&str>>, IoError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let words: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
        if words.len() == axes { Ok(Some(words)) } else { Err(count_error(name, axes, words.len(), context)) }
    }

    /// Vectors `(a,b,c)`, or `none`; every one with `dimension` numbers.
    pub fn vectors(
        &self,
        name: &str,
        dimension: usize,
        context: &Context,
    ) -> Result<Option<Vec<Option<Vec<f64>>>>, IoError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let fail = || context.malformed(name, format!("vectors of {dimension} numbers, or none"), text);
        let mut vectors = Vec::new();
        let mut left = text;
        while !left.is_empty() {
            if let Some(rest) = left.strip_prefix("none") {
                vectors.push(None);
                left = rest.trim_start();
                continue;
            }
            let (inside, rest) = left.strip_prefix('(').and_then(|t| t.split_once(')')).ok_or_else(fail)?;
            let numbers: Result<Vec<f64>, _> = inside.split(',').map(|n| n.trim().parse()).collect();
            vectors.push(Some(numbers.ok().filter(|n| n.len() == dimension).ok_or_else(fail)?));
            left = rest.trim_start();
        }
        Ok(Some(vectors))
    }
}

fn count_error(name: &str, expected: usize, got: usize, context: &Context) -> IoError {
    context.malformed(name, format!("{expected} values"), got)
}
