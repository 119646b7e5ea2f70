//! Tests of meshes in parts: complete files, labels in the order of the input, and one clear line for input that is no mesh.

use crate::workplace::Workplace;
use std::fmt::Write;
use veloxel_core::Warnings;

/// Two boxes of a grid of squares, one on the other, as OBJ with squares as faces; the number of faces.
pub fn stacked_boxes(place: &Workplace, name: &str) -> usize {
    let (mut points, mut faces, mut count) = (String::new(), String::new(), 0);
    let mut number = std::collections::HashMap::new();
    let is_solid = |[x, y, z]: [i32; 3]| {
        let box_of = |low: [i32; 3], high: [i32; 3]| {
            let place = [x, y, z];
            (0..3).all(|axis| (low[axis]..high[axis]).contains(&place[axis]))
        };
        box_of([0, 0, 0], [12, 12, 6]) || box_of([4, 4, 6], [8, 8, 14])
    };
    for cell in (0..12 * 12 * 14).map(|i| [i % 12, i / 12 % 12, i / 144]).filter(|&cell| is_solid(cell)) {
        for (axis, step) in [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)] {
            let mut beside = cell;
            beside[axis] += step;
            if is_solid(beside) {
                continue;
            }
            let mut corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
                let mut corner = cell;
                corner[axis] += (step + 1) / 2;
                corner[(axis + 1) % 3] += u;
                corner[(axis + 2) % 3] += v;
                corner
            });
            if step < 0 {
                corners.reverse();
            }
            let mut line = "f".to_owned();
            for corner in corners {
                let next = number.len() + 1;
                let nth = *number.entry(corner).or_insert_with(|| {
                    let [x, y, z] = corner;
                    writeln!(points, "v {x} {y} {z}").expect("text");
                    next
                });
                write!(line, " {nth}").expect("text");
            }
            writeln!(faces, "{line}").expect("text");
            count += 1;
        }
    }
    place.write(name, points + &faces);
    count
}

