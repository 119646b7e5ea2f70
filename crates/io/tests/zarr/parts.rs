//! Boxes of images, read without the rest: of stores, and of files whose samples are not compressed.

use super::*;
use veloxel_core::Sequence;

#[test]
fn boxes_are_those_of_the_whole_image() {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::volume(70, 66, 9).and_then(|g| g.with_spacing_mm([1.0, 1.0, 3.0])).unwrap();
    let image = Volume::from_fn(grid.clone(), |[x, y, z]| (x + 100 * y + 10_000 * z) as f32);
    let boxes =
        [([0; 3], [70, 66, 9]), ([63, 60, 2], [7, 6, 3]), ([0, 5, 8], [70, 2, 1]), ([3, 3, 3], [1, 1, 1])];
    for name in ["a.nii", "a.mha", "a.mhd", "a.nrrd", "a.nhdr", "a.zarr", "a.ozx"] {
        let path = folder.path().join(name);
        write_image(&path, &image, &mut Warnings::new()).unwrap();
        let partial = PartialImage::open(&path, Strictness::Strict, &mut Warnings::new()).unwrap();
        assert_eq!(partial.grid().size(), grid.size());
        for (begin, size) in boxes {
            let part = partial.part(GridBox { begin, size }, &mut Warnings::new()).unwrap();
            let own = |n: usize| {
                let [x, y, z] = [n % size[0], n / size[0] % size[1], n / (size[0] * size[1])];
                *image.at([begin[0] + x, begin[1] + y, begin[2] + z])
            };
            assert!((0..part.len()).all(|n| part[n] == own(n)), "{name} {begin:?}");
            assert_eq!(part.len(), size.iter().product::<usize>());
        }
    }
    let path = folder.path().join("a.nii.gz");
    write_image(&path, &image, &mut Warnings::new()).unwrap();
    let refused = PartialImage::open(&path, Strictness::Strict, &mut Warnings::new()).err().unwrap();
    assert!(refused.to_string().contains("convert it to .ome.zarr"), "{refused}");
}

#[test]
fn frames_of_a_sequence_and_types_with_a_scale() {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::volume(5, 4, 3).unwrap();
    let frame =
        |t: usize| Volume::from_fn(grid.clone(), move |[x, y, z]| (t * 1000 + x + 10 * y + 100 * z) as f32);
    let cine = Sequence::new((0..3).map(frame).collect(), Some(20.0)).unwrap();
    for name in ["c.nii", "c.nrrd", "c.zarr"] {
        let path = folder.path().join(name);
        write_sequence(&path, &cine).unwrap();
        let whole = PartialImage::open(&path, Strictness::Strict, &mut Warnings::new());
        assert!(matches!(whole, Err(IoError::Kind { .. })), "{name}");
        let named = folder.path().join(format!("{name}@2"));
        let partial = PartialImage::open(&named, Strictness::Strict, &mut Warnings::new()).unwrap();
        let part = GridBox { begin: [1, 2, 1], size: [2, 1, 2] };
        assert_eq!(partial.part(part, &mut Warnings::new()).unwrap(), [2121.0, 2122.0, 2221.0, 2222.0]);
    }
    let header = "NRRD0004\ntype: int16\ndimension: 3\nsizes: 2 1 2\nencoding: raw\nendian: big\n\n";
    let path = folder.path().join("b.nrrd");
    std::fs::write(&path, [header.as_bytes(), &[0, 1, 0, 2, 255, 255, 0, 4]].concat()).unwrap();
    let partial = PartialImage::open(&path, Strictness::Strict, &mut Warnings::new()).unwrap();
    let size = partial.grid().size();
    let all = partial.part(GridBox { begin: [0; 3], size }, &mut Warnings::new()).unwrap();
    assert_eq!(all, [1.0, 2.0, -1.0, 4.0]);
    std::fs::write(&path, [header.as_bytes(), &[0, 1, 0, 2]].concat()).unwrap();
    assert!(PartialImage::open(&path, Strictness::Strict, &mut Warnings::new()).is_err());
}

