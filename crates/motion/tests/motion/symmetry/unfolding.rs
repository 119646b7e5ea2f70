//! Motion of volumes does not fold: no cell of the interpolated map, wherever the images lead it.

use crate::masks_and_extremes::wave;
use crate::measure::{estimate, mean_error_vox, smooth};
use veloxel_core::{Dimension, Flow, Shape, Volume};
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::variational::cell_bounds::CellBounds;
use veloxel_motion::{ClgParams, ClgPreset};
use veloxel_phantoms::catalogue::MotionKind;

/// Cells of the interpolated map whose determinant may fall to 0.
fn folded_cells(flow: &Flow) -> usize {
    let device = Device::cpu(2).expect("a processor");
    let upload = |component: &[f32]| device.upload(component.to_vec()).expect("enough memory");
    let displacement: Vec<_> = flow.components_vox().map(upload).collect();
    let shape = Shape { size: flow.grid().size(), dimension: flow.grid().dimension() };
    let mut bounds = device.zeros(shape.len()).expect("enough memory");
    let (spacing_edges, least, fold, before, kept, out) = ([1.0; 3], 1e-3, 0.0, None, None, &mut bounds);
    let kernel =
        CellBounds { shape, spacing_edges, displacement: &displacement, least, fold, before, kept, out };
    kernel.run(&device).and_then(|count| count.get(&device)).expect("a processor should run it") as usize
}

/// Two volumes that have nothing in common.
fn strangers() -> [Volume<f32>; 2] {
    let image = wave(Dimension::Three, 5.0, 1.0).moving;
    let turned = |image: &Volume<f32>| {
        let [nx, ny, nz] = image.grid().size();
        Volume::from_fn(image.grid().clone(), |[x, y, z]| *image.at([ny - 1 - y, nx - 1 - x, nz - 1 - z]))
    };
    [turned(&image), image]
}

#[test]
fn volumes_do_not_fold_where_motion_is_lost() {
    // Motion as long as the details, and images of different things: neighbours are led towards different places.
    let lost = wave(Dimension::Three, 9.0, 1.0);
    let pairs = [[lost.fixed, lost.moving], strangers()];
    for preset in [ClgPreset::Accurate, ClgPreset::Fast, ClgPreset::Realtime, ClgPreset::Cine] {
        let params = ClgParams::preset(preset, Dimension::Three);
        let freely = ClgParams { least_determinant: 0.0, ..params.clone() };
        let mut folded = [0, 0];
        for [fixed, moving] in &pairs {
            for (count, params) in folded.iter_mut().zip([&params, &freely]) {
                *count += folded_cells(&estimate(fixed, moving, params).flow);
            }
        }
        println!("{preset:?}: {} cells folded, {} without the bound", folded[0], folded[1]);
        assert_eq!(folded[0], 0, "{preset:?}");
        // The shrunk images of this preset have too little left to fold.
        assert!(folded[1] > 0 || preset == ClgPreset::Realtime, "{preset:?} should fold without the bound");
    }
}

#[test]
fn motion_that_nowhere_folds_is_found_bit_by_bit_as_without_the_bound() {
    let phantom = smooth(MotionKind::Affine, Dimension::Three, 32);
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let freely = ClgParams { least_determinant: 0.0, ..params.clone() };
    let [bounded, free] =
        [&params, &freely].map(|params| estimate(&phantom.fixed, &phantom.moving, params).flow);
    assert_eq!(bounded, free);
    assert!(mean_error_vox(&bounded, &phantom) < 0.1);
}
