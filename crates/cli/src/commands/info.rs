//! `veloxel info`: the content of a file.

use crate::terminal::{one_line, say};
use crate::{
    Bar, Outcome, ReadingArguments, Run, followed, host_session, print, print_json, print_lines, table,
    warn_and_note,
};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use veloxel::io::{ContentKind, FileInfo, Reading, SeriesInfo, holds_dicom, inspect, is_store, list_series};
use veloxel::jobs::{MeshInfo, TableContent, TableInfo, listed_files, mesh_info, table_info};
use veloxel::pipelines::segment::SurfaceFacts;
use veloxel::report::number::counted;
use veloxel::{Control, Dimension, VeloxelError};

/// Show what a file holds: format, size, spacing, orientation; of a mesh, faces, extent and what is wrong with it; of a text,
/// the graph, points, outlines or linear transform that it reads as; of a folder, what its files hold; of a folder of DICOM files, what their series are.
#[derive(Debug, Args)]
pub struct InfoArguments {
    /// An image, a sequence, a displacement field, a mesh, a graph, points, outlines or a transform, or a folder of them
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// As JSON, for scripts
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reading: ReadingArguments,
}

impl Run for InfoArguments {
    fn run(self) -> Outcome {
        let control = Control::default();
        let is_store = is_store(&self.file);
        if self.file.is_dir() && !is_store && !holds_dicom(&self.file, &control)? {
            return self.list();
        }
        if self.file.is_dir() && !is_store && !self.reading.chooses_series() {
            let series = list_series(&self.file, Reading::alone(self.reading.reading()?))?;
            if series.len() > 1 {
                return self.list_series(&series);
            }
        }
        if MeshInfo::is_of(&self.file) {
            return self.mesh();
        }
        if TableInfo::is_of(&self.file) {
            return self.table();
        }
        let info = inspect(&self.file, Reading::alone(self.reading.reading()?))?;
        if self.json {
            return print_json(&info);
        }
        warn_and_note(&info.warnings);
        print_lines(&lines(&info))
    }
}

/// A file of a folder.
#[derive(Serialize)]
struct Listed {
    file: String,
    #[serde(flatten)]
    info: Option<Held>,
    /// The error, if the file cannot be read.
    error: Option<String>,
}

/// What a file of a folder holds.
#[derive(Serialize)]
#[serde(untagged)]
enum Held {
    /// Samples on a grid.
    Samples(FileInfo),
    /// A mesh.
    Mesh(MeshInfo),
    /// A text.
    Table(TableInfo),
}

impl Held {
    /// What it is, its size, the type of its samples, and its frames.
    fn cells(&self) -> [String; 4] {
        match self {
            Self::Table(info) => {
                let cells: Vec<[String; 2]> = info.reads_as.iter().map(in_two_cells).collect();
                let column =
                    |nth: usize| cells.iter().map(|cells| &*cells[nth]).collect::<Vec<_>>().join(" or ");
                [column(0), column(1), String::new(), String::new()]
            }
            Self::Samples(info) => {
                let holds = format!("{} ({})", holds(info), info.format);
                [holds, size(info), info.sample_type.clone(), info.frames.to_string()]
            }
            Self::Mesh(info) => {
                let faces = counted(info.facts.faces, "face");
                [format!("mesh ({})", info.format), faces, String::new(), String::new()]
            }
        }
    }
}

impl InfoArguments {
    /// One line a series, with what chooses it.
    fn list_series(&self, all: &[SeriesInfo]) -> Outcome {
        if self.json {
            return print_json(&all);
        }
        let row = |series: &SeriesInfo| {
            let number = series.number.map_or_else(|| "none".to_owned(), |number| number.to_string());
            let [w, h] = series.size;
            let (images, files) = (series.images.to_string(), series.files.to_string());
            let cells = [
                number,
                series.description.clone(),
                series.modality.clone(),
                format!("{w} × {h}"),
                images,
                files,
                series.uid.clone(),
            ];
            cells.iter().map(|cell| one_line(cell).into_owned()).collect()
        };
        let names = ["series", "description", "holds", "size", "images", "files", "UID"];
        print(&table(&names, all.iter().map(row)))?;
        say(&format!("note: one is read as {}@series:NUMBER or with --series NUMBER", self.file.display()));
        Ok(())
    }

