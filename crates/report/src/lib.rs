//! How good a result is, and what a run reports: metrics, a stable JSON for scripts, and one self-contained page for people.
//!
//! The page asks for nothing from outside: pictures are PNG inside it, plots are SVG, and it has no script;
//! that of a mesh alone has a viewer, three.js, inside it.
//! Lengths are millimetres on physical grids and pixels on pictures; what is no estimate is hatched, never zero.

mod bulls_eye;
mod caption;
mod charts;
mod cine_loops;
mod colour;
mod colour_wheel;
mod compare;
mod engine_page;
mod error;
mod features_page;
mod film;
mod flow_page;
mod header;
mod maps;
pub mod metrics;
pub mod number;
mod overlay;
pub mod page;
mod panel;
mod panels;
mod phase_pictures;
mod phase_reports;
mod picture;
mod planes;
mod run;
mod segment_page;
mod segment_report;
mod stereo_page;
pub mod svg_plot;
mod tables;
mod track_page;
mod track_report;
mod track_view;
mod view;

pub use caption::{ColourKey, captioned};
pub use colour_wheel::{ColourWheelPicture, colour_wheel_rgb};
pub use compare::{CompareReport, ComparedRun, LeftOut, comparison_html, comparison_table};
pub use engine_page::{EngineView, engine_html};
pub use error::ReportError;
pub use features_page::{FeatureScale, FeaturesView, features_html};
pub use film::Thumbnail;
pub use flow_page::{html, sequence_html};
pub use header::{DeviceReport, InputReport, RunHeader, to_json};
pub use phase_pictures::{MapPicture, disparity_rgb, orientation_rgb, phase_rgb};
pub use phase_reports::{
    EngineReport, FeatureScaleReport, FeaturesReport, FrameReport, LatencyReport, StereoReport, ValueRange,
};
pub use run::{MotionReport, PairReport, RunReport};
pub use segment_page::{AnswerView, SegmentView, segment_html};
pub use segment_report::{SegmentReport, SegmentedPart};
pub use stereo_page::{StereoView, stereo_html};
pub use track_page::track_html;
pub use track_report::{CineReport, TrackReport, TrackRun};
pub use track_view::TrackView;
pub use view::{ComparedView, PairView};
