//! The report of a run: a stable JSON for scripts, pictures, and one self-contained page for people.
//!
//! The page loads nothing from outside: pictures are PNG inside it, plots are SVG, and it has no script; only the page of a
//! mesh has a viewer, three.js, inside it. Lengths are millimetres on physical grids and pixels on pictures; places without an
//! estimate are hatched, never zero.
//!
//! # What is stable
//!
//! The JSON of reports is stable: its names, units and meanings. The Rust types and the pages may change in any version; the library
//! `veloxel` has them in its module `report`.

mod error;
pub mod number;
mod pages;
mod pictures;
mod plots;
mod run;

pub use error::ReportError;
pub use pages::batch_page::batch_html;
pub use pages::compare::{CompareReport, ComparedRun, LeftOut, comparison_html, comparison_table};
pub use pages::engine_page::{EngineView, engine_html};
pub use pages::features_page::{FeatureScale, FeaturesView, features_html};
pub use pages::flow_page::{html, sequence_html};
#[doc(hidden)]
pub use pages::page;
pub use pages::segment_page::{AnswerRole, AnswerView, OwnParts, SegmentView, segment_html};
pub use pages::stereo_page::{StereoView, stereo_html};
pub use pages::track_page::track_html;
pub use pictures::caption::ColourKey;
pub use pictures::colour_wheel::{ColourWheelPicture, colour_wheel_rgb};
pub use pictures::engine_film::{EngineFilm, EngineTile, FilmFrame, OrientationMaps};
pub use pictures::fields::disparity_picture::DisparityDrawing;
pub use pictures::fields::field_picture::{
    FieldDrawing, FieldPicture, PictureGround, PictureKey, PlaneChoice,
};
pub use pictures::fields::field_thumbnail::field_thumbnail;
pub use pictures::film::Thumbnail;
pub use pictures::grey::grey_rgb;
pub use pictures::outline_film::OutlineFilm;
pub use pictures::part_colours::{part_colours, part_rgb};
pub use pictures::phase_pictures::{MapPicture, disparity_rgb, orientation_rgb, phase_rgb};
pub use pictures::track_view::TrackView;
pub use pictures::tracked_points::{TrackColours, TrackDrawing, TrackedMark};
pub use pictures::view::{ComparedView, PairView};
#[doc(hidden)]
pub use plots::svg_plot;
pub use run::batch_report::{BatchOutlier, BatchReport, BatchRow, RowFile, RowStatus};
pub use run::cameras_report::CamerasReport;
pub use run::cell_words::cells_text;
pub use run::chamber_words::ChamberWords;
pub use run::flow_report::{PairReport, RunReport};
pub use run::header::{DeviceReport, InputReport, RunHeader, to_json};
pub use run::motion_report::{FieldBox, MotionReport, MotionSums};
pub use run::phase_reports::{
    EngineReport, FeatureScaleReport, FeaturesReport, FrameReport, LatencyReport, StereoReport,
};
pub use run::segment_report::{SegmentReport, SegmentedPart};
pub use run::track_report::{
    BetweenReaders, CineReport, ExpectedDistance, ReaderDistances, TrackReport, TrackRun,
};
pub use run::tracks_table::{TrackRow, tracks_csv};
pub use run::value_range::ValueRange;
