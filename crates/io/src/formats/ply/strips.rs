//! Strips of triangles: `tristrips`, each a list of corners, in which a strip ends at −1.

use super::header::Rows;
use super::numbers::{Numbers, is_corners};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::polygons::Polygons;

/// Takes the triangles of strips: every corner with the two before it, wound alike. Those with a corner twice, by which strips are
/// joined, are none.
pub(super) fn strips(
    rows: &Rows,
    numbers: &mut Numbers<'_>,
    polygons: &mut Polygons,
    context: &Context,
) -> Result<()> {
    let has_corners = rows.properties.iter().any(is_corners);
    context.require(has_corners, "PLY tristrips", "a list vertex_indices", "none")?;
    for _ in 0..rows.count {
        for property in &rows.properties {
            let (is_corners, mut strip) = (is_corners(property), Strip::default());
            numbers.values(property, context, |value| {
                if !is_corners {
                    return Ok(());
                }
                if value == -1.0 {
                    strip = Strip::default();
                    return Ok(());
                }
                if value < 0.0 || value.fract() != 0.0 || value > f64::from(u32::MAX) {
                    return Err(context.malformed(
                        "a corner of a strip",
                        "the index of a point, or -1",
                        value,
                    ));
                }
                if let Some(triangle) = strip.add(value as u32) {
                    triangle.into_iter().try_for_each(|corner| polygons.corner(corner, context))?;
                    if polygons.counts.len() == polygons.counts.capacity() {
                        context.claim(4 * polygons.counts.len() as u64)?;
                    }
                    polygons.counts.push(3);
                }
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// A strip so far.
#[derive(Default)]
struct Strip {
    /// The last two corners.
    last: [u32; 2],
    count: usize,
}

impl Strip {
    /// The triangle that one more corner makes.
    fn add(&mut self, corner: u32) -> Option<[u32; 3]> {
        let [first, second] = self.last;
        let is_odd = self.count % 2 == 1;
        let is_whole = self.count >= 2 && first != second && first != corner && second != corner;
        (self.last, self.count) = ([second, corner], self.count + 1);
        is_whole.then_some(if is_odd { [second, first, corner] } else { [first, second, corner] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_of_a_strip_are_wound_alike() {
        let mut strip = Strip::default();
        let found: Vec<_> =
            [0, 1, 2, 3, 3, 4, 5].into_iter().filter_map(|corner| strip.add(corner)).collect();
        assert_eq!(found, [[0, 1, 2], [2, 1, 3], [3, 4, 5]]);
    }
}
