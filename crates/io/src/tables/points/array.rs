//! Points as NumPy's array: a row a point, `[n, 2]` or `[n, 3]`, columns x, y (and z, of pictures zeros).

use super::Point;
use crate::error::Result;
use crate::formats::npy::header::{self, Header};
use crate::read::context::Context;
use crate::read::layout::AxisOrder;
use crate::read::source::Source;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use veloxel_core::Dimension;

/// Rows of coordinates; a row with a NaN has no position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Array {
    points: Vec<Point>,
    axes_count: usize,
}

impl Array {
    /// Reads the array of a context's file.
    pub fn read(dimension: Dimension, context: &mut Context) -> Result<Self> {
        let mut source = Source::open(context.path, context.files())?;
        let Header { element, byte_order, axis_order, shape } = header::parse(&mut source, context)?;
        let axes_count = dimension.count();
        let expected =
            format!("[n, {axes_count}]: a row a point, columns {}", ["x, y", "x, y, z"][axes_count - 2]);
        let [rows, columns] = shape[..] else {
            return Err(context.malformed("shape of the points", expected, format!("{shape:?}")));
        };
        let is_flat = axes_count == 2 && columns == 3;
        let fits = rows > 0 && (columns == axes_count || is_flat);
        context.require(fits, "shape of the points", &expected, format!("{shape:?}"))?;
        let count = rows.checked_mul(columns).and_then(|count| count.checked_mul(element.bytes()));
        let bytes = count.ok_or_else(|| context.malformed("size", "a product below 2^64", "more"))?;
        let bytes = source.take_bytes("the points", bytes as u64, context)?;
        source.finish(context)?;
        let mut points = context.room_for(rows)?;
        for row in 0..rows {
            if row.is_multiple_of(ROWS_BETWEEN) {
                context.check()?;
            }
            let mut point = [0.0; 3];
            for (axis, value) in point.iter_mut().enumerate().take(columns) {
                let nth =
                    if axis_order == AxisOrder::XFastest { row * columns + axis } else { axis * rows + row };
                let stored = &bytes[nth * element.bytes()..(nth + 1) * element.bytes()];
                *value = element.number(byte_order.number(stored).to_le_bytes());
            }
            // In a row of points beside each other, as in a place in space, there are three numbers as well.
            let is_here = !is_flat || point[2] == 0.0 || point[2].is_nan();
            if !is_here {
                let got = format!("{shape:?} with {} in its third column", point[2]);
                let expected = format!("{expected}, or a third column of zeros");
                return Err(context.malformed("shape of the points", expected, got));
            }
            points.push(point.iter().all(|value| value.is_finite()).then_some(point));
        }
        Ok(Self { points, axes_count: columns })
    }

    pub fn points(&self) -> Vec<Point> {
        self.points.clone()
    }

    /// Writes other positions in its shape, as 64-bit floats; none becomes NaN.
    pub fn write(&self, target: &Target, points: &[Point]) -> Result<()> {
        whole_file::write(target, |file| {
            file.write_all(&header::text("<f8", &[points.len(), self.axes_count]))?;
            for point in points {
                let values = point.unwrap_or([f64::NAN; 3]);
                values[..self.axes_count]
                    .iter()
                    .try_for_each(|value| file.write_all(&value.to_le_bytes()))?;
            }
            Ok(())
        })
    }
}

/// Points that are read between two questions whether to go on.
const ROWS_BETWEEN: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::reading::Strictness;
    use veloxel_core::Warnings;

    #[test]
    fn points_of_a_picture_may_have_a_third_column_of_zeros() {
        let folder = tempfile::tempdir().unwrap();
        let read = |values: [f64; 6]| {
            let path = folder.path().join("p.npy");
            let mut bytes = header::text("<f8", &[2, 3]);
            bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
            std::fs::write(&path, bytes).unwrap();
            let mut warnings = Warnings::new();
            let mut context = Context::new(&path, Strictness::Lenient, &mut warnings);
            Array::read(Dimension::Two, &mut context).map(|array| array.points())
        };
        let points = read([20.0, 15.0, 0.0, 30.0, 25.0, 0.0]).unwrap();
        assert_eq!(points, [Some([20.0, 15.0, 0.0]), Some([30.0, 25.0, 0.0])]);
        // Three points beside each other.
        let refused = read([20.0, 30.0, 22.0, 15.0, 25.0, 30.0]).unwrap_err().to_string();
        assert!(refused.contains("a third column of zeros"), "{refused}");
    }
}
