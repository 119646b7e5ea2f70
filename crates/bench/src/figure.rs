//! A figure and the bar that it is held against.

use serde::Serialize;

/// A figure and the bar that it is held against.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Name of the figure: `row: column` of the table in docs/status that holds it, or the row alone.
    pub what: String,
    /// The measured value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// The bar that it must reach; none for figures that only inform.
    pub bar: Option<Bar>,
    /// Whether the bar is reached.
    pub reached: Option<bool>,
}

/// Which side of a value is good.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bar {
    /// The figure may not exceed this.
    AtMost(f64),
    /// The figure may not fall below this.
    AtLeast(f64),
    /// The figure should lie between these: a published result, repeated.
    Between(f64, f64),
}

impl Figure {
    pub(crate) fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { what: what.into(), value, unit, bar: None, reached: None }
    }
    pub(crate) fn held_against(mut self, bar: Bar) -> Self {
        self.bar = Some(bar);
        self.reached = Some(match bar {
            Bar::AtMost(limit) => self.value <= limit,
            Bar::AtLeast(limit) => self.value >= limit,
            Bar::Between(low, high) => (low..=high).contains(&self.value),
        });
        self
    }
    pub(crate) fn at_most(self, limit: f64) -> Self {
        self.held_against(Bar::AtMost(limit))
    }
    pub(crate) fn at_least(self, limit: f64) -> Self {
        self.held_against(Bar::AtLeast(limit))
    }
    pub(crate) fn between(self, low: f64, high: f64) -> Self {
        self.held_against(Bar::Between(low, high))
    }
}
