//! Tests of the kernel on every device against its text for processors.

use crate::image::warp::by_memory::{SamplePath, WarpByMemory};
use crate::image::warp::{Border, Interpolation, VoxelAffine, Warp};
use crate::kernel::Kernel;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, DeviceKind, Field, TextureLayout};
use veloxel_testkit::on_every_device;
use veloxel_testkit::parity::{Pair, noise, noise_buffer, shapes};

const ALL: [Interpolation; 5] = [
    Interpolation::Nearest,
    Interpolation::MostWeight,
    Interpolation::Linear,
    Interpolation::CubicConvolution,
    Interpolation::CubicSpline,
];

/// Noise of amplitude 2.5, NaN here and there.
fn displacement(device: &Device, shape: Shape) -> Field {
    (0..shape.components())
        .map(|c| {
            let mut samples: Vec<f32> = noise(shape.len(), 7 + c as u64).iter().map(|v| 2.5 * v).collect();
            samples.iter_mut().skip(c).step_by(101).for_each(|v| *v = f32::NAN);
            device.upload(samples).unwrap()
        })
        .collect()
}

fn warped(
    device: &Device,
    shape: Shape,
    interpolation: Interpolation,
    map: VoxelAffine,
    moving: Vec<f32>,
) -> Vec<Buffer> {
    let mut out = device.zeros(shape.len()).unwrap();
    let warp = Warp {
        shape,
        moving_shape: shape,
        // Powers of two: a position is then the same whether products are rounded or not.
        spacing_edges: [1.0, 2.0, 0.5],
        interpolation,
        border: Border::Centres,
        cut: None,
        moving_from_fixed: map,
        moving: &device.upload(moving).unwrap(),
        displacement: &displacement(device, shape),
        out: &mut out,
    };
    warp.run(device).unwrap();
    vec![out]
}

/// An image seen through a smooth motion and NaN, by a way through memory.
fn by_memory(device: &Device, shape: Shape, nth: usize) -> Vec<Buffer> {
    let moving = device.upload(noise(shape.len(), 1)).unwrap();
    let displacement = displacement(device, shape);
    let mut out = device.zeros(shape.len()).unwrap();
    let texture = |layout| device.texture(&moving, shape.size, layout).unwrap();
    let (line, volume);
    let path = match nth {
        2 if device.is_gpu() => {
            line = texture(TextureLayout::Line);
            SamplePath::Line(&line)
        }
        3 if device.is_gpu() => {
            volume = texture(TextureLayout::Volume);
            SamplePath::Volume(&volume)
        }
        1 => SamplePath::PastFirstCache,
        _ => SamplePath::Cached,
    };
    WarpByMemory { shape, path, moving: &moving, displacement: &displacement, out: &mut out }
        .run(device)
        .unwrap();
    vec![out]
}

