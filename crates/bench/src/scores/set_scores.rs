//! Errors and times of a set's items, and what they are in the mean.

use super::ScoreSet;
use super::peers::PEERS;
use super::score::Score;
use super::split::Half;
use crate::Figure;
use serde::Serialize;

/// What a way reaches in the mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The set.
    pub set: String,
    /// Our preset, or the peer's name.
    pub way: String,
    /// Whether it is a peer's.
    pub is_peer: bool,
    /// Number of tuned and of kept items.
    pub counts: [usize; 2],
    /// Mean error of either half; none without items.
    pub means: [Option<f64>; 2],
    /// The kept half's mean over the tuned one's.
    pub kept_over_tuned: Option<f64>,
    /// The same over that of the best peer of the set: what remains once the kept half's own difficulty is taken away.
    pub over_best_peer: Option<f64>,
    /// Mean error of either half over the best peer's; none without a peer that has the half.
    pub of_best_peer: [Option<f64>; 2],
    /// Means of the set's further measures, of either half, in the measures' order.
    pub further: Vec<[Option<f64>; 2]>,
    /// Mean time of an item, seconds.
    pub mean_time_s: Option<f64>,
}

/// A column of a set: one of our presets, or a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoredWay<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Whether it is a peer's.
    pub is_peer: bool,
}

/// The scores of a set, ours and the peers'.
#[derive(Debug, Clone)]
pub struct SetScores {
    /// The set.
    pub set: &'static ScoreSet,
    /// Ours, item by item.
    pub ours: Vec<Score>,
    /// The scores of peers, for items that were scored.
    pub peers: Vec<Score>,
}

impl SetScores {
    /// Our scores beside those of peers for the same items.
    pub(crate) fn new(set: &'static ScoreSet, ours: Vec<Score>) -> Self {
        let is_scored = |peer: &&Score| peer.set == set.name && ours.iter().any(|own| own.item == peer.item);
        let mut peers: Vec<Score> = PEERS.iter().filter(is_scored).cloned().collect();
        let mut own = ours;
        // What people reach is measured beside ours.
        peers.extend(own.extract_if(.., |score| set.peers.contains(&score.way.as_str())));
        Self { set, ours: own, peers }
    }

    /// The ways, ours and then the peers', each once.
    pub fn ways(&self) -> Vec<ScoredWay<'_>> {
        let mut ways: Vec<ScoredWay<'_>> = Vec::new();
        for (scores, is_peer) in [(&self.ours, false), (&self.peers, true)] {
            for score in scores {
                let way = ScoredWay { name: &score.way, is_peer };
                if !ways.contains(&way) {
                    ways.push(way);
                }
            }
        }
        ways
    }

    /// The items that were scored, in their order.
    pub fn items(&self) -> Vec<(&str, Half)> {
        let mut items: Vec<(&str, Half)> = Vec::new();
        for score in &self.ours {
            if !items.contains(&(score.item.as_str(), score.half)) {
                items.push((&score.item, score.half));
            }
        }
        items
    }

    /// The score of an item by a way.
    pub fn of(&self, item: &str, way: ScoredWay<'_>) -> Option<&Score> {
        let scores = if way.is_peer { &self.peers } else { &self.ours };
        scores.iter().find(|score| score.item == item && score.way == way.name)
    }

    /// The means of every way, in the order of [`Self::ways`].
    pub fn summaries(&self) -> Vec<Summary> {
        let mut all: Vec<Summary> = self.ways().into_iter().map(|way| self.summary(way)).collect();
        let best = all.iter().filter(|own| own.is_peer).min_by(|a, b| {
            // A peer without one half ranks behind those with both.
            let rank =
                |own: &Summary| (own.kept_over_tuned.is_none(), own.means.iter().flatten().sum::<f64>());
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let Some(best) = best.cloned() else { return all };
        for own in &mut all {
            own.over_best_peer = own.kept_over_tuned.zip(best.kept_over_tuned).map(|(own, best)| own / best);
            for (half, of) in own.of_best_peer.iter_mut().enumerate() {
                *of = own.means[half].zip(best.means[half]).map(|(own, best)| own / best);
            }
        }
        all
    }

    fn summary(&self, ScoredWay { name, is_peer }: ScoredWay<'_>) -> Summary {
        let scores = if is_peer { &self.peers } else { &self.ours };
        let of_way = || scores.iter().filter(|score| score.way == name);
        let errors = Half::ALL
            .map(|half| of_way().filter(|own| own.half == half).map(|own| own.error).collect::<Vec<_>>());
        let means = errors.each_ref().map(|errors| mean(errors));
        let of_measure = |nth: usize| {
            Half::ALL.map(|half| {
                let values = of_way().filter(|own| own.half == half);
                mean(&values.filter_map(|own| own.further.get(nth).copied()).collect::<Vec<_>>())
            })
        };
        let times: Vec<f64> = of_way().filter_map(|own| own.time_s).collect();
        Summary {
            set: self.set.name.to_owned(),
            way: name.to_owned(),
            is_peer,
            counts: errors.each_ref().map(Vec::len),
            means,
            kept_over_tuned: means[1].zip(means[0]).map(|(kept, tuned)| kept / tuned),
            over_best_peer: None,
            of_best_peer: [None; 2],
            further: (0..self.set.further.len()).map(of_measure).collect(),
            mean_time_s: mean(&times),
        }
    }

    /// The days and machines of our scores, each once.
    pub fn measured(&self) -> Vec<&str> {
        each_once(self.ours.iter().map(|own| own.measured.as_str()))
    }

    /// The days, versions and machines of other programs' scores, each once.
    pub fn peers_measured(&self) -> Vec<&str> {
        let others = self.peers.iter().filter(|own| !self.set.peers.contains(&own.way.as_str()));
        each_once(others.map(|own| own.measured.as_str()))
    }

    /// The means of our ways as figures.
    pub fn figures(&self) -> Vec<Figure> {
        let ours = self.summaries().into_iter().filter(|own| !own.is_peer);
        let of_way = |own: Summary| {
            let halves = Half::ALL.into_iter().zip(own.means).zip(own.counts);
            let of_half = |((half, mean), count): ((Half, Option<f64>), usize)| {
                let what = format!("{}, {}: mean of {count} {}", own.set, own.way, half.name());
                mean.map(|mean| Figure::new(what, mean, self.set.unit))
            };
            let mut figures: Vec<Figure> = halves.filter_map(of_half).collect();
            let what = format!("{}, {}: kept over tuned", own.set, own.way);
            figures.extend(own.kept_over_tuned.map(|ratio| Figure::new(what, ratio, "×")));
            let what = format!("{}, {}: mean time", own.set, own.way);
            figures.extend(own.mean_time_s.map(|time_s| Figure::new(what, time_s, "s")));
            figures
        };
        ours.flat_map(of_way).collect()
    }
}

fn each_once<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let found: std::collections::BTreeSet<&str> = texts.collect();
    found.into_iter().collect()
}