    /// A mesh.
    fn mesh(&self) -> Outcome {
        let reading = self.reading.reading()?;
        let info = followed(&host_session(), Bar::Shown, |session| mesh_info(&self.file, reading, session))?;
        if self.json {
            return print_json(&info);
        }
        warn_and_note(&info.facts.warnings);
        print_lines(&mesh_lines(&info))
    }

    /// A text: graph, points, outlines or a transform.
    fn table(&self) -> Outcome {
        let reading = self.reading.reading()?;
        let info = followed(&host_session(), Bar::Shown, |session| table_info(&self.file, reading, session))?;
        if self.json {
            return print_json(&info);
        }
        warn_and_note(&info.warnings);
        if info.reads_as.len() > 1 {
            say("note: the file says not which of these it is; a command takes what it needs");
        }
        print_lines(&info.reads_as.iter().flat_map(table_lines).collect::<Vec<_>>())
    }

    /// One line a file; one that cannot be read is listed with its error.
    fn list(&self) -> Outcome {
        let session = host_session();
        let reading = self.reading.reading()?;
        let held = |path: &PathBuf| -> Result<Held, VeloxelError> {
            if MeshInfo::is_of(path) {
                return Ok(Held::Mesh(mesh_info(path, reading, &session)?));
            }
            if TableInfo::is_of(path) {
                return Ok(Held::Table(table_info(path, reading, &session)?));
            }
            Ok(Held::Samples(inspect(path, Reading::alone(reading))?))
        };
        let of_file = |path: &PathBuf| {
            let (info, error) = match held(path) {
                Ok(info) => (Some(info), None),
                Err(error) => (None, Some(error.to_string())),
            };
            Listed { file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(), info, error }
        };
        let files: Vec<Listed> = listed_files(&self.file)?.iter().map(of_file).collect();
        if self.json {
            return print_json(&files);
        }
        let row = |listed: &Listed| {
            let cells = match &listed.info {
                Some(held) => held.cells(),
                None => ["cannot be read", "", "", ""].map(str::to_owned),
            };
            let cells = [&listed.file].into_iter().chain(&cells);
            cells.map(|cell| one_line(cell).into_owned()).collect()
        };
        print(&table(&["file", "holds", "size", "samples", "frames"], files.iter().map(row)))?;
        for error in files.iter().filter_map(|listed| listed.error.as_ref()) {
            say(&format!("warning: {error}"));
        }
        Ok(())
    }
}

/// The content of a file, in a word or two.
fn holds(info: &FileInfo) -> &'static str {
    match (info.kind, info.dimension) {
        (ContentKind::Image, Dimension::Two) => "picture",
        (ContentKind::Image, Dimension::Three) => "volume",
        (ContentKind::Sequence, _) => "sequence",
        (ContentKind::Flow, _) => "displacement field",
        (ContentKind::Mesh | ContentKind::Surface, _) => "mesh",
    }
}

/// Numbers of samples along each axis.
fn size(info: &FileInfo) -> String {
    info.size[..info.dimension.count()].iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}

fn lines(info: &FileInfo) -> Vec<(&'static str, String)> {
    let joined = |values: &[f64], by: &str| values.iter().map(|v| trimmed(*v)).collect::<Vec<_>>().join(by);
    let unit = if info.dimension == Dimension::Two { "pixels" } else { "voxels" };
    let mut lines = vec![
        ("holds", format!("{} ({})", holds(info), info.format)),
        ("size", format!("{} {unit}", size(info))),
        ("samples", info.sample_type.clone()),
    ];
    if info.kind == ContentKind::Sequence {
        let interval =
            info.frame_interval_ms.map_or(String::new(), |ms| format!(", {} ms apart", trimmed(ms)));
        lines.push(("frames", format!("{}{interval}", counted(info.frames, "frame"))));
    }
    let is_placed = info.grid().is_ok_and(|grid| !grid.is_unplaced());
    if info.dimension == Dimension::Three || is_placed {
        // A plane lies in space as a volume does; the third number is the distance to the next one, or its thickness.
        lines.push(("spacing", format!("{} mm", joined(&info.spacing_mm, " × "))));
        lines.push(("origin", format!("({}) mm, LPS", joined(&info.origin_mm, ", "))));
        for (axis, name) in ["x axis", "y axis", "z axis"].into_iter().enumerate() {
            let column = info.direction.map(|row| row[axis]);
            lines.push((name, format!("({})  {}", joined(&column, ", "), towards(column))));
        }
    }
    lines
}

