use super::*;
use crate::read::reading::{ReadOptions, Reading, SeriesChoice, Strictness};
use dicom_core::value::{DataSetSequence, PixelFragmentSequence, Value};
use dicom_core::{DataElement, PrimitiveValue, VR};
use dicom_object::{FileMetaTableBuilder, InMemDicomObject, Tag};
use std::fs;
use std::time::{Duration, Instant};
use veloxel_core::Warnings;

const PLAIN: &str = "1.2.840.10008.1.2.1";
const RLE: &str = "1.2.840.10008.1.2.5";
pub(super) const PIXELS: Tag = Tag(0x7FE0, 0x0010);

/// A small image: series, slice, frame; its samples are `100 · slice + 10 · frame + x`.
pub(super) struct Image {
    pub(super) series: u32,
    slice: i32,
    frame: i32,
    texts: Vec<(Tag, VR, String)>,
}

impl Image {
    pub(super) fn new(slice: i32, frame: i32) -> Self {
        Self { series: 1, slice, frame, texts: Vec::new() }
    }

    pub(super) fn with(mut self, tag: Tag, vr: VR, text: &str) -> Self {
        self.texts.push((tag, vr, text.to_owned()));
        self
    }

    pub(super) fn object(&self) -> InMemDicomObject {
        let mut object = InMemDicomObject::new_empty();
        let (slice, frame, series) = (self.slice, self.frame, self.series);
        let mut put = |tag: (u16, u16), vr: VR, text: String| {
            if !text.is_empty() {
                object.put_str(Tag(tag.0, tag.1), vr, text);
            }
        };
        put((0x0008, 0x0060), VR::CS, "MR".to_owned());
        put((0x0010, 0x0010), VR::PN, "SECRET^NAME".to_owned());
        put((0x0018, 0x0050), VR::DS, "8".to_owned());
        put((0x0018, 0x1060), VR::DS, format!("{}", 35 * frame));
        put((0x0020, 0x000E), VR::UI, format!("1.2.3.{series}"));
        put((0x0020, 0x0011), VR::IS, format!("{}", 10 * series));
        put((0x0020, 0x0013), VR::IS, format!("{}", 1 + frame + 100 * slice));
        put((0x0020, 0x0032), VR::DS, format!("-5\\3\\{}", 8 * slice));
        put((0x0020, 0x0037), VR::DS, "1\\0\\0\\0\\1\\0".to_owned());
        put((0x0028, 0x0004), VR::CS, "MONOCHROME2".to_owned());
        put((0x0028, 0x0030), VR::DS, "1.5\\1.25".to_owned());
        for (tag, words) in
            [(0x0002, 1u16), (0x0010, 3), (0x0011, 4), (0x0100, 16), (0x0101, 12), (0x0102, 11), (0x0103, 0)]
        {
            object.put(DataElement::new(Tag(0x0028, tag), VR::US, PrimitiveValue::from(words)));
        }
        let samples: Vec<u16> = (0..12).map(|i| (100 * slice + 10 * frame + i % 4) as u16).collect();
        object.put(DataElement::new(PIXELS, VR::OW, PrimitiveValue::U16(samples.into())));
        for (tag, vr, text) in &self.texts {
            match text.as_str() {
                "" => drop(object.remove_element(*tag)),
                text => drop(object.put_str(*tag, *vr, text)),
            }
        }
        object
    }

    pub(super) fn write(&self, path: &Path) {
        write(self.object(), PLAIN, path);
    }
}

pub(super) fn write(object: InMemDicomObject, syntax: &str, path: &Path) {
    let meta = FileMetaTableBuilder::new()
        .transfer_syntax(syntax)
        .media_storage_sop_class_uid("1.2.840.10008.5.1.4.1.1.4")
        .media_storage_sop_instance_uid("1.2.3.4");
    object.with_meta(meta).unwrap().write_to_file(path).unwrap();
}

