//! A sensor that is tilted behind its lens: where it sees what an upright one would see, and back.
//!
//! *Source*: OpenCV's model of two angles, as in the Scheimpflug cameras of calib3d: the upright plane at distance 1 is turned about x,
//! then about y, and seen along the axis from where that axis meets it.

/// What a tilt does to places on the plane at distance 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tilt {
    tilted_from_upright: [[f64; 3]; 3],
}

impl Tilt {
    /// The tilt about x and y, radians; none where both are 0.
    pub(super) fn of([about_x, about_y]: [f64; 2]) -> Option<Self> {
        if [about_x, about_y] == [0.0; 2] {
            return None;
        }
        let ([sx, cx], [sy, cy]) = ([about_x.sin(), about_x.cos()], [about_y.sin(), about_y.cos()]);
        let turned = product(
            [[cy, 0.0, -sy], [0.0, 1.0, 0.0], [sy, 0.0, cy]],
            [[1.0, 0.0, 0.0], [0.0, cx, sx], [0.0, -sx, cx]],
        );
        let [[_, _, x], [_, _, y], [_, _, z]] = turned;
        Some(Self { tilted_from_upright: product([[z, 0.0, -x], [0.0, z, -y], [0.0, 0.0, 1.0]], turned) })
    }

    pub(super) fn tilted(&self, upright: [f64; 2]) -> [f64; 2] {
        seen(&self.tilted_from_upright, upright)
    }

    pub(super) fn upright(&self, tilted: [f64; 2]) -> [f64; 2] {
        seen(&inverse(self.tilted_from_upright), tilted)
    }
}

fn seen(matrix: &[[f64; 3]; 3], [x, y]: [f64; 2]) -> [f64; 2] {
    let [u, v, w] = matrix.map(|row| row[0] * x + row[1] * y + row[2]);
    [u / w, v / w]
}

fn product(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    a.map(|row| [0, 1, 2].map(|column| (0..3).map(|k| row[k] * b[k][column]).sum()))
}

/// The inverse up to a factor, which does not change what is seen.
fn inverse(m: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let minor = |row: usize, column: usize| {
        let ([r, s], [c, d]) = ([(row + 1) % 3, (row + 2) % 3], [(column + 1) % 3, (column + 2) % 3]);
        m[r][c] * m[s][d] - m[r][d] * m[s][c]
    };
    [0, 1, 2].map(|row| [0, 1, 2].map(|column| minor(column, row)))
}