/// The mean; none of nothing.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::scores::ScoreSet;

    fn score(item: &str, half: Half, way: &str, error: f64) -> Score {
        let (item, way) = (item.to_owned(), way.to_owned());
        Score {
            set: "stereo".to_owned(),
            item,
            half,
            way,
            error,
            time_s: Some(2.0 * error),
            further: vec![10.0 * error],
            measured: "2026-11-28 on two cores".to_owned(),
        }
    }

    /// A set of three items, of ours and of one peer that finds the kept half twice as hard.
    pub(crate) fn example() -> SetScores {
        let ours = vec![
            score("a", Half::Tuned, "accurate", 1.0),
            score("b", Half::Tuned, "accurate", 2.0),
            score("c", Half::Kept, "accurate", 4.5),
        ];
        let peers = [("a", Half::Tuned, 2.0), ("b", Half::Tuned, 4.0), ("c", Half::Kept, 6.0)];
        let peers = peers.map(|(item, half, error)| score(item, half, "other", error)).to_vec();
        SetScores { set: ScoreSet::named("stereo").unwrap(), ours, peers }
    }

    #[test]
    fn halves_are_means_and_their_ratio_is_held_against_the_best_peer() {
        let scores = example();
        let [ours, peer] = &scores.summaries()[..] else { panic!("two ways") };
        assert_eq!((ours.counts, ours.means), ([2, 1], [Some(1.5), Some(4.5)]));
        assert_eq!((ours.kept_over_tuned, peer.kept_over_tuned), (Some(3.0), Some(2.0)));
        assert_eq!((ours.over_best_peer, peer.over_best_peer), (Some(1.5), Some(1.0)));
        assert_eq!(ours.of_best_peer, [Some(0.5), Some(0.75)]);
        assert_eq!(ours.mean_time_s, Some(5.0));
        assert!(peer.is_peer && !ours.is_peer);
        let figures = scores.figures();
        assert_eq!(figures[0].what, "stereo, accurate: mean of 2 tuned");
        assert_eq!(figures.len(), 4);
    }

    #[test]
    fn a_set_without_a_half_has_no_ratio() {
        let scores = example();
        let ours = scores.ours.into_iter().filter(|own| own.half == Half::Tuned).collect();
        let scores = SetScores { ours, peers: Vec::new(), ..example() };
        let [only] = &scores.summaries()[..] else { panic!("one way") };
        assert_eq!((only.means[1], only.kept_over_tuned, only.over_best_peer), (None, None, None));
        assert_eq!(mean(&[]), None);
    }
}
