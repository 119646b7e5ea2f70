//! The table of distances to readers, and between them, over the cycle.

use std::fmt::Write;
use veloxel_measure::DistanceCurve;
use veloxel_report::{BetweenReaders, ReaderDistances};

/// Distances over the cycle, frame by frame.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceTable {
    /// One for every pair of outlines that were compared, and structure.
    pub curves: Vec<NamedCurve>,
}

/// A curve of distances, and what it lies between.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedCurve {
    /// Whose outlines are compared: `tracked` and a reader, or two readers.
    pub between: [String; 2],
    /// Their distances.
    pub curve: DistanceCurve,
}

impl DistanceTable {
    /// The table of a run; none without readers.
    pub(in crate::pipelines::heart) fn of(
        readers: &[ReaderDistances],
        between: &[BetweenReaders],
    ) -> Option<Self> {
        let named = |[one, other]: [&str; 2], curves: &[DistanceCurve]| -> Vec<NamedCurve> {
            let name = |curve: &DistanceCurve| NamedCurve {
                between: [one.to_owned(), other.to_owned()],
                curve: curve.clone(),
            };
            curves.iter().map(name).collect()
        };
        let tracked = readers.iter().flat_map(|own| named(["tracked", &own.reader], &own.curves));
        let read =
            between.iter().flat_map(|own| named(own.readers.each_ref().map(String::as_str), &own.curves));
        (!readers.is_empty()).then(|| Self { curves: tracked.chain(read).collect() })
    }

    /// The table as CSV, a line a curve and frame on which outlines were compared.
    pub fn to_csv(&self) -> String {
        let mut text = "# modified Hausdorff distance (Dubuisson and Jain 1994), mean over slices\n\
                        structure,from,to,frame,outlines,modified_hausdorff_mm\n"
            .to_owned();
        for NamedCurve { between: [from, to], curve } in &self.curves {
            for (frame, mm) in curve.modified_hausdorff_mm.iter().enumerate() {
                let Some(mm) = mm else { continue };
                let (structure, outlines) = (curve.structure, curve.outlines[frame]);
                let [from, to] = [from, to].map(|name| quoted(name));
                let _ = writeln!(text, "{structure},{from},{to},{frame},{outlines},{mm:.4}");
            }
        }
        text
    }
}

/// A name as a cell of a table.
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Structure;
    use veloxel_measure::ContourDistances;

    #[test]
    fn a_table_has_a_line_for_each_frame_that_was_measured() {
        let structure = Structure::Endo;
        let curve = |mm: [Option<f64>; 2]| DistanceCurve {
            structure,
            modified_hausdorff_mm: mm.to_vec(),
            outlines: mm.map(|mm| 2 * usize::from(mm.is_some())).to_vec(),
        };
        let empty = ContourDistances { structures: vec![], missing: 0, not_in_truth: 0, contours: vec![] };
        let own = |reader: &str, mm| ReaderDistances {
            reader: reader.to_owned(),
            curves: vec![curve(mm)],
            distances: empty.clone(),
        };
        let readers = [own("a.json", [Some(0.0), Some(1.25)]), own("b, late", [None, Some(2.0)])];
        let between = BetweenReaders {
            readers: ["a.json", "b, late"].map(str::to_owned),
            curves: vec![curve([None, Some(0.5)])],
            distances: empty.clone(),
        };
        let table = DistanceTable::of(&readers, &[between]).unwrap().to_csv();
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "endo,tracked,a.json,0,2,0.0000",
                "endo,tracked,a.json,1,2,1.2500",
                "endo,tracked,\"b, late\",1,2,2.0000",
                "endo,a.json,\"b, late\",1,2,0.5000"
            ]
        );
        assert_eq!(DistanceTable::of(&[], &[]), None);
    }
}
