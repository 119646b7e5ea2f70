//! What the vectors of a NIfTI file mean: displacements or positions, in LPS or RAS mm; what is neither is refused by name.
//!
//! *Sources*: `nifti1.h` (intents 1006, 1007); NiftyReg, `reg-lib/_reg_maths.h` (`NREG_TRANS` with the kind in `intent_p1`, RAS mm);
//! SPM, deformations `y_*.nii` (the intent's name `Mapping`: positions, RAS mm); FSL, `fslio.h` (intents from 2006 on).
//! *Limits*: coefficients of splines, velocities and FSL's displacements need more than the file holds: the grid they deform, an
//! integration, or the other image's geometry.

use super::header::{Header, INTENT_VECTOR};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::geometry::WorldAxes;
use crate::read::layout::{Meaning, VectorKind};
use veloxel_core::WarningKind;

const INTENT_NONE: i16 = 0;
const INTENT_DISPLACEMENT: i16 = 1006;

/// What FSL stores under intents of its own, in images of three frames or one.
const FSL: [(i16, &str); 6] = [
    (2006, "a displacement field of FSL's FNIRT"),
    (2007, "cubic spline coefficients of FSL's FNIRT"),
    (2008, "cosine coefficients of FSL's FNIRT"),
    (2009, "quadratic spline coefficients of FSL's FNIRT"),
    (2016, "cubic spline coefficients of FSL's topup"),
    (2017, "quadratic spline coefficients of FSL's topup"),
];
const FSL_WAY: &str = "convert it where FSL's images are: `wb_command -convert-warpfield -from-fnirt WARP MOVING -to-itk OUT.nii.gz` \
                       (coefficients first with `fnirtfileutils -i COEFFICIENTS -r FIXED -o WARP`)";

/// NiftyReg's kinds of transformations, by `intent_p1`, from 2 on.
const NIFTYREG: [&str; 5] = [
    "a grid of cubic spline control points",
    "a velocity field of positions",
    "a velocity field of displacements",
    "a grid of spline velocities",
    "a grid of linear spline control points",
];
const NIFTYREG_WAY: &str =
    "make a deformation field of it: `reg_transform -ref FIXED.nii.gz -def CONTROL.nii.gz FIELD.nii.gz`";

/// Refuses what FSL marks as a warp, however many axes the file has.
pub(super) fn refuse_coefficients(header: &Header, context: &Context) -> Result<()> {
    match FSL.iter().find(|(code, _)| *code == header.intent_code) {
        Some((code, what)) => Err(context.unsupported(format!("{what} (intent {code})"), FSL_WAY)),
        None => Ok(()),
    }
}

/// What so many components in a voxel are.
pub(super) fn vectors(header: &Header, components: usize, context: &mut Context) -> Result<Meaning> {
    let (axes, kind) = match (name(header).as_str(), header.intent_code) {
        ("NREG_TRANS", _) => (WorldAxes::Ras, niftyreg(header, context)?),
        ("Mapping", _) => {
            let text = "positions in RAS mm (\"Mapping\", as SPM writes them): they become displacements";
            context.note(WarningKind::Note, text);
            (WorldAxes::Ras, VectorKind::Position)
        }
        (named, _) if named.to_ascii_lowercase().contains("veloc") => {
            let what = format!("a velocity field (intent named \"{named}\")");
            return Err(context.unsupported(what, "integrate it with the program that wrote it"));
        }
        (_, INTENT_VECTOR) => (WorldAxes::Lps, VectorKind::Displacement),
        (_, INTENT_DISPLACEMENT) => (WorldAxes::Ras, VectorKind::Displacement),
        (_, INTENT_NONE) => {
            context.assume(format!(
                "{components} components with intent 0: a displacement field in LPS mm (intent 1007) is assumed"
            ))?;
            (WorldAxes::Lps, VectorKind::Displacement)
        }
        (_, other) => {
            let what = format!("{components} components in a voxel with intent {other}");
            let hint = "displacement fields have intent 1007 (LPS mm) or 1006 (RAS mm)";
            return Err(context.unsupported(what, hint));
        }
    };
    Ok(Meaning::Vector { axes, kind, components })
}

/// What NiftyReg says that its vectors are.
fn niftyreg(header: &Header, context: &mut Context) -> Result<VectorKind> {
    let code = header.intent_p1;
    let what = match code {
        0.0 => "positions",
        1.0 => "displacements",
        _ => {
            let nth = (2..2 + NIFTYREG.len()).find(|kind| *kind as f32 == code);
            let what = nth.map_or("a transformation of an unknown kind", |kind| NIFTYREG[kind - 2]);
            return Err(context
                .unsupported(format!("{what} of NiftyReg (NREG_TRANS, intent_p1 {code})"), NIFTYREG_WAY));
        }
    };
    context
        .note(WarningKind::Note, format!("NiftyReg's {what} in RAS mm: they become displacements in LPS mm"));
    Ok(if code == 0.0 { VectorKind::Position } else { VectorKind::Displacement })
}

/// The intent's name, up to its first zero.
fn name(header: &Header) -> String {
    let bytes = header.intent_name.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(bytes).trim().to_owned()
}
