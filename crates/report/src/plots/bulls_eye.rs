//! The 17 segments of the left ventricle as a bull's-eye: base outside, apex in the middle, the anterior wall on top; every segment
//! has its number.
//!
//! *Paper*: Cerqueira et al.: Standardized myocardial segmentation, Circulation 2002.

use crate::number::signed;
use crate::pages::page::Figure;
use std::f64::consts::PI;

/// First and last radius of a ring, its first segment, and its number of segments; the middle of the first one is on top.
const RINGS: [([f64; 2], usize, usize); 3] =
    [([72.0, 98.0], 1, 6), ([46.0, 72.0], 7, 6), ([20.0, 46.0], 13, 4)];

/// A value for every segment that has one: `values[0]` is that of segment 1. The colour is full at `full`; values of the other sign
/// have another one.
pub(crate) fn figure(title: &str, caption: &str, values: &[Option<f64>; 17], full: f64) -> Figure {
    let mut svg = String::from(
        r#"<svg class="bulls-eye" viewBox="-104 -104 208 208" role="img" aria-label="Bull's-eye">"#,
    );
    for ([inner, outer], first, count) in RINGS {
        for nth in 0..count {
            let width = 360.0 / count as f64;
            // Segments follow each other against the clock, as seen from the apex.
            let angle = 90.0 + width * nth as f64;
            let (from, to) = ((angle - 0.5 * width) * PI / 180.0, (angle + 0.5 * width) * PI / 180.0);
            let at = |r: f64, a: f64| format!("{:.2} {:.2}", r * a.cos(), -r * a.sin());
            let [a, b, c, d] = [at(outer, from), at(outer, to), at(inner, to), at(inner, from)];
            let path = format!("M{a}A{outer} {outer} 0 0 0 {b}L{c}A{inner} {inner} 0 0 1 {d}Z");
            let (middle, r) = (angle * PI / 180.0, 0.5 * (inner + outer));
            let segment = first + nth;
            let place = [r * middle.cos(), -r * middle.sin()];
            svg += &segment_svg(&path, segment, values[segment - 1], full, place);
        }
    }
    let apex = "M-20 0A20 20 0 0 0 20 0A20 20 0 0 0 -20 0Z";
    svg += &segment_svg(apex, 17, values[16], full, [0.0, 0.0]);
    svg.push_str("</svg>");
    Figure { title: title.to_owned(), caption: caption.to_owned(), svg }
}

fn segment_svg(d: &str, segment: usize, value: Option<f64>, full: f64, [x, y]: [f64; 2]) -> String {
    let number = format!(r#"<text class="segment-number" x="{x:.1}" y="{:.1}">{segment}</text>"#, y - 5.0);
    let Some(value) = value else {
        return format!(
            r#"<path class="segment gap" d="{d}"><title>segment {segment}: not seen</title></path>{number}"#
        );
    };
    let (shown, exact) = (signed(value.round(), 0), signed(value, 1));
    let share = (100.0 * (value / full).abs().min(1.0)).round();
    let class = if value / full < 0.0 { "segment opposite" } else { "segment" };
    let y = y + 6.0;
    format!(
        r#"<path class="{class}" style="--share:{share}%" d="{d}"><title>segment {segment}: {exact}</title></path>{number}<text x="{x:.1}" y="{y:.1}">{shown}</text>"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_other_sign_are_seen() {
        let mut values = [None; 17];
        (values[0], values[1]) = (Some(26.0), Some(-15.0));
        let svg = figure("Strain", "", &values, -30.0).svg;
        assert!(
            svg.contains(r#"class="segment opposite" style="--share:87%""#) && svg.contains(">+26<"),
            "{svg}"
        );
        assert!(svg.contains(r#"class="segment" style="--share:50%""#), "{svg}");
    }

    #[test]
    fn every_segment_has_a_place_and_the_unseen_are_hatched() {
        let mut values = [Some(-20.0); 17];
        values[16] = None;
        let svg = figure("Strain", "", &values, -25.0).svg;
        assert_eq!(svg.matches("<path").count(), 17);
        assert_eq!(
            (svg.matches("class=\"segment gap\"").count(), svg.matches("--share:80%").count()),
            (1, 16)
        );
        assert!(svg.contains(">−20<") && svg.contains(": −20.0<") && !svg.contains("NaN"));
    }
}
