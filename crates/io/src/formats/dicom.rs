//! DICOM files by themselves; folders of them are series.

use crate::content::ContentKind;
use crate::dicom::read;
use crate::format::{Format, FormatPrecision, Reader};

pub(crate) static FORMAT: Format = Format {
    reads: &[ContentKind::Image, ContentKind::Sequence],
    precision: FormatPrecision::Float,
    ..Format::picture("dicom", "DICOM", &["dcm", "dicom", "ima"], Reader::Whole(read))
};
