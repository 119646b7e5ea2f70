//! Two brains of NIREP: labels carried from one to the other, file to file.

use crate::{BenchError, Figure, Session};
use std::time::Instant;
use veloxel::jobs::{
    EvaluateJob, FlowJob, FlowOutputs, LabelChoice, StartFrom, WarpJob, evaluate_labels, flow, warp_labels,
};
use veloxel_core::Warnings;
use veloxel_io::Strictness;

/// `nirep`: na02 → na01 with an affine start, preset `accurate`.
pub(crate) fn nirep(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let Some(folder) = session.data("volumes/nirep") else { return Ok(Vec::new()) };
    let scratch = tempfile::tempdir()
        .map_err(|source| veloxel_io::IoError::Write { path: std::env::temp_dir(), source })?;
    let (field, carried) = (scratch.path().join("flow.mha"), scratch.path().join("labels.mha"));
    let job = FlowJob {
        inputs: vec![folder.join("na01.nii.gz"), folder.join("na02.nii.gz")],
        start: StartFrom::Affine,
        outputs: FlowOutputs { flow: field.clone(), ..FlowOutputs::default() },
        ..FlowJob::default()
    };
    let start = Instant::now();
    let run = flow(&job, &veloxel::Session::open(&session.device_options)?)?;
    let time_s = start.elapsed().as_secs_f64();
    let labels = WarpJob {
        flow: field,
        input: folder.join("na02_seg.nii.gz"),
        output: carried.clone(),
        reading: Strictness::Lenient.into(),
    };
    let opened = veloxel::Session::on(session.device.clone());
    warp_labels(&labels, LabelChoice::Nearest, &opened)?;
    let truth = folder.join("na01_seg.nii.gz");
    let against = EvaluateJob { result: carried, truth, ..EvaluateJob::default() };
    let overlap = evaluate_labels(&against, &mut Warnings::new(), &opened)?;
    let folded = 100.0 * run.report.pairs[0].statistics.jacobian.share_folded;
    let mut figures = vec![
        Figure::new("na02 → na01: mean Dice of 33 labels", overlap.mean_dice, "").at_least(0.70),
        Figure::new("na02 → na01: folded voxels", folded, "%").at_most(0.1),
    ];
    if !session.is_quick {
        figures.push(Figure::new("na02 → na01: time, file to file", time_s, "s").at_most(90.0));
    }
    Ok(figures)
}
