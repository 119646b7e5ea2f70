//! Points in files: tables with a point a line (`.csv`, `.txt`, 3D Slicer's `.fcsv`, elastix' point files), 3D Slicer's markups
//! (`.mrk.json`), and NumPy's arrays (`.npy`). What a text holds beside the points stays as it is.
//!
//! *Units*: pixels for pictures, LPS millimetres for volumes; files that say RAS are turned on the way in and out.
//! *Specification*: <https://slicer.readthedocs.io/en/latest/developer_guide/modules/markups.html>.

mod array;
mod markups;
mod table;

use crate::error::Result;
use crate::file_name::extension;
use crate::read::context::Context;
use crate::read::reading::Reading;
use crate::read::take_text;
use crate::write::target::Target;
use crate::write::whole_file::write_text;
use array::Array;
use markups::Markups;
use std::path::Path;
use table::Table;
use veloxel_core::{Dimension, Warnings};

/// A point, `(x, y, z)`; z is 0 for pictures. None: the file has a place for it, but no position.
pub type Point = Option<[f64; 3]>;

/// A file of points, ready to be written again with other positions.
#[derive(Debug, Clone, PartialEq)]
pub struct PointFile {
    document: Document,
}

#[derive(Debug, Clone, PartialEq)]
enum Document {
    Array(Array),
    Table(Table),
    Markups(Markups),
}

/// The extension of arrays.
const ARRAY: &str = "npy";
/// The last extension of markups.
const MARKUPS: &str = "json";

/// A file of points larger than this is no file of points.
const MOST_BYTES: u64 = 1 << 28;

impl PointFile {
    /// Reads the points of a picture or volume.
    ///
    /// # Errors
    /// As [`read_text`](crate::read_text); [`IoError::Malformed`](crate::IoError::Malformed) with the line that holds no point, or the columns that could be meant;
    /// [`IoError::Unsupported`](crate::IoError::Unsupported) for coordinates that are voxel indices.
    pub fn read(path: &Path, dimension: Dimension, reading: impl Into<Reading>) -> Result<Self> {
        let mut unsaid = Warnings::new();
        let mut context = Context::new(path, reading, &mut unsaid);
        if extension(path) == ARRAY {
            return Ok(Self { document: Document::Array(Array::read(dimension, &mut context)?) });
        }
        let text = take_text(MOST_BYTES, &context)?;
        let document = match text.trim_start().starts_with('{') {
            true => Document::Markups(Markups::parse(&text, dimension, &context)?),
            false => Document::Table(Table::parse(&text, dimension, &context)?),
        };
        Ok(Self { document })
    }

    /// The points, in the order of the file.
    pub fn points(&self) -> Vec<Point> {
        match &self.document {
            Document::Array(array) => array.points(),
            Document::Table(table) => table.points(),
            Document::Markups(markups) => markups.points(),
        }
    }

    /// Writes the file with these points in the places of its own, one for each; none becomes `NaN`, or *undefined* in markups.
    ///
    /// # Errors
    /// [`IoError::Write`](crate::IoError::Write).
    pub fn write(&self, target: impl Into<Target>, points: &[Point]) -> Result<()> {
        let target = target.into();
        match &self.document {
            Document::Array(array) => array.write(&target, points),
            Document::Table(table) => write_text(target, &table.with_points(points)),
            Document::Markups(markups) => write_text(target, &markups.with_points(points)),
        }
    }

    /// Whether two files hold points in the same way, so that one may be written as the other was read.
    pub fn are_alike(one: &Path, other: &Path) -> bool {
        let kind = |path: &Path| Some(extension(path)).filter(|e| [ARRAY, MARKUPS].contains(&e.as_str()));
        kind(one) == kind(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, dimension: Dimension) -> Result<PointFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("points.txt");
        std::fs::write(&path, text).unwrap();
        PointFile::read(&path, dimension, Reading::default()).map_err(|error| error.to_string())
    }

    /// The points of a file, and its text with every point one further along x.
    fn moved(text: &str, dimension: Dimension) -> (Vec<Point>, String) {
        let file = parsed(text, dimension).unwrap();
        let points = file.points();
        let further: Vec<Point> = points.iter().map(|p| p.map(|[x, y, z]| [x + 1.0, y, z])).collect();
        (points, with_points(&file, &further))
    }

