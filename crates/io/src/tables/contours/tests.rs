use super::*;
use crate::tables::cine_place::{CineImage, CineSpot};
use std::fs;
use veloxel_core::{Grid, Structure, Volume};

fn place(images: Vec<CineImage>) -> CinePlace {
    let grid = Grid::volume(30, 24, 3).and_then(|g| g.with_spacing_mm([2.0, 2.0, 8.0])).unwrap();
    CinePlace {
        grid: grid.with_origin_mm([5.0, -3.0, 1.0]),
        frames: 4,
        frame_interval_ms: Some(40.0),
        images,
    }
}

const SQUARE: &str = "5 5\n15 5\n15 15\n5 15\n";

/// What a file of this name and text holds.
fn parsed(name: &str, text: &str, options: &ContourReading) -> Result<ContourFile, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    read_contours(&path, Some(&place(Vec::new())), options, &mut Warnings::new()).map_err(|e| e.to_string())
}

/// Structure, slice, frame and area of every outline.
fn seen(file: &ContourFile) -> Vec<(Structure, usize, usize, f64)> {
    let of = |c: &veloxel_core::Contour| (c.structure, c.slice, c.frame, c.polygon.signed_area_px2().round());
    file.contours.contours().iter().map(of).collect()
}

#[test]
fn json_and_tables_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let table = "Structure;Phase;Slice;X;Y\nendo;1;2;5;5\nendo;1;2;5;15\nendo;1;2;15;15\nrv;1;2;1;1\nrv;1;2;4;1\nrv;1;2;4;3\n";
    let read = parsed("a.csv", table, &ContourReading::default()).unwrap();
    assert_eq!(seen(&read), [(Structure::Endo, 2, 1, 50.0), (Structure::Rv, 2, 1, 3.0)]);
    for name in ["b.json", "b.csv"] {
        let path = folder.path().join(name);
        write_contours(&path, &read.contours, &place(Vec::new())).unwrap();
        let cine = if name == "b.csv" { Some(place(Vec::new())) } else { None };
        let again =
            read_contours(&path, cine.as_ref(), &ContourReading::default(), &mut Warnings::new()).unwrap();
        assert_eq!(
            again,
            ContourFile { contours: read.contours.clone(), place: Some(place(Vec::new())) },
            "{name}"
        );
    }
    assert!(write_contours(folder.path().join("b.txt"), &read.contours, &place(Vec::new())).is_err());
}

#[test]
fn what_is_no_outline_is_refused_with_its_place() {
    for (name, text, words) in [
        (
            "a.csv",
            "structure,frame,slice,x,y\nendo,0,1,5,5\nendo,0,1,9,9\nendo,0,1,9,5\nendo,0,1,5,9\n",
            "crosses itself",
        ),
        ("a.csv", "structure,frame,slice,x,y\nendo,0,3,5,5\nendo,0,3,9,5\nendo,0,3,9,9\n", "slice 3"),
        ("a.csv", "structure,frame,slice,x,y\nendo,4,0,5,5\nendo,4,0,9,5\nendo,4,0,9,9\n", "frames 0 to 3"),
        ("a.csv", "x,y\n1,2\n", "the head line"),
        ("a.csv", "structure,frame,x,y\nendo,0,5,5\nendo,0,9,5\nendo,0,9,9\n", "the slice of each"),
        ("a.csv", "structure;frame;slice;x;y\nendo;0;0;12,2;10.5\nendo;0;0;30,1;12,0\n", "with a point"),
        ("endo_slice1.txt", "12,250 10\n30 12\n", "with a point"),
        ("a.csv", "structure,frame,slice,x,y\nheart,0,0,1,1\n", "line 2"),
        (
            "a.csv",
            "structure,frame,slice,x,y\nendo,0,0,50,44\nendo,0,0,58,44\nendo,0,0,50,40\n",
            "millimetres",
        ),
        (
            "a.csv",
            "structure,frame,slice,x,y\nendo,0,0,500,44\nendo,0,0,580,44\nendo,0,0,500,40\n",
            "30 × 24",
        ),
        ("a.csv", "structure,frame,slice,x,y\n", "none"),
        ("endo.txt", SQUARE, "3 slices"),
        ("a.txt", SQUARE, "the name of a text"),
        ("endo_slice1.txt", "1 2 3\n", "two numbers"),
        ("a.json", "{}", "Veloxel's form"),
        ("a.json", "{", "JSON"),
        ("a.doc", "", ".mrk.json"),
    ] {
        let error = parsed(name, text, &ContourReading::default()).unwrap_err();
        assert!(error.contains(words) && !error.contains('\n'), "{name}: {error}");
    }
    let twice = r#"{"format": "veloxel-contours", "version": 1, "unit": "px", "contours": [
        {"structure": "epi", "frame": 1, "slice": 0, "points": [[1,1],[5,1],[5,5]]}, {"structure": "epi", "frame": 1, "slice": 0, "points": [[1,1],[6,1],[5,5]]}]}"#;
    assert!(
        parsed("a.json", twice, &ContourReading::default())
            .unwrap_err()
            .contains("epi on frame 1 of slice 0")
    );
    let without = twice.replace("\"slice\": 0, ", "");
    let error = parsed("a.json", &without, &ContourReading::default()).unwrap_err();
    assert!(error.contains("epi on frame 1, of 3"), "{error}");
}

