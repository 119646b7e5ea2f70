//! `flow` of pairs and windows, with the options of the README's commands.

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, pictures, session};
use std::path::{Path, PathBuf};
use veloxel::io;
use veloxel::jobs::{
    self, DenseMethodOptions, DenseOptions, FlowJob, FlowOutputs, FlowRun, MaskFile, StartFrom,
};
use veloxel::pipelines::{
    Directions, MethodChoice, OutsideFill, PairNames, PairRequest, PairResult, PairStart, PairWanted,
    Refinement, Wanted, WindowRequest, pair, window,
};
use veloxel::report::html;
use veloxel::{Control, Dimension, Grid, Session, Volume, Warnings};

/// A folder with the job's files and those that are written of a pipeline's result.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn pictures(&self, names: &[&str], motion_px: f32) -> Vec<PathBuf> {
        let written =
            |(nth, name): (usize, &&str)| pictures::write(self.0.path(), name, motion_px * nth as f32);
        names.iter().enumerate().map(written).collect()
    }

    /// Two volumes, the content of the second one half a voxel further, on a grid that begins elsewhere.
    fn volumes(&self) -> Vec<PathBuf> {
        let grid = Grid::volume(24, 20, 16).unwrap().with_spacing_mm([1.0, 1.2, 1.5]).unwrap();
        let volume = |shift: f32| {
            Volume::from_fn(grid.clone(), move |[x, y, z]| {
                let (x, y, z) = (x as f32 - shift, y as f32, z as f32);
                (100.0 + 40.0 * ((0.5 * x + 0.2 * z).sin() + (0.4 * y).cos() + (0.3 * z - 0.2 * y).sin()))
                    .round()
            })
        };
        let write = |(name, volume): (&str, Volume<f32>)| {
            io::write_image(self.file(name), &volume, &mut Warnings::new()).unwrap();
            self.file(name)
        };
        [("fixed.nii.gz", volume(0.0)), ("moving.nii.gz", volume(0.5))].into_iter().map(write).collect()
    }

    /// Checks the flow, and the report's numbers of it.
    fn check(&self, flow: &Path, run: &FlowRun, result: &PairResult) {
        let own = self.file(&format!("own_{}", flow.file_name().unwrap().to_str().unwrap()));
        io::write_flow(&own, &result.found.flow).unwrap();
        assert_same_file(&own, flow);
        let (found, told) = (result.measured.as_ref().unwrap(), &run.report.pairs[0]);
        assert_eq!((found.motion, found.statistics.jacobian), (told.motion, told.statistics.jacobian));
    }
}

fn read(path: &Path) -> Volume<f32> {
    pictures::read(path)
}

fn options(method: &str, change: impl FnOnce(DenseMethodOptions) -> DenseMethodOptions) -> DenseOptions {
    DenseOptions { method: change(DenseMethodOptions::named(method).unwrap()), ..DenseOptions::default() }
}

fn fast(method: DenseMethodOptions) -> DenseMethodOptions {
    method.preset("fast").unwrap()
}

fn choice(options: &DenseOptions) -> MethodChoice {
    let DenseOptions { directions, refinement, .. } = *options;
    MethodChoice { directions, refinement, ..MethodChoice::new(options.method.draft().clone()) }
}

fn measured() -> PairWanted {
    PairWanted { measures: Wanted::Yes, ..PairWanted::default() }
}

/// Runs a job and a request without files.
fn both(job: &FlowJob, request: &PairRequest<'_>) -> (FlowRun, PairResult) {
    let run = jobs::flow(job, &session()).unwrap();
    let session: Session = session();
    (run, without_files(|| pair(request, &session)).unwrap())
}

#[test]
fn a_pair_of_volumes_with_a_page() {
    alone(|| {
        let place = Place::new();
        let inputs = place.volumes();
        let (field, page) = (place.file("field.nii.gz"), place.file("report.html"));
        let outputs = FlowOutputs { flow: field.clone(), html: Some(page.clone()), ..FlowOutputs::default() };
        let job = FlowJob { inputs: inputs.clone(), outputs, ..FlowJob::default() };
        let (fixed, moving) = (read(&inputs[0]), read(&inputs[1]));
        let method = choice(&job.options);
        let title = "fixed.nii.gz → moving.nii.gz";
        let request = PairRequest {
            names: PairNames { title, ..PairNames::default() },
            wanted: PairWanted { page: Wanted::Yes, ..measured() },
            ..PairRequest::new(&fixed, &moving, &method)
        };
        let (run, result) = both(&job, &request);
        place.check(&field, &run, &result);
        let own = html(&run.report, &result.view(title, None).unwrap(), &Control::default()).unwrap();
        let [own, job] = [own, std::fs::read_to_string(&page).unwrap()].map(|page| page.len());
        assert_eq!(own, job);
    });
}

