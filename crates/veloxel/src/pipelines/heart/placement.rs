//! Outlines drawn beside the blood otherwise than in the other slices: what is done about it, and what that does to the seeds.

use super::cine::Cine;
use veloxel_core::{ContourSet, Hint, Structure, Warning, WarningKind, Warnings};
use veloxel_motion::over::cycle::{BloodPlace, misplaced_px};
use veloxel_report::number::fixed;

/// Outlines up to which each is named in the sentence.
const FEW: usize = 3;

/// The outlines of a slice on a frame that are to be shifted, and by how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Misplaced {
    pub frame: usize,
    pub slice: usize,
    pub shift_px: [f64; 2],
}

/// Compares the slices of each frame that have both outlines of the left ventricle.
pub(super) fn misplaced(contours: &ContourSet, cine: &Cine) -> Vec<Misplaced> {
    let on_frame = |frame: usize| {
        let place = |slice: usize| {
            let [cavity, outer] =
                [Structure::Endo, Structure::Epi].map(|structure| contours.get(structure, slice, frame));
            let place = BloodPlace::of(cine.slice(slice, frame), &cavity?.polygon, &outer?.polygon)?;
            Some((slice, place))
        };
        let (slices, stack): (Vec<usize>, Vec<BloodPlace>) =
            contours.slices().into_iter().filter_map(place).unzip();
        let shifts = misplaced_px(&stack, cine.pixel_mm());
        slices.into_iter().zip(shifts).map(move |(slice, shift_px)| Misplaced { frame, slice, shift_px })
    };
    let is_shifted = |m: &Misplaced| m.shift_px != [0.0; 2];
    contours.frames().into_iter().flat_map(on_frame).filter(is_shifted).collect()
}

/// Says which slices are shifted, and by how much: one by one, or by the longest shift with the list behind it.
pub(super) fn note(misplaced: &[Misplaced], pixel_mm: f64, warnings: &mut Warnings) {
    if misplaced.is_empty() {
        return;
    }
    let one = |m: &Misplaced| {
        let [x, y] = m.shift_px.map(|px| fixed(px * pixel_mm, 1));
        format!("slice {} of frame {} by {x}, {y} mm", m.slice, m.frame)
    };
    let list: Vec<String> = misplaced.iter().map(one).collect();
    let what =
        "outlines that lie beside the blood otherwise than in the other slices are shifted on other frames";
    let (text, details) = if list.len() <= FEW {
        (format!("{what}: {}", list.join("; ")), Vec::new())
    } else {
        let longest = misplaced.iter().map(|m| m.shift_px[0].hypot(m.shift_px[1])).fold(0.0, f64::max);
        (format!("{what}: {}, by {} mm at most", list.len(), fixed(longest * pixel_mm, 1)), list)
    };
    let hint = Some(Hint::Placement);
    warnings.add(Warning { hint, details, ..Warning::new(WarningKind::Note, text) });
}
