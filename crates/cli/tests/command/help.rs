//! Help texts are a contract: changes show in the snapshots, one a command and one for what they have in common.

use crate::workplace::Workplace;

/// The commands that a help text lists, each with what it does.
fn commands(help: &str) -> Vec<(&str, &str)> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|l| !l.is_empty());
    // What a line goes on with stands further to the right.
    let entries =
        listed.filter_map(|line| line.strip_prefix("  ").filter(|l| !l.starts_with(' '))?.split_once("  "));
    entries.map(|(name, about)| (name, about.trim())).filter(|(name, _)| *name != "help").collect()
}

#[test]
fn help_texts() {
    let place = Workplace::new();
    let help = |command: &str| {
        let arguments: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        place.run(&arguments).succeeded().stdout
    };
    let whole = help("");
    let listed = commands(&whole);
    assert!(listed.len() >= 9, "{whole}");
    // The list itself is free to grow.
    let others = whole.lines().filter(|line| !listed.iter().any(|(_, about)| line.ends_with(about)));
    insta::assert_snapshot!("veloxel", others.collect::<Vec<_>>().join("\n"));
    let mut open: Vec<String> = listed.iter().map(|(name, _)| (*name).to_owned()).collect();
    while let Some(command) = open.pop() {
        let text = help(&command);
        open.extend(commands(&text).into_iter().map(|(name, _)| format!("{command} {name}")));
        // The list of parameters is free to grow as well: `parameters.rs` looks at it.
        let text = text.split("\nParameters of --set").next().unwrap_or_default();
        insta::assert_snapshot!(command.replace(' ', "_"), text);
    }
}
