//! How good a result is, and what a run reports: metrics, a stable JSON for scripts, and one self-contained page for people.
//!
//! The page asks for nothing from outside: pictures are PNG inside it, plots are SVG, and it has no script.
//! Lengths are millimetres on physical grids and pixels on pictures; what is no estimate is hatched, never zero.

mod cards;
mod charts;
mod colour;
mod colour_wheel;
mod error;
pub mod experiment;
mod film;
mod gallery;
mod header;
mod html;
pub mod metrics;
pub mod number;
mod overlay;
mod panel;
mod panels;
mod phase_pages;
mod phase_pictures;
mod phase_reports;
mod picture;
mod planes;
mod run;
pub mod svg_plot;
mod tables;
mod view;

pub use colour_wheel::{ColourWheelPicture, colour_wheel_rgb};
pub use error::ReportError;
pub use film::Thumbnail;
pub use header::{DeviceReport, InputReport, RunHeader, to_json};
pub use html::{html, sequence_html};
pub use phase_pages::{FeatureScale, FeaturesView, StereoView, features_html, stereo_html};
pub use phase_pictures::{MapPicture, disparity_rgb, orientation_rgb, phase_rgb};
pub use phase_reports::{
    EngineReport, FeatureScaleReport, FeaturesReport, LatencyReport, StereoReport, ValueRange,
};
pub use run::{MotionReport, PairReport, RunReport};
pub use view::PairView;