#[cfg_attr(not(feature = "tiff"), ignore = "needs the feature tiff")]
#[test]
fn a_pair_of_pictures_with_a_confidence_and_labels_as_a_mask() {
    alone(|| {
        let place = Place::new();
        let inputs = place.pictures(&["a.png", "b.png"], 1.5);
        let grid = read(&inputs[0]).grid().clone();
        let labels = Volume::from_fn(grid, |[x, ..]| (x / 24) as i32);
        io::write_labels(place.file("labels.nii.gz"), &labels).unwrap();
        let mask = MaskFile { path: place.file("labels.nii.gz"), labels: [1, 2].into() };
        let (flow, confidence) = (place.file("flow.flo"), place.file("confidence.tif"));
        let job = FlowJob {
            inputs: inputs.clone(),
            options: DenseOptions { mask: Some(mask), ..options("clg", fast) },
            outputs: FlowOutputs {
                flow: flow.clone(),
                confidence: Some(confidence.clone()),
                picture: Some(place.file("flow.png")),
                ..FlowOutputs::default()
            },
            ..FlowJob::default()
        };
        let (fixed, moving, method) = (read(&inputs[0]), read(&inputs[1]), choice(&job.options));
        let mask = labels.map(|label| [1, 2].contains(label));
        let request = PairRequest {
            mask: Some(&mask),
            wanted: measured(),
            ..PairRequest::new(&fixed, &moving, &method)
        };
        let (run, result) = both(&job, &request);
        place.check(&flow, &run, &result);
        io::write_image(place.file("own.tif"), &result.found.confidence, &mut Warnings::new()).unwrap();
        assert_same_file(&place.file("own.tif"), &confidence);
    });
}

#[test]
fn an_affine_start_and_the_warped_image() {
    alone(|| {
        let place = Place::new();
        let inputs = place.volumes();
        let (field, warped) = (place.file("field.nii.gz"), place.file("warped.nii.gz"));
        let transform = place.file("start.tfm");
        let job = FlowJob {
            inputs: inputs.clone(),
            start: StartFrom::Affine,
            options: options("clg", fast),
            outputs: FlowOutputs {
                flow: field.clone(),
                transform: Some(transform.clone()),
                warped: Some(warped.clone()),
                outside: OutsideFill::Edge,
                ..FlowOutputs::default()
            },
            ..FlowJob::default()
        };
        let (fixed, moving, method) = (read(&inputs[0]), read(&inputs[1]), choice(&job.options));
        let request = PairRequest {
            start: PairStart::Affine,
            wanted: PairWanted { warped: Some(OutsideFill::Edge), transform: Wanted::Yes, ..measured() },
            ..PairRequest::new(&fixed, &moving, &method)
        };
        let (run, result) = both(&job, &request);
        place.check(&field, &run, &result);
        io::write_image(place.file("own.nii.gz"), &result.warped.unwrap(), &mut Warnings::new()).unwrap();
        assert_same_file(&place.file("own.nii.gz"), &warped);
        io::write_transform(place.file("own.tfm"), &result.transform.unwrap()).unwrap();
        assert_same_file(&place.file("own.tfm"), &transform);
    });
}

#[cfg_attr(not(feature = "tiff"), ignore = "needs the feature tiff")]
#[test]
fn a_start_from_matches_gives_occlusion() {
    alone(|| {
        let place = Place::new();
        let inputs = place.pictures(&["left.png", "right.png"], 6.0);
        let (flow, hidden) = (place.file("flow.flo"), place.file("hidden.tif"));
        let outputs =
            FlowOutputs { flow: flow.clone(), occlusion: Some(hidden.clone()), ..FlowOutputs::default() };
        let (start, options) = (StartFrom::Matches, options("clg", fast));
        let job = FlowJob { inputs: inputs.clone(), start, options, outputs, ..FlowJob::default() };
        let (fixed, moving, method) = (read(&inputs[0]), read(&inputs[1]), choice(&job.options));
        let request = PairRequest {
            start: PairStart::Matches,
            wanted: measured(),
            ..PairRequest::new(&fixed, &moving, &method)
        };
        let (run, result) = both(&job, &request);
        place.check(&flow, &run, &result);
        let occlusion = result.found.occlusion.unwrap();
        io::write_image(place.file("own.tif"), &occlusion, &mut Warnings::new()).unwrap();
        assert_same_file(&place.file("own.tif"), &hidden);
    });
}

#[test]
fn every_other_method_of_pairs_and_both_directions() {
    alone(|| {
        let place = Place::new();
        let inputs = place.pictures(&["a.png", "b.png"], 1.5);
        let (fixed, moving) = (read(&inputs[0]), read(&inputs[1]));
        let refined = DenseOptions { refinement: Refinement::Bilateral, ..options("block-matching", |m| m) };
        let checked = DenseOptions { directions: Directions::Both, ..options("clg", fast) };
        for options in [options("lucas-kanade", fast), refined, options("fe", |m| m), checked] {
            let flow = place.file(&format!("{}.flo", options.method.method_name()));
            let outputs = FlowOutputs { flow: flow.clone(), ..FlowOutputs::default() };
            let job = FlowJob { inputs: inputs.clone(), options, outputs, ..FlowJob::default() };
            let method = choice(&job.options);
            let request = PairRequest { wanted: measured(), ..PairRequest::new(&fixed, &moving, &method) };
            let (run, result) = both(&job, &request);
            place.check(&flow, &run, &result);
        }
    });
}

