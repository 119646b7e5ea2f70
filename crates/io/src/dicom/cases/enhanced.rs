use super::super::tests::{Image, folder_of, read_folder, write};
use super::*;
use crate::read::reading::Strictness;

const IMPLICIT: &str = "1.2.840.10008.1.2";
const EXPLICIT: &str = "1.2.840.10008.1.2.1";
const PER_FRAME: Tag = Tag(0x5200, 0x9230);
const CONTENT: Tag = Tag(0x0020, 0x9111);
const STACK: Tag = Tag(0x0020, 0x9056);

/// Size along z, spacing, the first sample of each frame, the interval, and what was said; or why it is refused.
type Found = Result<([usize; 3], [f64; 3], Vec<f32>, Option<f64>, String), String>;

fn read(folder: &std::path::Path) -> Found {
    let (series, said) = read_folder(folder, Strictness::Lenient);
    let series = series?;
    let grid = series.frames[0].grid();
    let first = series.frames.iter().map(|frame| frame.data()[0]).collect();
    Ok((grid.size(), grid.spacing_mm(), first, series.frame_interval_ms, said))
}

fn read_files(objects: Vec<InMemDicomObject>, syntax: &str) -> Found {
    let folder = tempfile::tempdir().unwrap();
    for (nth, object) in objects.into_iter().enumerate() {
        write(object, syntax, &folder.path().join(format!("{nth}.dcm")));
    }
    read(folder.path())
}

/// An item with one value.
fn item(tag: Tag, vr: VR, value: PrimitiveValue) -> InMemDicomObject {
    let mut item = InMemDicomObject::new_empty();
    item.put(DataElement::new(tag, vr, value));
    item
}

/// A frame that lies at `z`, with a further item in a group of its own.
fn frame(z: f64, further: Option<(Tag, InMemDicomObject)>) -> InMemDicomObject {
    let mut frame = InMemDicomObject::new_empty();
    let place = item(POSITION, VR::DS, PrimitiveValue::from(format!("0\\0\\{z}")));
    sequence(&mut frame, Tag(0x0020, 0x9113), vec![place]);
    if let Some((group, item)) = further {
        sequence(&mut frame, group, vec![item]);
    }
    frame
}

/// A file of these frames.
fn of_frames(frames: Vec<InMemDicomObject>) -> InMemDicomObject {
    let mut object = many(frames.len(), &[(POSITION, VR::DS, "")]);
    sequence(&mut object, PER_FRAME, frames);
    object
}

#[test]
fn vendors_values_are_read_without_their_types() {
    let bytes = |object: &mut InMemDicomObject, tag: Tag, bytes: &[u8]| {
        object.put(DataElement::new(tag, VR::UN, PrimitiveValue::U8(bytes.iter().copied().collect())));
    };
    let read_all = |tag: Tag, values: &[Vec<u8>]| {
        let images = values.iter().zip(0..).map(|(value, nth)| {
            let mut object = still(0, nth).object();
            bytes(&mut object, tag, value);
            object
        });
        read_files(images.collect(), IMPLICIT)
    };
    // GE's component: the phase comes first.
    let (_, _, first, _, said) = read_all(Tag(0x0043, 0x102F), &[vec![1, 0], vec![0, 0]]).unwrap();
    assert_eq!(first, [10.0]);
    assert!(said.contains("magnitude is taken"), "{said}");
    let philips = [0f32, 500.0].map(|b| b.to_le_bytes().to_vec());
    let refused = read_all(Tag(0x2001, 0x1003), &philips).unwrap_err();
    assert!(refused.contains("1 b=0 (1 images); 2 b=500"), "{refused}");
    let ge = ["1000000000\\8\\0\\0", "1000000800\\8\\0\\0"].map(|text| text.as_bytes().to_vec());
    assert!(read_all(Tag(0x0043, 0x1039), &ge).unwrap_err().contains("b=800"));
    let siemens = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0f64]].map(|v| v.map(f64::to_le_bytes).concat());
    assert!(read_all(Tag(0x0019, 0x100E), &siemens).unwrap_err().contains("gradient=1/0/0"));
}

