//! Headers of volumes that say something of units, frames and lists: applied, told, or refused by name.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use veloxel_core::Warnings;
use veloxel_io::{Content, Strictness, read_bytes};

fn read(name: &str, bytes: &[u8]) -> Result<(Content, String), String> {
    let mut warnings = Warnings::new();
    let content = read_bytes(Path::new(name), bytes, Strictness::Lenient, &mut warnings);
    let said: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    content.map(|content| (content, said.join("\n"))).map_err(|error| error.to_string())
}

fn meta_image(extra: &str) -> Result<(Content, String), String> {
    let head = "ObjectType = Image\nNDims = 2\nBinaryData = True\nDimSize = 3 2\nElementSpacing = 2 4\nOffset = 1 3\n";
    let text = format!("{head}{extra}ElementType = MET_UCHAR\nElementDataFile = LOCAL\n");
    read("a.mha", &[text.as_bytes(), &[1, 2, 3, 4, 5, 6]].concat())
}

#[test]
fn units_of_metaimage_are_turned_into_millimetres() {
    let place = |extra: &str| {
        let (Content::Image(image), said) = meta_image(extra).unwrap() else { panic!("{extra}") };
        let ([sx, sy, _], [ox, oy, _]) = (image.grid().spacing_mm(), image.grid().origin_mm());
        ([sx, sy, ox, oy], said)
    };
    assert_eq!(place("DistanceUnits = mm\n"), ([2.0, 4.0, 1.0, 3.0], String::new()));
    let ([sx, sy, ox, oy], said) = place("DistanceUnits = um\n");
    for (got, wanted) in [(sx, 2e-3), (sy, 4e-3), (ox, 1e-3), (oy, 3e-3)] {
        assert!((got - wanted).abs() < 1e-12, "{got} {wanted}");
    }
    assert!(said.contains("unit of length is um"), "{said}");
    assert_eq!(place("DistanceUnits = cm\n").0, [20.0, 40.0, 10.0, 30.0]);
    assert!(place("DistanceUnits = furlong\n").1.contains("mm is assumed"));
}

#[test]
fn functions_of_intensities_in_metaimage_are_told() {
    let said = |extra: &str| meta_image(extra).unwrap().1;
    assert!(said("ElementToIntensityFunctionSlope = 2\n").contains("stay as they are stored"));
    assert!(said("ElementToIntensityFunctionOffset = -1024\n").contains("stay as they are stored"));
    assert_eq!(said("ElementToIntensityFunctionSlope = 1\nElementToIntensityFunctionOffset = 0\n"), "");
}

fn nrrd(fields: &str, sizes: &str, bytes: usize) -> Result<(Content, String), String> {
    let axes = sizes.split(' ').count();
    let head =
        format!("NRRD0004\ntype: float\ndimension: {axes}\nsizes: {sizes}\nencoding: raw\nendian: little\n");
    read("a.nrrd", &[head.as_bytes(), fields.as_bytes(), b"\n", &vec![0; 4 * bytes]].concat())
}

#[test]
fn lists_of_nrrd_are_told_and_diffusion_weightings_refused() {
    let kinds = "kinds: list domain domain domain\n";
    let (content, said) = nrrd(kinds, "2 3 2 2", 24).unwrap();
    assert!(matches!(content, Content::Sequence(_)));
    assert!(said.contains("does not say what its images differ in"), "{said}");
    let refused = nrrd(&format!("{kinds}modality:=DWMRI\n"), "2 3 2 2", 24).unwrap_err();
    assert!(refused.contains("DWMRI") && refused.contains("unu slice"), "{refused}");
    assert!(nrrd("axis mins: 0 0\naxis maxs: 9 9\n", "3 2", 6).unwrap().1.contains("axis mins"));
}

#[test]
fn a_space_of_nrrd_may_have_time() {
    // As ITK writes four axes; and by the name of such a space.
    let itk = "space dimension: 4\nspace directions: (0,-1.5,0,0) (2,0,0,0) (0,0,3,0) (0,0,0,1)\nkinds: domain domain domain domain\nspace origin: (1,2,3,0)\n";
    let named = itk.replace("space dimension: 4", "space: right-anterior-superior-time");
    for (fields, origin) in [(itk, [1.0, 2.0, 3.0]), (&named, [-1.0, -2.0, 3.0])] {
        let (content, _) = nrrd(fields, "3 2 2 5", 60).unwrap();
        let Content::Sequence(sequence) = content else { panic!("{}", content.describe()) };
        let grid = sequence.frames()[0].grid();
        assert_eq!((sequence.frames().len(), grid.spacing_mm()), (5, [1.5, 2.0, 3.0]));
        assert_eq!(grid.origin_mm(), origin);
    }
    let leaning = itk.replace("(0,0,3,0)", "(0,0,3,1)");
    assert!(nrrd(&leaning, "3 2 2 5", 60).unwrap_err().contains("space and time"));
}

#[test]
fn vectors_of_nrrd_are_measured_along_the_world() {
    let field = |frame: &str| {
        let fields = "kinds: vector domain domain domain\nspace: LPS\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\n";
        nrrd(&format!("{fields}measurement frame: {frame}\n"), "3 3 2 2", 36)
    };
    assert!(matches!(field("(1,0,0) (0,1,0) (0,0,1)"), Ok((Content::Flow(_), _))));
    let refused = field("(0,1,0) (1,0,0) (0,0,1)").err().unwrap();
    assert!(refused.contains("measurement frame"), "{refused}");
    assert!(field("(-1,0,0) (0,-1,0) (0,0,1)").is_err());
}

#[test]
fn arrays_as_wide_as_colours_are_told() {
    let array = |shape: &str, bytes: usize| {
        let head = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({shape}), }}\n");
        let length = (head.len() as u16).to_le_bytes();
        read("a.npy", &[b"\x93NUMPY\x01\0", &length[..], head.as_bytes(), &vec![0; bytes]].concat())
            .unwrap()
            .1
    };
    assert!(array("8, 9, 3", 216).contains("taken as a volume, 3 voxels wide"));
    assert!(array("2, 8, 9, 4", 576).contains("4 voxels wide"));
    assert_eq!(array("3, 9, 8", 216), "");
    assert_eq!(array("3, 3, 3", 27), "");
}

#[test]
fn transparent_pixels_of_a_masked_picture_are_nan() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    // Two pixels of 8 bits, grey with opacity: one transparent, one not.
    let mut bytes = b"II*\0\x0c\0\0\0\x07\0\x09\xff".to_vec();
    let entries: [[u32; 3]; 9] = [
        [256, 1, 2],
        [257, 1, 1],
        [258, 2, 8 | 8 << 16],
        [259, 1, 1],
        [262, 1, 1],
        [273, 1, 8],
        [277, 1, 2],
        [279, 1, 4],
        [338, 1, 2],
    ];
    bytes.extend((entries.len() as u16).to_le_bytes());
    for [tag, count, value] in entries {
        bytes.extend((tag as u16).to_le_bytes());
        bytes.extend(3u16.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend([0; 4]);
    std::fs::write(&path, bytes).unwrap();
    let mut warnings = Warnings::new();
    let (image, mask) = veloxel_io::read_image_and_mask(&path, Strictness::Lenient, &mut warnings).unwrap();
    assert_eq!(mask.unwrap().data(), [false, true]);
    assert!(image.data()[0].is_nan() && image.data()[1] == 9.0, "{:?}", image.data());
}
