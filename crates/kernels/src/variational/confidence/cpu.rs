//! CPU text of [`Confidence`].

use super::Confidence;
use veloxel_gpu::Cpu;

pub(super) fn confidence(cpu: &Cpu, args: Confidence<'_>) {
    let (n, nx) = (args.shape.len(), args.shape.size[0]);
    let contrast = args.contrast;
    let per_half2 = 1.0 / (args.half_edges * args.half_edges);
    let diagonal: Vec<&[f32]> = args.diagonal().iter().map(|&entry| args.tensor[entry].host()).collect();
    cpu.split_rows([args.error_to_confidence.host_mut()], nx, n, |row, [out]| {
        let entry = |c: usize| &diagonal[c][row * nx..][..nx];
        let (first, second) = (entry(0), entry(1));
        let third = (diagonal.len() == 3).then(|| entry(2));
        for (i, out) in out.iter_mut().enumerate() {
            let trace = first[i] + second[i] + third.map_or(0.0, |third| third[i]);
            *out = trace / (trace + contrast) / (1.0 + *out * per_half2);
        }
    });
}
