//! Shift, rotation and any other affine motion: `d(x) = (F − I)·x + t`.

use crate::centred::CentredFrame;
use crate::motions::motion::{Motion, add};
use veloxel_core::matrix3::{IDENTITY, apply, determinant};

/// `d(x) = (F − I)·x + t` around the grid's centre; det = det F everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// The deformation gradient F, row-major, world axes.
    pub gradient: [[f64; 3]; 3],
    /// The shift t of the centre, mm.
    pub shift_mm: [f64; 3],
}

impl Affine {
    /// The shift `d = t`, the same millimetres everywhere.
    pub fn shift_mm(shift_mm: [f64; 3]) -> Self {
        Self { gradient: IDENTITY, shift_mm }
    }
    /// The shift `d = t`, given in voxels of a grid.
    pub fn shift_vox(frame: &CentredFrame, shift_vox: [f64; 3]) -> Self {
        Self::shift_mm(frame.vector_mm(shift_vox))
    }
    /// The rotation `F = R(axis, angle)` about an axis through the centre (Rodrigues' formula), right-handed.
    ///
    /// The axis need not have unit length; 2-D grids take `[0, 0, 1]`.
    pub fn rotation(axis: [f64; 3], angle_rad: f64) -> Self {
        let length = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
        let [x, y, z] = axis.map(|a| a / length);
        let (s, c) = angle_rad.sin_cos();
        let v = 1.0 - c;
        Self {
            gradient: [
                [c + x * x * v, x * y * v - z * s, x * z * v + y * s],
                [y * x * v + z * s, c + y * y * v, y * z * v - x * s],
                [z * x * v - y * s, z * y * v + x * s, c + z * z * v],
            ],
            shift_mm: [0.0; 3],
        }
    }
    /// The motion of any deformation gradient about the centre.
    pub fn linear(gradient: [[f64; 3]; 3]) -> Self {
        Self { gradient, shift_mm: [0.0; 3] }
    }
}

impl Motion for Affine {
    fn displacement_mm(&self, position_mm: [f64; 3]) -> [f64; 3] {
        let turned = apply(&self.gradient, position_mm);
        add(add(turned, self.shift_mm), position_mm.map(|p| -p))
    }
    fn determinant(&self, _position_mm: [f64; 3]) -> Option<f64> {
        Some(determinant(&self.gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motions::motion::checks::{check_determinant, lattice};
    use veloxel_core::Grid;

    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        let d =
            Affine::rotation([0.0, 0.0, 2.0], std::f64::consts::FRAC_PI_2).displacement_mm([1.0, 0.0, 5.0]);
        for (got, expected) in d.iter().zip([-1.0, 1.0, 0.0]) {
            assert!((got - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_rotation_keeps_its_axis_and_all_lengths() {
        let axis = [1.0, -2.0, 0.5];
        let motion = Affine::rotation(axis, 0.7);
        assert!(motion.displacement_mm(axis).iter().all(|d| d.abs() < 1e-12));
        for p in lattice(20.0, false) {
            let q = add(p, motion.displacement_mm(p));
            let square = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>();
            assert!((square(p) - square(q)).abs() < 1e-9);
        }
        check_determinant(&motion, &lattice(20.0, false));
    }

    #[test]
    fn a_shift_in_voxels_is_that_shift_on_any_grid() {
        let grid = Grid::volume(4, 4, 4).and_then(|g| g.with_spacing_mm([0.5, 2.0, 3.0])).unwrap();
        let frame = CentredFrame::new(&grid);
        let d = Affine::shift_vox(&frame, [1.5, -0.25, 2.0]).displacement_mm([3.0, 4.0, 5.0]);
        assert_eq!(frame.vector_vox(d), [1.5, -0.25, 2.0]);
    }

    #[test]
    fn the_determinant_is_that_of_the_matrix() {
        let motion = Affine::linear([[1.05, 0.02, 0.0], [-0.01, 0.97, 0.03], [0.0, 0.01, 1.02]]);
        check_determinant(&motion, &lattice(30.0, false));
    }
}