/// A folder of slices 0 to 2 with frames 0 to 3, as `keep` says.
fn folder(keep: impl Fn(i32, i32) -> bool, change: impl Fn(Image) -> Image) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for slice in 0..3 {
        for frame in (0..4).filter(|&frame| keep(slice, frame)) {
            // Names in no order.
            let name = format!("IM{}", (7 * slice + 5 * frame) % 97 + 100 * frame);
            change(Image::new(slice, frame)).write(&folder.path().join(name));
        }
    }
    folder
}

pub(super) fn read_folder(path: &Path, reading: impl Into<Reading>) -> (Result<DicomSeries, String>, String) {
    let mut warnings = Warnings::new();
    let mut context = Context::new(path, reading, &mut warnings);
    let series = read_series(&[Input::of(path)], &mut context).map_err(|error| error.to_string());
    drop(context);
    let said: Vec<&str> = warnings.iter().map(|w| w.message.as_str()).collect();
    assert!(!said.concat().contains("SECRET"));
    (series, said.join("\n"))
}

#[test]
fn thin_slices_are_no_frames_and_frames_are_no_thin_slices() {
    const TRIGGER: Tag = Tag(0x0018, 0x1060);
    const POSITION: Tag = Tag(0x0020, 0x0032);
    let read = |images: &[(f64, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        for (nth, (along_mm, trigger_ms)) in images.iter().enumerate() {
            let image = Image::new(0, nth as i32).with(TRIGGER, VR::DS, trigger_ms);
            let image = image.with(POSITION, VR::DS, &format!("0\\0\\{along_mm}"));
            image.write(&folder.path().join(format!("IM{nth}")));
        }
        let (series, said) = read_folder(folder.path(), Strictness::Lenient);
        let series = series.unwrap();
        let grid = series.frames[0].grid();
        (grid.size()[2], series.frames.len(), grid.spacing_mm()[2], said)
    };
    // Slices of a micro-CT, without times and with the same one everywhere; then each at two times.
    for trigger_ms in ["", "0"] {
        let thin: Vec<_> = (0..12).map(|i| (0.02 * f64::from(i), trigger_ms)).collect();
        let (slices, frames, distance_mm, _) = read(&thin);
        assert_eq!((slices, frames), (12, 1));
        assert!((distance_mm - 0.02).abs() < 1e-9, "{distance_mm}");
    }
    let twice: Vec<_> = (0..12).map(|i| (0.001 * f64::from(i / 2), ["0", "30"][i as usize % 2])).collect();
    assert_eq!((read(&twice).0, read(&twice).1), (6, 2));
    // Frames of a scanner that writes each with another last digit.
    let (slices, frames, _, said) = read(&[(0.0, "0"), (0.01, "30"), (0.02, "60"), (0.03, "90")]);
    assert_eq!((slices, frames), (1, 4));
    assert!(said.contains("frames of one slice"), "{said}");
}

#[test]
fn files_in_no_order_become_slices_and_frames() {
    let folder = folder(|_, _| true, |image| image);
    fs::create_dir(folder.path().join("more")).unwrap();
    fs::write(folder.path().join("more/notes.txt"), "by hand").unwrap();
    fs::write(folder.path().join("broken.dcm"), [&[0; 128][..], b"DICM nothing"].concat()).unwrap();
    let (series, said) = read_folder(folder.path(), Strictness::Lenient);
    let series = series.unwrap();
    let grid = series.frames[0].grid();
    assert_eq!(
        (grid.size(), grid.spacing_mm(), grid.origin_mm()),
        ([4, 3, 3], [1.25, 1.5, 8.0], [-5.0, 3.0, 0.0])
    );
    assert_eq!(series.frame_interval_ms, Some(35.0));
    for (frame, volume) in series.frames.iter().enumerate() {
        assert!((0..3).all(|slice| *volume.at([2, 1, slice]) == (100 * slice + 10 * frame + 2) as f32));
    }
    let (left_out, images) = series.images.split_last().unwrap();
    assert_eq!((images.len(), left_out.stem.as_str(), left_out.spot), (12, "broken", None));
    let number = |image: &CineImage| image.spot.map(|at| (1 + at.frame + 100 * at.slice) as i64);
    assert!(images.iter().all(|image| image.instance.is_some() && image.instance == number(image)));
    assert!(said.contains("notes.txt") && said.contains("broken.dcm was left out"), "{said}");
}

#[test]
fn what_is_missing_is_said_and_the_rest_is_read() {
    let lacks_frame = folder(|slice, frame| (slice, frame) != (2, 1), |image| image);
    let (series, said) = read_folder(lacks_frame.path(), Strictness::Lenient);
    assert_eq!(series.unwrap().frames[0].grid().size(), [4, 3, 2]);
    assert!(said.contains("at 16.00 mm has 3 frames instead of 4 and was left out"), "{said}");
    let lacks_slice = folder(|slice, _| slice != 1, |image| Image { slice: image.slice, ..image });
    // Slices at 0 and 16 mm alone are evenly apart; a third one shows the gap.
    for frame in 0..4 {
        Image::new(3, frame).write(&lacks_slice.path().join(format!("far{frame}")));
    }
    let (series, said) = read_folder(lacks_slice.path(), Strictness::Lenient);
    let series = series.unwrap();
    assert_eq!(series.frames[1].grid().size(), [4, 3, 4]);
    assert!(series.frames[1].at([0, 0, 1]).is_nan() && *series.frames[1].at([0, 0, 2]) == 210.0);
    assert!(said.contains("slice 1, at 8.00 mm, is missing"), "{said}");
}

#[test]
fn without_trigger_times_instance_numbers_count_and_that_is_said() {
    let folder = folder(|_, _| true, |image| image.with(Tag(0x0018, 0x1060), VR::DS, ""));
    let (series, said) = read_folder(folder.path(), Strictness::Lenient);
    let series = series.unwrap();
    assert_eq!((*series.frames[3].at([0, 0, 2]), series.frame_interval_ms), (230.0, None));
    assert!(said.contains("no trigger times") && said.contains("instance number"), "{said}");
    assert!(read_folder(folder.path(), Strictness::Strict).0.is_err());
    let same = folder_of_twins();
    let (series, _) = read_folder(same.path(), Strictness::Lenient);
    assert!(series.err().unwrap().contains("nothing tells apart"));
}

/// A folder of images, under names that tell nothing of their order.
pub(super) fn folder_of(images: Vec<Image>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (nth, image) in images.iter().enumerate() {
        image.write(&folder.path().join(format!("IM{}", 7 * nth % 31)));
    }
    folder
}

fn folder_of_twins() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (frame, name) in [(0, "a.dcm"), (1, "b.dcm")] {
        let image = Image::new(0, frame).with(Tag(0x0018, 0x1060), VR::DS, "");
        image.with(Tag(0x0020, 0x0013), VR::IS, "1").write(&folder.path().join(name));
    }
    folder
}

