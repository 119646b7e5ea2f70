//! Samples that are NaN or infinite, and what a mask of the moving image leaves out: no command takes them as data.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use crate::phase::texture;
use crate::workplace::Workplace;
use veloxel_core::{Flow, Volume, Warnings};
use veloxel_io::{Strictness, read_flow, read_image, write_flow};

const SIZE: [usize; 2] = [72, 56];
const STEP_PX: f32 = 0.75;

/// Where a frame has no data.
fn is_hole([x, y, _]: [usize; 3]) -> bool {
    (30..42).contains(&x) && (20..32).contains(&y)
}

fn holed(frame: usize, value: f32) -> Volume<f32> {
    let mut image = texture(STEP_PX * frame as f32, SIZE);
    let grid = image.grid().clone();
    for (index, sample) in image.data_mut().iter_mut().enumerate().filter(|(i, _)| is_hole(grid.position(*i)))
    {
        *sample = if index % 2 == 0 { value } else { f32::INFINITY };
    }
    image
}

/// Frames `f0.tif` to `f3.tif`, of which number `with_hole` has one, and the same as PNG without any.
fn with_frames(with_hole: usize) -> Workplace {
    let place = Workplace::new();
    for nth in 0..4 {
        place.write_image(&format!("f{nth}.png"), &texture(STEP_PX * nth as f32, SIZE));
        let frame = if nth == with_hole { holed(nth, f32::NAN) } else { texture(STEP_PX * nth as f32, SIZE) };
        place.write_image(&format!("f{nth}.tif"), &frame);
    }
    place
}

fn image(place: &Workplace, name: &str) -> Volume<f32> {
    read_image(&place.path(name), Strictness::Lenient, &mut Warnings::new()).unwrap()
}

