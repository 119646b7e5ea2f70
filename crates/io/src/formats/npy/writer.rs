//! Writes arrays: little-endian, the last axis fastest.

use super::header::{self, type_name};
use crate::error::Result;
use crate::format::WriteRecord;
use crate::read::layout::Arrangement;
use crate::write::record::Record;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use veloxel_core::Dimension;

pub(super) struct Npy;

impl WriteRecord for Npy {
    fn write(target: &Target, record: &Record) -> Result<()> {
        let [nx, ny, nz] = record.grid.size();
        let first = record.components.max(record.frames);
        let shape = match record.grid.dimension() {
            _ if first > 1 => vec![first, nz, ny, nx],
            Dimension::Two => vec![ny, nx],
            Dimension::Three => vec![nz, ny, nx],
        };
        whole_file::write(target, |file| {
            file.write_all(&header::text(&type_name(record.element), &shape))?;
            record.write(Arrangement::Planar, file, target.files().control())
        })
    }
}