#[test]
fn a_window_of_five_frames() {
    alone(|| {
        let place = Place::new();
        let names = ["8.png", "9.png", "10.png", "11.png", "12.png"];
        let (inputs, flow) = (place.pictures(&names, 0.7), place.file("flow.flo"));
        let outputs = FlowOutputs { flow: flow.clone(), ..FlowOutputs::default() };
        let options = options("phase", |phase| phase);
        let job = FlowJob { inputs: inputs.clone(), options, outputs, ..FlowJob::default() };
        let run = jobs::flow(&job, &session()).unwrap();
        let frames: Vec<_> = inputs.iter().map(|path| read(path)).collect();
        let (method, session) = (choice(&job.options), session());
        let request = WindowRequest { wanted: measured(), ..WindowRequest::new(&frames, &method) };
        let result = without_files(|| window(&request, &session)).unwrap();
        place.check(&flow, &run, &result);
        assert_eq!(result.fixed_frame, 2);
    });
}

#[cfg_attr(not(feature = "tiff"), ignore = "needs the feature tiff")]
#[test]
fn a_budget_of_memory_cuts_into_tiles() {
    alone(|| {
        let place = Place::new();
        let grid = Grid::image(400, 320).unwrap();
        let picture = |shift: f32| {
            let wave = |x: f32, y: f32| 128.0 + 50.0 * (0.31 * x + 0.1 * y).sin() + 40.0 * (0.23 * y).cos();
            Volume::from_fn(grid.clone(), move |[x, y, _]| wave(x as f32 - shift, y as f32).round())
        };
        let inputs = vec![place.file("a.tif"), place.file("b.tif")];
        for (path, shift) in inputs.iter().zip([0.0, 1.0]) {
            io::write_image(path, &picture(shift), &mut Warnings::new()).unwrap();
        }
        let flow = place.file("flow.flo");
        let outputs = FlowOutputs { flow: flow.clone(), ..FlowOutputs::default() };
        let options = options("lucas-kanade", fast);
        let job = FlowJob { inputs: inputs.clone(), options, outputs, ..FlowJob::default() };
        let budget = || session().with_max_memory(Some(38 << 20));
        let plan = jobs::dry_run(&job, &budget()).unwrap();
        let run = jobs::flow(&job, &budget()).unwrap();
        let (fixed, moving, method) = (read(&inputs[0]), read(&inputs[1]), choice(&job.options));
        let request = PairRequest { wanted: measured(), ..PairRequest::new(&fixed, &moving, &method) };
        let session = budget();
        let result = without_files(|| pair(&request, &session)).unwrap();
        place.check(&flow, &run, &result);
        let tiled = |warnings: &Warnings| warnings.iter().any(|w| w.message.contains("tiles"));
        assert_eq!(tiled(&result.account.warnings), plan.memory.tiles.count() > 1);
        assert_eq!(tiled(&run.report.header.warnings), tiled(&result.account.warnings));
    });
}

#[test]
fn views_one_shot_calls_and_flows_on_the_device_are_the_same_flow() {
    use veloxel::pipelines::pair_on_device;
    use veloxel::{ClgParams, ClgPreset, Pair, Samples, VolumeView, clg};
    let (fixed, moving) = (pictures::texture(0.0), pictures::texture(1.5));
    // A preset that does not ask how large the picture is: parameters are taken as they are.
    let (session, mut method) = (session(), MethodChoice::default());
    method.draft.set_preset("accurate").unwrap();
    let found = pair(&PairRequest::new(&fixed, &moving, &method), &session).unwrap().found;
    let bytes = |image: &Volume<f32>| image.data().iter().map(|&v| v as u8).collect::<Vec<_>>();
    let (fixed_bytes, moving_bytes) = (bytes(&fixed), bytes(&moving));
    let view = |samples| VolumeView::contiguous(fixed.grid().clone(), Samples::U8(samples)).unwrap();
    let request = PairRequest::new(view(&fixed_bytes), view(&moving_bytes), &method);
    for _ in 0..3 {
        assert_eq!(pair(&request, &session).unwrap().found.flow, found.flow);
    }
    let params = ClgParams::preset(ClgPreset::Accurate, Dimension::Two);
    let images = Pair::new(&fixed, &moving);
    for _ in 0..2 {
        assert_eq!(clg(&images, &params, &session).unwrap().flow, found.flow);
    }
    let resident = pair_on_device(&request, &session).unwrap().found;
    let device = session.device().unwrap();
    let pointer = device.pointer_to(resident.confidence).unwrap();
    assert_eq!(pointer.bytes(), 4 * fixed.grid().len());
    let planar = resident.flow.duplicate(device).unwrap().into_planar_vox(device).unwrap();
    assert_eq!(device.download(planar).unwrap(), found.flow.planar_vox());
    assert_eq!(resident.flow.download(device).unwrap(), found.flow);
}
