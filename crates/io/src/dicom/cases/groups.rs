use super::super::tests::{read_folder, write};
use super::*;
use crate::read::reading::{ReadOptions, Reading};

const EXPLICIT: &str = "1.2.840.10008.1.2.1";
const MEASURES: Tag = Tag(0x0028, 0x9110);
const SPACING: Tag = Tag(0x0028, 0x0030);

/// A frame of an enhanced file.
#[derive(Clone, Copy)]
struct Frame {
    position: [f64; 3],
    orientation: &'static str,
    spacing: &'static str,
    stack: Option<&'static str>,
}

const TRANSVERSE: Frame =
    Frame { position: [0.0; 3], orientation: "1\\0\\0\\0\\1\\0", spacing: "1\\1", stack: Some("1") };
const SAGITTAL: Frame = Frame { orientation: "0\\1\\0\\0\\0\\-1", stack: Some("2"), ..TRANSVERSE };

impl Frame {
    /// Two frames, 2 mm apart along an axis of the world.
    fn twice(self, axis: usize) -> [Self; 2] {
        let mut second = self;
        second.position[axis] += 2.0;
        [self, second]
    }

    fn object(self) -> InMemDicomObject {
        let of = |tag: Tag, vr: VR, text: String| {
            let mut item = InMemDicomObject::new_empty();
            item.put(DataElement::new(tag, vr, PrimitiveValue::from(text)));
            item
        };
        let mut frame = InMemDicomObject::new_empty();
        let position = self.position.map(|v| v.to_string()).join("\\");
        sequence(&mut frame, Tag(0x0020, 0x9113), vec![of(POSITION, VR::DS, position)]);
        sequence(&mut frame, Tag(0x0020, 0x9116), vec![of(ORIENTATION, VR::DS, self.orientation.to_owned())]);
        sequence(&mut frame, MEASURES, vec![of(SPACING, VR::DS, self.spacing.to_owned())]);
        if let Some(stack) = self.stack {
            let content = of(Tag(0x0020, 0x9056), VR::SH, stack.to_owned());
            sequence(&mut frame, Tag(0x0020, 0x9111), vec![content]);
        }
        frame
    }
}

/// Slices, the first sample and what was said of a part of one file of these frames; or why it is refused.
fn read(frames: &[Frame], part: &str) -> Result<(usize, f32, String), String> {
    let extra = [(POSITION, VR::DS, ""), (ORIENTATION, VR::DS, ""), (SPACING, VR::DS, "")];
    let mut object = many(frames.len(), &extra);
    sequence(&mut object, Tag(0x5200, 0x9230), frames.iter().map(|frame| frame.object()).collect());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    write(object, EXPLICIT, &path);
    let part = (!part.is_empty()).then(|| part.parse().unwrap());
    let reading = Reading::alone(ReadOptions { part, ..ReadOptions::default() });
    let (series, said) = read_folder(&path, reading);
    let frames = series?.frames;
    Ok((frames[0].grid().size()[2], frames[0].data()[0], said))
}

#[test]
fn stacks_of_two_orientations_in_a_file_are_parts() {
    for stack in [Some("1"), None] {
        let transverse = Frame { stack, ..TRANSVERSE }.twice(2);
        let sagittal = Frame { stack: stack.map(|_| "2"), ..SAGITTAL }.twice(0);
        let frames = [transverse, sagittal].concat();
        let refused = read(&frames, "").unwrap_err();
        let list = "1 4 × 3 transverse 1 × 1 mm (2 images); 2 4 × 3 sagittal 1 × 1 mm (2 images)";
        assert!(refused.contains(list) && refused.contains("folder@part:1"), "{refused}");
        assert!(!refused.contains("of their own"), "{refused}");
        assert_eq!(read(&frames, "1").map(|(nz, first, _)| (nz, first)), Ok((2, 0.0)));
        // The normal of sagittal slices leads towards the right: the second frame is the first slice.
        assert_eq!(read(&frames, "2").map(|(nz, first, _)| (nz, first)), Ok((2, 36.0)));
        assert!(read(&frames, "3").unwrap_err().contains("part asked for"));
    }
}

#[test]
fn a_smaller_stack_beside_a_larger_one_can_be_named() {
    let below = Frame { position: [0.0, 0.0, 4.0], ..TRANSVERSE };
    let frames = [&TRANSVERSE.twice(2)[..], &[below], &SAGITTAL.twice(0)].concat();
    let (slices, first, said) = read(&frames, "").unwrap();
    assert_eq!((slices, first), (3, 0.0));
    assert!(said.contains("named as in folder@part:2: 2 4 × 3 sagittal 1 × 1 mm (2 images)"), "{said}");
    // What was asked for is not another part that happens to be larger.
    assert_eq!(read(&frames, "2").map(|(nz, first, _)| (nz, first)), Ok((2, 48.0)));
}

#[test]
fn parts_of_the_largest_stack_keep_their_numbers() {
    let other = Frame { stack: Some("3"), ..TRANSVERSE };
    let frames = [&TRANSVERSE.twice(2)[..], &other.twice(2), &SAGITTAL.twice(0)].concat();
    assert!(read(&frames, "").unwrap_err().contains("1 stack=1 (2 images); 2 stack=3 (2 images)"));
    for (part, first) in [("1", 0.0), ("2", 24.0), ("stack=3", 24.0), ("3", 60.0)] {
        assert_eq!(read(&frames, part).map(|(nz, own, _)| (nz, own)), Ok((2, first)), "{part}");
    }
}

#[test]
fn pixels_of_two_sizes_in_a_file_are_parts() {
    let coarse = Frame { spacing: "2\\2", ..TRANSVERSE };
    let frames = [&TRANSVERSE.twice(2)[..], &coarse.twice(2), &TRANSVERSE.twice(2)[..1]].concat();
    let refused = read(&frames, "").unwrap_err();
    assert!(refused.contains("several pixel spacings (1 × 1 mm and 2 × 2 mm)"), "{refused}");
    assert_eq!(read(&frames, "2").map(|(nz, first, _)| (nz, first)), Ok((2, 24.0)));
}

#[test]
fn where_all_images_are_of_one_part_there_is_no_second_one() {
    let frames = TRANSVERSE.twice(2);
    assert_eq!(read(&frames, "1").map(|(nz, ..)| nz), Ok(2));
    assert!(read(&frames, "2").unwrap_err().contains("part asked for"));
}
