//! Processor text of [`LocalStep`]: the kernels that it is made of.

use super::LocalStep;
use crate::image::gradient::{Gradient, Scheme};
use crate::image::pointwise::{ClipLength, InPlace, Operation};
use crate::image::warp::{Border, Interpolation, VoxelAffine, Warp};
use crate::image::window_sum::WindowSum;
use crate::kernel::Kernel;
use crate::matching::local_solve::LocalSolve;
use crate::shared::taps::Taps;
use crate::variational::compose::{Compose, Update};
use crate::variational::motion_tensor::{DataTerm, MotionTensor};
use crate::variational::robust_tensor::{Group, RobustTensor};
use veloxel_gpu::{Buffer, Cpu, Later};

pub(super) fn step(cpu: &Cpu, args: LocalStep<'_>) -> Later<f64> {
    let LocalStep { shape, spacing_edges, terms, images, displacement, out, memory } = args;
    let [fixed, moving] = images;
    let (warped, rest) = memory.split_at_mut(1);
    let (of_fixed, rest) = rest.split_at_mut(2);
    let (of_warped, rest) = rest.split_at_mut(2);
    let (brightness, rest) = rest.split_at_mut(6);
    let (gradients, rest) = rest.split_at_mut(6);
    let (tensor, sums) = rest.split_at_mut(5);
    let (sums, increment) = sums.split_at_mut(sums.len() - 2);
    let warped = &mut warped[0];
    Warp {
        shape,
        moving_shape: shape,
        spacing_edges,
        interpolation: Interpolation::Linear,
        border: Border::Centres,
        moving_from_fixed: VoxelAffine::IDENTITY,
        cut: None,
        moving,
        displacement,
        out: warped,
    }
    .on_cpu(cpu);
    let scheme = Scheme::Central4;
    let term = |nth: usize, pairs: &[(&Buffer, &Buffer)], out: &mut [Buffer]| {
        let constraint = terms.constraints[nth];
        let term = DataTerm { shape, spacing_edges, scheme, constraint, pairs, weight: None };
        let alone = [0; 3].map(|_| Taps::gaussian(0.0, 1.0));
        MotionTensor { term, taps: &alone, out }.on_cpu(cpu);
    };
    term(0, &[(fixed, warped)], brightness);
    let mut groups = vec![Group { tensor: &*brightness, gain: 1.0 }];
    if terms.gamma > 0.0 {
        Gradient { shape, scheme, image: fixed, out: of_fixed }.on_cpu(cpu);
        Gradient { shape, scheme, image: warped, out: of_warped }.on_cpu(cpu);
        let pairs: Vec<_> = of_fixed.iter().zip(of_warped.iter()).collect();
        term(1, &pairs, gradients);
        groups.push(Group { tensor: gradients, gain: terms.gamma });
    }
    InPlace { operation: Operation::Fill(0.0), field: increment }.on_cpu(cpu);
    let epsilon = f32::MAX.sqrt();
    RobustTensor { shape, epsilon, groups: &groups, increment, out: tensor }.on_cpu(cpu);
    for (input, output) in tensor.iter().zip(&mut *sums) {
        WindowSum { shape, radius: [terms.radius; 3], input, output }.on_cpu(cpu);
    }
    LocalSolve { shape, ridge: terms.ridge, tensor: sums, increment }.on_cpu(cpu);
    let length = ClipLength { limit: terms.limit, field: increment }.on_cpu(cpu);
    Compose { shape, spacing_edges, update: Update::Add, displacement, increment }.on_cpu(cpu);
    increment.iter_mut().zip(out).for_each(|(increment, out)| std::mem::swap(increment, out));
    length
}
