//! A triangle as rays meet it.

use super::ray::Ray;
use crate::vector::{Vector, cross, dot, minus};

/// A triangle by one corner and the edges to the two others.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    corner: Vector,
    edges: [Vector; 2],
    /// Its number in the mesh.
    pub number: u32,
}

impl Triangle {
    pub fn of(number: u32, [a, b, c]: [Vector; 3]) -> Self {
        Self { corner: a, edges: [minus(b, a), minus(c, a)], number }
    }

    /// The distance at which a ray meets either side of it, in lengths of the direction.
    ///
    /// *Paper*: T. Möller, B. Trumbore, "Fast, Minimum Storage Ray-Triangle Intersection", 1997, doi:10.1080/10867651.1997.10487468.
    #[inline(always)]
    pub fn meet(&self, ray: &Ray) -> Option<f64> {
        let [ab, ac] = self.edges;
        let p = cross(ray.direction, ac);
        let determinant = dot(ab, p);
        if determinant == 0.0 {
            return None;
        }
        let from = minus(ray.origin, self.corner);
        let u = dot(from, p) / determinant;
        if !(0.0..=1.0).contains(&u) {
            return None;
        }
        let q = cross(from, ab);
        let v = dot(ray.direction, q) / determinant;
        let t = dot(ac, q) / determinant;
        (v >= 0.0 && u + v <= 1.0 && t > 0.0).then_some(t)
    }
}