#[test]
fn numbered_texts_find_their_slice_and_frame() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "IM-0001-0006-icontour-auto.txt",
        "IM-0001-0012-ocontour-auto.txt",
        "IM-0001-0013-icontour-auto.txt",
        "notes.txt",
    ] {
        fs::write(folder.path().join(name), SQUARE).unwrap();
    }
    let read = |names: PlainNames, images: Vec<CineImage>| {
        let options = ContourReading { names, ..ContourReading::default() };
        let mut warnings = Warnings::new();
        let file = read_contours(folder.path(), Some(&place(images)), &options, &mut warnings);
        (file.map(|f| seen(&f)).map_err(|e| e.to_string()), warnings.urgent().count())
    };
    let order = |order| PlainNames { order: Some(order), inner: None };
    assert_eq!(
        read(order(TextOrder::Ascending), Vec::new()),
        (Ok(vec![(Structure::Endo, 1, 1, 100.0), (Structure::Epi, 2, 3, 100.0)]), 2)
    );
    let down = PlainNames { inner: Some(InnerContour::Rv), ..order(TextOrder::Descending) };
    assert_eq!(
        read(down, Vec::new()).0,
        Ok(vec![(Structure::Rv, 1, 1, 100.0), (Structure::RvEpi, 0, 3, 100.0)])
    );
    assert!(read(PlainNames::default(), Vec::new()).0.unwrap_err().contains("descending"));
    let image =
        CineImage { stem: "I13".to_owned(), instance: Some(13), spot: Some(CineSpot { slice: 2, frame: 2 }) };
    assert_eq!(read(PlainNames::default(), vec![image.clone()]).0, Ok(vec![(Structure::Endo, 2, 2, 100.0)]));
    // The number is that of the instance, if it is one image's alone.
    let second =
        CineImage { stem: "I14".to_owned(), spot: Some(CineSpot { slice: 0, frame: 1 }), ..image.clone() };
    assert!(read(PlainNames::default(), vec![image, second]).0.unwrap_err().contains("instance number"));
}

