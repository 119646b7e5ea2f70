//! Images and fields that are written box by box: the bytes of those that are written at once.

use super::*;
use std::path::Path;
use veloxel_core::Flow;

fn field() -> Flow {
    let grid = Grid::volume(150, 70, 64).and_then(|g| g.with_spacing_mm([0.5, 1.0, 1.0])).unwrap();
    Flow::from_fn(grid.with_origin_mm([1.0, 2.0, 3.0]), |[x, y, z]| {
        [0.1 * x - y, (0.3 * z).sin(), 0.01 * x * y]
    })
}

/// The boxes of one chunk each.
fn boxes(size: [usize; 3], step: [usize; 3]) -> Vec<GridBox> {
    let [kx, ky, kz] = [0, 1, 2].map(|a| size[a].div_ceil(step[a]));
    let of = |nth: usize| {
        let place = [nth % kx, nth / kx % ky, nth / (kx * ky)];
        let begin = [0, 1, 2].map(|a| place[a] * step[a]);
        GridBox { begin, size: [0, 1, 2].map(|a| step[a].min(size[a] - begin[a])) }
    };
    (0..kx * ky * kz).map(of).collect()
}

/// Every file of a folder with its bytes, by its path within.
fn files(folder: &Path, within: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, within));
        } else {
            found.push((path.strip_prefix(within).unwrap().to_owned(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn boxes_in_any_order_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let flow = field();
    let image = Volume::new(flow.grid().clone(), flow.component_vox(1).to_vec()).unwrap();
    let place = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    };
    write_flow(place("whole/f.zarr"), &flow).unwrap();
    write_image(place("whole/i.ome.zarr"), &image, &mut Warnings::new()).unwrap();
    let field = StoreBoxes::field(place("parts/f.zarr"), flow.grid()).unwrap();
    let own = StoreBoxes::image(place("parts/i.ome.zarr"), flow.grid()).unwrap();
    let all = boxes(flow.grid().size(), field.step());
    assert_eq!((all.len(), field.step()), (6, [64; 3]));
    for part in all.iter().rev() {
        let components = [0, 1, 2].map(|axis| part.of(flow.component_vox(axis), flow.grid().size()));
        field.put(*part, &components).unwrap();
        own.put(*part, &components[1..2]).unwrap();
    }
    assert!(!place("parts/f.zarr").exists(), "it appears when it is whole");
    let chunks = |kind: &str| {
        let all = files(&place(kind), &place(kind)).into_iter().map(|(path, _)| path);
        all.filter(|path| path.components().any(|part| part.as_os_str() == "c")).count()
    };
    assert_eq!(chunks("parts"), chunks("whole"), "coarser levels are written as boxes come");
    field.finish().unwrap();
    own.finish().unwrap();
    for name in ["f.zarr", "i.ome.zarr"] {
        let [whole, parts] = ["whole", "parts"].map(|kind| place(kind).join(name));
        assert_eq!(files(&parts, &parts), files(&whole, &whole), "{name}");
    }
    let names = std::fs::read_dir(place("parts")).unwrap().count();
    assert_eq!(names, 2, "nothing else is left");
}

#[test]
fn pictures_are_written_in_boxes_and_other_names_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::image(600, 40).unwrap();
    let picture = Volume::from_fn(grid.clone(), |[x, y, _]| (x + y) as f32);
    let own = StoreBoxes::image(folder.path().join("p.zarr"), &grid).unwrap();
    assert_eq!(own.step(), [512, 40, 1]);
    for part in boxes(grid.size(), own.step()) {
        own.put(part, &[part.of(picture.data(), grid.size())]).unwrap();
    }
    own.finish().unwrap();
    let read = read_image(&folder.path().join("p.zarr"), Strictness::Strict, &mut Warnings::new()).unwrap();
    assert_eq!(read.data(), picture.data());
    for name in ["f.nii", "f.zarr.zip"] {
        let refused = StoreBoxes::field(folder.path().join(name), &grid).unwrap_err();
        assert!(refused.to_string().contains(".ome.zarr"), "{refused}");
    }
}
