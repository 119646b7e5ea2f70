//! Two brains of NIREP: labels carried from one to the other, file to file.

use super::Figure;
use super::data::data;
use crate::BenchError;
use std::path::PathBuf;
use std::time::Instant;
use veloxel::jobs::{
    FlowJob, FlowOutputs, RunOptions, StartFrom, WarpJob, evaluate_labels, flow, warp_labels,
};
use veloxel_core::Warnings;
use veloxel_gpu::Device;
use veloxel_io::Strictness;
use veloxel_motion::Silent;

/// A folder of results that goes when it is done with.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind in the system's temporary folder hurts nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `nirep`: na02 → na01 with an affine start, preset `accurate`.
pub(super) fn nirep(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let folder = data("volumes/nirep")?;
    let scratch = Scratch(std::env::temp_dir().join(format!("veloxel-nirep-{}", std::process::id())));
    std::fs::create_dir_all(&scratch.0)
        .map_err(|source| veloxel_io::IoError::Write { path: scratch.0.clone(), source })?;
    let (field, carried) = (scratch.0.join("flow.mha"), scratch.0.join("labels.mha"));
    let job = FlowJob {
        inputs: vec![folder.join("na01.nii.gz"), folder.join("na02.nii.gz")],
        start: StartFrom::Affine,
        truth: None,
        options: RunOptions::default(),
        outputs: FlowOutputs { flow: field.clone(), ..FlowOutputs::default() },
    };
    let start = Instant::now();
    let run = flow(&job, &Silent)?;
    let time_s = start.elapsed().as_secs_f64();
    let labels = WarpJob {
        flow: field,
        input: folder.join("na02_seg.nii.gz"),
        output: carried.clone(),
        strictness: Strictness::Lenient,
    };
    warp_labels(&labels, device)?;
    let truth = folder.join("na01_seg.nii.gz");
    let overlap = evaluate_labels((&carried, &truth), None, Strictness::Lenient, &mut Warnings::new())?;
    let folded = 100.0 * run.report.pairs[0].statistics.jacobian.share_folded;
    Ok(vec![
        Figure::new("mean Dice of 32 labels", overlap.mean_dice, "").at_least(0.70),
        Figure::new("folded voxels", folded, "%").at_most(0.1),
        Figure::new("time, file to file", time_s, "s").at_most(90.0),
    ])
}
