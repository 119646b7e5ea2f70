//! DICOM files by themselves; folders of them are series.

use crate::content::Kind;
use crate::dicom::read;
use crate::format::{Format, Precision, Reader};

pub(crate) static FORMAT: Format = Format {
    reads: &[Kind::Image, Kind::Sequence],
    precision: Precision::Float,
    ..Format::picture("dicom", "DICOM", &["dcm", "dicom", "ima"], Reader::Whole(read))
};
