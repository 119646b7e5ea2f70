//! Scores as a table, as JSON lines, and as sections of a Markdown page that keeps the sets which were not measured again.

use super::score::Score;
use super::set_scores::{ScoredWay, SetScores, Summary};
use super::split::Half;
use crate::ExperimentTable;
use serde_json::json;
use veloxel_report::number;

/// Sets with more items are shown by their means alone.
const MOST_ITEMS: usize = 12;

/// What a page begins with.
const HEAD: &str = "\
# Scores, measured

`veloxel bench scores --markdown` writes this page; `--set NAME` measures one set again and leaves the others, `--item NAME` one item.
Every item is *tuned* or *kept* by one table with the reasons, `crates/bench/src/scores/split.tsv`: values of presets were chosen, or refused, by a look at tuned items and never at kept ones.
Less is better in every column; ways in *italics* are other programs, or people.
Times are means of an item in the same run, images in memory and the method's opening among them, unless a set says *file to file*; those of other programs are from the run that their line names.
Means are of the items that were measured, by each way those that it has.
*Of the best peer's* is the mean over that of the best other program, or of people, on the same half: below 1 is better than it.
*Over the best peer* is kept over tuned, divided by the same of the best other program: what remains once the kept half's own difficulty is taken away.
";

/// A set's scores as a table of text: items, if they are few, and means by columns of ways.
pub fn score_table(scores: &SetScores) -> ExperimentTable {
    let (ways, items, summaries) = (scores.ways(), scores.items(), scores.summaries());
    let shown =
        |way: &ScoredWay<'_>| if way.is_peer { format!("*{}*", way.name) } else { way.name.to_owned() };
    let mut head = vec![String::new(), "half".to_owned()];
    head.extend(ways.iter().map(shown));
    let mut rows = Vec::new();
    if items.len() <= MOST_ITEMS {
        for (item, half) in &items {
            let cell = |way: &ScoredWay<'_>| scores.of(item, *way).map(|own| number::text(own.error));
            let mut row = vec![(*item).to_owned(), half.name().to_owned()];
            row.extend(ways.iter().map(|way| cell(way).unwrap_or_default()));
            rows.push(row);
        }
    }
    let mut summary_row = |what: String, half: &str, cell: &dyn Fn(&Summary) -> Option<f64>| {
        let cells = summaries.iter().map(|own| cell(own).map_or_else(String::new, number::text));
        let cells: Vec<String> = cells.collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            rows.push([what, half.to_owned()].into_iter().chain(cells).collect());
        }
    };
    for (nth, half) in Half::ALL.into_iter().enumerate() {
        let count = items.iter().filter(|(_, own)| *own == half).count();
        summary_row(format!("mean of {count}"), half.name(), &|own| own.means[nth]);
    }
    for (nth, half) in Half::ALL.into_iter().enumerate() {
        summary_row("of the best peer's".to_owned(), half.name(), &|own| own.of_best_peer[nth]);
    }
    summary_row("kept over tuned".to_owned(), "", &|own| own.kept_over_tuned);
    summary_row("over the best peer".to_owned(), "", &|own| own.over_best_peer);
    for (measure, of_set) in scores.set.further.iter().enumerate() {
        for (nth, half) in Half::ALL.into_iter().enumerate() {
            let mean = |own: &Summary| own.further.get(measure).and_then(|halves| halves[nth]);
            summary_row(of_set.what.to_owned(), half.name(), &mean);
        }
    }
    summary_row("time, s".to_owned(), "", &|own| own.mean_time_s);
    let title = format!("{} (`{}`)", scores.set.title, scores.set.name);
    ExperimentTable { title, note: scores.set.error.to_owned(), head, rows, text_columns: 2 }
}

