//! One small file of each kind of content in each format, for tests and fuzzing: what the library writes, and by hand
//! what it only reads.

mod dicom;

use std::path::Path;
use veloxel_core::{Flow, Grid, Sequence, TriangleMesh, Volume, Warnings};
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
        sample("text.off", OFF.as_bytes()),
        sample("text.obj", OBJ.as_bytes()),
        sample("text.ply", PLY.as_bytes()),
        sample("text.stl", STL.as_bytes()),
        sample("text.gltf", GLTF.as_bytes()),
        sample("big.ply", &big_endian_ply()),
        sample("binary.stl", &binary_stl()),
        packed(),
    ];
    if Format::from_path(Path::new("a.dcm")).is_some() {
        samples.extend(dicom::samples());
    }
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
            if format.writes(ContentKind::Image) {
                add("image", &|path| write_image(path, &image, &mut Warnings::new()));
            }
            if format.writes_labels() {
                add("labels", &|path| write_labels(path, &image.map(|&v| v as i32)));
            }
            if format.writes(ContentKind::Flow) {
                add("flow", &|path| write_flow(path, &Flow::zeros(grid.clone())));
            }
            if format.writes(ContentKind::Sequence) {
                let frames = vec![image.clone(), image.clone()];
                let sequence =
                    Sequence::new(frames, Some(20.0)).expect("two frames of one grid should be a sequence");
                add("cine", &|path| write_sequence(path, &sequence));
            }
            if format.writes(ContentKind::Surface) {
                add("mesh", &write_mesh);
            }
            if format.writes_videos() {
                add("video", &|path| write_video(path, &image));
            }
        }
    }
    samples
}

/// A flow and a disparity in 63 bits a pixel.
fn packed() -> Sample {
    let grid = Grid::image(5, 4).expect("a small grid should be possible");
    let (flow, disparity) = (Flow::zeros(grid.clone()), Volume::from_fn(grid, |[x, ..]| x as f32));
    let (flow, disparity_px) = (Some(&flow), Some(&disparity));
    let fields = PackedFields { flow, disparity_px, features: None, white: 255.0 };
    written("flow.p63", &|path| write_packed(path, &fields, &mut Warnings::new()))
        .expect("a packed picture should be one file")
}

/// One frame: where a video of several is cut between two of them, the rest is a whole one.
fn write_video(path: &Path, image: &Volume<f32>) -> Result<(), IoError> {
    let [width, height, _] = image.grid().size();
    let rate = FrameRate { frames: 25, seconds: 1 };
    let mut video = VideoWriter::create(path, VideoShape { width, height, colour: VideoColour::Grey, rate })?;
    video.push(&image.data().iter().map(|&v| v as u8).collect::<Vec<_>>())?;
    video.finish()
}

/// Three faces of a tetrahedron, in colours.
fn write_mesh(path: &Path) -> Result<(), IoError> {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.1]];
    let mesh = TriangleMesh::new(points, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]]);
    let mesh = mesh.expect("a tetrahedron should be a mesh");
    let painted =
        PaintedMesh { mesh: &mesh, rgb: &[[1, 2, 3]; 3], certainty: &[0.5, 1.0, 0.0], segment: &[0, 1, 1] };
    write_painted_mesh(path, &painted)
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
    // A store is a folder.
    if path.is_dir() {
        return None;
    }
    let bytes = std::fs::read(&path).expect("the file should be readable");
    (files == 1).then(|| sample(name, &bytes))
}

/// Two tetrahedra.
pub const VTK: &str = "# vtk DataFile Version 2.0\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n\
    0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n";

/// Four points and two triangles, the buffer inside.
const GLTF: &str = concat!(
    r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"#,
    r#""meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"#,
    r#""accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},"#,
    r#"{"bufferView":0,"byteOffset":48,"componentType":5121,"count":6,"type":"SCALAR"}],"#,
    r#""bufferViews":[{"buffer":0,"byteLength":54}],"#,
    r#""buffers":[{"byteLength":54,"uri":"data:application/octet-stream;base64,"#,
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAACA",
    "PwAAgD8AAAAAAAAAAAAAgD8AAAA/AAECAAID",
    r#""}]}"#,
);

/// A square of four points, and a triangle, in colours.
pub const OFF: &str = "OFF # two faces\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n4 0 1 2 3 255 0 0\n3 0 2 1\n";

/// The same; the triangle counts its points from the last.
pub const OBJ: &str = "# two faces\nmtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nvn 0 0 1\n\
    f 1/1/1 2/2/1 3//1 4\nf -4 -2 -3\n";

/// The same, with properties that are left out.
pub const PLY: &str = "ply\nformat ascii 1.0\ncomment two faces\nelement vertex 4\nproperty float x\n\
    property float y\nproperty uchar red\nproperty double z\nelement other 1\nproperty list uchar int of\n\
    element face 2\nproperty list uchar int vertex_indices\nproperty int segment\nend_header\n\
    0 0 9 0\n1 0 9 0\n1 1 9 0\n0 1 9 0.5\n2 7 8\n4 0 1 2 3 0\n3 0 2 1 5\n";

/// Two triangles that share an edge.
pub const STL: &str = "solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\n\
    endloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0\nvertex -0 1 0\n\
    endloop\nendfacet\nendsolid\n";

/// [`PLY`]'s faces without its other element.
pub fn big_endian_ply() -> Vec<u8> {
    let mut bytes =
        b"ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nelement face 2\nproperty list uchar ushort vertex_index\nend_header\n"
            .to_vec();
    for c in [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.5] {
        bytes.extend(c.to_be_bytes());
    }
    for face in [&[0u16, 1, 2, 3][..], &[0, 2, 1]] {
        bytes.push(face.len() as u8);
        bytes.extend(face.iter().flat_map(|corner| corner.to_be_bytes()));
    }
    bytes
}

/// [`STL`]'s triangles, under a head that begins as a text does.
pub fn binary_stl() -> Vec<u8> {
    let mut bytes = b"solid, or not".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(2u32.to_le_bytes());
    for corners in
        [[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], [[0.0; 3], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]]
    {
        bytes.extend([0; 12]);
        bytes.extend(corners.iter().flatten().flat_map(|c| c.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

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