#[test]
fn several_series_are_listed_until_one_is_chosen() {
    let folder = folder(|_, _| true, |image| Image { series: if image.slice == 1 { 2 } else { 1 }, ..image });
    let (series, _) = read_folder(folder.path(), Strictness::Lenient);
    let refusal = series.err().unwrap();
    for words in [
        "2 series",
        "number 10 (MR, 8 images of 4 × 3 in 8 files, UID 1.2.3.1)",
        "number 20",
        "by its number or its UID",
    ] {
        assert!(refusal.contains(words) && !refusal.contains('\n'), "{refusal}");
    }
    for (choice, slices) in [("10", 2), ("1.2.3.2", 1)] {
        let reading = Reading::alone(ReadOptions {
            series: Some(choice.parse::<SeriesChoice>().unwrap()),
            ..ReadOptions::default()
        });
        let (series, _) = read_folder(folder.path(), reading);
        assert_eq!(series.unwrap().frames[0].grid().size()[2], slices, "{choice}");
    }
    let reading =
        Reading::alone(ReadOptions { series: Some("30".parse().unwrap()), ..ReadOptions::default() });
    assert!(read_folder(folder.path(), reading).0.err().unwrap().contains("number 10"));
}

#[test]
fn samples_are_rescaled_turned_over_and_signed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    let read = |object: InMemDicomObject, syntax: &str| {
        write(object, syntax, &path);
        let image = crate::read_image(&path, Strictness::Lenient, &mut Warnings::new());
        image.map(|image| image.data()[..4].to_vec()).map_err(|error| error.to_string())
    };
    let scaled =
        Image::new(1, 0).with(Tag(0x0028, 0x1053), VR::DS, "2").with(Tag(0x0028, 0x1052), VR::DS, "-1000");
    assert_eq!(read(scaled.object(), PLAIN).unwrap(), [-800.0, -798.0, -796.0, -794.0]);
    let inverted = Image::new(1, 0).with(Tag(0x0028, 0x0004), VR::CS, "MONOCHROME1");
    assert_eq!(read(inverted.object(), PLAIN).unwrap(), [3995.0, 3994.0, 3993.0, 3992.0]);
    let mut signed = Image::new(0, 0).object();
    signed.put(DataElement::new(Tag(0x0028, 0x0103), VR::US, PrimitiveValue::from(1u16)));
    let samples: Vec<u16> = (0..12).map(|i| [0x0fff, 0x0800, 5, 0xf7ff][i % 4]).collect();
    signed.put(DataElement::new(PIXELS, VR::OW, PrimitiveValue::U16(samples.into())));
    assert_eq!(read(signed, PLAIN).unwrap(), [-1.0, -2048.0, 5.0, 2047.0]);
    let mut short = Image::new(0, 0).object();
    short.put(DataElement::new(PIXELS, VR::OW, PrimitiveValue::U16(vec![1u16; 5].into())));
    assert!(read(short, PLAIN).is_err());
}

