//! Scores of earlier runs, so that a set is measured in pieces: the lines that `score_lines` writes are read back.

use super::score::Score;
use super::set_scores::SetScores;
use super::split::split;
use super::{ScoreSet, page::score_lines};

/// The scores that were measured so far, each item of a way once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScoreFile {
    scores: Vec<Score>,
}

impl ScoreFile {
    /// Reads lines of scores. Means, other programs' scores, and items or ways that there are no longer, are left out: the first two
    /// follow from what is kept. An item's half is that of the table, not that of the line.
    ///
    /// # Errors
    /// The number of the first line that is not JSON, counted from 1.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut file = Self::default();
        for (nth, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let value: serde_json::Value = serde_json::from_str(line).map_err(|_| nth + 1)?;
            let Ok(mut score) = serde_json::from_value::<Score>(value) else { continue };
            let Some(set) = ScoreSet::named(&score.set) else { continue };
            let row = split().find(|row| row.set == score.set && row.item == score.item);
            let (Some(row), true) = (row, set.all_ways().any(|way| way == score.way)) else { continue };
            score.half = row.half;
            file.put(score);
        }
        Ok(file)
    }

    /// Adds a score, in place of an earlier one of the same item by the same way.
    pub fn put(&mut self, score: Score) {
        match self.scores.iter_mut().find(|own| own.is_again(&score)) {
            Some(own) => *own = score,
            None => self.scores.push(score),
        }
    }

    /// Whether an item was scored by a way.
    pub fn holds(&self, set: &str, item: &str, way: &str) -> bool {
        self.scores.iter().any(|own| own.set == set && own.item == item && own.way == way)
    }

    /// The scores of a set, items in the order of the table, ways in that of the set; none if there are none.
    pub fn of_set(&self, set: &'static ScoreSet) -> Option<SetScores> {
        let mut found = Vec::new();
        for row in split().filter(|row| row.set == set.name) {
            for way in set.all_ways() {
                let is_it = |own: &&Score| own.set == row.set && own.item == row.item && own.way == way;
                found.extend(self.scores.iter().find(is_it).cloned());
            }
        }
        (!found.is_empty()).then(|| SetScores::new(set, found))
    }

    /// A line of JSON for every score and every mean, sets in their order.
    pub fn lines(&self) -> String {
        super::SETS.iter().filter_map(|set| self.of_set(set)).map(|scores| score_lines(&scores)).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;
    use crate::scores::Half;

    fn score(item: &str, way: &str, error: f64) -> Score {
        Score {
            set: "stereo".to_owned(),
            item: item.to_owned(),
            half: Half::Tuned,
            way: way.to_owned(),
            error,
            time_s: Some(1.0),
            further: Vec::new(),
            measured: "2026-11-28 on two cores".to_owned(),
        }
    }

    #[test]
    fn lines_are_read_back_and_an_item_measured_again_takes_its_place() {
        let mut file = ScoreFile::default();
        file.put(score("teddy", "fast", 3.0));
        file.put(score("venus", "accurate", 1.0));
        let mut again = ScoreFile::parse(&file.lines()).unwrap();
        assert_eq!(again.scores.len(), 2, "neither means nor other programs are scores of ours");
        assert!(again.holds("stereo", "teddy", "fast") && !again.holds("stereo", "teddy", "accurate"));
        again.put(score("teddy", "fast", 2.0));
        let scores = again.of_set(ScoreSet::named("stereo").unwrap()).unwrap();
        // The table has venus first.
        let errors: Vec<f64> = scores.ours.iter().map(|own| own.error).collect();
        assert_eq!(errors, [1.0, 2.0]);
        assert!(again.of_set(ScoreSet::named("meshes").unwrap()).is_none());
    }

    #[test]
    fn halves_are_those_of_the_table_and_what_is_gone_is_left_out() {
        let line = |score: &Score| serde_json::to_string(score).unwrap() + "\n";
        let text = [score("cones", "fast", 1.0), score("aloe", "fast", 1.0), score("cones", "slow", 1.0)];
        let file = ScoreFile::parse(&text.iter().map(line).collect::<String>()).unwrap();
        assert_eq!(file.scores.len(), 1);
        assert_eq!(file.scores[0].half, Half::Kept);
        assert_eq!(ScoreFile::parse("{}\nnothing of JSON"), Err(2));
    }
}
