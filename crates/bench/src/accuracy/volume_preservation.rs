//! Incompressible muscle with and without β: how much its volume changes, and the effect on the error.

use crate::{BenchError, Figure, Session};
use veloxel_core::{Control, Dimension, Warnings};
use veloxel_gpu::Device;
use veloxel_io::{Strictness, read_mesh};
use veloxel_measure::flow_error;
use veloxel_motion::{Clg, ClgParams, ClgPreset, DenseFlow, Pair, PairMethod};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};
use veloxel_phantoms::{HeartParams, HeartPhantom, Noise, Phantom, RasteriseParams, rasterise_pair};

/// The β that is compared with none.
pub(crate) const BETA: f32 = 3.0;
/// Least factor by which β makes the change of volume in the muscle smaller; tests require it too.
const GAIN: f64 = 4.0;
/// Voxel edge of the rasterised ventricle, in the mesh's unit.
pub(crate) const MOUSE_SPACING: f64 = 1.25;

/// `volume-preservation`: shells, the heart, and (with data) the mouse ventricle from frame 0 to 8.
pub(crate) fn volume_preservation(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let grid = isotropic_grid(Dimension::Three, 64)?;
    let mut phantoms = Vec::new();
    for motion in [MotionKind::BeatingShell, MotionKind::TwistingShell] {
        let case = Case { motion, texture: TextureKind::Wall, noise: Noise::None };
        phantoms.push(case.build(&grid).named(case.name(Dimension::Three)));
    }
    let heart = HeartPhantom::new(HeartParams::default())?;
    phantoms.push(heart.pair(0, heart.end_systole()));
    phantoms.extend(mouse(session)?);
    let mut figures = Vec::new();
    for phantom in &phantoms {
        figures.extend(compare(session.device, phantom)?);
    }
    Ok(figures)
}

/// The rasterised left ventricle of a mouse; none without the data folder.
pub(crate) fn mouse(session: &Session<'_>) -> Result<Option<Phantom>, BenchError> {
    let Some(folder) = session.data("cardiac/mouse_lv_fe") else { return Ok(None) };
    // What follows the cells of these files is not used: there is nothing to say of it.
    let mesh = |file: &str| read_mesh(&folder.join(file), Strictness::Lenient, &mut Warnings::new());
    let (rest, moved) = (mesh("position_0000.vtk")?, mesh("position_0008.vtk")?);
    let pair = rasterise_pair(&rest, &rest, &moved, &RasteriseParams::new([MOUSE_SPACING; 3]))?;
    Ok(Some(pair.named("mouse left ventricle, frame 0 to 8")))
}

/// The motion of a phantom with volume preserved in its muscle.
pub(crate) fn estimate(device: &Device, phantom: &Phantom, beta: f32) -> Result<DenseFlow, BenchError> {
    let params = ClgParams { beta, ..ClgParams::preset(ClgPreset::Accurate, Dimension::Three) };
    let pair = Pair { volume_mask: phantom.muscle.as_ref(), ..Pair::new(&phantom.fixed, &phantom.moving) };
    Ok(Clg::new(phantom.grid(), params, device)?.run(&pair)?)
}

/// Compares β with none. Data count everywhere, volume is preserved in the muscle; both are measured there, so that only β
/// differs.
fn compare(device: &Device, phantom: &Phantom) -> Result<Vec<Figure>, BenchError> {
    let mut results = Vec::new();
    for beta in [0.0, BETA] {
        let output = estimate(device, phantom, beta)?;
        let error = flow_error(&output.flow, &phantom.truth, phantom.muscle.as_ref(), &Control::default())?;
        results.push((output.statistics.jacobian.mean_abs_minus_one, error));
    }
    let [(change_off, error_off), (change_on, error_on)] = results[..] else {
        return Ok(Vec::new());
    };
    let name = &phantom.name;
    let motion = error_off.mean_truth_vox;
    let (error_off, error_on) = (error_off.end_point_vox.mean, error_on.end_point_vox.mean);
    Ok(vec![
        Figure::new(format!("{name}: mean motion"), motion, "voxels"),
        Figure::new(format!("{name}: change of volume without β"), change_off, ""),
        Figure::new(format!("{name}: change of volume with β"), change_on, ""),
        Figure::new(format!("{name}: gain"), change_off / change_on, "×").at_least(GAIN),
        Figure::new(format!("{name}: error without β"), error_off, "voxels"),
        Figure::new(format!("{name}: error with β"), error_on, "voxels").at_most(error_off),
    ])
}
