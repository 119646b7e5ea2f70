//! A file of text that is no image and no mesh: as which of a graph, points, outlines, a linear transform or labels of faces it reads; what
//! it holds then.

use super::JobError;
use crate::{Result, Session};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use veloxel_core::{ArcList, ContourSet, Dimension, GraphKind, LinearTransform, Stage, Warnings};
use veloxel_io::{
    self as io, ContourReading, Format, IoError, PointFile, ReadOptions, is_named_transform, read_contours,
    read_face_labels, read_graph, read_transform,
};

/// Extensions of such files.
const EXTENSIONS: [&str; 11] =
    ["csv", "tsv", "txt", "el", "edges", "mtx", "fcsv", "json", "tfm", "mat", "seg"];
/// Extensions of labels of faces.
const OF_LABELS: [&str; 2] = ["seg", "txt"];

/// What a file of text reads as: everything that it could be, since a table without a head may be several things.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableInfo {
    /// One for each thing that it reads as, one or more.
    pub reads_as: Vec<TableContent>,
    /// What a user should know.
    pub warnings: Warnings,
}

/// What a file of text holds, read as one thing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TableContent {
    /// A graph.
    Graph {
        /// Nodes, those without an arc included.
        nodes: usize,
        /// Arcs of the file.
        arcs: usize,
        /// Whether they lead one way; both ways where the file does not say.
        directed: bool,
        /// The least and the greatest weight; none without an arc.
        weights: Option<[f32; 2]>,
    },
    /// Points.
    Points {
        /// Coordinates of each: 2, pixels, or 3, LPS millimetres.
        coordinates: usize,
        /// Points.
        points: usize,
        /// Points without a position.
        undefined: usize,
        /// The least and the greatest coordinates; none without a position.
        extent: Option<[[f64; 3]; 2]>,
    },
    /// The number of its part for each face of a mesh.
    FaceLabels {
        /// Faces.
        faces: usize,
        /// Parts.
        parts: usize,
    },
    /// Outlines.
    Outlines {
        /// Outlines.
        outlines: usize,
        /// What they are of.
        structures: Vec<&'static str>,
        /// Slices with an outline.
        slices: usize,
        /// Frames with an outline.
        frames: usize,
    },
    /// A linear transform of LPS millimetres.
    Transform {
        /// Rows of `[A t]`.
        matrix: [[f64; 4]; 3],
    },
}

/// The files of a folder that `veloxel info` lists: images, fields and meshes; where there are none, its texts.
///
/// # Errors
/// [`IoError::NoFrames`], or [`IoError::Foreign`], if there is neither; [`IoError::Open`].
pub fn listed_files(folder: &Path) -> Result<Vec<PathBuf>, IoError> {
    let none = match io::files_in(folder) {
        Err(none @ (IoError::NoFrames { .. } | IoError::Foreign { .. })) => none,
        found => return found,
    };
    let is_kept = |name: &str| TableInfo::is_of(Path::new(name)) && !name.starts_with('.');
    let texts = io::listed_if_any(folder, is_kept)?;
    if texts.is_empty() { Err(none) } else { Ok(texts) }
}

impl TableInfo {
    /// Whether the name of a file is that of a text of this kind.
    pub fn is_of(path: &Path) -> bool {
        Format::from_path(path).is_none() && has_extension(path, &EXTENSIONS)
    }
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    extensions.contains(&extension.as_str())
}

