use super::super::tests::write;
use super::*;
use crate::read::reading::Strictness;
use veloxel_core::Warnings;

const IMPLICIT: &str = "1.2.840.10008.1.2";
const EXPLICIT: &str = "1.2.840.10008.1.2.1";
const BIG_ENDIAN: &str = "1.2.840.10008.1.2.2";
const PHOTOMETRIC: Tag = Tag(0x0028, 0x0004);

fn read(object: InMemDicomObject, syntax: &str) -> Result<(Vec<f32>, String), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    write(object, syntax, &path);
    let mut warnings = Warnings::new();
    let image =
        crate::read_image(&path, Strictness::Lenient, &mut warnings).map_err(|error| error.to_string())?;
    let said: Vec<&str> = warnings.iter().map(|w| w.message.as_str()).collect();
    Ok((image.data().to_vec(), said.join("\n")))
}

fn put(object: &mut InMemDicomObject, vr: VR, value: PrimitiveValue) {
    object.put(DataElement::new(PIXELS, vr, value));
}

/// An image of 4 × 3 whose samples have so many bits.
fn of_bits(bits: u16) -> InMemDicomObject {
    let mut object = still(0, 0).object();
    for (tag, value) in [(0x0100, bits), (0x0101, bits), (0x0102, bits - 1)] {
        word(&mut object, Tag(0x0028, tag), value);
    }
    object
}

#[test]
fn big_endian_samples_of_every_size() {
    let numbers: Vec<u32> = (0..12).map(|i| 7 + 90_001 * i).collect();
    let halves = numbers.iter().flat_map(|v| [(v >> 16) as u16, *v as u16]).collect();
    let mut object = of_bits(32);
    put(&mut object, VR::OW, PrimitiveValue::U16(halves));
    let expected: Vec<f32> = numbers.iter().map(|v| *v as f32).collect();
    assert_eq!(read(object, BIG_ENDIAN).unwrap().0, expected);
    let mut object = of_bits(32);
    let halves = numbers.iter().flat_map(|v| [*v as u16, (v >> 16) as u16]).collect();
    put(&mut object, VR::OW, PrimitiveValue::U16(halves));
    assert_eq!(read(object, EXPLICIT).unwrap().0, expected);
    // The first of two bytes is the low one of their word.
    let mut object = of_bits(8);
    put(&mut object, VR::OW, PrimitiveValue::U16((0..6u16).map(|i| (2 * i) | ((2 * i + 1) << 8)).collect()));
    assert_eq!(read(object, BIG_ENDIAN).unwrap().0, (0..12).map(|i| i as f32).collect::<Vec<_>>());
    let mut object = of_bits(16);
    put(&mut object, VR::OW, PrimitiveValue::U16((0..12u16).map(|i| 300 * i).collect()));
    assert_eq!(read(object, BIG_ENDIAN).unwrap().0[11], 3300.0);
}

#[test]
fn floats_and_doubles_are_samples() {
    let values: Vec<f64> = (0..12).map(|i| 0.25 * f64::from(i) - 1.0).collect();
    let expected: Vec<f32> = values.iter().map(|v| *v as f32).collect();
    let mut object = of_bits(32);
    object.remove_element(PIXELS);
    let floats = PrimitiveValue::F32(expected.iter().copied().collect());
    object.put(DataElement::new(Tag(0x7FE0, 0x0008), VR::OF, floats));
    assert_eq!(read(object, EXPLICIT).unwrap().0, expected);
    let mut object = of_bits(32);
    object.remove_element(PIXELS);
    object.put(DataElement::new(Tag(0x7FE0, 0x0009), VR::OD, PrimitiveValue::F64(values.into())));
    assert_eq!(read(object.clone(), IMPLICIT).unwrap().0, expected);
    // Padding of floats, a value or a range.
    let mut pad = |tag: u16, value: f64| {
        object.put(DataElement::new(Tag(0x0028, tag), VR::FD, PrimitiveValue::from(value)));
        let (values, said) = read(object.clone(), EXPLICIT).unwrap();
        assert!(said.contains("padding"), "{said}");
        values.iter().filter(|v| v.is_nan()).count()
    };
    assert_eq!((pad(0x0123, -0.5), pad(0x0125, 0.0)), (1, 3));
}