    /// The text of a file with other points.
    fn with_points(file: &PointFile, points: &[Point]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("moved.txt");
        file.write(path.as_path(), points).unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn arrays_have_a_row_a_point() {
        let folder = tempfile::tempdir().unwrap();
        let [path, back] = ["p.npy", "q.npy"].map(|name| folder.path().join(name));
        let array = |element: &str, shape: &[usize], numbers: &[f64]| {
            let mut bytes = crate::formats::npy::header::text(element, shape);
            bytes.extend(numbers.iter().flat_map(|n| match element {
                "<f8" => n.to_le_bytes().to_vec(),
                ">i2" => (*n as i16).to_be_bytes().to_vec(),
                _ => (*n as f32).to_le_bytes().to_vec(),
            }));
            std::fs::write(&path, bytes).unwrap();
        };
        let read = |dimension| PointFile::read(&path, dimension, Reading::default());
        array("<f8", &[2, 2], &[1.0, 0.1, f64::NAN, 4.0]);
        let file = read(Dimension::Two).unwrap();
        assert_eq!(file.points(), [Some([1.0, 0.1, 0.0]), None]);
        file.write(back.as_path(), &[Some([1.5, 0.1, 0.0]), None]).unwrap();
        let written = PointFile::read(&back, Dimension::Two, Reading::default()).unwrap();
        assert_eq!(written.points(), [Some([1.5, 0.1, 0.0]), None]);
        array(">i2", &[1, 3], &[-1.0, 2.0, 300.0]);
        assert_eq!(read(Dimension::Three).unwrap().points(), [Some([-1.0, 2.0, 300.0])]);
        let error = read(Dimension::Two).unwrap_err().to_string();
        assert!(error.contains("[n, 2]") && error.contains("[1, 3]"), "{error}");
        array("<f4", &[4], &[1.0; 4]);
        assert!(read(Dimension::Two).is_err());
        array("<f8", &[900, 2], &[1.0; 4]);
        assert!(read(Dimension::Two).is_err(), "cut short");
        let alike = |a: &str, b: &str| PointFile::are_alike(Path::new(a), Path::new(b));
        assert!(alike("a.NPY", "b.npy") && alike("a.csv", "b.txt") && !alike("a.npy", "b.csv"));
    }

    #[test]
    fn columns_are_found_by_their_names() {
        let text = "id;label;Y;X;note\n# by hand\n7;apex;2.5;1;\n\n8;base;nan;4;late\n";
        let (points, text) = moved(text, Dimension::Two);
        assert_eq!(points, [Some([1.0, 2.5, 0.0]), None]);
        assert_eq!(text, "id;label;Y;X;note\n# by hand\n7;apex;2.500000;2.000000;\n\n8;base;NaN;NaN;late\n");
        let (points, text) = moved("label,r,a,s\nA,1,2,3\n", Dimension::Three);
        assert_eq!(points, [Some([-1.0, -2.0, 3.0])]);
        assert_eq!(text, "label,r,a,s\nA,0.000000,2.000000,3.000000\n");
        let (points, text) = moved("x,y,label\n,,lost\n1,2,\n", Dimension::Two);
        assert_eq!(points, [None, Some([1.0, 2.0, 0.0])]);
        assert_eq!(text, "x,y,label\nNaN,NaN,lost\n2.000000,2.000000,\n");
    }

    #[test]
    fn numbers_without_names_come_first_and_alone() {
        let (points, text) = moved("1 2  apex\n3\t4\n", Dimension::Two);
        assert_eq!(points, [Some([1.0, 2.0, 0.0]), Some([3.0, 4.0, 0.0])]);
        assert_eq!(text, "2.000000 2.000000  apex\n4.000000\t4.000000\n");
        for (text, words) in [
            ("1,10.5,20.5,30.5\n", ["the first column", "x,y,z"]),
            ("0 10 20 30\n1 5 6 7\n", ["the first column", "x,y,z"]),
            ("1,2\n", ["line 1", "3 coordinates"]),
            ("x,y,z\n1,,2\n", ["line 2", "3 coordinates"]),
            ("row,column,slice\n1,2,3\n", ["head line", "row,column,slice"]),
            ("x,X,y,z\n1,2,3,4\n", ["head line", "x,X,y,z"]),
            ("", ["the file is empty", "copy or download it again"]),
            ("# nothing\n", ["no point", "a point a line"]),
            ("index\n1\n4 5 6\n", ["voxel indices", "millimetres"]),
        ] {
            let error = parsed(text, Dimension::Three).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{text:?}: {error}");
        }
    }

    #[test]
    fn slicers_fiducials_keep_their_columns_and_axes() {
        let head = "# Markups fiducial file version = 4.11\n# CoordinateSystem = SYSTEM\n# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n";
        let row = "vtkMRMLMarkupsFiducialNode_0,10,20,30,0,0,0,1,1,1,0,F-1,,\n";
        for (system, sign) in [("LPS", 1.0), ("RAS", -1.0), ("0", -1.0), ("1", 1.0)] {
            let head = head.replace("SYSTEM", system);
            let (points, text) = moved(&format!("{head}{row}"), Dimension::Three);
            assert_eq!(points, [Some([sign * 10.0, sign * 20.0, 30.0])], "{system}");
            let x = 10.0 + sign;
            assert_eq!(
                text,
                format!("{head}{}", row.replace(",10,20,30,", &format!(",{x:.6},20.000000,30.000000,")))
            );
        }
        let error = parsed(&format!("{}{row}", head.replace("SYSTEM", "IJK")), Dimension::Three).unwrap_err();
        assert!(error.contains("voxel indices"), "{error}");
        assert!(parsed(&format!("{head}{row}"), Dimension::Two).is_err());
    }

    #[test]
    fn elastix_points_have_a_count() {
        let (points, text) = moved("point\n2\n1 2 3\n-4 5 6\n", Dimension::Three);
        assert_eq!(points, [Some([1.0, 2.0, 3.0]), Some([-4.0, 5.0, 6.0])]);
        assert_eq!(text, "point\n2\n2.000000 2.000000 3.000000\n-3.000000 5.000000 6.000000\n");
        assert!(parsed("point\n3\n1 2 3\n", Dimension::Three).unwrap_err().contains("3 points"));
    }

    #[test]
    fn slicers_markups_keep_what_else_they_hold() {
        let text = r#"{"@schema": "markups", "markups": [
            {"type": "Fiducial", "coordinateSystem": "RAS", "controlPoints": [
                {"id": "1", "label": "apex", "position": [1.0, 2.0, 3.0], "positionStatus": "defined"},
                {"id": "2", "position": null, "positionStatus": "undefined"}]},
            {"type": "Line", "coordinateSystem": "LPS", "controlPoints": [{"position": [4, 5, 6]}]}]}"#;
        let file = parsed(text, Dimension::Three).unwrap();
        assert_eq!(file.points(), [Some([-1.0, -2.0, 3.0]), None, Some([4.0, 5.0, 6.0])]);
        let written = with_points(&file, &[Some([-2.0, -2.0, 3.0]), None, None]);
        let value: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(value["markups"][0]["controlPoints"][0]["position"], serde_json::json!([2.0, 2.0, 3.0]));
        assert_eq!(value["markups"][0]["controlPoints"][0]["label"], "apex");
        assert_eq!(value["markups"][1]["controlPoints"][0]["positionStatus"], "undefined");
        assert_eq!(value["@schema"], "markups");
        assert!(parsed(r#"{"markups": []}"#, Dimension::Three).unwrap_err().contains("no point"));
        assert!(parsed("{", Dimension::Three).unwrap_err().contains("markups"));
        for (point, words) in [
            ("7", "control point 3"),
            ("null", "control point 3"),
            (r#"{"position": ["1", 2, 3, 4]}"#, "three numbers"),
            (r#"{"position": [1, 2]}"#, "three numbers"),
        ] {
            let broken = text.replace(
                "]}]}]}",
                &format!(
                    "]}}]}}, {{\"coordinateSystem\": \"LPS\", \"controlPoints\": [{{}}, {{}}, {point}]}}]}}"
                ),
            );
            let error = parsed(&broken, Dimension::Three).unwrap_err();
            assert!(error.contains(words) && !error.contains('\n'), "{point}: {error}");
        }
        let unclear = text.replace("\"RAS\"", "\"IJK\"");
        assert!(parsed(&unclear, Dimension::Three).unwrap_err().contains("IJK"));
    }
}