#[test]
fn run_lengths_are_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    let mut object = Image::new(0, 0).object();
    // Two segments, high bytes first: twelve times 1, then twelve times 2.
    let mut rle = vec![0u8; 64];
    for (at, value) in [(0, 2u32), (4, 64), (8, 66)] {
        rle[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    rle.extend([245u8, 1, 245, 2]);
    let fragments = PixelFragmentSequence::new(Vec::<u32>::new(), vec![rle]);
    object.put(DataElement::new(PIXELS, VR::OB, Value::PixelSequence(fragments)));
    write(object, RLE, &path);
    let image = crate::read_image(&path, Strictness::Lenient, &mut Warnings::new()).unwrap();
    assert!(image.data().iter().all(|&v| v == 258.0), "{:?}", image.data());
}

#[test]
fn frames_of_one_file_are_slices_or_times_as_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    let read = |extra: &[(Tag, VR, &str)]| {
        let image =
            Image::new(0, 0).with(Tag(0x0020, 0x0032), VR::DS, "").with(Tag(0x0020, 0x0037), VR::DS, "");
        let image = image.with(Tag(0x0018, 0x1060), VR::DS, "").with(Tag(0x0028, 0x0008), VR::IS, "3");
        let image = extra.iter().fold(image, |image, (tag, vr, text)| image.with(*tag, *vr, text));
        let mut object = image.object();
        let samples: Vec<u16> = (0..36).collect();
        object.put(DataElement::new(PIXELS, VR::OW, PrimitiveValue::U16(samples.into())));
        write(object, PLAIN, &path);
        crate::read::read(&path, Strictness::Lenient, &mut Warnings::new()).unwrap()
    };
    match read(&[]) {
        Content::Image(volume) => assert_eq!((volume.grid().size(), volume.data()[12]), ([4, 3, 3], 12.0)),
        other => panic!("{}", other.describe()),
    }
    match read(&[(Tag(0x0018, 0x1063), VR::DS, "33.3")]) {
        Content::Sequence(cine) => {
            assert_eq!((cine.frames().len(), cine.frame_interval_ms()), (3, Some(33.3)))
        }
        other => panic!("{}", other.describe()),
    }
}

