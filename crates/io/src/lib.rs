//! Images, volumes, sequences and displacement fields from and to files, one file of code per format.
//!
//! Files are hostile: sizes are checked against the bytes that are there and against a budget of memory before anything is
//! allocated ([`Reading`]), and every failure is one clear line. Headers that other programs refuse are read with a warning that says what was assumed,
//! unless [`Strictness::Strict`] is asked for. Files are written whole or not at all.
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
#![doc = include_str!("../../../docs/status/formats.md")]

mod budget;
mod cine_place;
mod compressed;
mod content;
mod context;
mod contours;
mod detached;
#[cfg(feature = "dicom")]
mod dicom;
mod disparity;
mod element;
mod error;
mod face_labels;
mod file_name;
mod files_read;
mod foreign;
mod format;
mod formats;
mod frame_reader;
mod frames;
mod geometry;
mod graphs;
mod inspect;
mod layout;
mod lookup;
mod luminance;
mod npy;
mod painted_mesh;
mod png_stream;
mod points;
mod polygons;
mod raster;
mod read;
mod reading;
mod record;
mod series;
mod slicer;
mod source;
mod stream;
mod text_header;
mod unfinished;
mod video;
mod video_writer;
mod whole_file;
mod words;
mod write;

use content::Decoded;
pub use content::{Content, Kind};
use context::Context;
pub use contours::{
    CineImage, CinePlace, ContourFile, ContourReading, InnerContour, LabelMeaning, PlainNames, TextOrder,
    read_contours, write_contours,
};
pub use detached::data_file;
pub use disparity::{check_disparity_output, read_disparity, write_disparity};
pub use error::{IoError, Result};
pub use face_labels::{read_face_labels, write_face_labels, write_painted_mesh};
pub use files_read::files_read;
use format::Reader;
pub use format::{Format, Precision};
#[cfg(feature = "jpeg")]
pub use formats::{JPEG_QUALITY, write_rgb_jpeg};
pub use frames::{files_in, list_folder};
pub use graphs::read_graph;
pub use inspect::{FileInfo, inspect, read_grid};
pub use luminance::LUMA;
pub use npy::{NpySample, NpyWriter, check_matrix_output};
pub use painted_mesh::PaintedMesh;
pub use png_stream::write_rgb_png;
pub use points::{Point, PointFile};
pub use read::{
    read, read_bytes, read_flow, read_frame_list, read_frames, read_image, read_image_and_mask, read_labels,
    read_mask, read_mesh, read_sequence, read_surface, read_text,
};
pub use reading::{DataFiles, Reading, SeriesChoice, Strictness};
pub use series::{CineSeries, holds_dicom, read_cine};
use source::Source;
pub use stream::FrameStream;
pub use tempfile::{NamedTempFile, TempDir};
pub use unfinished::{Revocable, Unfinished, remove_unfinished};
pub use video::{FrameRate, VideoColour, VideoShape};
pub use video_writer::{VideoWriter, check_video_output};
pub use whole_file::{check_writable, write_bytes, write_text};
pub use write::{
    check_folder, check_output, check_rgb_output, write_flow, write_image, write_labels, write_rgb,
    write_sequence,
};
