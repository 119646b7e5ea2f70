//! Tests of parameters on the command line: the lists, and the errors before any image is read.

use crate::workplace::Workplace;
use serde_json::Value;

/// The words of a text, whatever its line breaks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn schema(method: &str) -> Value {
    let run = Workplace::new().run(&["parameters", method, "--json"]).succeeded();
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn help_and_list_say_what_is_declared() {
    let place = Workplace::new();
    for (method, commands) in [("clg", &["flow"][..]), ("phase", &["stereo", "features", "engine"])] {
        let schema = schema(method);
        let properties = schema["properties"].as_object().unwrap();
        assert!(properties.len() > 10);
        let list = place.run(&["parameters", method]).succeeded().stdout;
        assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
        assert_eq!(
            list.lines().filter(|line| !line.is_empty() && !line.starts_with(' ')).count(),
            properties.len()
        );
        let list = words(&list);
        for (name, property) in properties {
            for text in [&property["description"], &property["x-symbol"], &property["x-unit"]] {
                assert!(text.is_null() || list.contains(text.as_str().unwrap()), "{name}: {text}");
            }
            for choice in property["oneOf"].as_array().into_iter().flatten() {
                assert!(list.contains(choice["description"].as_str().unwrap()), "{name}: {choice}");
            }
        }
        for command in commands {
            let help = place.run(&["help", command]).succeeded().stdout;
            for (name, property) in properties {
                assert!(help.contains(&format!("\n  {name} = ")), "{command} {name}");
                let first = property["description"].as_str().unwrap().split(". ").next().unwrap();
                assert!(words(&help).contains(first.trim_end_matches('.')), "{command}: {first}");
            }
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        }
    }
    assert_eq!(place.run(&["parameters", "magic"]).code, Some(2));
}

#[test]
fn the_schema_holds_ranges_units_and_presets() {
    let schema = schema("clg");
    let alpha = &schema["properties"]["alpha"];
    assert_eq!((&alpha["minimum"], &alpha["maximum"]), (&1e-9.into(), &1e6.into()));
    assert_eq!(alpha["x-presets"]["accurate"], serde_json::json!([0.4, 0.08]));
    assert_eq!(schema["properties"]["rho"]["x-unit"], "voxels");
    assert_eq!(schema["properties"]["warps"]["type"], "integer");
    assert_eq!(schema["additionalProperties"], false);
}

/// Every mistake is reported although no image exists: no file was read.
#[test]
fn wrong_parameters_are_refused_before_any_file_is_read() {
    let place = Workplace::new();
    place.write("tuned.toml", "rho = 2\n\nalpha = nan\n");
    place.write("other.toml", "tau_l = 0.1\n");
    place.write("bad.toml", "alpha = 0.1\nbeta = = 2\n");
    let before = place.names();
    let alpha = "expected a number from 1e-9 to 1e6";
    let clg = ["flow", "no.png", "none.png", "-o", "flow.flo"];
    let phase = ["flow", "no.png", "none.png", "-o", "flow.flo", "--method", "phase"];
    let sequence = ["flow", "no.nii", "-o", "out", "--sequence", "both"];
    for (command, more, expected) in [
        (&clg[..], ["--set", "alpha=nan"], &["--set: parameter `alpha` is NaN", alpha][..]),
        (&clg, ["--set", "alpha=inf"], &["`alpha` is inf", alpha]),
        (&clg, ["--set", "alpha=fast"], &["`alpha` is fast", alpha]),
        (&clg, ["--set", "alpha=-1"], &["`alpha` is -1", alpha]),
        (&clg, ["--set", "rho=17"], &["`rho` is 17", "from 0 to 16 voxels"]),
        (&clg, ["--set", "warps=1.5"], &["`warps` is 1.5", "a whole number from 1 to 1000"]),
        (&clg, ["--set", "solver=magic"], &["`solver` is magic", "jacobi, sor or multigrid"]),
        (&clg, ["--set", "median={plain={radius=9}}"], &["`median.radius` is 9", "from 1 to 3 voxels"]),
        (
            &clg,
            ["--set", "alfa=1"],
            &["no parameter `alfa`", "nearest is `alpha`", "`veloxel parameters clg`"],
        ),
        (&clg, ["--set", "tau_l=1"], &["clg has no parameter `tau_l`, which belongs to phase"]),
        (&clg, ["--params", "tuned.toml"], &["tuned.toml, line 3: parameter `alpha` is NaN", alpha]),
        (
            &clg,
            ["--params", "other.toml"],
            &["other.toml, line 1: clg has no parameter `tau_l`, which belongs to phase"],
        ),
        (&clg, ["--params", "bad.toml"], &["bad.toml", "line 2"]),
        (&clg, ["--params", "none.toml"], &["none.toml"]),
        (&phase, ["--set", "alpha=1"], &["phase has no parameter `alpha`, which belongs to clg"]),
        (&phase, ["--set", "tau=1"], &["nearest is `tau_l`"]),
        (&phase, ["--set", "frames=five!"], &["`frames` is five!", "two, three or five"]),
        (&sequence, ["--set", "alpha=nan"], &["`alpha` is NaN", alpha]),
        (
            &["stereo", "no.png", "none.png", "-o", "d.pfm"],
            ["--set", "tau_l=99"],
            &["`tau_l` is 99", "radians²"],
        ),
        (
            &["features", "no.png", "-o", "out"],
            ["--set", "sigma_px=99"],
            &["`sigma_px` is 99", "1 to 4 pixels"],
        ),
        (
            &["engine", "no.y4m"],
            ["--set", "alpha=1"],
            &["phase has no parameter `alpha`, which belongs to clg"],
        ),
    ] {
        place.run(&[command, &more].concat()).failed_with(expected);
        assert_eq!(place.names(), before);
    }
}