#[test]
fn slices_without_end_between_them_are_refused() {
    let places = ["0", "1", "9223372036854775808", "18446744073709551616"];
    let folder = tempfile::tempdir().unwrap();
    for (slice, z) in (0..).zip(places) {
        let image = Image::new(slice, 0).with(Tag(0x0020, 0x0032), VR::DS, &format!("0\\0\\{z}"));
        image.write(&folder.path().join(z));
    }
    let (series, _) = read_folder(folder.path(), Strictness::Lenient);
    assert!(series.err().unwrap().contains("equal ones, or multiples of the least"));
}

#[test]
fn frames_that_a_file_cannot_hold_are_refused_before_they_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    let frames = |count: &str| {
        Image::new(0, 0).with(Tag(0x0028, 0x0008), VR::IS, count).write(&path);
        read_folder(folder.path(), Strictness::Lenient).0.map(|series| series.frames.len()).unwrap_err()
    };
    let refused = frames("400");
    assert!(refused.contains("400 frames of 4 × 3"), "{refused}");
}

#[test]
fn the_list_of_many_series_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    for series in 0..40 {
        Image { series, ..Image::new(0, 0) }.write(&folder.path().join(format!("{series}")));
    }
    let refused = read_folder(folder.path(), Strictness::Lenient).0.map(drop).unwrap_err();
    assert!(refused.contains("40 series") && refused.contains("and 24 more"), "{refused}");
    assert!(refused.len() < 3000, "{}", refused.len());
}

#[test]
fn planes_count_in_the_budget() {
    let folder = folder(|_, _| true, |image| image);
    let read = |bytes| {
        let options = ReadOptions { max_decode_bytes: Some(bytes), ..ReadOptions::default() };
        read_folder(folder.path(), Reading::alone(options)).0.map(drop)
    };
    assert!(read(1 << 20).is_ok());
    // A file and its pixels fit, but not the headers of twelve of them.
    let refused = read(4000).unwrap_err();
    assert!(refused.contains("of memory"), "{refused}");
}

#[test]
fn frames_that_say_much_of_themselves_take_time_in_their_number_alone() {
    const FRAMES: usize = 20_000;
    let mut object = Image::new(0, 0).object();
    object.put_str(Tag(0x0028, 0x0008), VR::IS, FRAMES.to_string());
    for tag in [0x0010, 0x0011] {
        object.put(DataElement::new(Tag(0x0028, tag), VR::US, PrimitiveValue::from(1u16)));
    }
    let samples: Vec<u16> = (0..FRAMES as u16).map(|nth| nth % 4096).collect();
    object.put(DataElement::new(PIXELS, VR::OW, PrimitiveValue::U16(samples.into())));
    let group = |nth: usize| {
        let (mut place, mut group) = (InMemDicomObject::new_empty(), InMemDicomObject::new_empty());
        place.put_str(Tag(0x0020, 0x0032), VR::DS, format!("0\\0\\{nth}"));
        group.put(DataElement::new(Tag(0x0020, 0x9113), VR::SQ, DataSetSequence::from(vec![place])));
        group
    };
    let groups: Vec<_> = (0..FRAMES).map(group).collect();
    object.put(DataElement::new(Tag(0x5200, 0x9230), VR::SQ, DataSetSequence::from(groups)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    write(object, PLAIN, &path);
    let begin = Instant::now();
    let series = read_folder(&path, Strictness::Lenient).0.unwrap();
    assert_eq!(series.frames[0].data()[4095..4097], [4095.0, 0.0]);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}
