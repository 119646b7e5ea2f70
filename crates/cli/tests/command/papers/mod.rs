//! The commands of docs/papers.md: all of them parse, and those that work run.

mod benches;
mod databases;
mod merge;
mod runs;

use crate::workplace::Workplace;

/// The page, as it was when this test was built.
const PAGE: &str = include_str!("../../../../../docs/papers.md");
/// Number of items that each paper has.
const ITEMS: [(&str, usize); 4] = [("A", 31), ("B", 31), ("C", 26), ("D", 26)];

/// A row of the page.
struct Item<'a> {
    paper: &'a str,
    name: &'a str,
    /// The words of the command after `veloxel`; empty where there is none.
    command: Vec<String>,
    how: &'a str,
}

fn items() -> Vec<Item<'static>> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let item = |row: &'static str| {
        let [paper, _, name, command, how] = row.split(" | ").collect::<Vec<_>>().try_into().ok()?;
        let command = command.strip_prefix("`veloxel ").and_then(|c| c.strip_suffix('`')).map(words);
        Some(Item { paper, name, command: command.unwrap_or_default(), how })
    };
    rows.filter_map(item).filter(|item| ITEMS.iter().any(|(paper, _)| *paper == item.paper)).collect()
}

/// The words of a command line; what stands in quotation marks is one.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    let of = |(nth, part): (usize, &str)| match nth % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    };
    parts.flat_map(of).collect()
}

/// The lines of the page's block of commands.
fn preparations() -> impl Iterator<Item = Vec<String>> {
    PAGE.lines().filter_map(|line| line.strip_prefix("veloxel ")).map(words)
}

fn borrowed(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[test]
fn every_item_has_a_row_that_says_how_it_stands() {
    let items = items();
    for (paper, count) in ITEMS {
        assert_eq!(items.iter().filter(|item| item.paper == paper).count(), count, "paper {paper}");
    }
    for Item { paper, name, command, how } in &items {
        let [works, cannot] = ["works", "cannot be had, because "].map(|begin| how.starts_with(begin));
        assert!(works || cannot, "{paper}, {name}: {how}");
        assert!(cannot || !command.is_empty(), "{paper}, {name}: {how}, by which command?");
    }
}

#[test]
fn every_command_of_the_page_parses() {
    let place = Workplace::new();
    let mut seen: Vec<Vec<String>> = Vec::new();
    let all = items().into_iter().map(|item| item.command).chain(preparations());
    for command in all.filter(|command| !command.is_empty()) {
        if seen.contains(&command) {
            continue;
        }
        let help: Vec<&str> = borrowed(&command).into_iter().chain(["--help"]).collect();
        let run = place.run(&help);
        assert_eq!(run.code, Some(0), "veloxel {}: {}", command.join(" "), run.stderr);
        seen.push(command);
    }
    assert!(seen.len() > 50);
}