/// A line of JSON for every score, and one for every mean.
pub(super) fn score_lines(scores: &SetScores) -> String {
    let set = scores.set;
    let score = |(own, is_peer): (&Score, bool)| {
        let mut line = json!(own);
        line["is_peer"] = json!(is_peer);
        line["unit"] = json!(set.unit);
        line["veloxel_version"] = json!(env!("CARGO_PKG_VERSION"));
        line
    };
    let ours = scores.ours.iter().map(|own| (own, false));
    let all = ours.chain(scores.peers.iter().map(|own| (own, true))).map(score);
    all.chain(scores.summaries().iter().map(|own| json!(own))).map(|line| line.to_string() + "\n").collect()
}

/// A page of sections, one a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScorePage {
    text: String,
}

impl ScorePage {
    /// A page as it lies in a file; none: one without sections.
    pub fn new(text: Option<String>) -> Self {
        Self { text: text.unwrap_or_else(|| HEAD.to_owned()) }
    }

    /// Writes a set's section, in place of the one that is there.
    pub fn put(&mut self, scores: &SetScores) {
        let name = scores.set.name;
        let [begin, end] = [format!("<!-- scores of {name} -->\n"), format!("<!-- end of {name} -->\n")];
        let section = format!("{begin}\n{}\n{end}", markdown(scores));
        let place = self.text.find(&begin).zip(self.text.find(&end)).filter(|(begin, end)| begin < end);
        match place {
            Some((from, until)) => self.text.replace_range(from..until + end.len(), &section),
            None => self.text.push_str(&format!("\n{section}")),
        }
    }

    /// The page.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A section of Markdown.
fn markdown(scores: &SetScores) -> String {
    let ExperimentTable { title, note, head, rows, .. } = score_table(scores);
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = format!("## {title}\n\n{}.\n", capitalised(&note));
    let (items, all) = (scores.items().len(), scores.set.items().count());
    if items < all {
        text.push_str(&format!("{items} of {all} items were measured so far.\n"));
    }
    text.push_str(&format!("Measured on {}.\n", scores.measured().join("; on ")));
    let others = scores.peers_measured();
    if !others.is_empty() {
        text.push_str(&format!("Other programs: `benches/peers.py`, {}.\n", others.join("; ")));
    }
    text.push_str(&format!("\n{}|{}\n", line(&head), "---|".repeat(head.len())));
    rows.iter().for_each(|row| text.push_str(&line(row)));
    text
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scores::set_scores::tests::example;

    #[test]
    fn a_table_has_items_means_and_ratios() {
        let table = score_table(&example());
        assert_eq!(table.head, ["", "half", "accurate", "*other*"]);
        let row = |first: &str| table.rows.iter().find(|row| row[0] == first).cloned().unwrap_or_default();
        assert_eq!(row("c"), ["c", "kept", "4.5", "6"]);
        assert_eq!(row("mean of 2"), ["mean of 2", "tuned", "1.5", "3"]);
        assert_eq!(row("kept over tuned")[2..], ["3", "2"]);
        assert_eq!(row("over the best peer")[2..], ["1.5", "1"]);
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()));
    }

    #[test]
    fn a_set_measured_again_takes_the_place_of_its_section() {
        let (mut page, scores) = (ScorePage::new(None), example());
        page.put(&scores);
        let mut other = example();
        other.set = crate::ScoreSet::named("meshes").unwrap();
        page.put(&other);
        let before = page.text().to_owned();
        assert!(before.starts_with(HEAD) && before.contains("## Middlebury stereo (`stereo`)"));
        let mut again = example();
        again.ours.iter_mut().for_each(|own| own.measured = "2026-12-01 on four cores".to_owned());
        page.put(&again);
        assert_eq!(page.text(), before.replacen("2026-11-28 on two cores", "2026-12-01 on four cores", 1));
        assert_eq!(ScorePage::new(Some(before.clone())).text(), before);
    }

    #[test]
    fn every_line_is_an_object_with_its_set() {
        let text = score_lines(&example());
        assert_eq!(text.lines().count(), 6 + 2);
        for line in text.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["set"], "stereo", "{line}");
            assert!(line["is_peer"].is_boolean(), "{line}");
        }
    }
}
