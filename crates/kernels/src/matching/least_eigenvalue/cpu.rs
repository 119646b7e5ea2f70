//! Processor text of [`LeastEigenvalue`].

use super::{LeastEigenvalue, MaskedWindows, STEPS};
use veloxel_gpu::rows::{Shared, ranges_mut};
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn least_eigenvalue<const D: usize>(cpu: &Cpu, args: LeastEigenvalue<'_>) {
    let half = args.half;
    let tensor: Vec<&[f32]> = args.tensor.iter().map(Buffer::host).collect();
    let windows = args.windows.map(|MaskedWindows { weight_sum, displacement }| {
        let mut components = displacement.iter_mut().map(|b| Shared::new(b.host_mut()));
        let displacement: [Shared<'_>; D] = std::array::from_fn(|_| {
            components.next().expect("a displacement should have a component for each axis")
        });
        (weight_sum.host(), displacement)
    });
    cpu.split_samples(args.confidence.host_mut(), 16, |range, confidence| {
        for (i, confidence) in range.clone().zip(confidence) {
            let entry = |e: usize| tensor[e][i];
            let least = match D {
                2 => least_of_plane([0, 1, 2].map(entry)),
                _ => least_of_space([0, 1, 2, 3, 4, 5].map(entry)),
            };
            let least = if least > 0.0 { least } else { 0.0 };
            let has_data = windows.as_ref().is_none_or(|(sum, _)| sum[i] > 0.0);
            *confidence = if has_data { *confidence * least / (least + half) } else { 0.0 };
        }
        let Some((weight_sum, displacement)) = &windows else { return };
        // SAFETY: ranges are disjoint.
        let displacement = unsafe { ranges_mut(displacement, range.clone()) };
        for component in displacement {
            for (value, weight) in component.iter_mut().zip(&weight_sum[range.clone()]) {
                *value = if *weight > 0.0 { *value } else { f32::NAN };
            }
        }
    });
}

fn least_of_plane([p, q, r]: [f32; 3]) -> f32 {
    let (mean, half) = (0.5 * (p + r), 0.5 * (p - r));
    mean - (half * half + q * q).sqrt()
}

fn least_of_space([p, q, r, s, t, u]: [f32; 6]) -> f32 {
    let trace = p + s + u;
    let minors = s * u - t * t + p * u - r * r + p * s - q * q;
    let determinant = p * (s * u - t * t) + q * (r * t - q * u) + r * (q * t - r * s);
    let mut root = 0.0f32;
    for _ in 0..STEPS {
        // λ³ − trace λ² + minors λ − determinant climbs to its least root, and with a falling slope.
        let slope = minors - root * (2.0 * trace - 3.0 * root);
        let left = determinant - root * (minors - root * (trace - root));
        if left > 0.0 && slope > 0.0 {
            root += left / slope;
        }
    }
    root
}
