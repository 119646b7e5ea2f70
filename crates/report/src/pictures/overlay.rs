//! Drawings over a picture: arrows, the outline of a mask, the letters of the body.

use crate::number;
use crate::pictures::picture::Raster;
use crate::pictures::planes::Plane;
use std::fmt::Write;

/// Size of a picture's drawing area; arrows and letters are in its units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Canvas {
    pub width: f64,
    pub height: f64,
    /// Drawing units a millimetre (or pixel).
    pub units_per_mm: f64,
}

/// Drawing units of the longest side over all planes of one report.
const LONGEST: f64 = 480.0;

impl Canvas {
    /// The canvas of one plane when the longest side of all planes is `longest_mm`: planes keep one scale.
    pub fn of(plane: &Plane, longest_mm: f64) -> Self {
        let units_per_mm = LONGEST / longest_mm;
        Self {
            width: plane.across.extent_mm() * units_per_mm,
            height: plane.down.extent_mm() * units_per_mm,
            units_per_mm,
        }
    }
}

/// Arrows along the longest side of a plane, and of a slice among others.
pub(crate) const ARROWS: f64 = 26.0;
pub(crate) const ARROWS_OF_A_SLICE: f64 = 18.0;

/// Arrows at one of every `step` voxels, with `gain` times the length of the motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quiver {
    /// Distance of two arrows, millimetres.
    step_mm: f64,
    /// Factor between the length of an arrow and that of its motion.
    pub gain: f64,
    /// Length of the key's arrow, millimetres of motion.
    key_mm: f64,
}

impl Quiver {
    /// Fits this many arrows to the longest side, `longest_mm`, of planes whose typical large motion is `scale_mm`.
    pub fn fit(longest_mm: f64, arrows: f64, scale_mm: f64) -> Self {
        let step_mm = longest_mm / arrows;
        let gain = 1.7 * step_mm / scale_mm;
        Self { step_mm, gain, key_mm: scale_mm }
    }

    /// The arrows of a plane from vectors (right, down) in millimetres; gaps and vectors of almost no length draw nothing.
    pub(crate) fn to_svg(
        self,
        plane: &Plane,
        vector_mm: impl Fn(usize) -> [f32; 2],
        canvas: Canvas,
    ) -> String {
        let (columns, rows) = plane.shape();
        let step = |spacing_mm: f64, count: usize| {
            ((self.step_mm / spacing_mm).round() as usize).clamp(1, count.max(1))
        };
        let (step_x, step_y) = (step(plane.across.spacing_mm, columns), step(plane.down.spacing_mm, rows));
        // centred, so that the margins on both sides are equal
        let first = |count: usize, step: usize| ((count - 1) % step) / 2;
        let mut path = String::new();
        for row in (first(rows, step_y)..rows).step_by(step_y) {
            for column in (first(columns, step_x)..columns).step_by(step_x) {
                let vector = vector_mm(plane.index(column, row)).map(f64::from);
                let tail = [
                    (column as f64 + 0.5) * canvas.width / columns as f64,
                    (row as f64 + 0.5) * canvas.height / rows as f64,
                ];
                write_arrow(tail, vector.map(|v| v * self.gain * canvas.units_per_mm), &mut path);
            }
        }
        format!(r#"<path class="arrow-halo" d="{path}"/><path class="arrow" d="{path}"/>"#)
    }

    /// The key: an arrow of known motion in the lower left corner.
    pub(crate) fn key_svg(self, canvas: Canvas, unit: &str) -> String {
        let length = self.key_mm * self.gain * canvas.units_per_mm;
        let (x, y) = (16.0, canvas.height - 18.0);
        let mut path = String::new();
        write_arrow([x, y], [length, 0.0], &mut path);
        let text = format!("{} {unit}", number::text(self.key_mm));
        let width = length + 26.0 + 8.0 * text.chars().count() as f64;
        format!(
            r#"<rect class="key" x="8" y="{:.1}" width="{width:.1}" height="22" rx="4"/><path class="arrow" d="{path}"/><text class="key-text" x="{:.1}" y="{:.1}">{text}</text>"#,
            y - 11.0,
            x + length + 8.0,
            y + 4.5
        )
    }
}

/// Writes the shaft and the head of an arrow; a short arrow has no head, and a very short one is left out.
fn write_arrow(tail: [f64; 2], shaft: [f64; 2], path: &mut String) {
    let length = shaft[0].hypot(shaft[1]);
    if !length.is_finite() || length < 0.9 {
        return;
    }
    let tip = [tail[0] + shaft[0], tail[1] + shaft[1]];
    let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}", tail[0], tail[1], tip[0], tip[1]);
    let head = (0.42 * length).clamp(1.6, 7.0);
    let along = [shaft[0] / length * head, shaft[1] / length * head];
    let wing = |side: f64| {
        [tip[0] - 0.87 * along[0] + side * 0.5 * along[1], tip[1] - 0.87 * along[1] - side * 0.5 * along[0]]
    };
    let (a, b) = (wing(1.0), wing(-1.0));
    let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}", a[0], a[1], tip[0], tip[1], b[0], b[1]);
}

