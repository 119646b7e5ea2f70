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
        "devices",
        "demo",
        "bench",
    ] {
        let mut arguments: Vec<&str> = command.split_whitespace().collect();
        arguments.push("--help");
        let name = if command.is_empty() { "veloxel".to_owned() } else { command.replace(' ', "_") };
        insta::assert_snapshot!(name, place.run(&arguments).succeeded().stdout);
    }
}