fn mesh_lines(info: &MeshInfo) -> Vec<(&'static str, String)> {
    let SurfaceFacts { points, faces, triangles, low, high, is_textured, cleaning, .. } = &info.facts;
    let polygons = if faces == triangles { "triangles".to_owned() } else { format!("{triangles} triangles") };
    let extent = [0, 1, 2].map(|axis| format!("{:.6}", high[axis] - low[axis]));
    let extent = extent.map(|side| side.trim_end_matches('0').trim_end_matches('.').to_owned());
    let place = |at: &[f64; 3]| at.map(trimmed).join(", ");
    let border = match cleaning.border_edges {
        0 => "closed".to_owned(),
        edges => format!("open: {}", counted(edges, "edge")),
    };
    vec![
        ("holds", format!("mesh ({})", info.format)),
        ("faces", format!("{faces} ({polygons}) over {}", counted(*points, "point"))),
        ("extent", extent.join(" × ")),
        ("corners", format!("({}) to ({})", place(low), place(high))),
        ("components", cleaning.components.to_string()),
        ("border", border),
        ("texture", if *is_textured { "coordinates of every corner" } else { "no coordinates" }.to_owned()),
    ]
}

/// What a text reads as, and how much of it.
fn in_two_cells(content: &TableContent) -> [String; 2] {
    let mut lines = table_lines(content).into_iter().map(|(_, value)| value);
    [lines.next().unwrap_or_default(), lines.next().unwrap_or_default()]
}

fn table_lines(content: &TableContent) -> Vec<(&'static str, String)> {
    match content {
        TableContent::Graph { nodes, arcs, directed, weights } => {
            let arcs = counted(*arcs, if *directed { "arc" } else { "edge" });
            let mut lines =
                vec![("holds", "graph".to_owned()), ("size", format!("{}, {arcs}", counted(*nodes, "node")))];
            lines.extend(weights.map(|[least, most]| ("weights", format!("{least} to {most}"))));
            lines
        }
        TableContent::Points { coordinates, points, undefined, extent } => {
            let unit = if *coordinates == 2 { "pixels" } else { "mm, LPS" };
            let mut size = counted(*points, "point");
            if *undefined > 0 {
                size += &format!(", {undefined} without a position");
            }
            let mut lines = vec![("holds", format!("points of {coordinates} coordinates")), ("size", size)];
            let place =
                |at: &[f64; 3]| at[..*coordinates].iter().map(|v| trimmed(*v)).collect::<Vec<_>>().join(", ");
            let corners =
                |[low, high]: &[[f64; 3]; 2]| format!("({}) to ({}) {unit}", place(low), place(high));
            lines.extend(extent.as_ref().map(|extent| ("corners", corners(extent))));
            lines
        }
        TableContent::Outlines { outlines, structures, slices, frames } => vec![
            ("holds", format!("outlines: {}", structures.join(", "))),
            (
                "size",
                format!(
                    "{} on {}, {}",
                    counted(*outlines, "outline"),
                    counted(*slices, "slice"),
                    counted(*frames, "frame")
                ),
            ),
        ],
        TableContent::FaceLabels { faces, parts } => vec![
            ("holds", "labels of the faces of a mesh".to_owned()),
            ("size", format!("{} in {}", counted(*faces, "face"), counted(*parts, "part"))),
        ],
        TableContent::Transform { matrix } => {
            let row = |row: &[f64; 4]| row.map(trimmed).join("  ");
            let rows = ["x", "y", "z"].into_iter().zip(matrix);
            let mut lines = vec![("holds", "linear transform (LPS mm)".to_owned())];
            lines.extend(rows.map(|(name, own)| (name, row(own))));
            lines
        }
        _ => Vec::new(),
    }
}

/// A number with at most four decimals, without trailing zeros.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The direction of an axis, in words.
fn towards(direction: [f64; 3]) -> &'static str {
    let words = [("left", "right"), ("posterior", "anterior"), ("superior", "inferior")];
    let largest = (0..3).max_by(|&a, &b| direction[a].abs().total_cmp(&direction[b].abs())).unwrap_or(0);
    let (positive, negative) = words[largest];
    if direction[largest] < 0.0 { negative } else { positive }
}
