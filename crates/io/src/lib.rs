//! Images, volumes, sequences and displacement fields from and to files, one file of code per format.
//!
//! Files are hostile: sizes are checked against the bytes that are there and against a budget of memory before anything is
//! allocated ([`Reading`]), and every failure is one clear line. Headers that other programs refuse are read with a warning that says what was assumed,
//! unless [`Strictness::Strict`] is asked for. Files are written whole or not at all. Readers and writers that share [`Files`] are
//! stopped together, with [`IoError::Stopped`] from whichever function they are in, and share a budget of memory; without them each
//! is alone.
//!
//! ```no_run
//! use std::path::Path;
//! use veloxel_core::Warnings;
//! use veloxel_io::{Strictness, read_image, write_image};
//!
//! let mut warnings = Warnings::new();
//! let image = read_image(Path::new("heart.nii.gz"), Strictness::Lenient, &mut warnings)?;
//! write_image(Path::new("heart.nrrd"), &image, &mut warnings)?;
//! # Ok::<(), veloxel_io::IoError>(())
//! ```
//!
//! # Formats
#![doc = include_str!("../formats.md")]
//!
//! # What is stable
//!
//! The library `veloxel` gives this crate on as its module `io`. Stable are the functions that read, write, inspect and list, and the
//! types that they take and return. What serves the library's own jobs may change in any version: [`PendingFiles`],
//! [`AppendLog`], [`FileIdentity`], [`FileSet`], [`OpenedList`], [`Publication`], [`NpyWriter`], and the functions whose names begin with `check_`.

mod address;
mod asking;
mod content;
#[cfg(feature = "dicom")]
mod dicom;
mod error;
mod file_identity;
mod file_name;
mod file_state;
mod files;
mod film;
mod format;
mod formats;
mod read;
mod tables;
mod text;
mod transforms;
mod write;
#[cfg(feature = "zarr")]
mod zarr;

pub use address::is_store_address;
pub use content::{Content, ContentKind};
pub use error::{IoError, Result};
pub use file_identity::{FileIdentity, FileSet};
pub use file_state::files_state;
pub use files::Files;
pub use film::{is_live, shown_source};
pub use format::{Format, FormatPrecision};
pub use formats::covariance::{check_covariance_output, read_covariance, write_covariance};
pub use formats::depth::{check_depth_output, write_depth};
pub use formats::disparity::{check_disparity_output, read_disparity, write_disparity};
#[cfg(feature = "jpeg")]
pub use formats::jpeg::write_rgb_jpeg;
pub use formats::lookup::is_store;
pub use formats::npy::delivered::write_delivered;
pub use formats::packed::{PackedFields, write_packed};
pub use formats::png::stream::write_rgb_png;
pub use read::files_read::{bytes_to_read, files_read};
pub use read::frames::{files_in, list_folder, listed_if_any};
pub use read::input::files::frame_files;
pub use read::input::frame_selection::FrameSelection;
pub use read::input::frames_apart::frames_apart;
pub use read::input::named_file;
pub use read::input::series_info::SeriesInfo;
pub use read::inspect::{FileInfo, inspect, read_grid};
pub use read::opened_files::OpenedList;
pub use read::reading::{AlphaUse, DataFiles, PartChoice, ReadOptions, Reading, SeriesChoice, Strictness};
pub use read::series::{CineSeries, holds_dicom, list_series, read_cine};
pub use read::stored::partial::{PartialFlow, PartialImage};
pub use read::stream::stream_end::StreamEnd;
pub use read::stream::{FrameStream, StreamShape};
pub use read::watch::FolderWatch;
pub use read::{
    ColourChannels, read, read_bytes, read_flow, read_frame_list, read_frames, read_image,
    read_image_and_colours, read_image_and_mask, read_labels, read_mask, read_mesh, read_sequence,
    read_surface, read_text,
};
pub use tables::calibration::read_calibration;
pub use tables::cine_place::{CineImage, CinePlace, CineSpot};
pub use tables::cloud::{CloudPoint, check_cloud_output, write_cloud};
pub use tables::contours::{
    ContourFile, ContourReading, CurvePoints, InnerContour, LabelMeaning, LabelOutlines, PlainNames,
    TextOrder, check_contours_output, label_outlines, read_contours, write_contours,
};
pub use tables::face_labels::{check_face_labels_output, read_face_labels, write_face_labels};
pub use tables::graphs::read_graph;
pub use tables::matrix::{Matrix, check_matrix_output, write_matrix};
pub use tables::npy::{NpySample, NpyWriter, check_npy_output};
pub use tables::points::{Point, PointFile};
pub use tables::positions::{PointPosition, PositionCounts, write_positions};
pub use tables::records::{FieldValue, Record, read_records};
pub use transforms::{
    TRANSFORM_EXTENSIONS, check_transform_output, is_named_transform, read_transform, write_transform,
};
pub use veloxel_core::GridBox;
pub use write::append_log::{AppendLog, LogUse};
pub use write::detached::data_file;
pub use write::kept_parts::{KeptParts, PartsBeside};
pub use write::output_folder::OutputFolder;
pub use write::painted_mesh::PaintedMesh;
#[cfg(feature = "remote")]
pub use write::parts_at_address::PartsAtAddress;
pub use write::pending::{Ending, PendingFiles};
pub use write::publication::{Outcome, Publication, Resolved, Unpublished, resolve_earlier};
pub use write::target::Target;
pub use write::video::{FrameRate, VideoColour, VideoShape};
pub use write::video_writer::{VideoWriter, check_video_output};
pub use write::whole_file::{check_writable, write_bytes, write_text};
pub use write::{
    check_folder, check_output, check_rgb_output, write_flow, write_image, write_labels, write_painted_mesh,
    write_rgb, write_sequence,
};
#[cfg(feature = "zarr")]
pub use zarr::scene::{Scene, ScenePath};
#[cfg(feature = "zarr")]
pub use zarr::write::boxes::StoreBoxes;
