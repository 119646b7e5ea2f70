//! ITK's classes of linear transforms: the matrix, centre and translation that their parameters mean.
//!
//! *Specification*: the Insight Toolkit's `itkMatrixOffsetTransformBase.hxx` and the classes derived from it:
//! `T(x) = M (x − c) + c + t`, the centre c in the fixed parameters.
//! *Limits*: the classes of the table; `ScaleVersor3D`, `ScaleSkewVersor3D`, centred and scale-logarithmic ones are refused by name.

use crate::error::Result;
use crate::read::context::Context;
use veloxel_core::matrix3::{IDENTITY, apply, product};
use veloxel_core::{Dimension, LinearTransform};

/// A transform as its file has it.
#[derive(Debug, Default)]
pub(super) struct Stored {
    /// `Euler3DTransform_double_3_3`.
    pub name: String,
    pub parameters: Vec<f64>,
    pub fixed: Vec<f64>,
}

/// What parameters mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Identity,
    Translation,
    Scale,
    Affine,
    /// A turn by an angle, then a shift.
    Euler2,
    Similarity2,
    Euler3,
    /// A versor alone.
    Versor,
    VersorRigid,
    Quaternion,
    Similarity3,
}

struct Known {
    names: &'static [&'static str],
    class: Class,
    /// The numbers of 2-D and 3-D ones; 0 where there are none.
    parameters: [usize; 2],
}

static CLASSES: [Known; 11] = [
    Known { names: &["IdentityTransform"], class: Class::Identity, parameters: [0, 0] },
    Known { names: &["TranslationTransform"], class: Class::Translation, parameters: [2, 3] },
    Known { names: &["ScaleTransform"], class: Class::Scale, parameters: [2, 3] },
    Known {
        names: &["AffineTransform", "MatrixOffsetTransformBase"],
        class: Class::Affine,
        parameters: [6, 12],
    },
    Known { names: &["Euler2DTransform", "Rigid2DTransform"], class: Class::Euler2, parameters: [3, 0] },
    Known { names: &["Similarity2DTransform"], class: Class::Similarity2, parameters: [4, 0] },
    Known { names: &["Euler3DTransform"], class: Class::Euler3, parameters: [0, 6] },
    Known { names: &["VersorTransform"], class: Class::Versor, parameters: [0, 3] },
    Known { names: &["VersorRigid3DTransform"], class: Class::VersorRigid, parameters: [0, 6] },
    Known { names: &["QuaternionRigidTransform"], class: Class::Quaternion, parameters: [0, 7] },
    Known { names: &["Similarity3DTransform"], class: Class::Similarity3, parameters: [0, 7] },
];

impl Stored {
    /// The map of points.
    pub fn transform(&self, context: &Context) -> Result<LinearTransform> {
        let (name, dimension) = self.class_and_dimension(context)?;
        let known = CLASSES.iter().find(|known| known.names.contains(&name));
        let Some(known) = known else {
            let hint = "give a field as an image (.nii.gz, .mha), and other classes as an affine transform";
            return Err(context.unsupported(format!("ITK's {name}"), hint));
        };
        let expected = known.parameters[dimension.count() - 2];
        let is_of_dimension = known.class == Class::Identity || expected > 0;
        context.require(is_of_dimension, "transform", "a class of this dimension", &self.name)?;
        let what = format!("parameters of {name}");
        // An identity may repeat parameters, which it does not use.
        let is_counted = known.class == Class::Identity || self.parameters.len() == expected;
        context.require(is_counted, &what, format!("{expected} numbers"), self.parameters.len())?;
        let (matrix, shift_mm) = self.matrix_and_shift(known.class, dimension, context)?;
        let centre = self.centre(known.class, dimension, context)?;
        let turned = apply(&matrix, centre);
        let offset_mm = [0, 1, 2].map(|a| shift_mm[a] + centre[a] - turned[a]);
        LinearTransform::new(dimension, matrix, offset_mm).map_err(|error| context.core(error))
    }

    /// `Euler3DTransform` and 3-D of `Euler3DTransform_double_3_3`.
    fn class_and_dimension(&self, context: &Context) -> Result<(&str, Dimension)> {
        let mut words = self.name.split('_');
        let name = words.next().unwrap_or_default();
        let rest: Vec<&str> = words.collect();
        match rest[..] {
            ["double" | "float", "3", "3"] => Ok((name, Dimension::Three)),
            ["double" | "float", "2", "2"] => Ok((name, Dimension::Two)),
            _ => Err(context.malformed("transform", "a name such as AffineTransform_double_3_3", &self.name)),
        }
    }

