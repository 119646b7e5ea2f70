//! Calibrations of two cameras: OpenCV's matrices, Kalibr's chains of cameras, and pairs of ROS' camera infos, as YAML or JSON.
//!
//! A layout is a row of [`LAYOUTS`]; which one a file has, its keys say. *Specifications*: OpenCV, `cv::FileStorage` and the sample
//! `stereo_calib.cpp` (`M1 D1 M2 D2 R T`); Kalibr, `camchain.yaml` (`cam0`, `cam1`, `T_cn_cnm1`); ROS, `sensor_msgs/CameraInfo`
//! (`camera_matrix`, `distortion_coefficients`, `rectification_matrix`, `projection_matrix`).
//! *Units*: Kalibr and ROS have metres; OpenCV's translation has the unit of the board's squares, and is taken as metres.
//! *Limits*: pinholes with radial and tangential lenses of 4, 5, 8, 12 or 14 coefficients, or equidistant ones; files of 1 MiB.

mod kalibr;
mod opencv;
mod ros;
mod values;

use crate::error::{IoError, Result};
use crate::file_name::extension;
use crate::read::context::Context;
use crate::read::reading::Reading;
use crate::read::take_text;
use serde_json::Value;
use std::path::{Path, PathBuf};
use values::Document;
use veloxel_core::{Hint, StereoRig, WarningKind, Warnings};

/// Larger files are no calibrations.
const MOST_BYTES: u64 = 1 << 20;
/// Files of a calibration, at most.
const MOST_FILES: usize = 2;
/// A distance of cameras beyond which it is said that it was taken as metres.
const FAR_APART_M: f64 = 5.0;

const OPENCV_AS_YAML: &str = "write it as .yml or .json, which cv2.FileStorage does by the name of its file";

/// A layout of calibrations.
struct Layout {
    /// Whether a file has it.
    is: fn(&Document) -> bool,
    /// The cameras of one or two files.
    rig: fn(&[Document]) -> Result<StereoRig>,
}

static LAYOUTS: [Layout; 3] = [kalibr::LAYOUT, ros::LAYOUT, opencv::LAYOUT];

/// Reads the calibration of two cameras from one or two files; a rig whose second camera stands to the left of the first is turned
/// round, with a note.
///
/// # Errors
/// [`IoError::Malformed`] for a value that is missing or wrong, or more than two files; [`IoError::Unsupported`] for another model
/// of camera or lens; [`IoError::UnknownExtension`]; [`IoError::Open`].
pub fn read_calibration(
    paths: &[PathBuf],
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<StereoRig> {
    let reading = reading.into();
    let first = paths.first().map_or(Path::new(""), PathBuf::as_path);
    if !(1..=MOST_FILES).contains(&paths.len()) {
        return Err(IoError::malformed(first, "calibration", "one file, or two", paths.len()));
    }
    let documents = paths.iter().map(|path| document(path, &reading, warnings));
    let documents = documents.collect::<Result<Vec<_>>>()?;
    let layout = LAYOUTS.iter().find(|layout| (layout.is)(&documents[0]));
    let Some(layout) = layout else {
        let expected = "M1 D1 M2 D2 R T (OpenCV), cam0 and cam1 (Kalibr) or camera_matrix (ROS)";
        return Err(IoError::malformed(first, "calibration", expected, documents[0].keys()));
    };
    let rig = (layout.rig)(&documents)?.checked().map_err(IoError::core(first))?;
    let length = rig.baseline_m();
    if length > FAR_APART_M {
        let text = format!(
            "{}: the cameras are {length} apart, which is taken as metres: give their distance in metres if it is another unit",
            first.display()
        );
        warnings.push_with_hint(WarningKind::Header, Hint::Baseline, text);
    }
    if rig.is_left_first() {
        return Ok(rig);
    }
    let text =
        format!("{}: the second camera stands to the left of the first: it is the left one", first.display());
    warnings.push(WarningKind::Note, text);
    Ok(rig.exchanged())
}

fn document(path: &Path, reading: &Reading, warnings: &mut Warnings) -> Result<Document> {
    let context = Context::new(path, reading.clone(), warnings);
    let is_json = match &*extension(path) {
        "json" => true,
        "yaml" | "yml" => false,
        "xml" => return Err(context.unsupported("a calibration as XML", OPENCV_AS_YAML)),
        _ => {
            let (what, known) = ("a calibration", ".yaml .yml .json".to_owned());
            return Err(IoError::UnknownExtension { path: path.to_owned(), what, known });
        }
    };
    let text = take_text(MOST_BYTES, &context)?;
    let value = if is_json {
        crate::text::json::parse(text.as_bytes(), "the calibration", "JSON", &context)?
    } else {
        yaml(&text, &context)?
    };
    Ok(Document { path: path.to_owned(), value })
}

#[cfg(feature = "yaml")]
fn yaml(text: &str, context: &Context<'_>) -> Result<Value> {
    crate::text::yaml::parse(text, "the calibration", "YAML", context)
}

#[cfg(not(feature = "yaml"))]
fn yaml(_: &str, context: &Context<'_>) -> Result<Value> {
    Err(context.unsupported("YAML, which this build leaves out,", "write the calibration as JSON"))
}

#[cfg(test)]
mod tests;