/// `veloxel info` of a file of text.
///
/// # Errors
/// [`IoError::Open`]; [`JobError::UnknownTable`] for a file that reads as nothing, with why.
pub fn table_info(path: &Path, reading: ReadOptions, session: &Session) -> Result<TableInfo> {
    session.enter(Stage::Read)?;
    let reading = session.reading(reading);
    let (mut reads_as, mut warnings, mut reasons) = (Vec::new(), Warnings::new(), Vec::new());
    let mut take = |what: &str, found: Result<TableContent, IoError>, own: Warnings| match found {
        Ok(content) => {
            warnings.extend(own);
            reads_as.push(content);
            Ok(())
        }
        Err(error @ IoError::Open { .. }) => Err(error),
        // A kind that has no such extension says nothing of the file.
        Err(IoError::UnknownExtension { .. }) => Ok(()),
        Err(error) => {
            let prefix = format!("{}: ", path.display());
            let text = error.to_string();
            reasons.push(format!("no {what} ({})", text.strip_prefix(&prefix).unwrap_or(&text)));
            Ok(())
        }
    };
    let mut own = Warnings::new();
    let found = read_graph(path, GraphKind::Undirected, reading.clone(), &mut own);
    take("graph", found.map(|list| of_graph(&list)), own)?;
    for (what, dimension) in [("2-D points", Dimension::Two), ("3-D points", Dimension::Three)] {
        let found = PointFile::read(path, dimension, reading.clone());
        take(what, found.map(|file| of_points(&file.points(), dimension)), Warnings::new())?;
    }
    let mut own = Warnings::new();
    let options = ContourReading { reading: reading.clone(), ..ContourReading::default() };
    let found = read_contours(path, None, &options, &mut own);
    take("outlines", found.map(|file| of_outlines(&file.contours)), own)?;
    if is_named_transform(path) {
        let mut own = Warnings::new();
        let found = read_transform(path, reading.clone(), &mut own);
        take("linear transform", found.map(|transform| of_transform(&transform)), own)?;
    }
    if has_extension(path, &OF_LABELS) {
        let found = read_face_labels(path, reading);
        // An empty text is nothing.
        if !found.as_ref().is_ok_and(Vec::is_empty) {
            take("labels of faces", found.map(|labels| of_labels(&labels)), Warnings::new())?;
        }
    }
    if reads_as.is_empty() {
        return Err(JobError::UnknownTable { path: path.to_owned(), reasons: reasons.join("; ") }.into());
    }
    Ok(TableInfo { reads_as, warnings })
}

fn of_labels(labels: &[u32]) -> TableContent {
    let parts: BTreeSet<_> = labels.iter().collect();
    TableContent::FaceLabels { faces: labels.len(), parts: parts.len() }
}

fn of_graph(list: &ArcList) -> TableContent {
    let weights = list.arcs.iter().map(|arc| [arc.weight; 2]);
    TableContent::Graph {
        nodes: list.nodes,
        arcs: list.arcs.len(),
        directed: list.kind == GraphKind::Directed,
        weights: weights.reduce(|range, own| [range[0].min(own[0]), range[1].max(own[1])]),
    }
}

fn of_points(points: &[io::Point], dimension: Dimension) -> TableContent {
    let known = points.iter().flatten().map(|point| [*point; 2]);
    let extent = known.reduce(|[low, high], [point, _]| {
        let axes = [0, 1, 2];
        [axes.map(|a| low[a].min(point[a])), axes.map(|a| high[a].max(point[a]))]
    });
    let undefined = points.iter().filter(|point| point.is_none()).count();
    TableContent::Points { coordinates: dimension.count(), points: points.len(), undefined, extent }
}

fn of_outlines(contours: &ContourSet) -> TableContent {
    let all = contours.contours();
    let structures: BTreeSet<_> = all.iter().map(|contour| contour.structure.title()).collect();
    let slices: BTreeSet<_> = all.iter().map(|contour| contour.slice).collect();
    let frames: BTreeSet<_> = all.iter().map(|contour| contour.frame).collect();
    TableContent::Outlines {
        outlines: all.len(),
        structures: structures.into_iter().collect(),
        slices: slices.len(),
        frames: frames.len(),
    }
}

fn of_transform(transform: &LinearTransform) -> TableContent {
    let (matrix, offset) = (transform.matrix(), transform.offset_mm());
    TableContent::Transform {
        matrix: [0, 1, 2].map(|r| [matrix[r][0], matrix[r][1], matrix[r][2], offset[r]]),
    }
}
