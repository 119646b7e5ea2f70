//! Brains of NIREP: labels carried from one to the other, file to file.

use crate::scores::ways::Way;
use crate::{BenchError, Figure, Session};
use std::path::Path;
use std::time::Instant;
use veloxel::jobs::{
    DenseOptions, EvaluateJob, FlowJob, FlowOutputs, LabelChoice, StartFrom, WarpJob, evaluate_labels, flow,
    warp_labels,
};
use veloxel::pipelines::PairStart;
use veloxel_core::Warnings;
use veloxel_io::{IoError, Strictness, read_labels};

/// Labels 1 to this are grey matter.
const GREY_LABELS: u32 = 32;

/// `nirep`: na02 → na01 with an affine start, preset `accurate`.
pub(crate) fn nirep(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let Some(folder) = session.data("volumes/nirep") else { return Ok(Vec::new()) };
    let carried = CarriedBrain::of(&folder, ["na01", "na02"], session, &Way::named("accurate, affine"))?;
    let mut figures = vec![
        Figure::new("na02 → na01: mean Dice of 33 labels", carried.dice, "").at_least(0.70),
        Figure::new("na02 → na01: folded voxels", 100.0 * carried.share_folded, "%").at_most(0.1),
    ];
    if !session.is_quick {
        figures.push(Figure::new("na02 → na01: time, file to file", carried.time_s, "s").at_most(90.0));
    }
    Ok(figures)
}

/// The labels of a brain, carried to another one.
pub(crate) struct CarriedBrain {
    /// Mean Dice of all labels of the file.
    pub dice: f64,
    /// Mean Dice of the labels of grey matter.
    pub dice_of_grey: f64,
    /// Dice of the union of the labels of grey matter.
    pub dice_of_union: f64,
    pub share_folded: f64,
    /// Seconds that the field took, from file to file.
    pub time_s: f64,
}

impl CarriedBrain {
    /// Carries the labels of the second brain to the first one.
    pub fn of(
        folder: &Path,
        [fixed, moving]: [&str; 2],
        session: &Session<'_>,
        way: &Way,
    ) -> Result<Self, BenchError> {
        let scratch =
            tempfile::tempdir().map_err(|source| IoError::Write { path: std::env::temp_dir(), source })?;
        let (field, carried) = (scratch.path().join("flow.mha"), scratch.path().join("labels.mha"));
        let start = match way.start {
            PairStart::Affine => StartFrom::Affine,
            _ => StartFrom::None,
        };
        let job = FlowJob {
            inputs: [fixed, moving].map(|name| folder.join(format!("{name}.nii.gz"))).to_vec(),
            start,
            options: DenseOptions { method: way.options()?, ..DenseOptions::default() },
            outputs: FlowOutputs { flow: field.clone(), ..FlowOutputs::default() },
            ..FlowJob::default()
        };
        let begin = Instant::now();
        let run = flow(&job, &veloxel::Session::on(session.device.clone()))?;
        let time_s = begin.elapsed().as_secs_f64();
        let labels = WarpJob {
            flow: field,
            input: folder.join(format!("{moving}_seg.nii.gz")),
            output: carried.clone(),
            reading: Strictness::Lenient.into(),
        };
        let opened = veloxel::Session::on(session.device.clone());
        warp_labels(&labels, LabelChoice::Nearest, &opened)?;
        let truth = folder.join(format!("{fixed}_seg.nii.gz"));
        let dice_of_union = dice_of_union([&carried, &truth])?;
        let against = EvaluateJob { result: carried, truth, ..EvaluateJob::default() };
        let overlap = evaluate_labels(&against, &mut Warnings::new(), &opened)?;
        let grey: Vec<f64> = overlap
            .labels
            .iter()
            .filter(|label| label.label <= GREY_LABELS && label.truth_voxels > 0)
            .map(|label| label.dice)
            .collect();
        Ok(Self {
            dice: overlap.mean_dice,
            dice_of_union,
            dice_of_grey: grey.iter().sum::<f64>() / grey.len().max(1) as f64,
            share_folded: run.report.pairs[0].statistics.jacobian.share_folded,
            time_s,
        })
    }
}

/// Dice of the grey matter of two files of labels on one grid.
fn dice_of_union(files: [&Path; 2]) -> Result<f64, BenchError> {
    let read = |file| read_labels(file, Strictness::Lenient, &mut Warnings::new());
    let (one, other) = (read(files[0])?, read(files[1])?);
    let is_grey = |label: i32| u32::try_from(label).is_ok_and(|label| (1..=GREY_LABELS).contains(&label));
    let (mut sizes, mut both) = (0usize, 0usize);
    for (&one, &other) in one.data().iter().zip(other.data()) {
        let inside = [is_grey(one), is_grey(other)];
        sizes += inside.iter().filter(|&&is| is).count();
        both += usize::from(inside == [true; 2]);
    }
    Ok(2.0 * both as f64 / sizes.max(1) as f64)
}
