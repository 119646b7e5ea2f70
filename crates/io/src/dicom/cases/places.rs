use super::super::tests::{Image, folder_of, read_folder, write};
use super::*;
use crate::read::reading::Strictness;
use veloxel_core::Volume;

const EXPLICIT: &str = "1.2.840.10008.1.2.1";
const BETWEEN: Tag = Tag(0x0018, 0x0088);
const SPACING: Tag = Tag(0x0028, 0x0030);

fn read(images: Vec<Image>) -> Result<(Vec<Volume<f32>>, String), String> {
    let folder = folder_of(images);
    let (series, said) = read_folder(folder.path(), Strictness::Lenient);
    Ok((series?.frames, said))
}

fn read_one(object: InMemDicomObject) -> Result<(Vec<Volume<f32>>, String), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    write(object, EXPLICIT, &path);
    let (series, said) = read_folder(&path, Strictness::Lenient);
    Ok((series?.frames, said))
}

/// Images at these positions.
fn at(positions: &[&str]) -> Vec<Image> {
    (0..).zip(positions).map(|(nth, position)| still(nth, 0).with(POSITION, VR::DS, position)).collect()
}

#[test]
fn the_step_is_the_difference_of_positions() {
    let (frames, said) = read(at(&["10\\20\\0", "16\\16\\8", "22\\12\\16"])).unwrap();
    let grid = frames[0].grid();
    let length = (36.0f64 + 16.0 + 64.0).sqrt();
    assert!((grid.spacing_mm()[2] - length).abs() < 1e-9, "{:?}", grid.spacing_mm());
    let third = grid.direction().map(|row| row[2] * length);
    assert!((0..3).all(|k| (third[k] - [6.0, -4.0, 8.0][k]).abs() < 1e-9), "{third:?}");
    assert!(said.contains("sheared"), "{said}");
    // A gantry that is tilted by 20 degrees: the table moves along z, the planes lean.
    let (s, c) = 20.0f64.to_radians().sin_cos();
    let tilted = at(&["0\\0\\0", "0\\0\\5", "0\\0\\10"]).into_iter();
    let tilted = tilted.map(|image| image.with(ORIENTATION, VR::DS, &format!("1\\0\\0\\0\\{c:.8}\\{s:.8}")));
    let (frames, _) = read(tilted.collect()).unwrap();
    let grid = frames[0].grid();
    assert!((grid.spacing_mm()[2] - 5.0).abs() < 1e-6 && (grid.direction()[2][2] - 1.0).abs() < 1e-6);
    let refused = read(at(&["0\\0\\0", "9\\0\\8", "0\\0\\16"])).err().unwrap();
    assert!(refused.contains("slice 1 shifted by 9.00 mm"), "{refused}");
    let shifted = [still(0, 0).with(INSTANCE, VR::IS, "1"), still(0, 1).with(POSITION, VR::DS, "-2\\3\\0")];
    assert!(read(shifted.into()).err().unwrap().contains("3.00 mm beside"));
}