    fn matrix_and_shift(
        &self,
        class: Class,
        dimension: Dimension,
        context: &Context,
    ) -> Result<([[f64; 3]; 3], [f64; 3])> {
        let (p, d) = (&self.parameters, dimension.count());
        let shift = |from: usize| [0, 1, 2].map(|a| if a < d { p[from + a] } else { 0.0 });
        Ok(match class {
            Class::Identity => (IDENTITY, [0.0; 3]),
            Class::Translation => (IDENTITY, shift(0)),
            Class::Scale => {
                let mut matrix = IDENTITY;
                (0..d).for_each(|a| matrix[a][a] = p[a]);
                (matrix, [0.0; 3])
            }
            Class::Affine => {
                let mut matrix = IDENTITY;
                (0..d).for_each(|r| matrix[r][..d].copy_from_slice(&p[d * r..d * r + d]));
                (matrix, shift(d * d))
            }
            Class::Euler2 => (about(2, p[0]), shift(1)),
            Class::Similarity2 => {
                let [x, y, z] = about(2, p[1]);
                ([x.map(|v| p[0] * v), y.map(|v| p[0] * v), z], shift(2))
            }
            Class::Euler3 => {
                let [x, y, z] = [0, 1, 2].map(|axis| about(axis, p[axis]));
                let is_zyx = self.fixed.get(3).is_some_and(|flag| *flag != 0.0);
                let order = if is_zyx { [z, y, x] } else { [z, x, y] };
                (product(&product(&order[0], &order[1]), &order[2]), shift(3))
            }
            Class::Versor => (of_versor([p[0], p[1], p[2]], context)?, [0.0; 3]),
            Class::VersorRigid => (of_versor([p[0], p[1], p[2]], context)?, shift(3)),
            Class::Quaternion => (of_quaternion([p[0], p[1], p[2], p[3]], context)?, shift(4)),
            Class::Similarity3 => {
                let turn = of_versor([p[0], p[1], p[2]], context)?;
                (turn.map(|row| row.map(|v| p[6] * v)), shift(3))
            }
        })
    }

    /// The point that stays where it is before the shift.
    fn centre(&self, class: Class, dimension: Dimension, context: &Context) -> Result<[f64; 3]> {
        let d = dimension.count();
        let most = if class == Class::Euler3 { d + 1 } else { d };
        let is_there = self.fixed.is_empty() || (d..=most).contains(&self.fixed.len());
        let ignored = matches!(class, Class::Identity | Class::Translation);
        context.require(is_there || ignored, "fixed parameters", format!("{d} numbers"), self.fixed.len())?;
        let value = |axis: usize| if axis < d { self.fixed.get(axis).copied().unwrap_or(0.0) } else { 0.0 };
        Ok([0, 1, 2].map(|axis| if ignored { 0.0 } else { value(axis) }))
    }
}

/// The turn about an axis of the world.
fn about(axis: usize, angle_rad: f64) -> [[f64; 3]; 3] {
    let (s, c) = angle_rad.sin_cos();
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut matrix = IDENTITY;
    (matrix[a][a], matrix[a][b], matrix[b][a], matrix[b][b]) = (c, -s, s, c);
    matrix
}

/// The turn of a unit quaternion's vector part.
fn of_versor(v: [f64; 3], context: &Context) -> Result<[[f64; 3]; 3]> {
    let squared: f64 = v.iter().map(|x| x * x).sum();
    context.require(squared <= 1.0 + 1e-9, "versor", "a length of at most 1", squared.sqrt())?;
    of_quaternion([v[0], v[1], v[2], (1.0 - squared).max(0.0).sqrt()], context)
}

fn of_quaternion([x, y, z, w]: [f64; 4], context: &Context) -> Result<[[f64; 3]; 3]> {
    let length = (x * x + y * y + z * z + w * w).sqrt();
    context.require((length - 1.0).abs() < 1e-3, "quaternion", "a length of 1", length)?;
    let [x, y, z, w] = [x, y, z, w].map(|v| v / length);
    Ok([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ])
}