#[test]
fn tables_and_palettes_are_applied() {
    let table = |bits: u16, first: u16| {
        let mut object = of_bits(16);
        put(&mut object, VR::OW, PrimitiveValue::U16((0..12u16).collect()));
        let mut item = InMemDicomObject::new_empty();
        words(&mut item, Tag(0x0028, 0x3002), &[4, first, bits]);
        words(&mut item, Tag(0x0028, 0x3006), &[100, 200, 300, 1000]);
        sequence(&mut object, Tag(0x0028, 0x3000), vec![item]);
        object
    };
    let (values, said) = read(table(16, 2), EXPLICIT).unwrap();
    assert_eq!(values[..7], [100.0, 100.0, 100.0, 200.0, 300.0, 1000.0, 1000.0]);
    assert!(said.contains("modality LUT"), "{said}");
    let mut angiogram = table(16, 2);
    angiogram.put_str(MODALITY, VR::CS, "XA");
    assert_eq!(read(angiogram, EXPLICIT).unwrap().0[5], 5.0);
    let mut colours = of_bits(8);
    colours.put_str(PHOTOMETRIC, VR::CS, "PALETTE COLOR");
    put(&mut colours, VR::OB, PrimitiveValue::U8((0..12u8).map(|i| i % 3).collect()));
    for channel in 0..3u16 {
        words(&mut colours, Tag(0x0028, 0x1101 + channel), &[3, 0, 16]);
        words(&mut colours, Tag(0x0028, 0x1201 + channel), &[0, 1000, 1000 * (channel + 1)]);
    }
    let (values, _) = read(colours, EXPLICIT).unwrap();
    let luminance = 299.0 + 0.587 * 2000.0 + 0.114 * 3000.0;
    assert!((values[0], values[1]) == (0.0, 1000.0) && (values[2] - luminance).abs() < 1e-3, "{values:?}");
}

#[test]
fn colours_that_two_pixels_share() {
    let halved = |photometric: &str| {
        let mut object = of_bits(8);
        word(&mut object, Tag(0x0028, 0x0002), 3);
        word(&mut object, Tag(0x0028, 0x0006), 0);
        object.put_str(PHOTOMETRIC, VR::CS, photometric);
        let bytes = (0..6u8).flat_map(|i| [16 + 2 * i, 17 + 2 * i, 90, 200]).collect();
        put(&mut object, VR::OB, PrimitiveValue::U8(bytes));
        read(object, EXPLICIT)
    };
    let (values, said) = halved("YBR_FULL_422").unwrap();
    assert_eq!(values, (16..28).map(|v| v as f32).collect::<Vec<_>>());
    assert!(said.contains("luminance"), "{said}");
    assert_eq!(halved("YBR_PARTIAL_422").unwrap().0[0], 0.0);
}

#[test]
fn padding_is_no_data() {
    let padded = |change: &dyn Fn(&mut InMemDicomObject)| {
        let mut object = of_bits(16);
        put(
            &mut object,
            VR::OW,
            PrimitiveValue::U16((0..12u16).map(|i| if i < 2 { 63536 } else { i }).collect()),
        );
        object.put_str(Tag(0x0028, 0x1052), VR::DS, "-1024");
        change(&mut object);
        let (values, said) = read(object, EXPLICIT).unwrap();
        assert!(said.contains("padding"), "{said}");
        values.iter().take_while(|v| v.is_nan()).count()
    };
    assert_eq!(padded(&|object| word(object, Tag(0x0028, 0x0120), 63536)), 2);
    // A signed sample, whose value is written without a sign.
    let signed = |object: &mut InMemDicomObject| {
        word(object, Tag(0x0028, 0x0103), 1);
        word(object, Tag(0x0028, 0x0120), 63536);
    };
    assert_eq!(padded(&signed), 2);
    let range = |object: &mut InMemDicomObject| {
        word(object, Tag(0x0028, 0x0120), 63536);
        word(object, Tag(0x0028, 0x0121), 65535);
    };
    assert_eq!(padded(&range), 2);
}

