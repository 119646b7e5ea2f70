//! The verdict on benches: whether everything was measured, and every bar reached.

use crate::{Bench, BenchError, Figure, Record};

/// Missed bars and missing measurements, over all benches of a session.
#[derive(Debug, Default)]
pub struct Verdict {
    missed: Vec<String>,
    missing: Vec<String>,
    unmeasured: usize,
}

impl Verdict {
    /// Judges a bench's figures by their bars, and by the stated accuracy if there is a record.
    pub fn judge(&mut self, bench: &Bench, figures: &[Figure], record: Option<&Record>) {
        for figure in figures {
            let Figure { what, value, unit, .. } = figure;
            if figure.reached == Some(false) {
                self.missed.push(format!("{what} ({value:.4} {unit})"));
            }
            if let Some(scored) = record.and_then(|r| r.score(bench.name, figure)).filter(|s| !s.is_kept) {
                let stated = scored.stated;
                self.missed.push(format!(
                    "{what} ({value:.4} {unit}, where docs/status/accuracy.md states {stated})"
                ));
            }
        }
        self.unmeasured += record.map_or(0, |record| record.unmeasured(bench.name, figures).len());
    }

    /// Notes data that are missing.
    pub fn miss_data(&mut self, names: Vec<String>) {
        self.missing.extend(names);
    }

    /// A line about missing data, if these are allowed; none if nothing is missing.
    ///
    /// # Errors
    /// [`BenchError::Missed`] with every bar that was missed and, unless that is allowed, what was not measured.
    pub fn finish(self, allow_missing: bool) -> Result<Option<String>, BenchError> {
        let mut not_measured = Vec::new();
        if !self.missing.is_empty() {
            not_measured.push(format!("these data are not there: {}", self.missing.join(", ")));
        }
        if self.unmeasured > 0 {
            let count = self.unmeasured;
            not_measured.push(format!("{count} figures of docs/status/accuracy.md were not measured"));
        }
        let not_measured = (!not_measured.is_empty()).then(|| not_measured.join("; "));
        let refused = not_measured.clone().filter(|_| !allow_missing);
        let refused =
            refused.map(|line| format!("{line} (set VELOXEL_DATA, or allow it by --allow-missing)"));
        let missed = (!self.missed.is_empty()).then(|| format!("missed: {}", self.missed.join("; ")));
        match (missed, refused) {
            (None, None) => Ok(not_measured),
            (missed, refused) => {
                let reason = missed.into_iter().chain(refused).collect::<Vec<_>>().join("; ");
                Err(BenchError::Missed { reason })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(value: f64) -> Verdict {
        let mut verdict = Verdict::default();
        let bench = Bench::named("copy").unwrap();
        verdict.judge(bench, &[Figure::new("speed: fast", value, "s").at_most(1.0)], None);
        verdict
    }

    #[test]
    fn a_missed_bar_fails_and_missing_data_do_unless_allowed() {
        assert!(matches!(judged(0.5).finish(false), Ok(None)));
        let error = judged(2.0).finish(true).unwrap_err().to_string();
        assert!(error.contains("speed: fast") && error.contains("2.0"), "{error}");
        let without_data = |value| {
            let mut verdict = judged(value);
            verdict.miss_data(vec!["stereo/venus".to_owned()]);
            verdict
        };
        assert!(without_data(0.5).finish(false).unwrap_err().to_string().contains("--allow-missing"));
        assert!(without_data(0.5).finish(true).unwrap().unwrap().contains("stereo/venus"));
        assert!(without_data(2.0).finish(true).is_err());
    }
}
