//! `track cine_folder --contours seeds.json -o heart`, `track cine.nii.gz --contours ed_labels.nii.gz --method clg:cine --method fe -o both`
//! and `track ed.nii.gz es.nii.gz --contours ed_labels.nii.gz --gif -o heart`.

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, session};
use std::path::{Path, PathBuf};
use veloxel::io::{
    self, CinePlace, ContourReading, FrameRate, Reading, VideoColour, VideoShape, VideoWriter,
};
use veloxel::jobs::{self, DenseMethodOptions, FilmChoice, TrackJob};
use veloxel::phantoms::{CineParams, CinePhantom};
use veloxel::pipelines::DenseDraft;
use veloxel::pipelines::heart::{
    Cine, PresetChoice, RegionChoice, TrackRequest, TrackResult, TrackedRun, track,
};
use veloxel::report::{OutlineFilm, TrackView};
use veloxel::{Dimension, Grid, Volume, Warnings};
use veloxel_core::Structure;

fn phantom(slices: usize, frames: usize) -> CinePhantom {
    let grid = Grid::volume(72, 68, slices).and_then(|g| g.with_spacing_mm([2.2, 2.2, 8.0])).unwrap();
    CinePhantom::new(CineParams { grid, frames, ..CineParams::default() }).unwrap()
}

/// The outlines of a frame as labels of ACDC.
fn labels(phantom: &CinePhantom, frame: usize) -> Volume<i32> {
    let contours = phantom.contours();
    let inside = |structure, [x, y, z]: [usize; 3]| {
        contours.get(structure, z, frame).is_some_and(|c| c.polygon.contains([x as f64, y as f64]))
    };
    Volume::from_fn(phantom.params().grid.clone(), |p| match () {
        () if inside(Structure::Endo, p) => 3,
        () if inside(Structure::Epi, p) => 2,
        () => i32::from(inside(Structure::Rv, p)),
    })
}

/// A run of the command, as its line has it.
fn job(folder: &Path, inputs: Vec<PathBuf>, contours: &str, methods: &[[&str; 2]]) -> TrackJob {
    let method =
        |[name, preset]: &[&str; 2]| DenseMethodOptions::named(name).unwrap().preset(preset).unwrap();
    let job = TrackJob::new(inputs, folder.join(contours), folder.join("job"));
    if methods.is_empty() {
        return job;
    }
    TrackJob { methods: methods.iter().map(method).collect(), presets: PresetChoice::AsGiven, ..job }
}

/// What the files of a job hold, decoded.
struct Decoded {
    frames: Vec<Volume<f32>>,
    interval_ms: Option<f64>,
}

/// Follows the same outlines in memory, writes what was found, and compares every file.
fn compare(job: &TrackJob, decoded: Decoded) {
    let report = jobs::track(job, &session()).unwrap().report;
    let session = session();
    let Decoded { frames, interval_ms } = decoded;
    let place = CinePlace {
        grid: frames[0].grid().clone(),
        frames: frames.len(),
        frame_interval_ms: interval_ms,
        images: Vec::new(),
    };
    let reading = ContourReading::default();
    let contours = io::read_contours(&job.contours[0].path, Some(&place), &reading, &mut Warnings::new())
        .unwrap()
        .contours;
    let methods: Vec<DenseDraft> = job.methods.iter().map(|method| method.draft().clone()).collect();
    let (cine, found) = without_files(|| {
        let cine = Cine::of_frames(frames, interval_ms, job.reading.strictness, &session)?;
        let request = TrackRequest {
            region: RegionChoice::Auto,
            presets: job.presets,
            ..TrackRequest::new(&cine, &contours, &methods)
        };
        let found = track(&request, &session)?;
        Ok::<_, veloxel::VeloxelError>((cine, found))
    })
    .unwrap();
    assert_eq!(found.cine, report.cine);
    let own = job.folder.parent().unwrap().join("own");
    std::fs::create_dir(&own).unwrap();
    for (run, of_job) in found.runs.iter().zip(&report.runs) {
        let mut measures = run.measures.clone();
        measures.time_ms = of_job.time_ms;
        assert_eq!(measures, *of_job);
        let prefix = match found.runs.len() {
            1 => String::new(),
            _ => format!("{}-{}_", measures.method, measures.preset),
        };
        write(&own, &prefix, &place, run);
        if job.film == FilmChoice::Written {
            write_film(&own.join(format!("{prefix}loop.gif")), &cine, run, &found);
        }
    }
    let mut names: Vec<_> =
        std::fs::read_dir(&own).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    for name in &names {
        assert_same_file(&own.join(name), &job.folder.join(name));
    }
    // Nothing but the report is the job's alone.
    assert_eq!(std::fs::read_dir(&job.folder).unwrap().count(), names.len() + 2);
}

