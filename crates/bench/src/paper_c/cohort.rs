//! Several patients on common frames: each tracked by itself, its distances interpolated to 25 generic frames, then the mean.
//!
//! *Where we differ*: the paper's 36 patients were drawn on every frame. Of ACDC's patients and RVSC's two frames are drawn, so that
//! they count on the generic frames next to these alone; where there is no cine of a patient both frames are one pair.

use super::validation::{Started, paper_job};
use crate::accuracy::cine::run;
use crate::experiments::{Comparison, Row};
use crate::{BenchError, Session};
use std::path::{Path, PathBuf};
use veloxel::jobs::{ContourInput, TrackJob};
use veloxel::pipelines::heart::PeriodicChoice;
use veloxel_core::Structure;
use veloxel_io::IoError;
use veloxel_measure::{CycleSample, on_generic_frames};
use veloxel_report::TrackRun;
use veloxel_report::svg_plot::{AxisLabels, Ink, Line, LinePlot, Series};

/// The generic frames of the paper's figure.
const FRAMES: usize = 25;
/// What is measured of patients.
const STRUCTURES: [Structure; 3] = [Structure::Endo, Structure::Epi, Structure::Rv];
/// Patients of ACDC.
const ACDC: [&str; 6] = ["001", "021", "041", "061", "081", "090"];
/// Time from RVSC's first frame to its second one, a share of the cycle: 322 of 948 ms, as its files say.
const RVSC_SHARE: f64 = 322.0 / 948.0;

/// A patient that was tracked.
struct Tracked {
    name: String,
    found: TrackRun,
    /// When each frame is, as a share of the cycle from the start frame on.
    shares: Vec<f64>,
}

/// A patient's files, and what is known of their times.
struct Patient {
    name: String,
    job: TrackJob,
    shares: Vec<f64>,
}

/// The table of patients, and the mean curves.
pub(super) struct Cohort {
    pub comparison: Comparison,
    pub plot: LinePlot,
}

/// Tracks all patients that are there, beside those that were tracked from end-diastole already; none without any.
pub(super) fn cohort(
    session: &Session<'_>,
    first: Option<&Started>,
    scratch: &Path,
) -> Result<Option<Cohort>, BenchError> {
    let mut tracked = Vec::new();
    if let Some(pig) = first {
        let frames = pig.found.folded.len();
        let shares = (0..frames).map(|frame| frame as f64 / frames as f64).collect();
        tracked.push(Tracked {
            name: "ep-dataset, slices 7 to 10".to_owned(),
            found: pig.found.clone(),
            shares,
        });
    }
    for Patient { name, job, shares } in patients(session, scratch)? {
        tracked.push(Tracked { name, found: run(session, &job)?, shares });
    }
    Ok((!tracked.is_empty()).then(|| Cohort { comparison: comparison(&tracked), plot: plot(&tracked) }))
}

/// The patients of ACDC and RVSC that are there; in the quick form RVSC's alone.
fn patients(session: &Session<'_>, scratch: &Path) -> Result<Vec<Patient>, BenchError> {
    let mut patients = Vec::new();
    if let Some(folder) = session.data("cardiac/rvsc-p09/patient09") {
        let images = ["P09-0022.dcm", "P09-0023.dcm"].map(|name| folder.join("P09dicom").join(name));
        let contours = folder.join("P09contours-manual");
        let truth = vec![ContourInput { path: contours.clone(), frame: None }];
        let job = paper_job(images.to_vec(), contours, scratch.join("rvsc"))?;
        let job = TrackJob { truth, frames: vec![0], ..job };
        patients.push(Patient { name: "RVSC 09".to_owned(), job, shares: vec![0.0, RVSC_SHARE] });
    }
    let acdc = if session.is_quick { None } else { session.data("cardiac/acdc/training") };
    for name in acdc.iter().flat_map(|_| ACDC) {
        patients.extend(acdc.as_ref().map(|folder| of_acdc(folder, name, scratch)).transpose()?);
    }
    Ok(patients)
}

/// A patient of ACDC: the whole cine where it is there, else its frames of end-diastole and end-systole.
fn of_acdc(folder: &Path, number: &str, scratch: &Path) -> Result<Patient, BenchError> {
    let own = folder.join(format!("patient{number}"));
    let info = own.join("Info.cfg");
    let text = std::fs::read_to_string(&info).map_err(|source| IoError::Read { path: info, source })?;
    let value = |key: &str| {
        let found = text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<usize>().ok());
        found.unwrap_or(1)
    };
    let (ed, es, frames) = (value("ED:"), value("ES:"), value("NbFrame:"));
    let file = |frame: usize, what: &str| own.join(format!("patient{number}_frame{frame:02}{what}.nii.gz"));
    let cine = own.join(format!("patient{number}_4d.nii.gz"));
    let (inputs, seeds, shares): (Vec<PathBuf>, [usize; 2], Vec<f64>) = match cine.exists() {
        true => {
            let share = |frame: usize| ((frame + frames + 1 - ed) % frames) as f64 / frames as f64;
            (vec![cine], [ed - 1, es - 1], (0..frames).map(share).collect())
        }
        false => {
            let share = ((es + frames - ed) % frames) as f64 / frames as f64;
            (vec![file(ed, ""), file(es, "")], [0, 1], vec![0.0, share])
        }
    };
    let drawn = |nth: usize, frame: usize| ContourInput { path: file(frame, "_gt"), frame: Some(seeds[nth]) };
    let (first, last) = (drawn(0, ed), drawn(1, es));
    let job = paper_job(inputs, first.path.clone(), scratch.join(number))?;
    let periodic = if shares.len() > 2 { PeriodicChoice::Yes } else { PeriodicChoice::Auto };
    let job = TrackJob {
        contours: vec![first.clone()],
        truth: vec![first, last],
        frames: vec![seeds[0]],
        periodic,
        ..job
    };
    Ok(Patient { name: format!("ACDC {number}"), job, shares })
}

