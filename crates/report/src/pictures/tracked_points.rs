//! A frame with the points that are followed through it, each with its path from the frame before.

use crate::pictures::grey::grey_rgb;
use crate::pictures::phase_pictures::MapPicture;
use veloxel_core::Volume;

/// A point of a frame, and its position in the frame before; pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackedMark {
    /// The number of its track, which chooses its colour.
    pub id: usize,
    /// Position in this frame; a point at NaN is not drawn.
    pub at_px: [f32; 2],
    /// Position in the frame before.
    pub before_px: [f32; 2],
}

/// Colours that distinguish neighbouring points.
const COLOURS: [[u8; 3]; 6] =
    [[230, 80, 60], [70, 170, 240], [250, 190, 40], [90, 200, 110], [200, 110, 230], [60, 215, 205]];

/// Draws a frame (2-D), whose white is `white`, with its points.
pub fn tracked_points_rgb(frame: &Volume<f32>, white: f32, marks: &[TrackedMark]) -> MapPicture {
    let MapPicture { width, height, mut rgb } = grey_rgb(frame, white);
    let mut dot = |[x, y]: [f32; 2], reach: i32, colour: [u8; 3]| {
        let (x, y) = (x.round() as i32, y.round() as i32);
        for (x, y) in (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (x + dx, y + dy))) {
            if (0..width as i32).contains(&x) && (0..height as i32).contains(&y) {
                let at = 3 * (y as usize * width + x as usize);
                rgb[at..at + 3].copy_from_slice(&colour);
            }
        }
    };
    for &TrackedMark { id, at_px, before_px } in marks.iter().filter(|mark| !mark.at_px[0].is_nan()) {
        let colour = COLOURS[id % COLOURS.len()];
        let way = [at_px[0] - before_px[0], at_px[1] - before_px[1]];
        let steps = way[0].abs().max(way[1].abs()).ceil().min(4096.0) as usize;
        for k in 0..steps {
            let t = k as f32 / steps as f32;
            dot([before_px[0] + t * way[0], before_px[1] + t * way[1]], 0, colour);
        }
        dot(at_px, 1, colour);
    }
    MapPicture { width, height, rgb }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn a_point_is_a_dot_at_the_end_of_its_way() {
        let frame = Volume::from_fn(Grid::image(9, 5).unwrap(), |_| 0.0);
        let mark = TrackedMark { id: 1, at_px: [6.0, 2.0], before_px: [1.0, 2.0] };
        let lost = TrackedMark { at_px: [f32::NAN; 2], ..mark };
        let picture = tracked_points_rgb(&frame, 255.0, &[mark, lost]);
        let is_drawn = |x: usize, y: usize| picture.rgb[3 * (9 * y + x)..][..3] == COLOURS[1];
        assert!(is_drawn(1, 2) && is_drawn(4, 2) && is_drawn(7, 3) && is_drawn(5, 1));
        assert!(!is_drawn(0, 2) && !is_drawn(8, 2) && !is_drawn(1, 1));
    }
}
