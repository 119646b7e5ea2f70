//! Writes NRRD: raw, little-endian, LPS.

use super::header::TYPES;
use crate::error::Result;
use crate::format::WriteRecord;
use crate::read::geometry::header_axes;
use crate::text::header::join;
use crate::write::detached;
use crate::write::record::Record;
use crate::write::target::Target;

pub(super) struct Nrrd;

impl WriteRecord for Nrrd {
    fn write(target: &Target, record: &Record) -> Result<()> {
        let header = header(record);
        detached::write(target, record, |data_file| match data_file {
            None => format!("{header}\n"),
            Some(name) => format!("{header}data file: {name}\n"),
        })
    }
}

fn header(record: &Record) -> String {
    let grid = record.grid;
    let sequence = record.frames > 1;
    let n = header_axes(grid);
    let matrix = grid.world_from_voxel_matrix();
    let vector = |v: &[f64]| format!("({})", join(v, ","));
    let mut sizes: Vec<String> = grid.size()[..n].iter().map(usize::to_string).collect();
    let mut directions: Vec<String> =
        (0..n).map(|a| vector(&[matrix[0][a], matrix[1][a], matrix[2][a]][..n])).collect();
    let mut kinds = vec!["domain"; n];
    let mut time = String::new();
    if record.components > 1 {
        sizes.insert(0, record.components.to_string());
        directions.insert(0, "none".to_owned());
        kinds.insert(0, "vector");
    }
    if sequence {
        sizes.push(record.frames.to_string());
        directions.push("none".to_owned());
        kinds.push("time");
        if let Some(ms) = record.frame_interval_ms {
            time = format!("spacings: {}{ms}\nunits: {}\"ms\"\n", "nan ".repeat(n), "\"mm\" ".repeat(n));
        }
    }
    let names = TYPES.iter().find(|(element, _)| *element == record.element);
    let element = names.map_or("float", |(_, names)| names[0]);
    let space = if n == 2 { "space dimension: 2" } else { "space: left-posterior-superior" };
    format!(
        "NRRD0004\ntype: {element}\ndimension: {}\n{space}\nsizes: {}\nspace directions: {}\nkinds: {}\n\
         {time}endian: little\nencoding: raw\nspace origin: {}\n",
        sizes.len(),
        sizes.join(" "),
        directions.join(" "),
        kinds.join(" "),
        vector(&grid.origin_mm()[..n]),
    )
}
