//! The table of points that were followed through frames.

use std::fmt::Write;

/// A point in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackRow {
    /// Number of the frame; the first is 0.
    pub frame: usize,
    /// The number of its track.
    pub id: usize,
    /// Position, pixels; NaN where there is none.
    pub at_px: [f32; 2],
    /// Fate of the point in that frame, in a word.
    pub status: &'static str,
    /// Mean absolute difference of its windows; NaN without a position before.
    pub error: f32,
    /// Distance between the point before and the end of its path there and back, pixels; NaN without a check.
    pub forward_backward_px: f32,
    /// Expected error of the step from the frame before, pixels; NaN where nothing is found, and without a check.
    pub expected_error_px: f32,
    /// Expected distance from where the point has gone that its track began at, pixels, by the expected errors of all steps so far; NaN where
    /// nothing is found, and without a check.
    pub expected_drift_px: f32,
}

/// The rows under a head `frame,id,x,y,status,error,forward_backward,expected_error,expected_drift`; `nan` where there is no number.
pub fn tracks_csv(rows: impl IntoIterator<Item = TrackRow>) -> String {
    let mut table = "frame,id,x,y,status,error,forward_backward,expected_error,expected_drift\n".to_owned();
    let number = |v: f32| if v.is_nan() { "nan".to_owned() } else { format!("{v:.4}") };
    for row in rows {
        let TrackRow { frame, id, at_px: [x, y], status, .. } = row;
        let is_known = !x.is_nan() && !y.is_nan();
        let position = if is_known { format!("{x:.4},{y:.4}") } else { "nan,nan".to_owned() };
        let numbers = [row.error, row.forward_backward_px, row.expected_error_px, row.expected_drift_px];
        let numbers = numbers.map(number).join(",");
        writeln!(table, "{frame},{id},{position},{status},{numbers}").expect("text should take a line");
    }
    table
}
