//! Labels of six hearts of ACDC, carried from end-diastole to end-systole, from file to file, as `warp labels` does without
//! options.

use crate::scores::ways::Way;
use crate::{BenchError, Figure, Session};
use std::path::{Path, PathBuf};
use std::time::Instant;
use veloxel::jobs::{
    DenseMethodOptions, DenseOptions, EvaluateJob, FlowJob, FlowOutputs, LabelChoice, WarpJob,
    evaluate_labels, flow, warp_labels,
};
use veloxel_core::Warnings;
use veloxel_io::{IoError, Strictness, read_labels};

/// Label of the files, its name, and the mean Dice that must be reached.
const STRUCTURES: [(u32, &str, f64); 3] =
    [(3, "left ventricle", 0.87), (2, "myocardium", 0.82), (1, "right ventricle", 0.76)];

/// `acdc`: labels at end-diastole carried to end-systole by the preset `cine`, mean Dice of all patients.
pub(crate) fn acdc(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let Some(folder) = session.data("cardiac/acdc/training") else { return Ok(Vec::new()) };
    let method = Way::named("cine").options()?;
    let mut sums = [0.0; 3];
    let (mut folded, mut count) = (0.0, 0);
    for patient in patients(&folder)? {
        let carried = Carried::of(&patient, session, method.clone())?;
        sums.iter_mut().zip(carried.dice).for_each(|(sum, dice)| *sum += dice);
        folded = f64::max(folded, carried.share_folded);
        count += 1;
    }
    let mean = |sum: f64| sum / f64::from(count.max(1));
    let mut figures: Vec<Figure> = STRUCTURES
        .iter()
        .zip(sums)
        .map(|((_, name, bar), sum)| Figure::new(format!("{name}: Dice"), mean(sum), "").at_least(*bar))
        .collect();
    figures.push(Figure::new("folded voxels, the worst patient", 100.0 * folded, "%").at_most(0.0));
    Ok(figures)
}

/// The folders of patients, by name.
fn patients(folder: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let read = |source| IoError::Read { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(read)?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("Info.cfg").is_file())
        .collect();
    found.sort();
    Ok(found)
}

/// The result of a patient's labels.
pub(crate) struct Carried {
    /// Dice of each label, in the order of [`STRUCTURES`].
    pub dice: [f64; 3],
    share_folded: f64,
    /// Ejection fraction of the left ventricle, 0 to 1: by its carried label, and by the true one.
    pub ejection: [f64; 2],
    /// Seconds that the flow took, from file to file.
    pub time_s: f64,
}

impl Carried {
    /// Carries the labels of a patient's folder by the flow of a method.
    pub fn of(patient: &Path, session: &Session<'_>, method: DenseMethodOptions) -> Result<Self, BenchError> {
        let scratch =
            tempfile::tempdir().map_err(|source| IoError::Write { path: std::env::temp_dir(), source })?;
        let info = patient.join("Info.cfg");
        let text =
            std::fs::read_to_string(&info).map_err(|source| IoError::Read { path: info.clone(), source })?;
        let name = patient.file_name().unwrap_or_default().to_string_lossy();
        let frame = |phase: &str, what: &str| {
            let number = text.lines().find_map(|line| line.strip_prefix(phase)?.trim().parse::<u32>().ok());
            patient.join(format!("{name}_frame{:02}{what}.nii.gz", number.unwrap_or_default()))
        };
        let [field, labels] = ["flow.mha", "labels.mha"].map(|name| scratch.path().join(name));
        let options = DenseOptions { method, ..DenseOptions::default() };
        let job = FlowJob {
            inputs: vec![frame("ES:", ""), frame("ED:", "")],
            options,
            outputs: FlowOutputs { flow: field.clone(), ..FlowOutputs::default() },
            ..FlowJob::default()
        };
        let begin = Instant::now();
        let run = flow(&job, &veloxel::Session::on(session.device.clone()))?;
        let time_s = begin.elapsed().as_secs_f64();
        let warp = WarpJob {
            flow: field,
            input: frame("ED:", "_gt"),
            output: labels.clone(),
            reading: Strictness::Lenient.into(),
        };
        let opened = veloxel::Session::on(session.device.clone());
        warp_labels(&warp, LabelChoice::default(), &opened)?;
        let against = EvaluateJob { result: labels, truth: frame("ES:", "_gt"), ..EvaluateJob::default() };
        let overlap = evaluate_labels(&against, &mut Warnings::new(), &opened)?;
        let of = |label: u32| overlap.labels.iter().find(|l| l.label == label);
        let dice = |label: u32| of(label).map_or(0.0, |l| l.dice);
        let [(ventricle, ..), ..] = STRUCTURES;
        let at_rest = read_labels(&frame("ED:", "_gt"), Strictness::Lenient, &mut Warnings::new())?;
        let at_rest = at_rest.data().iter().filter(|&&label| u32::try_from(label) == Ok(ventricle)).count();
        let ejected = |voxels: usize| 1.0 - voxels as f64 / at_rest.max(1) as f64;
        let voxels = of(ventricle).map_or([0; 2], |l| [l.result_voxels, l.truth_voxels]);
        Ok(Self {
            ejection: voxels.map(ejected),
            dice: STRUCTURES.map(|(label, ..)| dice(label)),
            share_folded: run.report.pairs[0].statistics.jacobian.share_folded,
            time_s,
        })
    }
}