#[test]
fn texts_of_rvsc_belong_to_the_image_of_their_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("P09-0022-icontour-manual.txt"), SQUARE).unwrap();
    let image = |stem: &str, instance, spot: Option<[usize; 2]>| {
        let spot = spot.map(|[slice, frame]| CineSpot { slice, frame });
        CineImage { stem: stem.to_owned(), instance, spot }
    };
    let read = |images: Vec<CineImage>| {
        let mut warnings = Warnings::new();
        let options = ContourReading::default();
        let file = read_contours(folder.path(), Some(&place(images)), &options, &mut warnings);
        let said: Vec<String> = warnings.iter().map(|w| w.message.clone()).collect();
        (file.map(|file| seen(&file)).map_err(|error| error.to_string()), said.join("\n"))
    };
    let first = image("P09-0022", Some(41), Some([0, 0]));
    let (found, said) = read(vec![first.clone()]);
    assert_eq!(found, Ok(vec![(Structure::Rv, 0, 0, 100.0)]));
    assert!(said.contains("P09-0022-icontour-manual.txt is rv on slice 0, frame 0"), "{said}");
    // Its image was left out, or is not there at all: the image with that instance number is another slice.
    let other = image("P09-0040", Some(22), Some([2, 1]));
    let beside = "outlines are of images beside the cine (a slice needs as many frames as the others";
    for (images, why) in [
        (vec![other.clone(), image("P09-0022", None, None)], beside),
        (vec![other.clone()], "outlines are of images that are not in the cine"),
    ] {
        let (found, said) = read(images);
        let error = found.unwrap_err();
        assert!(error.contains(&format!("none: 1 {why}")), "{error}");
        assert!(said.contains(why) && said.contains("P09-0022"), "{said}");
    }
    // So do frames that are no DICOM files.
    let frames = CineImage::of_frames(&["P09-0021.png", "P09-0022.png"].map(std::path::PathBuf::from));
    assert_eq!(read(frames).0, Ok(vec![(Structure::Rv, 0, 1, 100.0)]));
    // Files of other names, of another patient, or none: no number says which image it is.
    for images in [
        vec![image("I7", Some(22), Some([2, 1]))],
        vec![image("P08-0022", Some(22), Some([2, 1]))],
        Vec::new(),
    ] {
        let error = read(images).0.unwrap_err();
        assert!(error.contains("P09-0022") && error.contains("that name"), "{error}");
    }
    let (found, _) = read(vec![first.clone(), first]);
    assert!(found.unwrap_err().contains("one of that name"));
}

#[test]
fn labels_become_outlines_of_the_frame_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.nii.gz");
    let label = |[x, y, z]: [usize; 3]| {
        let r = (x as f64 - 12.0).hypot(y as f64 - 11.0);
        match z {
            1 => {
                if r < 5.0 {
                    3
                } else if r < 8.0 {
                    2
                } else if x > 23 {
                    1
                } else {
                    0
                }
            }
            2 => i32::from(r < 3.0) * 2,
            _ => 0,
        }
    };
    let labels = Volume::from_fn(place(Vec::new()).grid, label);
    crate::write_labels(&path, &labels).unwrap();
    let options = ContourReading { frame: 2, ..ContourReading::default() };
    let file = read_contours(&path, Some(&place(Vec::new())), &options, &mut Warnings::new()).unwrap();
    let count = |inside: fn(i32) -> bool| {
        labels.data().iter().zip(0..).filter(|&(l, i)| i / 720 == 1 && inside(*l)).count() as f64
    };
    let expected = [
        (Structure::Endo, 1, 2, count(|l| l == 3)),
        (Structure::Epi, 1, 2, count(|l| l >= 2)),
        (Structure::Rv, 1, 2, count(|l| l == 1)),
    ];
    assert_eq!(seen(&file), expected);
    assert!("rv=1,heart=2".parse::<LabelMeaning>().is_err());
    assert_eq!("lv=1, muscle=2".parse(), Ok(LabelMeaning { rv: None, muscle: Some(2), lv: Some(1) }));
    for text in ["lv=0", "lv=-1", "lv=70000", "lv=1,rv=1"] {
        assert!(text.parse::<LabelMeaning>().is_err(), "{text}");
    }
}

#[test]
fn slicers_closed_curves_lie_in_millimetres() {
    let grid = place(Vec::new()).grid;
    let point = |x: f64, y: f64| {
        let [l, p, s] = grid.world_from_voxel([x, y, 1.0]);
        format!("{{\"position\": [{}, {}, {s}]}}", -l, -p)
    };
    let text = |kind: &str, name: &str| {
        let points = (0..12).map(|i| f64::from(i) * std::f64::consts::TAU / 12.0);
        let points: Vec<String> = points.map(|t| point(12.0 + 6.0 * t.cos(), 12.0 + 6.0 * t.sin())).collect();
        format!(
            r#"{{"markups": [{{"type": "{kind}", "name": "{name}", "coordinateSystem": "RAS", "controlPoints": [{}]}}]}}"#,
            points.join(",")
        )
    };
    let file =
        parsed("endo.mrk.json", &text("ClosedCurve", "LV_endo frame 3"), &ContourReading::default()).unwrap();
    assert_eq!(seen(&file), [(Structure::Endo, 1, 3, 113.0)]);
    for (kind, name, words) in [("Curve", "endo", "closed curve"), ("ClosedCurve", "atrium", "atrium")] {
        assert!(
            parsed("a.mrk.json", &text(kind, name), &ContourReading::default()).unwrap_err().contains(words)
        );
    }
}
