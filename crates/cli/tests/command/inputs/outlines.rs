//! Outlines whose names say which image they belong to, beside DICOM cines from which images are missing or whose files have other
//! names: each goes to its slice and frame, or is refused, and is told.

use crate::dicom_cine::{Slice, image, slice};
use crate::workplace::{Run, Workplace};
use std::path::Path;

const POSITIONS: [&str; 3] = ["0\\0\\0", "0\\0\\8", "0\\0\\16"];
const FRAMES: usize = 4;

/// How the files of a cine lie in its folder: image 1 is the first frame of the first slice, image 5 that of the second one.
struct Folder {
    /// The name of an image's file.
    name: fn(usize) -> String,
    /// The instance number of an image.
    instance: fn(usize) -> usize,
    /// Images that are not there.
    missing: &'static [usize],
}

/// A file as RVSC names it.
fn own_name(image: usize) -> String {
    format!("P05-{image:04}.dcm")
}

/// A file as a program names it that knows no patients.
fn other_name(image: usize) -> String {
    format!("IM{image:04}")
}

/// Tracks a cine of three slices and four frames from the outlines of images 2 (slice 0, frame 1) and 6 (slice 1, frame 1).
fn track(folder: &Folder, outlines: [&str; 2]) -> Run {
    let place = Workplace::new();
    for name in ["cine", "outlines"] {
        std::fs::create_dir(place.path(name)).expect("a folder is made");
    }
    for nth in (1..=POSITIONS.len() * FRAMES).filter(|nth| !folder.missing.contains(nth)) {
        let trigger_ms = 10 + 30 * ((nth - 1) % FRAMES);
        let position = POSITIONS[(nth - 1) / FRAMES];
        let content = Slice { position, ..slice((folder.instance)(nth), trigger_ms) };
        place.write(&format!("cine/{}", (folder.name)(nth)), image(&content));
    }
    for name in outlines {
        place.write(&format!("outlines/{name}"), "8 8\n22 8\n22 18\n8 18\n");
    }
    let method = ["--method", "block-matching", "--device", "cpu", "--threads", "1", "--frame", "1"];
    place.run(&[&["track", "cine", "--contours", "outlines", "-o", "out"], &method[..]].concat())
}

const RVSC: [&str; 2] = ["P05-0002-icontour-manual.txt", "P05-0006-icontour-manual.txt"];
const SUNNYBROOK: [&str; 2] = ["IM-0001-0002-icontour-auto.txt", "IM-0001-0006-icontour-auto.txt"];

/// Requires that the outlines that went anywhere are these, each on its slice and frame, and that nothing else did.
fn went(run: &Run, expected: &[&str]) {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let told = run.stderr.lines().filter(|line| line.contains(" on slice "));
    let told: Vec<&str> = told.filter_map(|line| line.strip_prefix("note: outlines: ")).collect();
    assert_eq!(told, expected, "{}", run.stderr);
}

#[test]
fn outlines_go_to_the_images_of_their_names() {
    let folder = Folder { name: own_name, instance: |image| 100 - image, missing: &[] };
    let both = [
        "P05-0002-icontour-manual.txt is rv on slice 0, frame 1",
        "P05-0006-icontour-manual.txt is rv on slice 1, frame 1",
    ];
    went(&track(&folder, RVSC), &both);
    let upper = Folder { name: |image| format!("p05-{image}.DCM"), ..folder };
    went(&track(&upper, RVSC), &both);
}

#[test]
fn outlines_of_images_that_are_not_in_the_cine_are_left_out() {
    // A frame is missing, and so the whole slice is left out; the outline's own image is missing; all of its slice is.
    for missing in [&[7][..], &[6], &[5, 6, 7, 8]] {
        let numbers: [fn(usize) -> usize; 2] = [|image| image, |image| image % 12 + 1];
        for instance in numbers {
            let run = track(&Folder { name: own_name, instance, missing }, RVSC);
            went(&run, &["P05-0002-icontour-manual.txt is rv on slice 0, frame 1"]);
            let why = if missing == [7] { "beside the cine" } else { "not in the cine" };
            assert!(run.stderr.contains(why) && run.stderr.contains("P05-0006"), "{}", run.stderr);
        }
    }
}

