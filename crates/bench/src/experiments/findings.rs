//! What a bench gives, as JSON.

use super::{NotMeasured, Published, SystemFact};
use crate::Figure;
use serde::Serialize;

/// What a bench gives: what a paper has published is never among what was measured.
#[derive(Debug, Default, Serialize)]
pub struct Findings {
    /// The machine that measured.
    pub system: Vec<SystemFact>,
    /// Every measured result.
    pub measured: Vec<Figure>,
    /// The paper's own results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
    /// What the paper has and this machine cannot measure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_measured: Vec<NotMeasured>,
}
