//! A pair of ROS' camera infos, left and right: as `camera_calibration` writes them, or the messages' own fields.
//!
//! The rotation between the cameras follows from those that rectify each of them, and their distance from the projections.

use super::Layout;
use super::values::{Document, Named, lens};
use crate::error::{IoError, Result};
use veloxel_core::matrix3::{apply, product, transpose};
use veloxel_core::{Camera, Lens, StereoRig};

const MATRIX: [&str; 2] = ["cameramatrix", "k"];
const PROJECTION: [&str; 2] = ["projectionmatrix", "p"];

pub(super) const LAYOUT: Layout =
    Layout { is: |file| [MATRIX, PROJECTION].iter().all(|names| file.root().find(names).is_some()), rig };

fn rig(files: &[Document]) -> Result<StereoRig> {
    let [first, second] = files else {
        let got = "one file";
        return Err(IoError::malformed(
            &files[0].path,
            "camera info",
            "two files, of the left and the right camera",
            got,
        ));
    };
    let rectifying = |file: &Document| {
        file.root().require(&["rectificationmatrix", "r"], "rectification_matrix")?.matrix()
    };
    let [r1, r2] = [rectifying(first)?, rectifying(second)?];
    // Where the rectified camera's frame begins, metres along x.
    let shift = |file: &Document| {
        let p = file.root().require(&PROJECTION, "projection_matrix")?;
        let m = p.numbers::<12>()?;
        if m[0] > 0.0 {
            Ok(m[3] / m[0])
        } else {
            Err(p.malformed("a focal length above 0", &m[0].to_string()))
        }
    };
    let baseline = shift(second)? - shift(first)?;
    if baseline == 0.0 {
        let p = second.root().require(&PROJECTION, "projection_matrix")?;
        return Err(p.malformed("another fourth number than the other camera's (−f · baseline)", "the same"));
    }
    let back = transpose(&r2);
    Ok(StereoRig {
        left: camera(first)?,
        right: camera(second)?,
        right_from_left: product(&back, &r1),
        translation_m: apply(&back, [baseline, 0.0, 0.0]),
    })
}

fn camera(file: &Document) -> Result<Camera> {
    let root = file.root();
    let matrix = root.require(&MATRIX, "camera_matrix")?;
    let (focal_px, centre_px) = matrix.intrinsics()?;
    let coefficients = root.find(&["distortioncoefficients", "d"]);
    let lens = coefficients.map_or(Ok(Lens::Ideal), |given| lens(root.find(&["distortionmodel"]), given))?;
    let side = |names| root.find(names).map(Named::numbers::<1>).transpose();
    let size_px = match [side(&["imagewidth", "width"])?, side(&["imageheight", "height"])?] {
        [Some([width]), Some([height])] => Some([width as usize, height as usize]),
        _ => None,
    };
    Camera { focal_px, centre_px, lens, size_px }.checked().map_err(matrix.core())
}
