//! `matrix · x + offset`, between coordinate systems of any numbers of axes.

/// A linear transformation: `matrix · x + offset`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Linear {
    /// By rows, one an axis of the output; each has a number an axis of the input.
    pub matrix: Vec<Vec<f64>>,
    /// A number an axis of the output.
    pub offset: Vec<f64>,
}

/// A pivot that is smaller than this share of its matrix' largest entry is none.
const LEAST_PIVOT: f64 = 1e-12;

impl Linear {
    pub fn identity(axes: usize) -> Self {
        Self::scale(&vec![1.0; axes])
    }

    pub fn scale(scale: &[f64]) -> Self {
        let row =
            |nth: usize| (0..scale.len()).map(|axis| if axis == nth { scale[nth] } else { 0.0 }).collect();
        Self::without_offset((0..scale.len()).map(row).collect())
    }

    pub fn without_offset(matrix: Vec<Vec<f64>>) -> Self {
        Self { offset: vec![0.0; matrix.len()], matrix }
    }

    /// Axes of the input.
    pub fn inputs(&self) -> usize {
        self.matrix.first().map_or(0, Vec::len)
    }

    /// Axes of the output.
    pub fn outputs(&self) -> usize {
        self.offset.len()
    }

    /// First this one, then another, whose inputs are as many as the outputs of this one.
    pub fn then(&self, next: &Self) -> Self {
        let dot = |row: &[f64], column: &dyn Fn(usize) -> f64| -> f64 {
            row.iter().enumerate().map(|(k, value)| if *value == 0.0 { 0.0 } else { value * column(k) }).sum()
        };
        let row =
            |row: &Vec<f64>| (0..self.inputs()).map(|column| dot(row, &|k| self.matrix[k][column])).collect();
        let offset =
            next.matrix.iter().zip(&next.offset).map(|(row, offset)| dot(row, &|k| self.offset[k]) + offset);
        Self { matrix: next.matrix.iter().map(row).collect(), offset: offset.collect() }
    }

    /// Where a point of the input lies in the output.
    pub fn apply(&self, point: &[f64]) -> Vec<f64> {
        let along = |(row, offset): (&Vec<f64>, &f64)| {
            row.iter().zip(point).map(|(value, own)| value * own).sum::<f64>() + offset
        };
        self.matrix.iter().zip(&self.offset).map(along).collect()
    }

    /// The way back; none for a matrix that is not square or is singular.
    pub fn inverse(&self) -> Option<Self> {
        let count = self.outputs();
        if self.inputs() != count {
            return None;
        }
        let largest = self.matrix.iter().flatten().fold(0.0f64, |most, value| most.max(value.abs()));
        // Gauss and Jordan, on the matrix beside the identity.
        let beside = |(nth, row): (usize, &Vec<f64>)| {
            row.iter().copied().chain((0..count).map(|axis| f64::from(u8::from(axis == nth)))).collect()
        };
        let mut rows: Vec<Vec<f64>> = self.matrix.iter().enumerate().map(beside).collect();
        for column in 0..count {
            let size = |row: &usize| rows[*row][column].abs();
            let pivot = (column..count).max_by(|a, b| size(a).total_cmp(&size(b)))?;
            if size(&pivot).partial_cmp(&(LEAST_PIVOT * largest)) != Some(std::cmp::Ordering::Greater) {
                return None;
            }
            rows.swap(column, pivot);
            let divisor = rows[column][column];
            rows[column].iter_mut().for_each(|value| *value /= divisor);
            let own = rows[column].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(nth, _)| *nth != column) {
                let factor = row[column];
                row.iter_mut().zip(&own).for_each(|(value, own)| *value -= factor * own);
            }
        }
        let back = Self::without_offset(rows.into_iter().map(|row| row[count..].to_vec()).collect());
        let offset = back.apply(&self.offset).into_iter().map(|value| -value).collect();
        Some(Self { offset, ..back })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_leads_back() {
        let there = Linear {
            matrix: vec![vec![0.0, 3.0, 1.0], vec![-2.0, 0.0, 0.5], vec![1.0, 1.0, 4.0]],
            offset: vec![20.0, -10.0, 0.25],
        };
        let both = there.then(&there.inverse().unwrap());
        for (row, expected) in both.matrix.iter().zip(Linear::identity(3).matrix) {
            assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{both:?}");
        }
        assert!(both.offset.iter().all(|value| value.abs() < 1e-12), "{both:?}");
        assert_eq!(there.apply(&[1.0, 2.0, 3.0]), [29.0, -10.5, 15.25]);
    }

    #[test]
    fn singular_matrices_and_projections_have_none() {
        let flat = Linear::without_offset(vec![vec![1.0, 2.0], vec![2.0, 4.0]]);
        assert_eq!(flat.inverse(), None);
        assert_eq!(Linear::without_offset(vec![vec![f64::NAN]]).inverse(), None);
        let down = Linear { matrix: vec![vec![2.0, 2.0, 2.0], vec![3.0, 3.0, 3.0]], offset: vec![0.0, 1.0] };
        assert_eq!((down.inverse(), down.apply(&[1.0, 2.0, 3.0])), (None, vec![12.0, 19.0]));
        let small = 2.0f64.powi(-40);
        assert_eq!(Linear::scale(&[small, small]).inverse().unwrap().matrix[1][1], 1.0 / small);
    }
}
