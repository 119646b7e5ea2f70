//! OpenCV's matrices by name, in one file or two (`intrinsics.yml` and `extrinsics.yml` of its sample `stereo_calib.cpp`).

use super::Layout;
use super::values::{Document, Named, lens};
use crate::error::{IoError, Result};
use veloxel_core::{Camera, Lens, StereoRig};

/// Names of the camera matrix and of the lens, of the first and of the second camera.
const MATRIX: [&[&str]; 2] = [
    &[
        "m1",
        "k1",
        "cameramatrix1",
        "cameramatrixleft",
        "leftcameramatrix",
        "cameramatrixl",
        "kleft",
        "kl",
        "mtxl",
    ],
    &[
        "m2",
        "k2",
        "cameramatrix2",
        "cameramatrixright",
        "rightcameramatrix",
        "cameramatrixr",
        "kright",
        "kr",
        "mtxr",
    ],
];
const LENS: [&[&str]; 2] = [
    &[
        "d1",
        "distcoeffs1",
        "distcoeffsleft",
        "leftdistcoeffs",
        "distcoeffsl",
        "dleft",
        "dl",
        "dist1",
        "distl",
    ],
    &[
        "d2",
        "distcoeffs2",
        "distcoeffsright",
        "rightdistcoeffs",
        "distcoeffsr",
        "dright",
        "dr",
        "dist2",
        "distr",
    ],
];
const NAMES: [[&str; 2]; 2] = [["M1", "D1"], ["M2", "D2"]];

pub(super) const LAYOUT: Layout = Layout {
    is: |file| {
        [&["r", "t", "rotation", "translation"][..], MATRIX[0]].iter().any(|n| file.root().find(n).is_some())
    },
    rig,
};

fn rig(files: &[Document]) -> Result<StereoRig> {
    let rotation = require(files, &["r", "rotation", "rotationmatrix"], "R")?;
    let translation = require(files, &["t", "translation", "translationvector"], "T")?;
    Ok(StereoRig {
        left: camera(files, 0)?,
        right: camera(files, 1)?,
        right_from_left: rotation.matrix()?,
        translation_m: translation.numbers()?,
    })
}

fn camera(files: &[Document], nth: usize) -> Result<Camera> {
    let matrix = require(files, MATRIX[nth], NAMES[nth][0])?;
    let (focal_px, centre_px) = matrix.intrinsics()?;
    let model = find(files, &["distortionmodel", "cameramodel"]);
    let lens = find(files, LENS[nth]).map_or(Ok(Lens::Ideal), |given| lens(model, given))?;
    let size = find(files, &["imagesize", "size", "resolution"]).map(Named::size).transpose()?;
    let side = |names| find(files, names).map(Named::numbers::<1>).transpose();
    let sides = [side(&["imagewidth", "width"])?, side(&["imageheight", "height"])?];
    let size_px = size.or(match sides {
        [Some([width]), Some([height])] => Some([width as usize, height as usize]),
        _ => None,
    });
    Camera { focal_px, centre_px, lens, size_px }.checked().map_err(matrix.core())
}

/// A value in whichever file has it.
fn find<'a>(files: &'a [Document], names: &[&str]) -> Option<Named<'a>> {
    files.iter().find_map(|file| file.root().find(names))
}

fn require<'a>(files: &'a [Document], names: &[&str], what: &str) -> Result<Named<'a>> {
    find(files, names).ok_or_else(|| {
        let expected = "a matrix (M1 D1 M2 D2 R T in one file, or in two, intrinsics and extrinsics)";
        IoError::malformed(&files[0].path, what, expected, format!("only {}", files[0].keys()))
    })
}
