//! Help texts are a contract: changes show in the snapshots.

use crate::workplace::Workplace;

#[test]
fn help_texts() {
    let place = Workplace::new();
    for command in [
        "",
        "flow",
        "stereo",
        "features",
        "engine",
        "warp",
        "warp image",
        "warp points",
        "evaluate",
        "evaluate flow",
        "evaluate disparity",
        "info",
        "parameters",
        "devices",
        "demo",
        "bench",
    ] {
        let mut arguments: Vec<&str> = command.split_whitespace().collect();
        arguments.push("--help");
        let name = if command.is_empty() { "veloxel".to_owned() } else { command.replace(' ', "_") };
        let text = place.run(&arguments).succeeded().stdout;
        // The list of parameters grows with them: `parameters.rs` looks at it.
        let text = text.split("\nParameters of --set").next().unwrap_or_default();
        insta::assert_snapshot!(name, text);
    }
}