#[test]
fn what_is_missing_between_slices_is_no_data() {
    let z = |all: &[f64]| {
        let positions: Vec<String> = all.iter().map(|z| format!("0\\0\\{z}")).collect();
        at(&positions.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let holes = |all: &[f64]| {
        let (frames, said) = read(z(all)).unwrap();
        let first = frames[0].data().chunks(12).map(|slice| slice[0].is_nan()).collect::<Vec<_>>();
        assert_eq!(said.contains("missing"), first.contains(&true), "{said}");
        (frames[0].grid().spacing_mm()[2], first)
    };
    assert_eq!(holes(&[0.0, 5.0, 10.0, 20.0]), (5.0, vec![false, false, false, true, false]));
    assert_eq!(holes(&[0.0, 2.5, 5.0, 10.0, 15.0]).1, [false, false, false, true, false, true, false]);
    // Positions that are rounded to a tenth.
    assert_eq!(holes(&[0.0, 0.6, 1.3, 1.9, 2.5]).1, [false; 5]);
    assert!(read(z(&[0.0, 5.0, 7.5, 19.0])).err().unwrap().contains("2.500 to 11.500 mm"));
    let told: Vec<Image> =
        z(&[0.0, 16.0, 40.0]).into_iter().map(|image| image.with(BETWEEN, VR::DS, "8")).collect();
    let (frames, _) = read(told).unwrap();
    assert_eq!((frames[0].grid().size()[2], frames[0].grid().spacing_mm()[2]), (6, 8.0));
    // A slice with fewer frames keeps its place.
    let short = (0..6).filter(|nth| *nth != 3).map(|nth| Image::new(nth / 2, nth % 2)).collect();
    let (frames, said) = read(short).unwrap();
    assert_eq!((frames.len(), frames[0].grid().size()[2], frames[0].grid().spacing_mm()[2]), (2, 3, 8.0));
    assert!(frames[0].data()[12].is_nan() && said.contains("was left out"), "{said}");
}

#[test]
fn slices_two_hundredths_apart_are_no_frames() {
    for positions in [&["0\\0\\0", "0\\0\\0.02"][..], &["0\\0\\0", "0\\0\\0.02", "0\\0\\0.04"]] {
        let (frames, _) = read(at(positions)).unwrap();
        assert_eq!((frames.len(), frames[0].grid().size()[2]), (1, positions.len()));
    }
    assert!(read(at(&["0\\0\\0", "0\\0\\0.01", "0\\0\\0.04", "0\\0\\0.0413"])).is_err());
}

#[test]
fn pixels_of_two_sizes_are_refused() {
    let mut images = at(&["0\\0\\0", "0\\0\\5", "0\\0\\10"]);
    images[1] = still(1, 0).with(POSITION, VR::DS, "0\\0\\5").with(SPACING, VR::DS, "2\\2");
    assert!(read(images).err().unwrap().contains("several pixel spacings"));
}

#[test]
fn frames_without_positions_lie_as_their_file_says() {
    let spacing = |frames: &[Volume<f32>]| {
        let spacing_mm = (1e6 * frames[0].grid().spacing_mm()[2]).round() / 1e6;
        (frames.len(), frames[0].grid().size()[2], spacing_mm)
    };
    let none = [(POSITION, VR::DS, ""), (ORIENTATION, VR::DS, "")];
    let mut nuclear = many(6, &[none[0], none[1], (BETWEEN, VR::DS, "4.8")]);
    words(&mut nuclear, Tag(0x0054, 0x0080), &[1, 2, 3, 1, 2, 3]);
    words(&mut nuclear, Tag(0x0054, 0x0070), &[1, 1, 1, 2, 2, 2]);
    let mut detector = InMemDicomObject::new_empty();
    detector.put_str(POSITION, VR::DS, "-100\\-90\\50");
    detector.put_str(ORIENTATION, VR::DS, "1\\0\\0\\0\\1\\0");
    sequence(&mut nuclear, Tag(0x0054, 0x0022), vec![detector]);
    let (frames, said) = read_one(nuclear).unwrap();
    assert_eq!((spacing(&frames), frames[0].grid().origin_mm()), ((2, 3, 4.8), [-100.0, -90.0, 50.0]));
    assert_eq!([frames[0].data()[12], frames[1].data()[0]], [12.0, 36.0]);
    assert!(!said.contains("no positions"), "{said}");
    // The same position of all frames is that of the first.
    let (frames, said) = read_one(many(3, &[(BETWEEN, VR::DS, "2.5")])).unwrap();
    assert_eq!(spacing(&frames), (1, 3, 2.5));
    assert!(said.contains("2.5 mm apart"), "{said}");
    let dose = |offsets: &str, scale: &str| {
        let extra = [(MODALITY, VR::CS, "RTDOSE"), (POSITION, VR::DS, "0\\0\\100")];
        let mut object = many(3, &extra);
        object.put_str(Tag(0x3004, 0x000C), VR::DS, offsets);
        object.put_str(Tag(0x3004, 0x000E), VR::DS, scale);
        read_one(object)
    };
    for (offsets, last, origin) in
        [("0\\3\\6", 24.0, 100.0), ("100\\103\\106", 24.0, 100.0), ("0\\-3\\-6", 0.0, 94.0)]
    {
        let (frames, _) = dose(offsets, "0.5").unwrap();
        assert_eq!((spacing(&frames), frames[0].grid().origin_mm()[2]), ((1, 3, 3.0), origin));
        assert_eq!(frames[0].data()[24], 0.5 * last, "{offsets}");
    }
    assert!(dose("0\\3\\6", "").unwrap().1.contains("DoseGridScaling"));
    let short = dose("0\\3", "0.5").err().unwrap();
    assert!(short.contains("2 planes") && short.contains("has 3"), "{short}");
}

#[test]
fn vectors_of_windows_views_and_times_count_no_slices() {
    let nuclear = |vectors: &[(u16, &[u16])]| {
        let extra = [(POSITION, VR::DS, ""), (ORIENTATION, VR::DS, ""), (BETWEEN, VR::DS, "4.8")];
        let mut object = many(4, &extra);
        vectors.iter().for_each(|(tag, values)| words(&mut object, Tag(0x0054, *tag), values));
        let (frames, _) = read_one(object)?;
        Ok::<_, String>((frames.len(), frames[0].grid().size()[2]))
    };
    assert_eq!(nuclear(&[(0x0100, &[1, 2, 3, 4])]), Ok((4, 1)));
    assert_eq!(nuclear(&[(0x0070, &[1, 1, 2, 2])]), Ok((2, 2)));
    assert_eq!(nuclear(&[(0x0010, &[1; 4]), (0x0020, &[1; 4])]), Ok((1, 4)));
    let windows = nuclear(&[(0x0010, &[1, 1, 2, 2]), (0x0020, &[1, 2, 1, 2])]).unwrap_err();
    assert!(windows.contains("energy_window=1,detector=2"), "{windows}");
    let views = nuclear(&[(0x0050, &[1; 4]), (0x0090, &[1, 2, 3, 4])]).unwrap_err();
    assert!(views.contains("view=1"), "{views}");
}

#[test]
fn a_film_says_its_rate_in_many_ways() {
    let interval = |extra: &[(Tag, VR, &str)]| {
        let base = [(POSITION, VR::DS, ""), (ORIENTATION, VR::DS, ""), (MODALITY, VR::CS, "US")];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.dcm");
        write(many(3, &[&base[..], extra].concat()), EXPLICIT, &path);
        let (series, said) = read_folder(&path, Strictness::Lenient);
        let series = series.unwrap();
        assert_eq!(series.frames.len(), 3);
        (series.frame_interval_ms, said)
    };
    assert_eq!(interval(&[(Tag(0x0018, 0x0040), VR::IS, "50")]).0, Some(20.0));
    assert_eq!(interval(&[(Tag(0x0018, 0x1065), VR::DS, "0\\40\\40")]).0, Some(40.0));
    assert!(interval(&[(Tag(0x0018, 0x1065), VR::DS, "0\\40\\80")]).1.contains("differ"));
    let shown = interval(&[(Tag(0x0008, 0x2144), VR::IS, "25")]);
    assert!(shown.0 == Some(40.0) && shown.1.contains("recommended display"), "{shown:?}");
    assert_eq!(interval(&[]).0, None);
}

#[test]
fn pixels_at_the_detector_are_divided_by_the_magnification() {
    let imager = Tag(0x0018, 0x1164);
    let spacing = |extra: &[(Tag, VR, &str)]| {
        let image = still(0, 0).with(SPACING, VR::DS, "").with(imager, VR::DS, "0.3\\0.6");
        let image = extra.iter().fold(image, |image, (tag, vr, text)| image.with(*tag, *vr, text));
        let (frames, said) = read(vec![image]).unwrap();
        (frames[0].grid().spacing_mm()[..2].to_vec(), said)
    };
    let (plain, said) = spacing(&[]);
    assert!(plain == [0.6, 0.3] && said.contains("detector"), "{said}");
    assert_eq!(spacing(&[(Tag(0x0018, 0x1114), VR::DS, "1.5")]).0, [0.6 / 1.5, 0.3 / 1.5]);
    let ratio = [(Tag(0x0018, 0x1110), VR::DS, "1000"), (Tag(0x0018, 0x1111), VR::DS, "500")];
    assert_eq!(spacing(&ratio).0, [0.3, 0.15]);
}

#[test]
fn without_a_pixel_spacing_the_aspect_ratio_says_how_high_pixels_are() {
    let picture = |ratio: &str, spacing: &str| {
        let image = still(0, 0).with(SPACING, VR::DS, spacing);
        let (frames, said) = read(vec![image.with(Tag(0x0028, 0x0034), VR::IS, ratio)]).unwrap();
        ([0, 1].map(|a| frames[0].grid().spacing_mm()[a]), said)
    };
    let (found, said) = picture("11\\10", "");
    assert_eq!(found, [1.0, 1.1]);
    assert!(said.contains("1 mm wide and 1.1000 mm high, as PixelAspectRatio says"), "{said}");
    for square in ["1\\1", "0\\1", "1\\0", "", "x\\y", "3"] {
        let (found, said) = picture(square, "");
        assert_eq!(found, [1.0; 2], "{square}");
        assert!(said.contains("no pixel spacing: 1 mm is assumed"), "{square}: {said}");
    }
    assert_eq!(picture("11\\10", "0.5\\0.25").0, [0.25, 0.5]);
}

#[test]
fn tiles_of_a_whole_slide_are_no_slices() {
    let slide = |columns: u32, rows: u32| {
        let mut object = many(4, &[(POSITION, VR::DS, "")]);
        for (element, value) in [(0x0006, columns), (0x0007, rows)] {
            object.put(DataElement::new(Tag(0x0048, element), VR::UL, PrimitiveValue::from(value)));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.dcm");
        write(object, "1.2.840.10008.1.2.1", &path);
        read_folder(&path, Strictness::Lenient).0.map(|series| series.frames.len())
    };
    let refused = slide(8, 6).unwrap_err();
    assert!(refused.contains("tiles of one picture of 8 × 6"), "{refused}");
    assert!(slide(4, 3).is_ok(), "frames of the whole size are no tiles");
}