on_every_device! {
    /// They are CUDA's; the processor has one way only, which is that of the kernel itself.
    fn ways_through_memory_have_the_same_bits(device: &Device) {
        if matches!(device.kind(), DeviceKind::Gpu(gpu) if !gpu.takes_cuda()) {
            return;
        }
        for shape in shapes().into_iter().filter(|shape| shape.dimension == Dimension::Three) {
            for nth in 0..4 {
                Pair::new(device)
                    .alike(&format!("{:?}, way {nth}", shape.size), |device| by_memory(device, shape, nth));
            }
        }
    }

    fn samples_between_voxels(device: &Device) {
        for shape in shapes() {
            for interpolation in ALL {
                Pair::new(device).alike(&format!("{:?} {interpolation:?}", shape.size), |device| {
                    let moving = noise(shape.len(), 1);
                    warped(device, shape, interpolation, VoxelAffine::IDENTITY, moving)
                });
            }
        }
    }

    /// Smooth motion of half a voxel to nine voxels.
    fn samples_of_a_smooth_motion(device: &Device) {
        let shape = Shape { size: [70, 23, 13], dimension: Dimension::Three };
        for (interpolation, amplitude) in [Interpolation::CubicConvolution, Interpolation::CubicSpline]
            .into_iter()
            .flat_map(|i| [0.5, 2.0, 9.0].map(|a| (i, a)))
        {
            Pair::new(device).alike(&format!("{interpolation:?}, {amplitude} voxels"), |device| {
                let [nx, ny, _] = shape.size;
                // Parabolas, whose bits are the same everywhere.
                let along = |i: usize, c: usize| {
                    let at = [i % nx, i / nx % ny, i / (nx * ny)][c] as f32 / shape.size[c] as f32;
                    amplitude * 4.0 * at * (1.0 - at) - 0.25 * amplitude
                };
                let of = |c: usize| (0..shape.len()).map(|i| along(i, (c + 1) % 3)).collect();
                let displacement: Field = (0..3).map(|c| device.upload(of(c)).unwrap()).collect();
                let mut out = device.zeros(shape.len()).unwrap();
                Warp {
                    shape,
                    moving_shape: shape,
                    spacing_edges: [1.0, 2.0, 0.5],
                    interpolation,
                    border: Border::Unbounded,
                    cut: None,
                    moving_from_fixed: VoxelAffine::IDENTITY,
                    moving: &noise_buffer(device, shape.len(), 1),
                    displacement: &displacement,
                    out: &mut out,
                }
                .run(device)
                .unwrap();
                vec![out]
            });
        }
    }

    /// Warps smooth images: on noise the last bit of a position 300 voxels away would be seen.
    fn samples_behind_an_affine_map(device: &Device) {
        let mut matrix = [[0.97, -0.05, 0.02], [0.04, 1.02, -0.03], [-0.02, 0.05, 0.99]];
        for shape in shapes() {
            if shape.dimension == Dimension::Two {
                matrix[2] = [0.0, 0.0, 1.0];
            }
            let map = VoxelAffine { matrix, offset: [0.3, -0.2, 0.1] };
            for interpolation in
                [Interpolation::Linear, Interpolation::CubicConvolution, Interpolation::CubicSpline]
            {
                Pair::new(device).alike(&format!("{:?} {interpolation:?}", shape.size), |device| {
                    let [nx, ny, _] = shape.size;
                    let smooth = |i: usize| {
                        let [x, y, z] = [i % nx, i / nx % ny, i / (nx * ny)].map(|v| v as f32);
                        (0.05 * x + 0.1 * y).sin() + 0.05 * z
                    };
                    warped(device, shape, interpolation, map, (0..shape.len()).map(smooth).collect())
                });
            }
        }
    }

    fn labels_behind_an_affine_map(device: &Device) {
        let map = VoxelAffine {
            matrix: [[1.125, 0.0, 0.0], [0.0, 0.75, 0.125], [0.0, 0.0, 1.0]],
            offset: [-0.25, 0.5, 0.0],
        };
        for shape in shapes() {
            for interpolation in [Interpolation::Nearest, Interpolation::MostWeight] {
                Pair::new(device).alike(&format!("{:?} {interpolation:?}", shape.size), |device| {
                    // Few labels, of which several corners have the same one.
                    let labels = noise(shape.len(), 1).iter().map(|v| (2.0 * v).round()).collect();
                    warped(device, shape, interpolation, map, labels)
                });
            }
        }
    }

    /// Warps a moving image that has a grid of its own, with every border.
    fn samples_of_another_grid(device: &Device) {
        let map = VoxelAffine {
            matrix: [[0.75, 0.0, 0.125], [0.0, 1.25, 0.0], [0.0, 0.0, 0.5]],
            offset: [-0.25, 0.5, 0.75],
        };
        for shape in shapes() {
            let [nx, ny, nz] = shape.size;
            let size = if shape.dimension == Dimension::Two { [ny + 3, nx, 1] } else { [nz + 2, nx, ny] };
            let moving_shape = Shape { size, ..shape };
            for (interpolation, border) in
                ALL.into_iter().flat_map(|i| [Border::Centres, Border::Voxels, Border::Unbounded].map(|b| (i, b)))
            {
                Pair::new(device).alike(&format!("{size:?} {interpolation:?} {border:?}"), |device| {
                    let mut out = device.zeros(shape.len()).unwrap();
                    let warp = Warp {
                        shape,
                        moving_shape,
                        spacing_edges: [1.0, 2.0, 0.5],
                        interpolation,
                        border,
                        cut: None,
                        moving_from_fixed: map,
                        moving: &noise_buffer(device, moving_shape.len(), 1),
                        displacement: &displacement(device, shape),
                        out: &mut out,
                    };
                    warp.run(device).unwrap();
                    vec![out]
                });
            }
        }
    }
}
