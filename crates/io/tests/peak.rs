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

/// Whether a file is read within so many bytes, and what that took beside what was held before.
fn read_within(path: &Path, max_decode_bytes: u64) -> (bool, usize) {
    let reading =
        Reading::alone(ReadOptions { max_decode_bytes: Some(max_decode_bytes), ..ReadOptions::default() });
    let before = counting::begin();
    let read = read(path, reading, &mut Warnings::new());
    assert!(matches!(read, Ok(_) | Err(IoError::Memory { .. })), "{}: {read:?}", path.display());
    (read.is_ok(), counting::peak_since(before))
}

#[test]
fn no_file_takes_more_than_its_budget() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = Vec::new();
    for path in files(folder.path()) {
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