#[test]
fn values_that_tell_images_at_one_place_apart_make_parts() {
    let of = |tag: (u16, u16), vr: VR, values: [&str; 2]| {
        let images =
            (0..6).map(|nth| still(nth / 2, nth % 2).with(Tag(tag.0, tag.1), vr, values[nth as usize % 2]));
        read(folder_of(images.collect()).path()).unwrap_err()
    };
    assert!(of((0x0018, 0x1250), VR::SH, ["H1", "H2"]).contains("1 coil=H1 (3 images)"));
    assert!(of((0x0018, 0x5100), VR::CS, ["HFS", "HFP"]).contains("patient=HFP"));
    assert!(of((0x0018, 0x0022), VR::CS, ["FS", "PFP\\SFS"]).contains("options=PFP\\SFS"));
    assert!(of((0x0028, 0x1054), VR::LO, ["HZ", "US"]).contains("values=HZ"));
    assert!(of((0x0018, 0x9020), VR::CS, ["ON_RESONANCE", "NONE"]).contains("preparation=NONE"));
    // The same everywhere, they tell nothing apart.
    let images = (0..4).map(|nth| Image::new(nth / 2, nth % 2).with(Tag(0x0018, 0x1250), VR::SH, "H1"));
    assert_eq!(read(folder_of(images.collect()).path()).unwrap().2, [0.0, 10.0]);
}

#[test]
fn stacks_of_one_file_are_parts_wherever_they_lie() {
    let stack = |name: &str| Some((CONTENT, item(STACK, VR::SH, PrimitiveValue::from(name))));
    let between = (0..6).map(|nth| frame(f64::from(nth), stack(["1", "2"][nth as usize % 2])));
    let refused = read_files(vec![of_frames(between.collect())], EXPLICIT).unwrap_err();
    assert!(refused.contains("1 stack=1 (3 images); 2 stack=2 (3 images)"), "{refused}");
    let apart = (0..4).map(|nth| frame([0.0, 2.0, 100.0, 102.0][nth], stack(["1", "2"][nth / 2])));
    assert!(read_files(vec![of_frames(apart.collect())], EXPLICIT).unwrap_err().contains("stack=2"));
}

#[test]
fn the_volume_of_an_ultrasound_is_no_film() {
    let place = |nth: usize| {
        let mut frame = InMemDicomObject::new_empty();
        let z = PrimitiveValue::F64([0.0, 0.0, 1.5 * (nth / 2) as f64].into_iter().collect());
        sequence(&mut frame, Tag(0x0020, 0x930E), vec![item(Tag(0x0020, 0x9301), VR::FD, z)]);
        let s = PrimitiveValue::from(0.05 * (nth % 2) as f64);
        sequence(&mut frame, Tag(0x0020, 0x9310), vec![item(Tag(0x0020, 0x930D), VR::FD, s)]);
        frame
    };
    let mut object = of_frames((0..6).map(place).collect());
    object.put_str(MODALITY, VR::CS, "US");
    object.remove_element(ORIENTATION);
    let six = PrimitiveValue::F64([1.0, 0.0, 0.0, 0.0, 1.0, 0.0].into_iter().collect());
    let mut shared = InMemDicomObject::new_empty();
    sequence(&mut shared, Tag(0x0020, 0x930F), vec![item(Tag(0x0020, 0x9302), VR::FD, six)]);
    sequence(&mut object, Tag(0x5200, 0x9229), vec![shared]);
    let (size, spacing, first, interval, _) = read_files(vec![object], EXPLICIT).unwrap();
    assert_eq!((size, first), ([4, 3, 3], vec![0.0, 12.0]));
    assert!((spacing[2] - 1.5).abs() < 1e-9 && (interval.unwrap() - 50.0).abs() < 1e-9);
}

#[test]
fn frames_are_mapped_to_the_real_world_each_by_itself() {
    const MAPPING: Tag = Tag(0x0040, 0x9096);
    let mapped = |nth: usize| {
        let mut map = item(Tag(0x0040, 0x9225), VR::FD, PrimitiveValue::from(1.0 + nth as f64));
        map.put(DataElement::new(Tag(0x0040, 0x9224), VR::FD, PrimitiveValue::from(0.5)));
        frame(2.0 * nth as f64, Some((MAPPING, map)))
    };
    let folder = tempfile::tempdir().unwrap();
    write(of_frames((0..2).map(mapped).collect()), EXPLICIT, &folder.path().join("a.dcm"));
    let series = read_folder(folder.path(), Strictness::Lenient).0.unwrap();
    let samples = series.frames[0].data();
    assert_eq!([samples[0], samples[1], samples[12], samples[13]], [0.5, 1.5, 24.5, 26.5]);
}