#[test]
fn labels_of_a_segmentation_are_neither_padding_nor_colours() {
    let mut object = of_bits(8);
    object.put_str(Tag(0x0062, 0x0001), VR::CS, "LABELMAP");
    object.put_str(PHOTOMETRIC, VR::CS, "PALETTE COLOR");
    word(&mut object, Tag(0x0028, 0x0120), 0);
    for channel in 0..3u16 {
        words(&mut object, Tag(0x0028, 0x1101 + channel), &[3, 0, 16]);
        words(&mut object, Tag(0x0028, 0x1201 + channel), &[0, 1000, 2000]);
    }
    put(&mut object, VR::OB, PrimitiveValue::U8((0..12u8).map(|i| i % 3).collect()));
    let (values, said) = read(object, EXPLICIT).unwrap();
    assert_eq!(values[..6], [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
    assert!(!said.contains("padding") && !said.contains("colour"), "{said}");
}

#[test]
fn one_bit_and_high_bits() {
    let mut object = of_bits(1);
    put(&mut object, VR::OB, PrimitiveValue::U8([0b0000_0101u8, 0b1000].as_slice().into()));
    assert_eq!(read(object, EXPLICIT).unwrap().0, [1., 0., 1., 0., 0., 0., 0., 0., 0., 0., 0., 1.]);
    let mut object = of_bits(16);
    word(&mut object, Tag(0x0028, 0x0101), 12);
    put(&mut object, VR::OW, PrimitiveValue::U16((0..12u16).map(|i| i << 4 | 9).collect()));
    assert_eq!(read(object, EXPLICIT).unwrap().0, (0..12).map(|i| i as f32).collect::<Vec<_>>());
}

#[test]
fn a_first_group_without_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    write(still(0, 1).object(), EXPLICIT, &path);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.drain(132..144);
    std::fs::write(&path, bytes).unwrap();
    let image = crate::read_image(&path, Strictness::Lenient, &mut Warnings::new()).unwrap();
    assert_eq!(image.data()[..4], [10.0, 11.0, 12.0, 13.0]);
}

#[test]
fn a_mosaic_is_taken_apart() {
    // 2 × 2 tiles of 2 × 2, of which three are slices.
    let mut object = of_bits(16);
    for tag in [0x0010, 0x0011] {
        word(&mut object, Tag(0x0028, tag), 4);
    }
    object.put_str(Tag(0x0008, 0x0008), VR::CS, "ORIGINAL\\PRIMARY\\M\\ND\\MOSAIC");
    object.put_str(Tag(0x0018, 0x0088), VR::DS, "3.3");
    put(&mut object, VR::OW, PrimitiveValue::U16((0..16u16).collect()));
    let refused = read(object.clone(), EXPLICIT).unwrap_err();
    assert!(refused.contains("mosaic"), "{refused}");
    object.put_str(Tag(0x0019, 0x0010), VR::LO, "SIEMENS MR HEADER");
    word(&mut object, Tag(0x0019, 0x100A), 3);
    // Its number of slices says what it is, and a thickness how far they lie apart, if nothing else does.
    let mut unsaid = object.clone();
    unsaid.put_str(Tag(0x0008, 0x0008), VR::CS, "DERIVED\\PRIMARY");
    unsaid.put_str(Tag(0x0018, 0x0050), VR::DS, "3");
    unsaid.remove_element(Tag(0x0018, 0x0088));
    let (values, said) = read(unsaid, EXPLICIT).unwrap();
    assert!(values[..4] == [0., 1., 4., 5.] && said.contains("their thickness, 3 mm"), "{said}");
    let mut united = object.clone();
    united.put_str(Tag(0x0008, 0x0008), VR::CS, "ORIGINAL\\PRIMARY\\M\\VFRAME");
    united.remove_element(Tag(0x0019, 0x100A));
    united.put_str(Tag(0x0065, 0x1050), VR::DS, "3");
    let refused = read(united, EXPLICIT).unwrap_err();
    assert!(refused.contains("United Imaging"), "{refused}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    write(object, EXPLICIT, &path);
    let image = crate::read_image(&path, Strictness::Lenient, &mut Warnings::new()).unwrap();
    assert_eq!(image.data(), [0., 1., 4., 5., 2., 3., 6., 7., 8., 9., 12., 13.]);
    assert_eq!(image.grid().spacing_mm(), [1.25, 1.5, 3.3]);
    assert_eq!(image.grid().origin_mm(), [-5.0 + 1.25, 3.0 + 1.5, 0.0]);
}
