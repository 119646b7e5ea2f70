use super::super::tests::{Image, folder_of, read_folder, write};
use super::*;
use crate::read::reading::{ReadOptions, Reading, Strictness};

const ECHO: Tag = Tag(0x0018, 0x0081);
const IMAGE_TYPE: Tag = Tag(0x0008, 0x0008);
const KERNEL: Tag = Tag(0x0018, 0x1210);
const EXPLICIT: &str = "1.2.840.10008.1.2.1";

/// Size along z, frames, the first sample of each, and what was said; or why it is refused.
fn read(images: Vec<Image>, part: &str) -> Result<(usize, Vec<f32>, String), String> {
    let folder = folder_of(images);
    let part = (!part.is_empty()).then(|| part.parse().unwrap());
    let reading = Reading::alone(ReadOptions { part, ..ReadOptions::default() });
    let (series, said) = read_folder(folder.path(), reading);
    let frames = series?.frames;
    Ok((frames[0].grid().size()[2], frames.iter().map(|frame| frame.data()[0]).collect(), said))
}

/// Three slices with the frames 0 and 1, which `change` makes of different kinds.
fn pairs(change: impl Fn(Image, i32) -> Image) -> Vec<Image> {
    (0..6).map(|nth| change(still(nth / 2, nth % 2), nth % 2)).collect()
}

#[test]
fn echoes_are_listed_and_one_is_chosen() {
    let images = || pairs(|image, frame| image.with(ECHO, VR::DS, ["5", "10"][frame as usize]));
    let refused = read(images(), "").unwrap_err();
    assert!(refused.contains("1 echo_ms=10 (3 images); 2 echo_ms=5 (3 images)"), "{refused}");
    assert_eq!(read(images(), "echo_ms=5").map(|(nz, first, _)| (nz, first)), Ok((3, vec![0.0])));
    assert_eq!(read(images(), "1").unwrap().1, [10.0]);
    assert!(read(images(), "echo_ms=7").unwrap_err().contains("part asked for"));
}

#[test]
fn the_magnitude_is_taken_beside_a_phase() {
    let of_type = |frame: i32| ["ORIGINAL\\PRIMARY\\M\\ND", "ORIGINAL\\PRIMARY\\P\\ND"][frame as usize];
    let (nz, first, said) =
        read(pairs(|image, frame| image.with(IMAGE_TYPE, VR::CS, of_type(1 - frame))), "").unwrap();
    assert_eq!((nz, first), (3, vec![10.0]));
    assert!(said.contains("magnitude") && said.contains("phase") && said.contains("is taken"), "{said}");
    // Two phases of a heart, each with a magnitude and a phase, at the same trigger times.
    let cine = (0..4).map(|nth| {
        let image = Image::new(0, nth).with(TRIGGER, VR::DS, ["0", "40"][nth as usize / 2]);
        image.with(IMAGE_TYPE, VR::CS, of_type(nth % 2))
    });
    let (_, first, _) = read(cine.collect(), "").unwrap();
    assert_eq!(first, [0.0, 20.0]);
    // At places of their own they are no thinner slices.
    let images = pairs(|image, frame| image.with(IMAGE_TYPE, VR::CS, of_type(frame)));
    let apart = images
        .into_iter()
        .enumerate()
        .map(|(nth, image)| image.with(POSITION, VR::DS, &format!("-5\\3\\{}", 4 * nth)));
    assert_eq!(read(apart.collect(), "").unwrap().0, 3);
}

#[test]
fn reconstructions_and_copies_are_no_frames() {
    let ct = |image: Image| image.with(MODALITY, VR::CS, "CT");
    let kernels = pairs(|image, frame| ct(image).with(KERNEL, VR::SH, ["B30f", "B70f"][frame as usize]));
    assert!(read(kernels, "").unwrap_err().contains("kernel=B30f"));
    assert!(read(pairs(|image, _| ct(image)), "").unwrap_err().contains("without times"));
    // A second export has other UIDs and numbers; of one slice it is missing.
    let twice = (0..5).map(|nth| {
        let number = (1 + nth / 2 + 100 * (nth % 2)).to_string();
        ct(still(nth / 2, 0)).with(INSTANCE, VR::IS, &number)
    });
    let (nz, first, said) = read(twice.collect(), "").unwrap();
    assert_eq!((nz, first), (3, vec![0.0]));
    assert!(said.contains("2 images have the pixels of others"), "{said}");
    let uid = Tag(0x0008, 0x0018);
    let same = (0..6).map(|nth| still(nth / 2, 0).with(uid, VR::UI, &format!("1.2.{}", nth / 2)));
    assert!(read(same.collect(), "").unwrap().2.contains("with the same UID"));
    // Two images at each trigger time.
    let doubled = (0..4).map(|nth| Image::new(0, nth).with(TRIGGER, VR::DS, ["0", "40"][nth as usize / 2]));
    assert!(read(doubled.collect(), "").unwrap_err().contains("one image at a time"));
}

#[test]
fn frames_of_an_enhanced_file_have_kinds_too() {
    let mut object = many(4, &[(POSITION, VR::DS, "")]);
    let group = |nth: usize| {
        let mut group = InMemDicomObject::new_empty();
        let mut item = |tag: (u16, u16), inner: Tag, vr: VR, text: &str| {
            let mut place = InMemDicomObject::new_empty();
            match vr {
                VR::FD => drop(place.put(DataElement::new(
                    inner,
                    vr,
                    PrimitiveValue::from(text.parse::<f64>().unwrap()),
                ))),
                _ => drop(place.put_str(inner, vr, text)),
            }
            sequence(&mut group, Tag(tag.0, tag.1), vec![place]);
        };
        item((0x0020, 0x9113), POSITION, VR::DS, &format!("0\\0\\{}", 5 * (nth / 2)));
        item((0x0018, 0x9117), Tag(0x0018, 0x9087), VR::FD, ["0", "1000"][nth % 2]);
        group
    };
    sequence(&mut object, Tag(0x5200, 0x9230), (0..4).map(group).collect());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    write(object, EXPLICIT, &path);
    let refused = read_folder(&path, Strictness::Lenient).0.err().unwrap();
    assert!(refused.contains("b=0") && refused.contains("b=1000"), "{refused}");
    let reading =
        Reading::alone(ReadOptions { part: Some("b=1000".parse().unwrap()), ..ReadOptions::default() });
    let series = read_folder(&path, reading).0.unwrap();
    assert_eq!(series.frames[0].grid().spacing_mm()[2], 5.0);
    assert_eq!([series.frames[0].data()[0], series.frames[0].data()[12]], [12.0, 36.0]);
}

#[test]
fn a_night_passes_between_two_images() {
    let times = ["235958.5", "235959", "000000", "000001"];
    let image = |nth: i32| {
        let image = still(0, nth).with(Tag(0x0008, 0x0032), VR::TM, times[nth as usize]);
        image.with(INSTANCE, VR::IS, "")
    };
    let (_, first, said) = read((0..4).rev().map(image).collect(), "").unwrap();
    assert_eq!(first, [0.0, 10.0, 20.0, 30.0]);
    assert!(said.contains("midnight"), "{said}");
    // With dates, over more than a day.
    let dated =
        |nth: i32| image(3 - nth).with(Tag(0x0008, 0x0022), VR::DA, &format!("202401{:02}", 30 - nth));
    assert_eq!(read((0..4).map(dated).collect(), "").unwrap().1, [0.0, 10.0, 20.0, 30.0]);
}
