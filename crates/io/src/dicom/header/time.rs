//! When planes were made: seconds of a day, and the time between the frames of a file.
//!
//! *Specification*: DICOM PS3.3, section C.7.6.5 (cine), C.8.5.6 (ultrasound); PS3.5, table 6.2-1, for dates and times.

use super::fields::Fields;
use super::frames;
use dicom_dictionary_std::tags;

const SECONDS_OF_A_DAY: f64 = 86_400.0;
/// Modalities whose files of several frames are films unless they say otherwise.
const FILMS: [&str; 7] = ["US", "XA", "RF", "ES", "XC", "IVUS", "GM"];
/// Frame times may differ by this share.
const EVEN: f64 = 0.05;

/// Frames of a file that follow each other in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Film {
    /// Milliseconds between frames, where that is said.
    pub frame_ms: Option<f64>,
    /// Whether that is the rate at which it is to be shown, for want of any other.
    pub is_shown_rate: bool,
    /// Whether the times between its frames differ.
    pub is_uneven: bool,
}

impl Film {
    /// What a file says of its frames; none where they do not follow each other in time.
    pub fn of(fields: &Fields, frames: u32) -> Option<Self> {
        let pointer = fields.texts(tags::FRAME_INCREMENT_POINTER).to_uppercase();
        let points_to_time = ["1063", "1065"].iter().any(|tag| pointer.contains(tag));
        // Pointers of films that lead elsewhere than to times are errors of their writers.
        let is_of_films = FILMS.contains(&fields.text(tags::MODALITY).as_str());
        if frames < 2 || !(pointer.is_empty() || points_to_time || is_of_films) {
            return None;
        }
        let film = |frame_ms, is_shown_rate, is_uneven| Some(Self { frame_ms, is_shown_rate, is_uneven });
        let has_vector = fields.nth(tags::FRAME_TIME_VECTOR, 1).is_some();
        // Of two that are there, the pointer says which one counts.
        if let Some(ms) = fields.size(tags::FRAME_TIME).filter(|_| !(has_vector && pointer.contains("1065")))
        {
            return film(Some(ms), false, false);
        }
        if has_vector {
            let steps: Option<Vec<f64>> =
                (1..frames as usize).map(|nth| fields.nth(tags::FRAME_TIME_VECTOR, nth)).collect();
            let Some(steps) = steps else { return film(None, false, true) };
            let mean = steps.iter().sum::<f64>() / steps.len() as f64;
            let is_uneven = steps.iter().any(|ms| (ms - mean).abs() > EVEN * mean);
            return film((mean > 0.0 && !is_uneven).then_some(mean), false, is_uneven);
        }
        if let Some(rate) = fields.size(tags::CINE_RATE) {
            return film(Some(1e3 / rate), false, false);
        }
        if let Some(rate) = fields.size(tags::RECOMMENDED_DISPLAY_FRAME_RATE) {
            return film(Some(1e3 / rate), true, false);
        }
        // Frames with places of their own say their times themselves.
        let is_placed = frames::position(&fields.of_groups()).is_some();
        let is_film = points_to_time || !is_placed && is_of_films;
        if is_film { film(None, false, false) } else { None }
    }
}

/// When a plane was made: seconds since a day of its own, with the date where the file tells one.
pub(super) fn acquired_s(fields: &Fields) -> Option<f64> {
    let whole = [tags::FRAME_ACQUISITION_DATE_TIME, tags::ACQUISITION_DATE_TIME];
    let of_both = whole.iter().find_map(|&tag| {
        let text = fields.text(tag);
        Some(days(text.get(..8)?)? * SECONDS_OF_A_DAY + seconds(text.get(8..)?)?)
    });
    of_both.or_else(|| {
        let time = seconds(&fields.text(tags::ACQUISITION_TIME))?;
        let day = days(&fields.text(tags::ACQUISITION_DATE)).unwrap_or(0.0);
        Some(day * SECONDS_OF_A_DAY + time)
    })
}

/// Times of a day without a date that lie on both sides of midnight: those after it get a day more.
pub(crate) fn over_midnight(times_s: &mut [Option<f64>]) -> bool {
    let mut sorted: Vec<f64> = times_s.iter().copied().flatten().collect();
    sorted.sort_by(f64::total_cmp);
    let (Some(&first), Some(&last)) = (sorted.first(), sorted.last()) else { return false };
    // Dates are known, or it is one half of a day.
    if last >= SECONDS_OF_A_DAY || last - first <= SECONDS_OF_A_DAY / 2.0 {
        return false;
    }
    let gap = |nth: usize| sorted[nth + 1] - sorted[nth];
    let Some(widest) = (0..sorted.len() - 1).max_by(|&a, &b| gap(a).total_cmp(&gap(b))) else { return false };
    let around = first + SECONDS_OF_A_DAY - last;
    if gap(widest) <= around {
        return false;
    }
    let begin = sorted[widest + 1];
    for time in times_s.iter_mut().flatten().filter(|time| **time < begin) {
        *time += SECONDS_OF_A_DAY;
    }
    true
}

/// Days since some day, of `YYYYMMDD`: of two dates the later has more.
fn days(text: &str) -> Option<f64> {
    let part = |at: std::ops::Range<usize>| text.get(at)?.parse::<i64>().ok();
    let (year, month, day) = (part(0..4)?, part(4..6)?, part(6..8)?);
    // Days of the civil calendar, with the year beginning in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some((365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day) as f64)
}

/// `HHMMSS.FFFFFF`.
fn seconds(text: &str) -> Option<f64> {
    let digits = text.get(0..6)?;
    let [h, m, s] = [0, 2, 4].map(|at| digits.get(at..at + 2)?.parse::<f64>().ok());
    let rest = text.get(6..).unwrap_or_default();
    // What follows the fraction is a difference from universal time, one for all.
    let rest = rest.split(['+', '-']).next().unwrap_or_default();
    let fraction = format!("0{rest}").parse::<f64>().unwrap_or(0.0);
    Some(3600.0 * h? + 60.0 * m? + s? + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_are_none_have_no_seconds() {
        assert_eq!(seconds("010203.5"), Some(3723.5));
        assert_eq!(seconds("010203.5+0100"), Some(3723.5));
        for text in ["", "01020", "1é3456", "aabbcc"] {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(days("20240301").unwrap() - days("20240228").unwrap(), 2.0);
        assert_eq!(days("20250101").unwrap() - days("20241231").unwrap(), 1.0);
    }

    #[test]
    fn midnight_lies_in_the_widest_gap() {
        let order = |times: &[f64]| {
            let mut times: Vec<_> = times.iter().copied().map(Some).collect();
            over_midnight(&mut times);
            times.into_iter().flatten().collect::<Vec<_>>()
        };
        assert_eq!(order(&[86398.0, 86399.0, 0.0, 1.0]), [86398.0, 86399.0, 86400.0, 86401.0]);
        // A day of its own: from one to eleven at night.
        let day: Vec<f64> = (1..24).map(|h| 3600.0 * f64::from(h)).collect();
        assert_eq!(order(&day), day);
        assert_eq!(order(&[100.0, 200.0]), [100.0, 200.0]);
    }
}