#[test]
fn a_name_of_a_file_is_no_number_where_the_files_have_other_names() {
    // Counted from 0, as RVSC counts, instance numbers are one ahead: the outline would land on its neighbour.
    for missing in [&[][..], &[7]] {
        let names: [fn(usize) -> String; 2] = [other_name, |image| format!("P06-{image:04}.dcm")];
        for name in names {
            let run = track(&Folder { name, instance: |image| image + 1, missing }, RVSC);
            let lines: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
            assert_eq!((run.code, lines.len()), (Some(1), 1), "{}", run.stderr);
            assert!(lines[0].contains("P05-0002") && lines[0].contains("names back"), "{}", lines[0]);
        }
    }
}

#[test]
fn an_instance_number_finds_its_image_under_any_name() {
    let both = [
        "IM-0001-0002-icontour-auto.txt is endo on slice 0, frame 1",
        "IM-0001-0006-icontour-auto.txt is endo on slice 1, frame 1",
    ];
    // Shuffled: the names say nothing of the order.
    let shuffled: fn(usize) -> String = |image| format!("image-{}.dcm", image * 5 % 13);
    for name in [other_name, own_name, shuffled] {
        went(&track(&Folder { name, instance: |image| image, missing: &[] }, SUNNYBROOK), &both);
    }
    let run = track(&Folder { name: shuffled, instance: |image| image, missing: &[7] }, SUNNYBROOK);
    went(&run, &both[..1]);
    assert!(run.stderr.contains("not in the cine") && run.stderr.contains("IM-0001-0006"), "{}", run.stderr);
    // Slices that are numbered alike.
    let alike = Folder { name: shuffled, instance: |image| (image - 1) % FRAMES + 1, missing: &[] };
    let run = track(&alike, SUNNYBROOK);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("instance number, got 3 for IM-0001-0002"), "{}", run.stderr);
}

#[test]
fn names_that_were_shuffled_belong_to_the_files_that_have_them() {
    // The file P05-0002 holds image 6, and P05-0006 image 10: an outline belongs to the image of the file that has its name.
    let folder =
        Folder { name: |image| own_name((image + 7) % 12 + 1), instance: |image| image, missing: &[] };
    let expected = [
        "P05-0002-icontour-manual.txt is rv on slice 1, frame 1",
        "P05-0006-icontour-manual.txt is rv on slice 2, frame 1",
    ];
    went(&track(&folder, RVSC), &expected);
}

mod needs_data {
    use super::*;

    /// Patient 09 of RVSC: 20 frames of one slice, `P09-0000` to `P09-0019`; outlines are of four images of other slices, of which
    /// the instance numbers are 21, 23 (of `P09-0020`, `P09-0022`) and others. A copy under other names, and the folder itself.
    #[test]
    fn outlines_of_a_real_patient_land_on_no_other_slice() {
        let data = std::env::var_os("VELOXEL_DATA").expect("VELOXEL_DATA should name the data folder");
        let patient = Path::new(&data).join("cardiac/rvsc-p09/patient09");
        let place = Workplace::new();
        std::fs::create_dir(place.path("renamed")).expect("a folder is made");
        let files = std::fs::read_dir(patient.join("P09dicom")).expect("the patient's images");
        for (nth, file) in files.map(|file| file.expect("a file").path()).enumerate() {
            std::fs::copy(file, place.path(&format!("renamed/IM{nth:04}.dcm"))).expect("an image is copied");
        }
        let outlines = patient.join("P09contours-manual").to_string_lossy().into_owned();
        let own = patient.join("P09dicom").to_string_lossy().into_owned();
        for (cine, words) in [(own.as_str(), "got none"), ("renamed", "names back")] {
            let run = place.run(&[
                "track",
                cine,
                "--contours",
                &outlines,
                "-o",
                "out",
                "--method",
                "block-matching",
            ]);
            assert_eq!(run.code, Some(1), "{}", run.stderr);
            assert!(run.stderr.contains(words) && !run.stderr.contains(" on slice "), "{}", run.stderr);
        }
    }
}
