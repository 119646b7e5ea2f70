//! Incompressible muscle with β on and off: how much volume changes, and what that does to the error.

use super::Figure;
use super::data::data;
use crate::VeloxelError;
use crate::metrics::flow_error;
use veloxel_compute::Device;
use veloxel_core::Dimension;
use veloxel_motion::{Clg, ClgParams, Pair, Preset, Silent, Start};
use veloxel_testkit::phantoms::{Case, MotionKind, TextureKind, isotropic_grid};
use veloxel_testkit::tolerances::VOLUME_PRESERVATION_GAIN;
use veloxel_testkit::{HeartParams, HeartPhantom, Noise, Phantom, RasteriseParams, rasterise_pair};

/// The β that is compared with none.
const BETA: f32 = 3.0;
/// Voxel edge of the rasterised ventricle, in the mesh's unit.
const MOUSE_SPACING: f64 = 1.25;

/// `volume-preservation`: shells, the heart, and (with data) the mouse ventricle from frame 0 to 8.
pub(super) fn volume_preservation(device: &Device) -> Result<Vec<Figure>, VeloxelError> {
    let grid = isotropic_grid(Dimension::Three, 64)?;
    let mut phantoms = Vec::new();
    for motion in [MotionKind::BeatingShell, MotionKind::TwistingShell] {
        let case = Case { motion, texture: TextureKind::Wall, noise: Noise::None };
        phantoms.push(case.build(&grid).named(case.name(Dimension::Three)));
    }
    let heart = HeartPhantom::new(HeartParams::default())?;
    phantoms.push(heart.pair(0, heart.end_systole()));
    match mouse() {
        Ok(mouse) => phantoms.push(mouse.named("mouse left ventricle, frame 0 to 8")),
        Err(VeloxelError::NoData { .. }) => {}
        Err(other) => return Err(other),
    }
    let mut figures = Vec::new();
    for phantom in &phantoms {
        figures.extend(compare(device, phantom)?);
    }
    Ok(figures)
}

fn mouse() -> Result<Phantom, VeloxelError> {
    let mesh = |file: &str| -> Result<_, VeloxelError> {
        Ok(veloxel_io::read_mesh(&data("cardiac/mouse_lv_fe")?.join(file))?)
    };
    let (rest, moved) = (mesh("position_0000.vtk")?, mesh("position_0008.vtk")?);
    Ok(rasterise_pair(&rest, &rest, &moved, &RasteriseParams::new([MOUSE_SPACING; 3]))?)
}

/// Data count everywhere, volume is preserved in the muscle; both are measured there, so that β is all that differs.
fn compare(device: &Device, phantom: &Phantom) -> Result<Vec<Figure>, VeloxelError> {
    let mut results = Vec::new();
    for beta in [0.0, BETA] {
        let params = ClgParams { beta, ..ClgParams::preset(Preset::Accurate, Dimension::Three) };
        let mask = phantom.muscle.as_ref();
        let pair = Pair {
            fixed: &phantom.fixed,
            moving: &phantom.moving,
            mask: None,
            volume_mask: mask,
            start: Start::Zero,
        };
        let output = Clg::new(phantom.grid(), params, device)?.run(&pair, &Silent)?;
        let error = flow_error(&output.flow, &phantom.truth, mask)?;
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
        Figure::new(format!("{name}: |det − 1| without β"), change_off, ""),
        Figure::new(format!("{name}: |det − 1| with β"), change_on, ""),
        Figure::new(format!("{name}: gain"), change_off / change_on, "×").at_least(VOLUME_PRESERVATION_GAIN),
        Figure::new(format!("{name}: error without β"), error_off, "voxels"),
        Figure::new(format!("{name}: error with β"), error_on, "voxels").at_most(error_off),
    ])
}
