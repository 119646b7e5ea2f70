//! Pairs of pictures with true fields, by their names.

use crate::{BenchError, Session};
use veloxel_core::{Flow, Volume, Warnings};
use veloxel_io::{Strictness, read_flow, read_image};

macro_rules! middlebury {
    ($name:literal) => {
        [
            concat!("flow/middlebury-2frame/", $name, "/frame10.png"),
            concat!("flow/middlebury-2frame/", $name, "/frame11.png"),
            concat!("flow/middlebury-2frame/", $name, "/flow10.flo"),
        ]
    };
}

macro_rules! sintel {
    ($images:literal, $scene:literal) => {
        [
            concat!("flow/sintel/", $images, "/frame_0002.png"),
            concat!("flow/sintel/", $images, "/frame_0003.png"),
            concat!("flow/sintel/", $scene, "/gt/frame_0002.flo"),
        ]
    };
}

/// A pair's name, and its files below the data folder: the fixed and the moving image, and the field.
const FILES: [(&str, [&str; 3]); 8] = [
    (
        "KITTI",
        ["flow/kitti-sample/frame1.png", "flow/kitti-sample/frame2.png", "flow/kitti-sample/flow_gt.png"],
    ),
    ("cave_2, clean", sintel!("cave_2/clean", "cave_2")),
    ("cave_2, final", sintel!("cave_2/final", "cave_2")),
    ("alley_1", sintel!("alley_1", "alley_1")),
    ("RubberWhale", middlebury!("RubberWhale")),
    ("Grove2", middlebury!("Grove2")),
    ("Urban2", middlebury!("Urban2")),
    ("Dimetrodon", middlebury!("Dimetrodon")),
];

/// Two pictures with the true field between them, NaN where it is unknown.
pub(crate) struct TrueField {
    pub fixed: Volume<f32>,
    pub moving: Volume<f32>,
    pub truth: Flow,
}

impl TrueField {
    /// Reads a pair by its name; none without its data.
    pub fn read(session: &Session<'_>, name: &str) -> Result<Option<Self>, BenchError> {
        let found = FILES.iter().find(|(own, _)| *own == name);
        let (_, files) = found.expect("a pair should be one of the table");
        let [Some(fixed), Some(moving), Some(truth)] = files.map(|file| session.data(file)) else {
            return Ok(None);
        };
        let mut warnings = Warnings::new();
        let mut image = |path| read_image(path, Strictness::Lenient, &mut warnings);
        let (fixed, moving) = (image(&fixed)?, image(&moving)?);
        Ok(Some(Self { fixed, moving, truth: read_flow(&truth, Strictness::Lenient, &mut warnings)? }))
    }
}
