//! Points followed by the command.

use crate::workplace::Workplace;
use veloxel_core::{Grid, Volume};

const JOB: [&str; 8] = ["track-points", "a.pgm", "b.pgm", "c.pgm", "-o", "tracks.csv", "--device", "cpu"];

/// Three frames of a texture that goes 1.5 pixels to the right and half a pixel up each time.
fn frames() -> Workplace {
    let place = Workplace::new();
    for (nth, name) in ["a.pgm", "b.pgm", "c.pgm"].iter().enumerate() {
        let image = Volume::from_fn(Grid::image(96, 80).expect("a grid"), |[x, y, _]| {
            let (x, y) = (x as f64 - 1.5 * nth as f64, y as f64 + 0.5 * nth as f64);
            (128.0 + 40.0 * (0.35 * x + 0.1 * y).sin() + 40.0 * (0.3 * y - 0.12 * x).cos()) as f32
        });
        place.write_image(name, &image);
    }
    place
}

/// Rows of the table, without its head line.
fn rows(place: &Workplace) -> Vec<Vec<String>> {
    let table = std::fs::read_to_string(place.path("tracks.csv")).expect("a table");
    assert_eq!(
        table.lines().next(),
        Some("frame,id,x,y,status,error,forward_backward,expected_error,expected_drift")
    );
    table.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn every_point_of_a_table_gets_its_positions_or_its_reason() {
    let place = frames();
    place.write("p.csv", "label,x,y\napex,40.25,30.5\nlost,,\nunknown,nan,3\nbeyond,400,20\n");
    let run = place.run(&[&JOB[..], &["--points", "p.csv", "--overlay", "seen.gif"]].concat()).succeeded();
    assert!(run.stdout.contains("1 of 4 reach the last of 3 frames"), "{}", run.stdout);
    assert!(place.path("seen.gif").is_file());
    let rows = rows(&place);
    for (frame, at_px) in [("1", [41.75, 30.0]), ("2", [43.25, 29.5])] {
        let row = rows.iter().find(|row| row[0] == frame && row[1] == "0").expect("a row of the first point");
        let off = |axis: usize| (row[2 + axis].parse::<f64>().expect("a number") - at_px[axis]).abs();
        assert!(off(0) < 0.05 && off(1) < 0.05 && row[4] == "found", "{row:?}");
        let expected_px: f64 = row[7].parse().expect("a number");
        assert!(expected_px > 0.0 && expected_px < 0.5, "{row:?}");
    }
    for (id, status) in [("1", "undefined"), ("2", "undefined"), ("3", "outside")] {
        let of_point: Vec<_> = rows.iter().filter(|row| row[1] == id).collect();
        assert_eq!(of_point.len(), 2, "it begins, and ends in the next frame");
        assert_eq!((of_point[1][2].as_str(), of_point[1][4].as_str()), ("nan", status));
    }
}

#[test]
fn corners_keep_their_numbers_from_frame_to_frame() {
    let place = frames();
    let run = place.run(&[&JOB[..], &["--corners", "12", "--replenish", "-q"]].concat()).succeeded();
    assert!(run.stdout.is_empty());
    let rows = rows(&place);
    let ids: std::collections::BTreeSet<_> = rows.iter().map(|row| &row[1]).collect();
    assert!(ids.len() >= 12, "{} tracks", ids.len());
    for id in ids {
        let frames: Vec<usize> =
            rows.iter().filter(|row| row[1] == *id).map(|row| row[0].parse().expect("a frame")).collect();
        assert!(frames.windows(2).all(|pair| pair[1] == pair[0] + 1), "track {id}: {frames:?}");
    }
}

#[test]
fn what_cannot_be_followed_is_refused_and_leaves_nothing() {
    let place = frames();
    let small = Volume::from_fn(Grid::image(12, 12).expect("a grid"), |[x, y, _]| (x * y) as f32);
    place.write_image("small.pgm", &small);
    let refused = |arguments: &[&str], words: &[&str]| {
        place.run(arguments).failed_with(words);
        assert!(!place.path("tracks.csv").exists());
    };
    refused(
        &["track-points", "small.pgm", "small.pgm", "-o", "tracks.csv"],
        &["12 × 12", "window of 21 × 21"],
    );
    refused(
        &["track-points", "a.pgm", "small.pgm", "-o", "tracks.csv"],
        &["small.pgm", "first frame", "12 × 12"],
    );
    refused(&["track-points", "a.pgm", "-o", "tracks.csv"], &["two frames"]);
    refused(&[&JOB[..], &["--points", "none.csv"]].concat(), &["none.csv"]);
    refused(&["track-points", "a.pgm", "b.pgm", "-o", "t.png"], &["t.png", ".csv"]);
}

#[test]
fn the_first_two_numbers_of_a_line_are_a_point_unless_they_count_lines() {
    let place = frames();
    for (name, text) in [
        ("three.csv", "40.25,30.5,7\n20,22,9\n"),
        ("volume.txt", "40.25 30.5 0 apex\n20 22 0 base\n"),
        ("quoted.csv", "\"x\",\"y\",\"z\"\n40.25,30.5,0\n20,22,0\n"),
    ] {
        place.write(name, text);
        place.run(&[&JOB[..], &["--points", name, "-q"]].concat()).succeeded();
        let rows = rows(&place);
        assert_eq!((rows[0][2].as_str(), rows[0][3].as_str()), ("40.2500", "30.5000"), "{name}");
    }
    for text in ["1,40.25,30.5\n2,20,22\n", "0 40.25 30.5\n1 20 22\n"] {
        place.write("numbered.txt", text);
        let run = place.run(&[&JOB[..], &["--points", "numbered.txt"]].concat());
        run.failed_with(&["numbered.txt", "the first column", "names the columns x,y"]);
    }
}

#[test]
fn a_stream_that_breaks_off_keeps_the_tracks_before() {
    let place = frames();
    place.write("c.pgm", "P5\n96 80\n255\nshort");
    let run = place.run(&[&JOB[..], &["--corners", "12"]].concat());
    run.failed_with(&["c.pgm", "cut short", "found for the 2 frames before is written"]);
    assert!(rows(&place).iter().any(|row| row[0] == "1"));
    place.write("b.pgm", "P5\n96 80\n255\nshort");
    std::fs::remove_file(place.path("tracks.csv")).expect("it is there");
    place.run(&JOB).failed_with(&["b.pgm", "cut short"]);
    assert!(!place.path("tracks.csv").exists());
}
