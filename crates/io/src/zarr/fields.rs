//! Members of metadata in JSON, with the name of the file and the member in every refusal.

use crate::error::Result;
use crate::read::context::Context;
use crate::text::quotation::quoted;
use serde_json::Value;

/// An object of metadata, and how messages call it.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'v> {
    pub value: &'v Value,
    /// `0/.zarray`.
    pub name: &'v str,
}

impl<'v> Fields<'v> {
    /// A member; none if it is not there or null.
    pub fn get(&self, member: &str) -> Option<&'v Value> {
        self.value.get(member).filter(|value| !value.is_null())
    }

    /// The error for a member that is something else.
    pub fn wrong(&self, member: &str, expected: &str, context: &Context) -> crate::IoError {
        let got =
            self.value.get(member).map_or_else(|| "none".to_owned(), |value| quoted(&value.to_string()));
        context.malformed(format!("{}: {member}", quoted(self.name)), expected, got)
    }

    /// A text that must be there.
    pub fn text(&self, member: &str, context: &Context) -> Result<&'v str> {
        self.get(member).and_then(Value::as_str).ok_or_else(|| self.wrong(member, "a text", context))
    }

    /// A list that must be there.
    pub fn list(&self, member: &str, context: &Context) -> Result<&'v [Value]> {
        let list = self.get(member).and_then(Value::as_array);
        list.map(Vec::as_slice).ok_or_else(|| self.wrong(member, "a list", context))
    }

    /// Whole numbers of at least 1.
    pub fn sizes(&self, member: &str, context: &Context) -> Result<Vec<usize>> {
        let size = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
        let sizes: Option<Vec<usize>> = self.list(member, context)?.iter().map(size).collect();
        sizes.ok_or_else(|| self.wrong(member, "whole numbers of at least 1", context))
    }

    /// Numbers of axes below `end`, each once.
    pub fn axes_below(&self, member: &str, end: usize, context: &Context) -> Result<Vec<usize>> {
        let axis = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n < end);
        let axes: Option<Vec<usize>> = self.list(member, context)?.iter().map(axis).collect();
        let is_once =
            |axes: &Vec<usize>| axes.iter().enumerate().all(|(nth, axis)| !axes[..nth].contains(axis));
        let expected = format!("whole numbers below {end}, each once");
        axes.filter(is_once).ok_or_else(|| self.wrong(member, &expected, context))
    }

    /// Whole numbers below `end`, as many.
    pub fn sizes_from_zero(&self, member: &str, end: usize, context: &Context) -> Result<Vec<usize>> {
        let place = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n < end);
        let places: Option<Vec<usize>> = self.list(member, context)?.iter().map(place).collect();
        let expected = format!("{end} whole numbers below {end}");
        places.filter(|all| all.len() == end).ok_or_else(|| self.wrong(member, &expected, context))
    }

    /// Numbers.
    pub fn numbers(&self, member: &str, context: &Context) -> Result<Vec<f64>> {
        let numbers: Option<Vec<f64>> = self.list(member, context)?.iter().map(Value::as_f64).collect();
        numbers.ok_or_else(|| self.wrong(member, "numbers", context))
    }

    /// An object within this one.
    pub fn within(&self, value: &'v Value) -> Self {
        Self { value, name: self.name }
    }
}