/// A patient's distances on the generic frames.
fn generic(patient: &Tracked, structure: Structure) -> Vec<Option<f64>> {
    let curves = patient.found.readers.iter().flat_map(|reader| &reader.curves);
    let Some(curve) = curves.into_iter().find(|curve| curve.structure == structure) else {
        return vec![None; FRAMES];
    };
    let values = curve.modified_hausdorff_mm.iter().zip(&patient.shares);
    let samples: Vec<CycleSample> =
        values.filter_map(|(mm, &share)| Some(CycleSample { share, value: (*mm)? })).collect();
    on_generic_frames(&samples, 1.0 / patient.shares.len().max(FRAMES / 2) as f64, FRAMES)
}

/// The mean over the patients that have a value on a generic frame.
fn mean_curve(patients: &[Tracked], structure: Structure) -> Vec<Option<f64>> {
    let curves: Vec<_> = patients.iter().map(|patient| generic(patient, structure)).collect();
    let mean = |frame: usize| {
        let own: Vec<f64> = curves.iter().filter_map(|curve| curve[frame]).collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    };
    (0..FRAMES).map(mean).collect()
}

fn comparison(patients: &[Tracked]) -> Comparison {
    let of = |patient: &Tracked| {
        let mean =
            |structure| Some(patient.found.distances.as_ref()?.structure(structure)?.modified_hausdorff_mm);
        Row::new(format!("{}, mean", patient.name), "mm", STRUCTURES.map(mean).into())
    };
    let largest = |structure| mean_curve(patients, structure).into_iter().flatten().reduce(f64::max);
    let last = Row::new("largest of the mean curve", "mm", STRUCTURES.map(largest).into());
    Comparison {
        title: format!("Patients on {FRAMES} generic frames (section 4)"),
        place: "section 4",
        note: "Modified Hausdorff distance of outlines that fe:paper tracked from end-diastole, means without that frame. ACDC's and RVSC's patients are drawn on two frames: their distance is that at end-systole.".to_owned(),
        measured: STRUCTURES.map(|structure| structure.title().to_owned()).into(),
        published: &[],
        rows: patients.iter().map(of).chain([last]).collect(),
    }
}

fn plot(patients: &[Tracked]) -> LinePlot {
    let series = |(nth, structure): (usize, Structure)| {
        let values = mean_curve(patients, structure).into_iter().enumerate();
        let points: Vec<_> = values.map(|(frame, mm)| (frame as f64, mm.unwrap_or(f64::NAN))).collect();
        let (name, is_known) = (structure.title().to_owned(), points.iter().any(|(_, mm)| mm.is_finite()));
        is_known.then_some(Series { name, ink: Ink::Numbered(nth), line: Line::Dotted, points })
    };
    let curves = STRUCTURES.into_iter().enumerate().filter_map(series).collect();
    let labels = AxisLabels { x: "generic frame", y: "mm" };
    LinePlot::new("Mean over patients", labels, curves, &[0.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patients_of_acdc_count_their_frames_from_end_diastole() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("patient090");
        std::fs::create_dir(&own).unwrap();
        std::fs::write(own.join("Info.cfg"), "ED: 4\nES: 11\nGroup: RV\nNbFrame: 12\n").unwrap();
        let pair = of_acdc(folder.path(), "090", folder.path()).unwrap();
        assert_eq!((pair.job.inputs.len(), pair.job.frames), (2, vec![0]));
        assert!((pair.shares[1] - 7.0 / 12.0).abs() < 1e-12);
        std::fs::write(own.join("patient090_4d.nii.gz"), "").unwrap();
        let cine = of_acdc(folder.path(), "090", folder.path()).unwrap();
        assert_eq!((cine.job.inputs.len(), cine.job.frames, cine.shares.len()), (1, vec![3], 12));
        assert!(cine.shares[3].abs() < 1e-12 && (cine.shares[10] - 7.0 / 12.0).abs() < 1e-12);
        assert!((cine.shares[2] - 11.0 / 12.0).abs() < 1e-12);
        assert_eq!(cine.job.truth[1].frame, Some(10));
    }
}
