//! All distances of a graph by the command.

use crate::workplace::Workplace;

const PATH: &str = "%%MatrixMarket matrix coordinate real symmetric\n4 4 2\n2 1 1.5\n3 2 2\n";

/// The samples of a `.npy` file.
fn samples(place: &Workplace, name: &str) -> Vec<f32> {
    let bytes = std::fs::read(place.path(name)).expect("a matrix");
    bytes[128..].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[test]
fn every_method_writes_the_same_matrix() {
    let place = Workplace::new();
    place.write("path.mtx", PATH);
    let inf = f32::INFINITY;
    #[rustfmt::skip]
    let expected = [0.0, 1.5, 3.5, inf, 1.5, 0.0, 2.0, inf, 3.5, 2.0, 0.0, inf, inf, inf, inf, 0.0];
    for method in ["auto", "dijkstra", "dissection"] {
        let job = ["distances", "path.mtx", "-o", "d.npy", "--apsp", method, "--device", "cpu"];
        let run = place.run(&[&job[..], &["--report", "run.json"]].concat()).succeeded();
        assert!(run.stdout.contains("6 pairs without a path"), "{}", run.stdout);
        assert_eq!(samples(&place, "d.npy"), expected, "{method}");
        let report = std::fs::read_to_string(place.path("run.json")).expect("a report");
        assert!(report.contains("\"unreachable_pairs\": 6"), "{report}");
    }
    place.run(&["distances", "path.mtx", "-o", "two.npy", "--from", "2,0,2", "-q"]).succeeded();
    assert_eq!(samples(&place, "two.npy"), [&expected[8..12], &expected[..4], &expected[8..12]].concat());
}

#[test]
fn sixteen_bits_are_within_what_is_said() {
    let place = Workplace::new();
    place.write("path.mtx", PATH);
    for method in ["auto", "floyd-warshall", "floyd-warshall-undirected"] {
        let job = [
            "distances",
            "path.mtx",
            "-o",
            "d.npy",
            "--apsp",
            method,
            "--device",
            "cpu",
            "--precision",
            "u16",
        ];
        let run = place.run(&job).succeeded();
        let line = run.stdout.lines().find(|line| line.starts_with("precision")).expect("a line");
        let numbers: Vec<f32> = line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
        let bytes = std::fs::read(place.path("d.npy")).expect("a matrix");
        let steps: Vec<u16> =
            bytes[128..].chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        assert_eq!((steps.len(), steps[3], steps[0]), (16, 32_767, 0), "{method}");
        assert!((f32::from(steps[2]) * numbers[0] - 3.5).abs() <= numbers[1] && numbers[1] < 1e-3, "{line}");
    }
}

#[test]
fn what_cannot_be_done_is_one_line_and_leaves_no_file() {
    let place = Workplace::new();
    place.write("path.mtx", PATH);
    place.write("negative.txt", "0 1 1\n1 2 -3\n");
    place.write("empty.txt", "");
    place.write("list.txt", "0 1 1\n1 2 3\n");
    for (arguments, says) in [
        (&["negative.txt", "-o", "d.npy"][..], "line 2"),
        (&["empty.txt", "-o", "d.npy"], "the file is empty"),
        (&["path.mtx", "-o", "d.txt"], ".npy"),
        (&["path.mtx", "-o", "d.npy", "--from", "4"], "node 4"),
        (&["list.txt", "-o", "d.npy", "--directed", "--apsp", "floyd-warshall-undirected"], "dijkstra"),
    ] {
        place.run(&[&["distances"], arguments].concat()).failed_with(&[says]);
    }
    assert!(!place.path("d.npy").exists() && !place.path("d.txt").exists());
}

/// A bent strip of squares, each of two triangles; the last triangle stands twice.
fn strip() -> String {
    let points = (0..=6).flat_map(|x| {
        let height = if x > 3 { f64::from(x - 3) } else { 0.0 };
        [format!("v {x} 0 {height}\n"), format!("v {x} 1 {height}\n")]
    });
    let square = |x: usize| {
        let a = 2 * x + 1;
        format!("f {a} {} {}\nf {a} {} {}\n", a + 2, a + 3, a + 3, a + 1)
    };
    points.chain((0..6).map(square)).chain(["f 11 14 12\n".to_owned()]).collect()
}

#[test]
fn faces_of_a_mesh_have_distances() {
    let place = Workplace::new();
    place.write("strip.obj", strip());
    let by = |method: &str, set: &str| {
        let run = place.run(&[
            "distances",
            "strip.obj",
            "-o",
            "d.npy",
            "--set",
            set,
            "--apsp",
            method,
            "--device",
            "cpu",
        ]);
        assert!(run.stdout.contains("13 faces"), "{} {}", run.stdout, run.stderr);
        samples(&place, "d.npy")
    };
    let (lengths, angles) = (by("dijkstra", "angle_share=0"), by("dijkstra", "angle_share=1"));
    assert_eq!((lengths.len(), lengths[0]), (13 * 13, 0.0));
    for method in ["auto", "dissection", "floyd-warshall"] {
        let found = by(method, "angle_share=0");
        assert!(found.iter().zip(&lengths).all(|(a, b)| (a - b).abs() <= 1e-5 * b), "{method}");
    }
    let row = |matrix: &[f32], face: usize| matrix[13 * face..][..13].to_vec();
    assert_eq!(row(&lengths, 11), row(&lengths, 12), "triangles at one place share a row");
    assert_eq!(lengths[12 * 13 + 11], 0.0);
    // The second triangle of a square meets the square before, the first one the square behind.
    let along = [0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10];
    assert!(along.windows(2).all(|pair| lengths[pair[0]] < lengths[pair[1]]), "{lengths:?}");
    assert!(angles[5] < 1e-6 && angles[6] > 1.0, "angles alone: the fold is all of the way: {angles:?}");
    place
        .run(&["distances", "strip.obj", "-o", "one.npy", "--from", "12,3", "--set", "angle_share=0", "-q"])
        .succeeded();
    assert_eq!(samples(&place, "one.npy"), [row(&lengths, 12), row(&lengths, 3)].concat());
}

#[test]
fn what_a_mesh_does_not_take_is_one_line() {
    let place = Workplace::new();
    place.write("strip.obj", strip());
    place.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    place.write("path.mtx", PATH);
    for (arguments, says) in [
        (&["strip.obj", "-o", "d.npy", "--set", "sharpness=2"][..], "angle_share"),
        (&["strip.obj", "-o", "d.npy", "--set", "angle_shar=2"], "the nearest is `angle_share`"),
        (&["strip.obj", "-o", "d.npy", "--set", "angle_share=2"], "--set"),
        (&["strip.obj", "-o", "d.npy", "--from", "13"], "node 13"),
        (&["strip.obj", "-o", "d.npy", "--directed"], "both ways"),
        (&["path.mtx", "-o", "d.npy", "--set", "angle_share=0.8"], "path.mtx"),
        (&["flat.obj", "-o", "d.npy"], "flat.obj"),
    ] {
        place.run(&[&["distances"], arguments].concat()).failed_with(&[says]);
    }
    assert!(!place.path("d.npy").exists());
}
