//! Kalibr's `camchain.yaml`: `cam0` and `cam1`, with `T_cn_cnm1` from the one to the other, metres.

use super::Layout;
use super::values::{Document, Named, lens};
use crate::error::{IoError, Result};
use crate::text::quotation::quoted;
use veloxel_core::{Camera, Lens, StereoRig};

pub(super) const LAYOUT: Layout = Layout { is: |file| file.root().find(&["cam0"]).is_some(), rig };

fn rig(files: &[Document]) -> Result<StereoRig> {
    let root = files[0].root();
    let [first, second] = [root.require(&["cam0"], "cam0")?, root.require(&["cam1"], "cam1")?];
    let t = second.require(&["tcncnm1"], "T_cn_cnm1 of cam1")?;
    let m = t.numbers::<16>()?;
    if m[12..] != [0.0, 0.0, 0.0, 1.0] {
        return Err(t.malformed("a last row of 0 0 0 1", &format!("{:?}", &m[12..])));
    }
    Ok(StereoRig {
        left: camera(first)?,
        right: camera(second)?,
        right_from_left: [0, 1, 2].map(|r| [0, 1, 2].map(|c| m[4 * r + c])),
        translation_m: [m[3], m[7], m[11]],
    })
}

fn camera(own: Named<'_>) -> Result<Camera> {
    let model = own.find(&["cameramodel"]).and_then(Named::word).unwrap_or_else(|| "pinhole".to_owned());
    if model != "pinhole" {
        let what = format!("the camera model {} of {}", quoted(&model), own.name);
        return Err(IoError::unsupported(own.path, what, "calibrate with pinhole-radtan or pinhole-equi"));
    }
    let intrinsics = own.require(&["intrinsics"], "intrinsics")?;
    let [fx, fy, cx, cy] = intrinsics.numbers()?;
    let coefficients = own.find(&["distortioncoeffs"]);
    let lens = coefficients.map_or(Ok(Lens::Ideal), |given| lens(own.find(&["distortionmodel"]), given))?;
    let size_px = own.find(&["resolution"]).map(Named::size).transpose()?;
    let camera = Camera { focal_px: [fx, fy], centre_px: [cx, cy], lens, size_px };
    camera.checked().map_err(intrinsics.core())
}
