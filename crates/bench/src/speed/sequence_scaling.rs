//! A sequence of volumes on one GPU, and its pairs on several side by side, from host memory to host memory.

use crate::{BenchError, Figure};
use std::time::Instant;
use veloxel_core::{Dimension, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{
    Clg, ClgParams, ClgPreset, FlowExtras, PairMethod, SequenceField, SequenceFrames, SequenceMode,
    SequencePlan, run_pairs_side_by_side, run_sequence,
};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};

/// Length of the volumes' edges, in voxels.
const EDGE: usize = 200;
/// Number of frames, and that of the quick form.
const FRAMES: [usize; 2] = [200, 24];
/// Runs, of which the quickest counts: the first compiles kernels.
const RUNS: usize = 3;

/// Seconds of a sequence with preset `fast` on one GPU and on all of a device, transfers included, and the fields that differ.
pub(super) fn sequence(device: &Device, one: &Device, is_quick: bool) -> Result<Vec<Figure>, BenchError> {
    let count = FRAMES[usize::from(is_quick)];
    let case = Case { motion: MotionKind::Sinusoid, texture: TextureKind::Smooth, noise: Noise::None };
    let phantom = case.build(&isotropic_grid(Dimension::Three, EDGE)?);
    let frames: Vec<Volume<f32>> =
        (0..count).map(|t| if t % 2 == 0 { phantom.fixed.clone() } else { phantom.moving.clone() }).collect();
    let alone = timed(&frames, std::slice::from_ref(one))?;
    let together = timed(&frames, &device.apart()?)?;
    let differ = alone.sums.iter().zip(&together.sums).filter(|(a, b)| a != b).count();
    let name = device.info().name;
    let figure = |what: &str, value: f64, unit| {
        Figure::new(format!("{EDGE}³ × {count} frames, transfers included, {what}"), value, unit)
    };
    Ok(vec![
        figure("one GPU", alone.seconds, "s"),
        figure(&name, together.seconds, "s"),
        figure("speed-up", alone.seconds / together.seconds, "×"),
        figure("fields that differ", differ as f64, "").at_most(0.0),
    ])
}

/// The quickest of a few runs, and a sum over the bits of each of its fields.
struct Timed {
    seconds: f64,
    sums: Vec<u64>,
}

fn timed(frames: &[Volume<f32>], devices: &[Device]) -> Result<Timed, BenchError> {
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let plan = SequencePlan { mode: SequenceMode::Consecutive, reference: 0, extras: FlowExtras::default() };
    let mut found = Timed { seconds: f64::INFINITY, sums: Vec::new() };
    for run in 0..=RUNS {
        let methods = devices.iter().map(|device| {
            let method = Clg::new(frames[0].grid(), params.clone(), device)?;
            Ok::<_, BenchError>(Box::new(method) as Box<dyn PairMethod>)
        });
        let mut methods = methods.collect::<Result<Vec<_>, _>>()?;
        let mut sums = Vec::new();
        // Sums take time of their own, so that only the first run, which does not count, has them.
        let mut deliver = |field: SequenceField| -> Result<(), BenchError> {
            if run == 0 {
                sums.push(bits_of(&field));
            }
            field.output.reuse(&devices[0]);
            Ok(())
        };
        let start = Instant::now();
        let frames = SequenceFrames::new(frames);
        match methods.as_mut_slice() {
            [only] => drop(run_sequence::<BenchError>(only.as_mut(), frames, plan, &mut deliver)?),
            several => run_pairs_side_by_side::<BenchError>(several, frames, plan.extras, &mut deliver)?,
        }
        if run == 0 {
            found.sums = sums;
        } else {
            found.seconds = found.seconds.min(start.elapsed().as_secs_f64());
        }
    }
    Ok(found)
}

/// A sum over the bits of a field that tells one field from another.
fn bits_of(field: &SequenceField) -> u64 {
    let samples = field.output.flow.planar_vox().iter();
    samples.fold(0u64, |sum, sample| sum.rotate_left(5).wrapping_add(u64::from(sample.to_bits())))
}
