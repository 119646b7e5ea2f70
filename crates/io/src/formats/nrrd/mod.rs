//! NRRD, `.nrrd` (header and samples in one file) and `.nhdr` (samples in a file beside it).
//!
//! *Specification*: Gordon Kindlmann, "Definition of NRRD File Format", teem.sourceforge.net/nrrd/format.html.
//! *Compatible implementations*: ITK, SimpleITK (compared both ways in `tests/peers.py`), 3D Slicer, teem.
//! *World*: `space` LPS, RAS or LAS, turned to LPS; other or no spaces count as LPS, as ITK takes them.
//! *Fields*: one axis of kind `vector`, first (as written) or last; LPS mm, as ITK reads them whatever the space.
//! *Time*: one axis of kind `time` or `list`, first or last; its interval needs `spacings` and `units`.
//! *Limits*: 2 to 4 axes, raw or gzip samples, one data file.

mod axes;
mod header;
mod reader;
mod writer;

use crate::format::{Format, Reader, WriteRecord};
use crate::write::record::Record;
use writer::Nrrd;

pub(super) static FORMAT: Format = Format {
    names_data_files: Some(|source, context| {
        let header = header::parse(source, context).ok();
        header.and_then(|header| header.text("data file").map(str::to_owned)).into_iter().collect()
    }),
    write_sequence: Some(|target, sequence| Nrrd::write(target, &Record::sequence(sequence))),
    ..Format::volume::<Nrrd>("nrrd", "NRRD", &["nrrd", "nhdr"], Reader::Header(reader::layout))
};