#[test]
fn a_tower_is_cut_from_its_base() {
    let place = Workplace::new();
    let faces = stacked_boxes(&place, "tower.obj");
    let more = ["--labels", "t.seg", "--report", "t.json", "--part-meshes", "parts"];
    let run =
        place.run(&[&["segment", "tower.obj", "-k", "2", "-o", "t.ply"][..], &more].concat()).succeeded();
    assert!(run.stdout.contains("2 parts (asked for)"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
    let labels =
        veloxel_io::read_face_labels(&place.path("t.seg"), veloxel_io::Strictness::Lenient).expect("labels");
    assert_eq!(labels.len(), faces, "a line for each square");
    // The tower's sides and top.
    let small = labels.iter().filter(|&&label| label != labels[0]).count();
    assert_eq!(small, 4 * 4 * 8 + 16);
    let mesh =
        veloxel_io::read_surface(&place.path("t.ply"), veloxel_io::Strictness::Strict, &mut Warnings::new());
    assert_eq!(mesh.expect("a mesh").triangles().len(), 2 * faces);
    let report = std::fs::read_to_string(place.path("t.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!((report["parts"].as_u64(), report["faces"].as_u64()), (Some(2), Some(faces as u64)));
    assert_eq!(report["cleaning"]["components"], 1);
    let part = |name: &str| {
        let path = place.path(&format!("parts/{name}"));
        let mesh = veloxel_io::read_surface(&path, veloxel_io::Strictness::Strict, &mut Warnings::new());
        mesh.expect("a part").triangles().len()
    };
    assert_eq!(part("part_00.ply") + part("part_01.ply"), 2 * faces);
    // The same bits for another number of threads.
    place.run(&["segment", "tower.obj", "-k", "2", "-o", "one.ply", "--threads", "1"]).succeeded();
    assert_eq!(std::fs::read(place.path("one.ply")).ok(), std::fs::read(place.path("t.ply")).ok());
}

#[test]
fn parts_of_an_earlier_run_that_stay_are_told() {
    let place = Workplace::new();
    stacked_boxes(&place, "tower.obj");
    let segment = |count: &str| {
        place
            .run(&["segment", "tower.obj", "-k", count, "-o", "t.ply", "--part-meshes", "parts", "-q"])
            .succeeded()
    };
    assert_eq!(segment("3").stderr, "");
    place.write("parts/notes.txt", "by hand");
    let run = segment("2");
    assert!(
        run.stderr.contains("parts: 1 other file there has a name like those of this run"),
        "{}",
        run.stderr
    );
    assert!(place.path("parts/part_02.ply").exists());
    assert!(segment("3").stderr.is_empty());
}

#[test]
fn what_cannot_be_segmented_is_one_line() {
    let place = Workplace::new();
    stacked_boxes(&place, "tower.obj");
    let fails = |mesh: &str, more: &[&str], words: &[&str]| {
        let arguments = [&["segment", mesh, "-o", "out.ply"][..], more].concat();
        place.run(&arguments).failed_with(words);
        assert!(!place.path("out.ply").exists());
    };
    place.write("empty.obj", "v 0 0 0\n");
    fails("empty.obj", &[], &["empty.obj", "no faces"]);
    place.write("nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    fails("nan.obj", &[], &["nan.obj", "point 0", "finite"]);
    place.write("line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    fails("line.obj", &[], &["line.obj: no face has an area (1 in all)"]);
    fails("tower.obj", &["-k", "0"], &["0 parts", "1 to"]);
    fails("tower.obj", &["-k", "100000"], &["100000 parts", "1 to"]);
    fails("tower.png", &[], &["tower.png"]);
    fails("tower.obj", &["--set", "steepness=-1"], &["steepness", "-1"]);
    place.run(&["segment", "tower.obj", "-o", "out.png"]).failed_with(&["out.png", ".ply"]);
    place.run(&["segment", "tower.obj", "-o", "tower.obj"]).failed_with(&["tower.obj"]);
}

#[test]
fn flat_open_and_several_meshes_are_segmented_with_a_word() {
    let place = Workplace::new();
    // A flat strip of squares, and another beside it, wound the other way in one face.
    let mut text = String::new();
    for strip in 0..2 {
        for x in 0..=4 {
            for y in 0..2 {
                writeln!(text, "v {x} {y} {}", 3 * strip).expect("text");
            }
        }
    }
    for first in [1, 11] {
        for x in 0..4 {
            let a = first + 2 * x;
            let face = [a, a + 2, a + 3, a + 1];
            let face = if first == 11 && x == 2 { [a, a + 1, a + 3, a + 2] } else { face };
            writeln!(text, "f {} {} {} {}", face[0], face[1], face[2], face[3]).expect("text");
        }
    }
    place.write("strips.obj", text);
    let run = place.run(&["segment", "strips.obj", "-k", "1", "-o", "strips.ply"]).succeeded();
    assert!(run.stdout.contains("2 parts"), "{}", run.stdout);
    for words in [
        "2 faces were wound against their neighbours",
        "1 part was asked for, and there are 2",
        "2 components",
    ] {
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    place.run(&["segment", "strips.obj", "-o", "chosen.ply"]).succeeded();
}

#[test]
fn segmentations_are_measured_against_several_people() {
    let place = Workplace::new();
    let faces = stacked_boxes(&place, "tower.obj");
    place.run(&["segment", "tower.obj", "-k", "2", "-o", "t.ply", "--labels", "t.seg", "-q"]).succeeded();
    place.write("one.seg", "0\n".repeat(faces));
    let arguments = ["evaluate", "segmentation", "t.seg", "t.seg", "one.seg", "--mesh", "tower.obj"];
    let run = place.run(&[&arguments[..], &["--json"]].concat()).succeeded();
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(
        (&report["truths"][0]["rand"], &report["truths"][0]["cut_discrepancy"]),
        (&0.0.into(), &0.0.into())
    );
    assert_eq!(report["truths"][1]["cut_discrepancy"], serde_json::Value::Null);
    assert!(report["mean"]["rand"].as_f64().is_some_and(|rand| (0.05..0.4).contains(&rand)), "{report}");
    assert!(place.run(&arguments).succeeded().stdout.contains("Rand"));
    place.write("short.seg", "0\n1\n");
    let fails = |truth: &str, words: &[&str]| {
        place.run(&["evaluate", "segmentation", "t.seg", truth]).failed_with(words);
    };
    fails("short.seg", &["2", "not of one mesh"]);
    place.write("words.seg", "0\none\n");
    fails("words.seg", &["words.seg", "line 2"]);
}

#[test]
fn both_methods_give_probabilities() {
    let place = Workplace::new();
    let faces = stacked_boxes(&place, "tower.obj");
    for method in ["cuts", "fuzzy"] {
        let arguments = ["segment", "tower.obj", "-k", "2", "-o", "t.ply", "--method", method];
        let more = ["--membership", "m.npy", "--labels", "t.seg", "--device", "cpu", "--html", "t.html"];
        place.run(&[&arguments[..], &more].concat()).succeeded();
        let labels = veloxel_io::read_face_labels(&place.path("t.seg"), veloxel_io::Strictness::Lenient)
            .expect("labels");
        let small = labels.iter().filter(|&&label| label != labels[0]).count();
        assert_eq!(small, 4 * 4 * 8 + 16, "{method}");
        let bytes = std::fs::read(place.path("m.npy")).expect("a matrix");
        let rows = &bytes[bytes.len() - 2 * 4 * 2 * faces..];
        let numbers: Vec<f32> =
            rows.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        for (triangle, row) in numbers.chunks_exact(2).enumerate() {
            assert!((row[0] + row[1] - 1.0).abs() < 1e-5, "{method}, triangle {triangle}: {row:?}");
        }
        let page = std::fs::read_to_string(place.path("t.html")).expect("a page");
        assert!(page.contains("mesh-canvas") && !page.contains("src=\"http"), "{method}");
        // Parts around seeds are another answer of every method.
        assert!(page.contains("name=\"mesh-answer\""), "{method}");
    }
    place
        .run(&["segment", "tower.obj", "-k", "0", "-o", "u.ply", "--method", "fuzzy"])
        .failed_with(&["0 parts"]);
}

/// The path of Chromium, if it is installed.
#[allow(clippy::print_stdout, reason = "it says why a test was skipped")]
fn chromium() -> Option<std::path::PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file());
    if found.is_none() {
        println!("skipped: there is no Chromium (apt-get install chromium)");
    }
    found
}

/// The notes of the page of a small mesh about itself; none without Chromium.
fn self_test(place: &Workplace, method: &str) -> Option<impl Fn(&str) -> String + use<>> {
    chromium()?;
    stacked_boxes(place, "tower.obj");
    let arguments =
        ["segment", "tower.obj", "-k", "3", "-o", "t.ply", "--html", "t.html", "--method", method];
    place.run(&[&arguments[..], &["--device", "cpu", "-q"]].concat()).succeeded();
    notes_of(place, "t.html")
}

/// The notes of a page about itself, by name, after its self-test in Chromium; none without Chromium.
pub fn notes_of(place: &Workplace, page: &str) -> Option<impl Fn(&str) -> String + use<>> {
    let chromium = chromium()?;
    let address = format!("file://{}#self-test", place.path(page).display());
    let mut command = std::process::Command::new(chromium);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-extensions",
        "--host-resolver-rules=MAP * ~NOTFOUND",
    ]);
    command.args(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
    command.args(["--enable-logging=stderr", "--virtual-time-budget=5000", "--window-size=900,900"]);
    command.arg(format!("--user-data-dir={}", place.path("profile").display()));
    let output = command.args(["--dump-dom", &address]).output().expect("Chromium starts");
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!log.contains(":CONSOLE"), "{log}");
    let (dom, log) = (dom.into_owned(), log.into_owned());
    Some(move |name: &str| {
        let rest = dom.split_once(&format!("data-{name}=\"")).unwrap_or_else(|| panic!("no {name}: {log}")).1;
        rest.split('"').next().unwrap_or_default().to_owned()
    })
}

#[test]
fn the_page_draws_and_its_sliders_change_the_picture() {
    let Some(noted) = self_test(&Workplace::new(), "cuts") else { return };
    let filled: usize = noted("filled").parse().expect("a number of pixels");
    assert!(filled > 10_000, "{filled} pixels");
    assert_eq!(["errors", "parts-change", "fuzziness-changes"].map(&noted), ["0", "true", "true"]);
}

#[test]
fn a_click_picks_a_part_and_card_table_and_exports_follow_the_slider() {
    let place = Workplace::new();
    let Some(noted) = self_test(&place, "cuts") else { return };
    assert_eq!(["pick-changes", "reset-returns", "up-changes"].map(&noted), ["true"; 3]);
    // One part fewer than the three of the run: card, table and files have two.
    assert_eq!(["rows", "card"].map(&noted), ["2", "2"]);
    let faces = stacked_boxes(&place, "tower.obj");
    place.run(&["segment", "tower.obj", "-k", "2", "-o", "two.ply", "--labels", "two.seg", "-q"]).succeeded();
    let exported = |kind: &str| {
        let digits = noted(&format!("export{kind}"));
        let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("a byte");
        let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
        place.write(&format!("page.{kind}"), bytes);
        place.path(&format!("page.{kind}"))
    };
    let read = |path: &std::path::Path| {
        let mesh = veloxel_io::read_surface(path, veloxel_io::Strictness::Strict, &mut Warnings::new());
        mesh.expect("a mesh")
    };
    let labels = |path: &std::path::Path| {
        veloxel_io::read_face_labels(path, veloxel_io::Strictness::Lenient).expect("labels")
    };
    assert_eq!(labels(&exported("seg")), labels(&place.path("two.seg")), "as the command writes them");
    for kind in ["ply", "glb", "obj"] {
        let (mesh, whole) = (read(&exported(kind)), read(&place.path("tower.obj")));
        assert_eq!(
            (mesh.triangles().len(), mesh.points().len()),
            (2 * faces, whole.points().len()),
            "{kind}"
        );
        for (found, expected) in mesh.bounds().into_iter().flatten().zip(whole.bounds().into_iter().flatten())
        {
            assert!((found - expected).abs() < 1e-5, "{kind}: {found} for {expected}");
        }
    }
    let groups =
        std::fs::read_to_string(place.path("page.obj")).expect("a text").matches("\ng part_").count();
    assert_eq!(groups, 2);
}

#[test]
fn the_page_finds_parts_around_seeds_by_angles_and_lengths() {
    let Some(noted) = self_test(&Workplace::new(), "cuts") else { return };
    assert_eq!(["errors", "live-parts"].map(&noted), ["0", "3"], "the seeds lie in the run's parts");
    assert_eq!(["angle-changes", "seed-moves", "live-returns"].map(&noted), ["true"; 3]);
    let command = noted("live-command");
    for words in [
        "segment",
        "tower.obj -o",
        "--method fuzzy --preset paper -k 3",
        "angle_share=0 ",
        "convex_share=0.2",
    ] {
        assert!(command.contains(words), "{words}: {command}");
    }
}

#[test]
fn parts_are_groups_nodes_and_closed_meshes() {
    let place = Workplace::new();
    let faces = stacked_boxes(&place, "tower.obj");
    let segment = |output: &str, more: &[&str]| {
        let run = place.run(&[&["segment", "tower.obj", "-k", "2", "-o", output][..], more].concat());
        run.succeeded()
    };
    segment("t.obj", &["--part-meshes", "open"]);
    segment("t.glb", &["--part-meshes", "closed", "--caps"]);
    let info = |name: &str| place.run(&["info", name]).succeeded().stdout;
    assert!(info("t.obj").contains(&format!("{faces} ({} triangles)", 2 * faces)), "{}", info("t.obj"));
    assert!(
        info("t.glb").contains("mesh (GLB)") && info("t.glb").contains("12 × 12 × 14"),
        "{}",
        info("t.glb")
    );
    for part in ["part_00.ply", "part_01.ply"] {
        assert!(info(&format!("open/{part}")).contains("open: 16 edges"), "{part}");
        assert!(info(&format!("closed/{part}")).contains("closed"), "{part}");
    }
    let json = place.run(&["info", "tower.obj", "--json"]).succeeded().stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["faces"], &json["cleaning"]["components"]), (&faces.into(), &1.into()));
    // Parts below half of the area join their neighbour.
    assert!(segment("t.ply", &["--least-area", "0.5"]).stdout.contains("1 part "));
    let caps_alone = place.run(&["segment", "tower.obj", "-o", "t.ply", "--caps"]);
    assert_eq!(caps_alone.code, Some(2));
}

#[test]
fn the_page_of_fuzzy_clustering_shows_the_cuts_that_it_began_with() {
    let Some(noted) = self_test(&Workplace::new(), "fuzzy") else { return };
    assert_eq!(["errors", "parts-change", "fuzziness-changes"].map(&noted), ["0", "true", "true"]);
    // Its own tree ends at the three parts; that of cuts goes on.
    assert_eq!(["answer-changes", "answer-returns", "most-parts"].map(&noted), ["true", "true", "40"]);
}

#[test]
fn the_page_says_whether_fuzzy_clustering_began_with_cuts() {
    let place = Workplace::new();
    stacked_boxes(&place, "tower.obj");
    let (began, did_not) = ("began with the parts of cuts", "did not begin with the parts of cuts");
    for (preset, expected) in [("standard", [true, false]), ("paper", [false, true])] {
        let arguments = ["segment", "tower.obj", "-k", "2", "-o", "t.ply", "--method", "fuzzy"];
        let page = ["--preset", preset, "--html", "t.html"];
        place.run(&arguments.into_iter().chain(page).collect::<Vec<_>>()).succeeded();
        let page = std::fs::read_to_string(place.path("t.html")).expect("a page");
        assert_eq!([began, did_not].map(|sentence| page.contains(sentence)), expected, "{preset}");
    }
}

#[test]
fn labels_have_the_name_of_a_text_of_labels() {
    let place = Workplace::new();
    stacked_boxes(&place, "tower.obj");
    for name in ["t.png", "t.json", "t.npy", "labels"] {
        let run = place.run(&["segment", "tower.obj", "-k", "2", "-o", "t.ply", "--labels", name]);
        run.failed_with(&[name, ".seg", ".txt"]);
        assert_eq!(place.names(), ["tower.obj"], "{name}");
    }
    place.run(&["segment", "tower.obj", "-k", "2", "-o", "t.ply", "--labels", "t.txt"]).succeeded();
    let labels = std::fs::read_to_string(place.path("t.txt")).expect("labels");
    assert!(labels.lines().all(|label| ["0", "1"].contains(&label)));
}

#[test]
fn parts_have_probabilities() {
    let place = Workplace::new();
    let faces = stacked_boxes(&place, "tower.obj");
    for method in ["cuts", "fuzzy"] {
        let job =
            ["segment", "tower.obj", "-k", "2", "-o", "t.ply", "--probability", "p.csv", "--device", "cpu"];
        place.run(&[&job[..], &["--method", method]].concat()).succeeded();
        let table = std::fs::read_to_string(place.path("p.csv")).expect("a table");
        let numbers: Vec<f32> = table.lines().skip(1).map(|line| line.parse().expect("a number")).collect();
        // Squares are two triangles each.
        assert_eq!((table.lines().next(), numbers.len()), (Some("probability"), 2 * faces));
        assert!(numbers.iter().all(|probability| (0.3..=1.0).contains(probability)));
        // Faces at the border are less sure than those far from it.
        let ends = numbers.iter().fold([1.0f32, 0.0], |[low, high], &p| [low.min(p), high.max(p)]);
        assert!(ends[1] - ends[0] > 0.1, "{method}: {ends:?}");
    }
}