fn write(folder: &Path, prefix: &str, place: &CinePlace, run: &TrackedRun) {
    let path = |name: &str| folder.join(format!("{prefix}{name}"));
    for name in ["contours.json", "contours.csv"] {
        io::write_contours(path(name), &run.contours, place).unwrap();
    }
    io::write_sequence(path("labels.nii.gz"), &run.labels).unwrap();
    for (frame, field) in run.fields.iter().enumerate().skip(1) {
        let extension = if field.grid().dimension() == Dimension::Two { "flo" } else { "nii.gz" };
        io::write_flow(path(&format!("field_000_{frame:03}.{extension}")), field).unwrap();
    }
    io::write_text(path("function.csv"), &run.function.to_csv()).unwrap();
    if let Some(strain) = &run.strain {
        io::write_text(path("strain.csv"), &strain.to_csv()).unwrap();
    }
    if let Some(errors) = &run.expected_errors {
        io::write_text(path("expected_errors.csv"), &errors.to_csv()).unwrap();
    }
}

fn write_film(path: &Path, cine: &Cine, run: &TrackedRun, found: &TrackResult) {
    let view = TrackView {
        frames: cine.frames(),
        contours: &run.contours,
        truth: None,
        region_from_px: found.cine.region_from_px,
        region_size_px: found.cine.region_size_px,
    };
    let film = OutlineFilm::new(view, &found.cine.slices);
    let first = film.picture(0);
    let rate = FrameRate::from_interval_ms(cine.frame_interval_ms());
    let shape = VideoShape { width: first.width, height: first.height, colour: VideoColour::Full, rate };
    let mut video = VideoWriter::create(path, shape).unwrap();
    for frame in 0..cine.frames().len() {
        video.push(&film.picture(frame).rgb).unwrap();
    }
    video.finish().unwrap();
}

#[test]
fn a_folder_of_frames_with_outlines_is_followed_as_by_the_command() {
    alone(|| {
        let (folder, phantom) = (tempfile::tempdir().unwrap(), phantom(2, 4));
        let frames = folder.path().join("cine_folder");
        std::fs::create_dir(&frames).unwrap();
        let paths: Vec<PathBuf> = (0..4).map(|frame| frames.join(format!("{frame}.nii.gz"))).collect();
        for (frame, path) in paths.iter().enumerate() {
            io::write_image(path, &phantom.frame(frame), &mut Warnings::new()).unwrap();
        }
        let decoded = io::read_frame_list(&paths, Reading::default(), &mut Warnings::new()).unwrap();
        let grid = decoded[0].grid().clone();
        let place = CinePlace { grid, frames: 4, frame_interval_ms: None, images: Vec::new() };
        io::write_contours(folder.path().join("seeds.json"), &phantom.contours(), &place).unwrap();
        let job = job(folder.path(), vec![frames], "seeds.json", &[]);
        compare(&job, Decoded { frames: decoded, interval_ms: None });
    });
}

#[test]
fn a_cine_is_followed_by_two_methods_as_by_the_command() {
    alone(|| {
        let (folder, phantom) = (tempfile::tempdir().unwrap(), phantom(1, 4));
        let cine = folder.path().join("cine.nii.gz");
        io::write_sequence(&cine, &phantom.sequence()).unwrap();
        io::write_labels(folder.path().join("ed_labels.nii.gz"), &labels(&phantom, 0)).unwrap();
        let decoded = io::read_sequence(&cine, Reading::default(), &mut Warnings::new()).unwrap();
        let interval_ms = decoded.frame_interval_ms();
        let methods = [["clg", "cine"], ["fe", "accurate"]];
        let job = job(folder.path(), vec![cine], "ed_labels.nii.gz", &methods);
        compare(&job, Decoded { frames: decoded.into_frames(), interval_ms });
    });
}

#[cfg_attr(not(feature = "gif"), ignore = "needs the feature gif")]
#[test]
fn two_frames_are_followed_and_filmed_as_by_the_command() {
    alone(|| {
        let (folder, phantom) = (tempfile::tempdir().unwrap(), phantom(2, 4));
        let paths: Vec<PathBuf> = ["ed.nii.gz", "es.nii.gz"].map(|name| folder.path().join(name)).to_vec();
        for (path, frame) in paths.iter().zip([0, phantom.end_systole()]) {
            io::write_image(path, &phantom.frame(frame), &mut Warnings::new()).unwrap();
        }
        io::write_labels(folder.path().join("ed_labels.nii.gz"), &labels(&phantom, 0)).unwrap();
        let frames = io::read_frame_list(&paths, Reading::default(), &mut Warnings::new()).unwrap();
        let film = FilmChoice::Written;
        let job = TrackJob { film, ..job(folder.path(), paths, "ed_labels.nii.gz", &[]) };
        compare(&job, Decoded { frames, interval_ms: None });
    });
}
