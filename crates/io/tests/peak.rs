//! What reading a file takes at its peak, by a counting allocator, beside the budget that it needs.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

mod counting;

use std::fs;
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Grid, Sequence, Volume, Warnings};
use veloxel_io::*;

/// Buffers, tables and rows of decoders: not counted by the budget, and far below its 64 MiB here.
const KEPT_BYTES: usize = 1 << 18;

/// A picture or volume, its field, and frames of it, as every format that takes them writes them.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for format in Format::all() {
        let grid = if format.holds_volumes() { Grid::volume(100, 100, 60) } else { Grid::image(900, 700) };
        let image = Volume::from_fn(grid.unwrap(), |[x, y, z]| ((x * 7 + y * 13 + z * 5) % 251) as f32);
        for extension in format.extensions() {
            let mut add = |kind: &str, write: &dyn Fn(&Path) -> Result<(), IoError>| {
                let path = folder.join(format!("{kind}.{extension}"));
                write(&path).unwrap();
                files.push(path);
            };
            if format.writes(ContentKind::Image) {
                add("image", &|path| write_image(path, &image, &mut Warnings::new()));
            }
            if format.writes(ContentKind::Flow) {
                add("flow", &|path| write_flow(path, &Flow::zeros(image.grid().clone())));
            }
            if format.writes(ContentKind::Sequence) {
                let frames = vec![image.clone(); 3];
                add("cine", &|path| write_sequence(path, &Sequence::new(frames.clone(), None).unwrap()));
            }
            if format.writes_videos() {
                let [width, height, _] = image.grid().size();
                let rate = FrameRate { frames: 25, seconds: 1 };
                let shape = VideoShape { width, height, colour: VideoColour::Grey, rate };
                let bytes: Vec<u8> = image.data().iter().map(|&v| v as u8).collect();
                add("video", &|path| {
                    let mut video = VideoWriter::create(path, shape)?;
                    (0..3).try_for_each(|_| video.push(&bytes))?;
                    video.finish()
                });
            }
        }
    }
    let rgb: Vec<u8> = (0..3 * 900 * 700).map(|i| (i % 253) as u8).collect();
    files.push(folder.join("colour.png"));
    write_rgb_png(folder.join("colour.png"), 900, 700, &rgb).unwrap();
    #[cfg(feature = "jpeg")]
    {
        files.push(folder.join("colour.jpg"));
        write_rgb_jpeg(folder.join("colour.jpg"), 900, 700, &rgb).unwrap();
    }
    files
}

/// Texts of points, outlines, graphs, labels and JSON, with as many values in as few bytes as they can have.
fn texts(folder: &Path) -> Vec<PathBuf> {
    let ring = (0..4000).map(|i| f64::from(i) / 4000.0 * std::f64::consts::TAU);
    let ring: String =
        ring.map(|t| format!("endo,0,0,{:.3},{:.3}\n", 9. + 5. * t.cos(), 9. + 5. * t.sin())).collect();
    let tables = format!(r#"{{"asset":{{"version":"2.0"}},"a":[{}]}}"#, vec![r#"{"":0}"#; 5000].join(","));
    let far = |nth: usize| format!("{nth} {} {}", nth % 91, nth % 89);
    let vertices =
        |nth: usize| (3 * nth..3 * nth + 3).map(|at| format!("vertex {}\n", far(at))).collect::<String>();
    let facet = |nth: usize| format!("facet normal 0 0 1\nouter loop\n{}endloop\nendfacet\n", vertices(nth));
    let corners: String = (0..12_000).map(|nth| format!(" {}", nth % 900)).collect();
    let points: String = (0..900).map(|nth| far(nth) + "\n").collect();
    let files = [
        ("far.stl", format!("solid\n{}endsolid\n", (0..5000).map(facet).collect::<String>())),
        ("fan.off", format!("OFF 900 1 0\n{points}12000{corners}\n")),
        (
            "fan.obj",
            format!("v {}f{}\n", points.trim_end().replace('\n', "\nv ") + "\n", corners.replace(" 0", " 1")),
        ),
        ("points.csv", "1 1\n".repeat(12_000)),
        ("outline.csv", format!("structure,frame,slice,x,y\n{ring}")),
        ("graph.txt", "0 1\n".repeat(12_000)),
        ("nodes.mtx", "%%MatrixMarket matrix coordinate real general\n900000 900000 1\n1 2 1\n".to_owned()),
        ("labels.seg", "1\n".repeat(25_000)),
        ("outlines.json", tables.clone()),
        ("scene.gltf", tables),
    ];
    let written = files.into_iter().map(|(name, text)| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    });
    written.collect()
}

/// Reads a file by what its name says that it holds.
fn read_any(path: &Path, reading: Reading) -> Result<(), IoError> {
    let (name, mut warnings) = (path.file_name().unwrap().to_string_lossy().into_owned(), Warnings::new());
    match name.as_str() {
        "points.csv" => PointFile::read(path, veloxel_core::Dimension::Two, reading).map(drop),
        "outline.csv" | "outlines.json" => {
            let options = ContourReading { reading, ..ContourReading::default() };
            read_contours(path, None, &options, &mut warnings).map(drop)
        }
        "graph.txt" | "nodes.mtx" => {
            read_graph(path, veloxel_core::GraphKind::Directed, reading, &mut Warnings::new()).map(drop)
        }
        "labels.seg" => read_face_labels(path, reading).map(drop),
        _ => read(path, reading, &mut warnings).map(drop),
    }
}

/// Whether a file is read within so many bytes, or refused for another reason, and what that took beside what was held before.
fn read_within(path: &Path, max_decode_bytes: u64) -> (bool, usize) {
    let reading =
        Reading::alone(ReadOptions { max_decode_bytes: Some(max_decode_bytes), ..ReadOptions::default() });
    let before = counting::begin();
    let read = read_any(path, reading);
    let peak = counting::peak_since(before);
    (!matches!(read, Err(IoError::Memory { .. })), peak)
}

#[test]
fn no_file_takes_more_than_its_budget() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = Vec::new();
    for path in files(folder.path()).into_iter().chain(texts(folder.path())) {
        // The least budget that will do, within some percent.
        let (mut low, mut high) = (0u64, 1 << 26);
        while high - low > high / 25 {
            let middle = low + (high - low) / 2;
            let (done, peak) = read_within(&path, middle);
            let allowed = (1.1 * middle as f64) as usize + KEPT_BYTES;
            assert!(peak <= allowed, "{}: {peak} bytes, {middle} allowed", path.display());
            if done { high = middle } else { low = middle }
        }
        let (_, peak) = read_within(&path, high);
        let samples = fs::metadata(&path).unwrap().len();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        lines.push(format!("{name:<16} {samples:>9} {high:>10} {peak:>10} {:.2}", peak as f64 / high as f64));
    }
    // What `--no-capture` shows: file, budget and peak in bytes, and their ratio.
    println!("{}", lines.join("\n"));
}