/// The border of the voxels at which a raster is above one half, as runs along pixel edges.
pub(crate) fn outline_svg(inside: &Raster<1>, canvas: Canvas, class: &str) -> String {
    let (columns, rows) = (inside.columns as i64, inside.rows as i64);
    let at = |c: i64, r: i64| {
        (0..columns).contains(&c)
            && (0..rows).contains(&r)
            && inside.values[(r * columns + c) as usize][0] > 0.5
    };
    let (sx, sy) = (canvas.width / columns as f64, canvas.height / rows as f64);
    let mut path = String::new();
    for r in 0..=rows {
        for run in runs(columns, |c| at(c, r) != at(c, r - 1)) {
            let _ = write!(path, "M{:.1} {:.1}H{:.1}", run.0 as f64 * sx, r as f64 * sy, run.1 as f64 * sx);
        }
    }
    for c in 0..=columns {
        for run in runs(rows, |r| at(c, r) != at(c - 1, r)) {
            let _ = write!(path, "M{:.1} {:.1}V{:.1}", c as f64 * sx, run.0 as f64 * sy, run.1 as f64 * sy);
        }
    }
    if path.is_empty() { path } else { format!(r#"<path class="{class}" d="{path}"/>"#) }
}

/// Half-open stretches of `0..count` at which a condition holds.
fn runs(count: i64, holds: impl Fn(i64) -> bool) -> Vec<(i64, i64)> {
    let held: Vec<i64> = (0..count).filter(|&i| holds(i)).collect();
    held.chunk_by(|a, b| a + 1 == *b).map(|run| (run[0], run[run.len() - 1] + 1)).collect()
}

/// Distance of letters from the edge of their plane.
const EDGE: f64 = 5.0;

/// The letters of the body at the edges of a plane; none for an image.
pub(crate) fn letters_svg(plane: &Plane, canvas: Canvas) -> String {
    let [left, right] = plane.across.ends;
    let [top, bottom] = plane.down.ends;
    let (w, h) = (canvas.width, canvas.height);
    // The style sheet anchors each at its side: letters have several sizes.
    let sides = [
        (left, "left", EDGE, 0.5 * h),
        (right, "right", w - EDGE, 0.5 * h),
        (top, "top", 0.5 * w, EDGE),
        (bottom, "bottom", 0.5 * w, h - EDGE),
    ];
    let letters = sides.iter().filter(|(letter, ..)| !letter.is_empty());
    let text = |(letter, side, x, y): &(&str, &str, f64, f64)| {
        format!(r#"<text class="letter {side}" x="{x:.1}" y="{y:.1}">{letter}</text>"#)
    };
    letters.map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::planes::planes_through;
    use veloxel_core::Grid;

    #[test]
    fn a_shift_to_the_right_points_right_and_gaps_are_left_out() {
        let plane = &planes_through(&Grid::image(2, 1).unwrap(), [0; 3])[0];
        let canvas = Canvas::of(plane, 2.0);
        let quiver = Quiver { step_mm: 1.0, gain: 0.25, key_mm: 1.0 };
        let svg = quiver.to_svg(plane, |i| if i == 0 { [1.0, 0.0] } else { [f32::NAN; 2] }, canvas);
        // from the centre of the left pixel, a quarter of its 240 units to the right
        assert!(svg.contains("M120.0 120.0L180.0 120.0M"), "{svg}");
        assert!(!svg.contains("NaN") && svg.matches("M120.0").count() == 2);
    }

    #[test]
    fn one_pixel_has_four_edges() {
        let mut values = vec![[0.0]; 9];
        values[4] = [1.0];
        let inside = Raster { columns: 3, rows: 3, values };
        let canvas = Canvas { width: 3.0, height: 3.0, units_per_mm: 1.0 };
        assert_eq!(
            outline_svg(&inside, canvas, "outline"),
            r#"<path class="outline" d="M1.0 1.0H2.0M1.0 2.0H2.0M1.0 1.0V2.0M2.0 1.0V2.0"/>"#
        );
    }
}
