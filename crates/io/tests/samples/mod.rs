//! One small file of each kind of content in each format, for tests and fuzzing: what the library writes, and by hand
//! what it only reads.

use std::path::Path;
use veloxel_core::{Flow, Grid, Sequence, Volume, Warnings};
use veloxel_io::*;

/// A whole file in memory.
#[derive(Debug, Clone)]
pub struct Sample {
    /// `flow.nii.gz`.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Every sample; formats that keep their samples in a second file are left out.
pub fn samples() -> Vec<Sample> {
    let mut samples = vec![
        sample("text.pgm", b"P2 # grey\n3 2\n255\n1 2 3\n4 5 6\n"),
        sample("compressed.mha", &compressed_mha(b"")),
        sample("text.vtk", VTK.as_bytes()),
    ];
    for format in Format::all() {
        let size = if format.holds_volumes() { Grid::volume(4, 3, 2) } else { Grid::image(5, 4) };
        let grid = size
            .and_then(|g| g.with_spacing_mm(if format.holds_volumes() { [1.0, 2.0, 3.0] } else { [1.0; 3] }));
        let grid = grid.expect("a small grid should be possible");
        let image = Volume::from_fn(grid.clone(), |[x, y, z]| (7 * x + 40 * y + z) as f32);
        for extension in format.extensions() {
            let mut add = |kind: &str, write: &dyn Fn(&Path) -> Result<(), IoError>| {
                samples.extend(written(&format!("{kind}.{extension}"), write));
            };
            if format.writes(Kind::Image) {
                add("image", &|path| write_image(path, &image, &mut Warnings::new()));
            }
            if format.writes_labels() {
                add("labels", &|path| write_labels(path, &image.map(|&v| v as i32)));
            }
            if format.writes(Kind::Flow) {
                add("flow", &|path| write_flow(path, &Flow::zeros(grid.clone())));
            }
            if format.writes(Kind::Sequence) {
                let frames = vec![image.clone(), image.clone()];
                let sequence =
                    Sequence::new(frames, Some(20.0)).expect("two frames of one grid should be a sequence");
                add("cine", &|path| write_sequence(path, &sequence));
            }
            if format.writes_videos() {
                add("video", &|path| write_video(path, &image));
            }
        }
    }
    samples
}

/// One frame: where a video of several is cut between two of them, the rest is a whole one.
fn write_video(path: &Path, image: &Volume<f32>) -> Result<(), IoError> {
    let [width, height, _] = image.grid().size();
    let rate = FrameRate { frames: 25, seconds: 1 };
    let mut video = VideoWriter::create(path, VideoShape { width, height, colour: VideoColour::Grey, rate })?;
    video.push(&image.data().iter().map(|&v| v as u8).collect::<Vec<_>>())?;
    video.finish()
}

fn sample(name: &str, bytes: &[u8]) -> Sample {
    Sample { name: name.to_owned(), bytes: bytes.to_vec() }
}

/// What a writer leaves, if that is one file.
fn written(name: &str, write: &dyn Fn(&Path) -> Result<(), IoError>) -> Option<Sample> {
    let folder = tempfile::tempdir().expect("a temporary folder should be possible");
    let path = folder.path().join(name);
    write(&path).unwrap_or_else(|error| panic!("{error}"));
    let files = std::fs::read_dir(folder.path()).expect("the folder should be readable").count();
    let bytes = std::fs::read(&path).expect("the file should be readable");
    (files == 1).then(|| sample(name, &bytes))
}

/// Two tetrahedra.
pub const VTK: &str = "# vtk DataFile Version 2.0\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n\
    0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n";

/// Six zero bytes, compressed, and something behind them.
pub fn compressed_mha(behind: &[u8]) -> Vec<u8> {
    // zlib of six zero bytes, stored without compression.
    let body = [0x78, 0x01, 0x01, 6, 0, 0xf9, 0xff, 0, 0, 0, 0, 0, 0, 0, 6, 0, 1];
    let mut bytes = b"NDims = 2\nDimSize = 3 2\nElementSpacing = 1 1\nElementType = MET_UCHAR\n\
        CompressedData = True\nElementDataFile = LOCAL\n"
        .to_vec();
    bytes.extend(body);
    bytes.extend(behind);
    bytes
}
