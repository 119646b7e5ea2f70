//! Plots: curves and the bull's-eye as SVG.

pub(crate) mod bulls_eye;
pub(crate) mod charts;
pub mod svg_plot;