fn flow(place: &Workplace, name: &str) -> Flow {
    read_flow(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap()
}

/// Mean error beside holes and borders, of what has confidence.
fn error_px(flow: &Flow, confidence: &Volume<f32>) -> f32 {
    let counts = |i: &usize| {
        let [x, y, _] = flow.grid().position(*i);
        (6..SIZE[0] - 6).contains(&x) && (6..SIZE[1] - 6).contains(&y) && confidence.data()[*i] > 0.0
    };
    let errors: Vec<f32> = (0..flow.grid().len())
        .filter(counts)
        .map(|i| flow.vector_vox(i))
        .map(|[u, v, _]| (u - STEP_PX).hypot(v))
        .collect();
    errors.iter().sum::<f32>() / errors.len() as f32
}

fn require_doubt_in_holes(confidence: &Volume<f32>) {
    for i in (0..confidence.grid().len()).filter(|&i| is_hole(confidence.grid().position(i))) {
        assert_eq!(confidence.data()[i], 0.0, "pixel {:?}", confidence.grid().position(i));
    }
}

#[test]
fn holes_of_a_sequence_are_left_out_of_both_fields_that_see_them() {
    for method in ["clg", "lucas-kanade", "phase"] {
        let place = with_frames(1);
        let job = ["flow", "f0.tif", "f1.tif", "f2.tif", "-o", "out", "--sequence", "consecutive"];
        let more: &[&str] = if method == "phase" { &["--set", "frames=two"] } else { &["f3.tif"] };
        let run =
            place.run(&[&job[..], &["--confidence", "sure", "--method", method], more].concat()).succeeded();
        assert!(run.stderr.contains("f1.tif: 144 of 4032 samples are NaN or infinite"), "{}", run.stderr);
        let fields = [("000_001", true), ("001_002", true), ("002_003", false)];
        for (name, is_holed) in fields.into_iter().filter(|(_, is_holed)| *is_holed || method != "phase") {
            let sure = image(&place, &format!("sure/confidence_consecutive_{name}.tif"));
            if name == "001_002" {
                require_doubt_in_holes(&sure);
            }
            // The middle of the hole, which vectors lead to.
            let inside = sure.data()[sure.grid().index([36, 26, 0])];
            assert_eq!(inside == 0.0, is_holed, "{method}, {name}: {inside}");
            let error = error_px(&flow(&place, &format!("out/consecutive_{name}.flo")), &sure);
            assert!(error < 0.15, "{method}, {name}: {error} px");
        }
    }
}

#[test]
fn a_window_of_frames_has_no_vector_in_a_hole_of_any_of_them() {
    for with_hole in [0, 1] {
        let place = with_frames(with_hole);
        let job = ["flow", "f0.tif", "f1.tif", "-o", "f.flo", "--method", "phase", "--set", "frames=two"];
        let run = place.run(&[&job[..], &["--confidence", "sure.pfm"]].concat()).succeeded();
        assert!(run.stderr.contains(&format!("f{with_hole}.tif: 144 of")), "{}", run.stderr);
        let (found, sure) = (flow(&place, "f.flo"), image(&place, "sure.pfm"));
        require_doubt_in_holes(&sure);
        assert!(!found.is_valid(found.grid().index([36, 26, 0])));
        assert!(error_px(&found, &sure) < 0.15);
    }
}

/// A TIFF of grey values as red, green and blue, and alpha, of 8 bits each.
fn grey_and_alpha(pixels: &[[u8; 2]]) -> Vec<u8> {
    let (short, long) = (3u16, 4u16);
    let [width, height] = SIZE.map(|n| n as u32);
    let samples: Vec<u8> = pixels.iter().flat_map(|&[grey, alpha]| [grey, grey, grey, alpha]).collect();
    let bits_at = 8 + samples.len() as u32;
    let entries = [
        (256, long, 1, width),
        (257, long, 1, height),
        (258, short, 4, bits_at),
        (259, short, 1, 1),
        (262, short, 1, 2),
        (273, long, 1, 8),
        (277, short, 1, 4),
        (278, long, 1, height),
        (279, long, 1, samples.len() as u32),
        (338, short, 1, 2),
    ];
    let mut file = b"II*\0".to_vec();
    file.extend((bits_at + 8).to_le_bytes());
    file.extend(samples);
    file.extend([8, 0].repeat(4));
    file.extend((entries.len() as u16).to_le_bytes());
    for (tag, kind, count, value) in entries {
        file.extend(u16::to_le_bytes(tag));
        file.extend(u16::to_le_bytes(kind));
        file.extend(u32::to_le_bytes(count));
        file.extend(u32::to_le_bytes(value));
    }
    file.extend([0; 4]);
    file
}

#[test]
fn transparent_pixels_are_a_mask_of_windows_as_of_pairs() {
    let place = with_frames(9);
    let own = texture(0.0, SIZE);
    let pixels = own.data().iter().enumerate();
    // What is transparent is black, which is no edge of the texture.
    let with_alpha = pixels
        .map(|(index, &value)| if is_hole(own.grid().position(index)) { [0, 0] } else { [value as u8, 255] });
    place.write("seen.tif", grey_and_alpha(&with_alpha.collect::<Vec<_>>()));
    let job = ["flow", "seen.tif", "f1.png", "-o", "f.flo", "--confidence", "sure.pfm"];
    for method in ["phase", "block-matching", "clg"] {
        let more: &[&str] = if method == "phase" { &["--set", "frames=two"] } else { &[] };
        let run = place.run(&[&job[..], &["--method", method], more].concat()).succeeded();
        assert!(run.stderr.contains("alpha is a mask"), "{method}: {}", run.stderr);
        assert!(!run.stderr.contains("has most samples"), "{method}: {}", run.stderr);
        let (found, sure) = (flow(&place, "f.flo"), image(&place, "sure.pfm"));
        let middle = found.grid().index([36, 26, 0]);
        assert!(!found.is_valid(middle) || sure.data()[middle] < 0.5, "{method}");
        assert!(error_px(&found, &sure) < 0.15, "{method}");
    }
}

#[test]
fn features_are_unknown_in_holes_and_points_end_there() {
    let place = with_frames(1);
    let run = place.run(&["features", "f1.tif", "-o", "out"]).succeeded();
    assert!(run.stderr.contains("144 of 4032 samples are NaN or infinite"), "{}", run.stderr);
    for name in ["energy", "orientation", "phase"] {
        let map = image(&place, &format!("out/{name}_0.pfm"));
        assert!(
            (0..map.grid().len()).all(|i| !is_hole(map.grid().position(i)) || map.data()[i].is_nan()),
            "{name}"
        );
        let known = map.data().iter().filter(|v| v.is_finite()).count();
        assert!(known > 2 * map.grid().len() / 3, "{name}: {known}");
        let half = image(&place, &format!("out/{name}_1.pfm"));
        assert!(half.data()[half.grid().index([18, 13, 0])].is_nan(), "{name}");
    }
    place.write("p.csv", "x,y\n15,12\n35,26\n");
    let job = ["track-points", "f0.tif", "f1.tif", "f2.tif", "-o", "tracks.csv"];
    let run = place.run(&[&job[..], &["--points", "p.csv"]].concat()).succeeded();
    assert!(run.stderr.contains("frame 1: 144 of 4032 samples"), "{}", run.stderr);
    let table = std::fs::read_to_string(place.path("tracks.csv")).unwrap();
    assert!(table.contains("\n1,1,nan,nan,hole,") && table.contains("\n2,0,16."), "{table}");
    // No corner of the hole's own border.
    let backwards =
        ["track-points", "f1.tif", "f2.tif", "-o", "tracks.csv", "--corners", "200", "--check", "0"];
    place.run(&backwards).succeeded();
    let table = std::fs::read_to_string(place.path("tracks.csv")).unwrap();
    for row in table.lines().skip(1).filter(|row| row.starts_with("0,")) {
        let cells: Vec<f64> = row.split(',').skip(2).take(2).map(|cell| cell.parse().unwrap()).collect();
        let (x, y) = (cells[0], cells[1]);
        assert!(!((24.5..47.5).contains(&x) && (14.5..37.5).contains(&y)), "{row}");
    }
}

#[test]
fn no_disparity_begins_or_ends_in_a_hole() {
    for (left, right) in [("f1.tif", "f0.png"), ("f0.png", "f1.tif")] {
        let place = with_frames(1);
        let job = ["stereo", left, right, "-o", "d.pfm", "--confidence", "sure.pfm"];
        let run = place.run(&job).succeeded();
        assert!(run.stderr.contains("144 of 4032 samples are NaN or infinite"), "{}", run.stderr);
        let (found, sure) = (image(&place, "d.pfm"), image(&place, "sure.pfm"));
        let middle = found.grid().index([36, 26, 0]);
        assert!(!found.data()[middle].is_finite() && sure.data()[middle] == 0.0, "{left}, {right}");
        let known = found.data().iter().filter(|d| d.is_finite()).count();
        assert!(known > 2 * found.grid().len() / 3, "{left}, {right}: {known}");
    }
}

#[test]
fn transparent_pixels_of_moving_images_sequences_and_stereo_have_no_data() {
    let place = with_frames(9);
    for nth in 0..3 {
        let own = texture(STEP_PX * nth as f32, SIZE);
        let alpha = |index: usize| if nth == 1 && is_hole(own.grid().position(index)) { 0 } else { 255 };
        let pixels: Vec<_> =
            own.data().iter().enumerate().map(|(index, &value)| [value as u8, alpha(index)]).collect();
        place.write(&format!("a{nth}.tif"), grey_and_alpha(&pixels));
    }
    let told = "transparent and have no data";
    let run = place.run(&["flow", "a0.tif", "a1.tif", "-o", "f.flo", "--confidence", "sure.pfm"]).succeeded();
    assert!(run.stderr.contains(told), "{}", run.stderr);
    let sure = image(&place, "sure.pfm");
    assert_eq!(sure.data()[sure.grid().index([36, 26, 0])], 0.0);
    assert!(error_px(&flow(&place, "f.flo"), &sure) < 0.15);
    let job = ["flow", "a0.tif", "a1.tif", "a2.tif", "-o", "out", "--sequence", "consecutive"];
    let run = place.run(&[&job[..], &["--confidence", "sure"]].concat()).succeeded();
    assert!(run.stderr.contains(told), "{}", run.stderr);
    require_doubt_in_holes(&image(&place, "sure/confidence_consecutive_001_002.tif"));
    let run = place.run(&["stereo", "a1.tif", "a0.tif", "-o", "d.pfm"]).succeeded();
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert!(!image(&place, "d.pfm").data()[sure.grid().index([36, 26, 0])].is_finite());
}

#[test]
fn what_is_sampled_from_a_hole_is_outside_and_goes_in_again() {
    let place = with_frames(1);
    let grid = texture(0.0, SIZE).grid().clone();
    write_flow(place.path("shift.flo"), &Flow::from_fn(grid.clone(), |_| [1.0, 0.0, 0.0])).unwrap();
    let run =
        place.run(&["warp", "image", "shift.flo", "f1.tif", "-o", "w.tif", "--outside", "nan"]).succeeded();
    assert!(run.stderr.contains("f1.tif: 144 of 4032"), "{}", run.stderr);
    let (warped, own) = (image(&place, "w.tif"), image(&place, "f1.png"));
    for index in 0..grid.len() {
        let [x, y, _] = grid.position(index);
        let is_unknown = x + 1 == SIZE[0] || is_hole([x + 1, y, 0]);
        assert_eq!(warped.data()[index].is_nan(), is_unknown, "pixel {x}, {y}");
        assert!(is_unknown || warped.data()[index] == own.data()[index + 1]);
    }
    place.run(&["flow", "f0.png", "w.tif", "-o", "f.flo", "--confidence", "sure.pfm"]).succeeded();
    assert_eq!(image(&place, "sure.pfm").data()[grid.index([36, 26, 0])], 0.0);
    let job = ["flow", "f0.tif", "f1.tif", "-o", "f.flo", "--warped", "w.tif", "--outside", "-7"];
    place.run(&job).succeeded();
    assert_eq!(image(&place, "w.tif").data()[grid.index([36, 26, 0])], -7.0);
}

#[test]
fn a_mask_of_the_moving_image_leaves_out_what_is_wrong_there() {
    let place = with_frames(9);
    let mut spoiled = texture(STEP_PX, SIZE);
    let grid = spoiled.grid().clone();
    for index in (0..grid.len()).filter(|&index| is_hole(grid.position(index))) {
        spoiled.data_mut()[index] = 255.0;
    }
    place.write_image("bad.png", &spoiled);
    let inside = |at: [usize; 3]| f32::from(u8::from(!is_hole(at)));
    place.write_image("m.png", &Volume::from_fn(grid.clone(), inside));
    let job = ["flow", "f0.png", "bad.png", "-o", "f.flo", "--confidence", "sure.pfm"];
    place.run(&job).succeeded();
    let middle = grid.index([36, 26, 0]);
    let run = place.run(&[&job[..], &["--moving-mask", "m.png"]].concat()).succeeded();
    assert!(!run.stderr.contains("NaN"), "{}", run.stderr);
    let (masked, sure) = (flow(&place, "f.flo"), image(&place, "sure.pfm"));
    assert!(error_px(&masked, &sure) < 0.1 && sure.data()[middle] == 0.0);
    // The same as its own holes.
    place.write_image(
        "holed.tif",
        &Volume::from_fn(
            grid.clone(),
            |at| {
                if is_hole(at) { f32::NAN } else { spoiled.data()[grid.index(at)] }
            },
        ),
    );
    place.run(&["flow", "f0.png", "holed.tif", "-o", "f.flo"]).succeeded();
    assert_eq!(masked, flow(&place, "f.flo"));
    let phase = ["flow", "f0.png", "f1.png", "-o", "x.flo", "--method", "phase", "--moving-mask", "m.png"];
    assert_eq!(place.run(&phase).code, Some(2));
}

#[test]
fn an_empty_mask_is_called_that() {
    let place = with_frames(9);
    place.write_image("none.png", &Volume::from_fn(texture(0.0, SIZE).grid().clone(), |_| 0.0));
    let job = |option: &'static str, method: &'static str| {
        place.run(&["flow", "f0.png", "f1.png", "-o", "x.flo", "--method", method, option, "none.png"])
    };
    for method in ["clg", "lucas-kanade", "block-matching", "fe", "symmetric", "phase"] {
        job("--mask", method).failed_with(&["the mask is empty"]);
    }
    job("--moving-mask", "clg").failed_with(&["the mask of the moving image is empty"]);
    let frames =
        ["flow", "f0.png", "f1.png", "f2.png", "-o", "out", "--sequence", "both", "--mask", "none.png"];
    place.run(&frames).failed_with(&["the mask is empty"]);
}

#[test]
fn holes_in_every_frame_are_one_warning() {
    let place = Workplace::new();
    let frames: Vec<String> = (0..6).map(|nth| format!("f{nth}.pfm")).collect();
    for (nth, name) in frames.iter().enumerate() {
        let mut bytes = b"Pf\n32 32\n-1\n".to_vec();
        let sample = |i: usize| ((i % 32) as f32 / 3.0).sin() + ((i / 32 + nth) as f32 / 4.0).cos();
        bytes.extend((0..32 * 32).flat_map(|i| if i < nth + 1 { f32::NAN } else { sample(i) }.to_le_bytes()));
        place.write(name, bytes);
    }
    let names: Vec<&str> = frames.iter().map(String::as_str).collect();
    let job = ["-o", "out", "--sequence", "consecutive", "--preset", "fast"];
    let run = place.run(&[&["flow"], &names[..], &job].concat()).succeeded();
    let told: Vec<&str> = run.stderr.lines().filter(|line| line.contains("NaN or infinite")).collect();
    assert!(told.len() == 1 && told[0].contains("5 more say the same with other numbers"), "{told:?}");
}