#[test]
fn missing_files_and_frames_of_an_image_are_told() {
    let part = |number: u16, from: f64| {
        let mut object = of_frames((0..2).map(|nth| frame(from + 2.0 * f64::from(nth), None)).collect());
        object.put_str(Tag(0x0020, 0x9161), VR::UI, "1.9");
        word(&mut object, Tag(0x0020, 0x9162), number);
        word(&mut object, Tag(0x0020, 0x9163), 2);
        object
    };
    let whole = read_files(vec![part(1, 0.0), part(2, 4.0)], EXPLICIT).unwrap();
    assert_eq!(whole.0[2], 4);
    assert!(!whole.4.contains("missing"), "{}", whole.4);
    let half = read_files(vec![part(1, 0.0)], EXPLICIT).unwrap();
    assert!(half.4.contains("1 of the 2 files"), "{}", half.4);
    let mut longer = of_frames((0..3).map(|nth| frame(2.0 * f64::from(nth), None)).collect());
    longer.put_str(FRAMES, VR::IS, "2");
    let (size, _, _, _, said) = read_files(vec![longer], EXPLICIT).unwrap();
    assert_eq!(size[2], 2);
    assert!(said.contains("go on behind the frames"), "{said}");
}

#[test]
fn uneven_times_between_frames_are_no_interval() {
    let cine = |times: &[&str]| {
        let image = |nth: usize| Image::new(0, nth as i32).with(TRIGGER, VR::DS, times[nth]);
        read(folder_of((0..times.len()).map(image).collect()).path()).unwrap()
    };
    // The third frame is missing.
    let (_, _, _, interval, said) = cine(&["0.0", "40", "120", "160"]);
    assert_eq!(interval, None);
    assert!(said.contains("the times between frames differ"), "{said}");
    assert_eq!(cine(&["0.0", "33", "67", "100"]).3, Some(100.0 / 3.0));
    let slices = (0..4).map(|nth| {
        let ms = ["0.0", "40", "0.0", "60"][nth as usize];
        Image::new(nth / 2, nth % 2).with(TRIGGER, VR::DS, ms)
    });
    let (_, _, _, interval, said) = read(folder_of(slices.collect()).path()).unwrap();
    assert_eq!(interval, Some(50.0));
    assert!(said.contains("from slice to slice, 40.0 to 60.0 ms"), "{said}");
}

#[test]
fn the_pointer_says_which_times_of_frames_count() {
    let film = |pointer: &str| {
        let mut object = many(4, &[(MODALITY, VR::CS, "US"), (Tag(0x0018, 0x1063), VR::DS, "50")]);
        object.put_str(Tag(0x0018, 0x1065), VR::DS, "0\\20\\40\\20");
        let group = if pointer == "vector" { 0x1065 } else { 0x1063 };
        let pointer = PrimitiveValue::Tags([Tag(0x0018, group)].into_iter().collect());
        object.put(DataElement::new(Tag(0x0028, 0x0009), VR::AT, pointer));
        read_files(vec![object], EXPLICIT).unwrap()
    };
    assert_eq!(film("time").3, Some(50.0));
    assert_eq!(film("vector").3, None);
}

#[test]
fn pixel_spacings_equal_to_the_detectors_are_told_and_axes_have_length_one() {
    let picture = |calibration: &str| {
        let image = still(0, 0).with(Tag(0x0018, 0x1164), VR::DS, "1.5\\1.25");
        read(folder_of(vec![image.with(Tag(0x0028, 0x0A02), VR::CS, calibration)]).path()).unwrap().4
    };
    assert!(picture("").contains("that at the detector"));
    assert!(!picture("FIDUCIAL").contains("that at the detector"));
    let leaning = |six: &str| {
        let images = (0..3).map(|nth| still(nth, 0).with(ORIENTATION, VR::DS, six));
        read(folder_of(images.collect()).path()).unwrap()
    };
    let (_, spacing, _, _, said) = leaning("1\\0\\0\\0\\0.9\\0");
    assert!((spacing[2] - 8.0).abs() < 1e-9 && !said.contains("right angles"), "{spacing:?} {said}");
    assert!(leaning("1\\0\\0\\0.3\\0.954\\0").4.contains("not at right angles (cosine 0.30"));
}