#[test]
fn boxes_of_a_field_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let turned = [[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]];
    let grid = Grid::volume(70, 66, 9)
        .and_then(|grid| grid.with_spacing_mm([0.7, 1.1, 3.0]))
        .and_then(|grid| grid.with_direction(turned))
        .unwrap()
        .with_origin_mm([3.0, -20.0, 7.5]);
    let flow = veloxel_core::Flow::from_fn(grid, |[x, y, z]| {
        [0.3 * x - z, (0.2 * y).sin(), if x == 65.0 { f64::NAN } else { 0.01 * x * y }]
    });
    let boxes =
        [([0; 3], [70, 66, 9]), ([63, 60, 2], [7, 6, 3]), ([0, 5, 8], [70, 2, 1]), ([3, 3, 3], [1, 1, 1])];
    for name in ["a.nii", "a.mha", "a.nrrd", "a.ome.zarr"] {
        let path = folder.path().join(name);
        write_flow(&path, &flow).unwrap();
        let whole = read_flow(&path, Strictness::Lenient, &mut Warnings::new()).unwrap();
        let partial = PartialFlow::open(&path, Strictness::Lenient, &mut Warnings::new()).unwrap();
        assert_eq!(partial.grid(), whole.grid());
        for (begin, size) in boxes {
            let part = GridBox { begin, size };
            let found = partial.part(part, &mut Warnings::new()).unwrap();
            assert_eq!(found.grid(), &whole.grid().part(part));
            for axis in 0..3 {
                let expected = part.of(whole.component_vox(axis), whole.grid().size());
                let same =
                    found.component_vox(axis).iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{name} {begin:?}");
            }
        }
    }
    let path = folder.path().join("image.nii");
    write_image(&path, &Volume::from_fn(Grid::volume(4, 4, 4).unwrap(), |_| 1.0), &mut Warnings::new())
        .unwrap();
    let refused = PartialFlow::open(&path, Strictness::Strict, &mut Warnings::new()).err().unwrap();
    assert!(matches!(refused, IoError::Kind { .. }), "{refused}");
    let picture = veloxel_core::Flow::from_fn(Grid::image(8, 6).unwrap(), |[x, ..]| [x, 0.0, 0.0]);
    let path = folder.path().join("picture.mha");
    write_flow(&path, &picture).unwrap();
    let refused = PartialFlow::open(&path, Strictness::Lenient, &mut Warnings::new()).err().unwrap();
    assert!(refused.to_string().contains("field of a volume"), "{refused}");
}

#[test]
fn labels_that_are_written_in_boxes_have_the_bytes_of_those_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::volume(70, 66, 9).unwrap();
    for (name, ends) in [("u8", [0, 200]), ("i16", [-3, 300]), ("i32", [0, 70_000])] {
        let label = |[x, y, z]: [usize; 3]| match (x + y + z) % 7 {
            0 => ends[0],
            1 => ends[1],
            n => n as i32,
        };
        let labels = Volume::from_fn(grid.clone(), label);
        let [whole, parts] =
            ["whole", "parts"].map(|kind| folder.path().join(kind).join(format!("{name}.zarr")));
        [&whole, &parts]
            .into_iter()
            .for_each(|path| std::fs::create_dir_all(path.parent().unwrap()).unwrap());
        write_labels(&whole, &labels).unwrap();
        let store = StoreBoxes::labels(&parts, &grid, ends).unwrap();
        let all = GridBox { begin: [0; 3], size: grid.size() };
        store.put(all, &[labels.data().iter().map(|&label| label as f32).collect::<Vec<_>>()]).unwrap();
        store.finish().unwrap();
        let found = read_labels(&parts, Strictness::Strict, &mut Warnings::new()).unwrap();
        assert_eq!(found.data(), labels.data(), "{name}");
        for file in ["zarr.json", "0/zarr.json", "0/c/0/1/0"] {
            let [whole, parts] = [&whole, &parts].map(|store| std::fs::read(store.join(file)).unwrap());
            assert_eq!(whole, parts, "{name} {file}");
        }
    }
}
