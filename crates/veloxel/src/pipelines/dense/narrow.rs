//! Narrow pictures: those whose motion is beyond what their few levels find, and those that filters of phase hardly fit.
//!
//! Wrapped phases fit as well as right ones do, and two frames have no third to contradict them; the images do.

use veloxel_core::{BrightnessReport, Dimension, Flow, Grid, Hint, Volume, WarningKind, Warnings};

/// Pictures with a shorter side have three levels, whatever their motion.
const NARROW_PX: usize = 61;
/// A flow explains nothing where images differ by more than this share of what they did before.
const UNEXPLAINED: f64 = 0.7;
/// Share of the known vectors that are longer than a pixel, above which there is motion.
const MOVING: f64 = 0.25;
/// What is left of the confidence.
pub(crate) const DOUBT: f32 = 0.15;

/// Takes most of the confidence, and says so, where a narrow picture's flow brings the images no nearer to each other.
pub(crate) fn doubt_unexplained(
    flow: &Flow,
    brightness: BrightnessReport,
    confidence: &mut Volume<f32>,
    warnings: &mut Warnings,
) {
    let BrightnessReport { mean_abs_before: before, mean_abs_after: after, .. } = brightness;
    let [nx, ny, _] = flow.grid().size();
    let is_narrow = flow.grid().dimension() == Dimension::Two && nx.min(ny) < NARROW_PX;
    let explains_nothing = after > UNEXPLAINED * before;
    if !(is_narrow && explains_nothing && is_moving(flow)) {
        return;
    }
    confidence.data_mut().iter_mut().for_each(|confidence| *confidence *= DOUBT);
    let text = format!(
        "with this flow the frames differ by {:.0} % of what they did before: a picture of {nx} × {ny} pixels has too few levels for \
         motion of more than about 6 pixels; its confidence is lowered",
        100.0 * after / before
    );
    warnings.push_with_hint(WarningKind::Content, Hint::Method, text);
}

/// A picture with a shorter side is little wider than the filters of phase, 11 pixels: most responses are made of the samples at
/// its borders, which are repeated, and do not move. Seen on shifts of 1.5 pixels: vectors a fifth too short at sides of 8 to 12
/// pixels, 1 % at 16.
const FILTERS_FIT_PX: usize = 13;

/// Whether a picture is little wider than the filters of phase.
pub(crate) fn is_narrow_for_phases(grid: &Grid) -> bool {
    let [nx, ny, _] = grid.size();
    nx.min(ny) < FILTERS_FIT_PX
}

/// Takes most of the confidence, and says so, where a picture is so narrow that phases make its vectors too short.
pub(crate) fn doubt_phases(flow: &Flow, confidence: Option<&mut Volume<f32>>, warnings: &mut Warnings) {
    if doubted_phases(flow.grid(), warnings)
        && let Some(confidence) = confidence
    {
        confidence.data_mut().iter_mut().for_each(|confidence| *confidence *= DOUBT);
    }
}

/// Whether a picture is so narrow that phases make its vectors too short, which is said: their confidences are to be multiplied by
/// [`DOUBT`].
pub(crate) fn doubted_phases(grid: &Grid, warnings: &mut Warnings) -> bool {
    if !is_narrow_for_phases(grid) {
        return false;
    }
    let [nx, ny, _] = grid.size();
    let text = format!(
        "a picture of {nx} × {ny} pixels is little wider than the filters of the phase-based method: its vectors may be a fifth too \
         short; their confidence is lowered"
    );
    warnings.push_with_hint(WarningKind::Content, Hint::Method, text);
    true
}

fn is_moving(flow: &Flow) -> bool {
    let lengths = (0..flow.grid().len()).map(|i| flow.vector_vox(i)).map(|[u, v, _]| u.hypot(v));
    let (mut known, mut long) = (0usize, 0usize);
    for length in lengths.filter(|length| !length.is_nan()) {
        known += 1;
        long += usize::from(length > 1.0);
    }
    long as f64 > MOVING * known as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn phases_are_doubted_where_filters_hardly_fit() {
        for (size, doubts) in [([200, 12], true), ([8, 90], true), ([13, 200], false), ([64, 48], false)] {
            let grid = Grid::image(size[0], size[1]).unwrap();
            let (mut confidence, mut warnings) = (Volume::from_fn(grid.clone(), |_| 0.9), Warnings::new());
            doubt_phases(&Flow::zeros(grid), Some(&mut confidence), &mut warnings);
            assert_eq!((confidence.data()[0] < 0.2, warnings.is_empty()), (doubts, !doubts), "{size:?}");
        }
    }

    #[test]
    fn motion_that_explains_nothing_is_doubted_in_narrow_pictures() {
        let told = |size: [usize; 2], step: f64, mean_abs_after: f64| {
            let grid = Grid::image(size[0], size[1]).unwrap();
            let flow = Flow::from_fn(grid.clone(), |_| [step, 0.0, 0.0]);
            let (mut confidence, mut warnings) = (Volume::from_fn(grid, |_| 1.0), Warnings::new());
            let brightness = BrightnessReport { mean_abs_before: 10.0, mean_abs_after, moving: None };
            doubt_unexplained(&flow, brightness, &mut confidence, &mut warnings);
            assert_eq!(confidence.data()[0] < 0.2, !warnings.is_empty());
            !warnings.is_empty()
        };
        assert!(told([200, 24], 5.0, 9.0) && told([16, 300], 5.0, 12.0));
        assert!(!told([200, 24], 5.0, 3.0) && !told([200, 24], 0.1, 9.0) && !told([200, 200], 5.0, 9.0));
        assert!(!told([200, 24], 5.0, f64::NAN));
    }
}
