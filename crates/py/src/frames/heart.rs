//! Outlines of a heart followed over a cine.

use crate::error::exception;
use crate::fields::field::Field;
use crate::fields::flow::told;
use crate::frames::outlines::{OutlineIn, OutlineOut, contours_of, outlines_of};
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use crate::settings::{Settings, chosen};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use veloxel::io::{
    CinePlace, ContourReading, CurvePoints, LabelMeaning, PlainNames, ReadOptions, Strictness, read_contours,
};
use veloxel::pipelines::DenseDraft;
use veloxel::pipelines::heart::{
    Cavities, Cine, ContourSet, CycleEstimate, HeartError, MotionSpace, PeriodicChoice, Placement,
    PresetChoice, Reader, RegionChoice, TrackRequest, TrackResult, TrackedRun,
};
use veloxel::{Mask, Session as Library, Volume, Warnings};

/// Where outlines come from: files, or outlines themselves.
#[derive(FromPyObject)]
pub enum Drawn {
    Files(Vec<PathBuf>),
    Outlines(Vec<OutlineIn>),
}

/// Where motion is estimated.
#[derive(FromPyObject)]
pub enum Region<'py> {
    Pixels([usize; 4]),
    Mask(Bound<'py, Image>),
    Named(String),
}

/// How outlines are followed, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Following<'py> {
    contours: Drawn,
    truth: Vec<(String, Drawn)>,
    frame_interval_ms: Option<f64>,
    start_frames: Vec<usize>,
    /// The labels of the right cavity, the muscle and the left cavity in label images.
    labels: [Option<i32>; 3],
    region: Region<'py>,
    motion: String,
    placement: String,
    cavities: String,
    periodic: String,
    estimate: String,
    methods: Vec<Settings>,
    weight: Option<Bound<'py, Image>>,
    progress: Option<Bound<'py, PyAny>>,
}

/// What one method found.
#[pyclass(frozen, module = "veloxel._veloxel", get_all)]
pub struct HeartFound {
    method: String,
    preset: String,
    contours: Vec<OutlineOut>,
    /// From the reference frame to every frame.
    fields: Vec<Py<Field>>,
    /// A label image for every frame.
    labels: Vec<Py<Image>>,
    /// CSV, as are the next three.
    function: String,
    strain: Option<String>,
    distances: Option<String>,
    expected_errors: Option<String>,
    /// JSON.
    measures: String,
}

/// What every method found, what was followed as JSON, the device's name, and warnings.
type Tracked = (Vec<HeartFound>, String, String, Py<PyList>);

/// The choices of a run, without its images.
struct Choices {
    space: MotionSpace,
    placement: Placement,
    cavities: Cavities,
    periodic: PeriodicChoice,
    estimate: CycleEstimate,
    methods: Vec<DenseDraft>,
    presets: PresetChoice,
    labels: LabelMeaning,
}

impl Choices {
    fn of(following: &Following<'_>) -> PyResult<Self> {
        let mut methods = following.methods.iter().map(Settings::draft).collect::<PyResult<Vec<_>>>()?;
        let mut presets = PresetChoice::AsGiven;
        if methods.is_empty() {
            let mut cine = DenseDraft::named("clg").map_err(|error| exception(&error))?;
            cine.set_preset("cine").map_err(|error| exception(&error))?;
            (methods, presets) = (vec![cine], PresetChoice::ByFrames);
        }
        let spaces = [MotionSpace::InPlane, MotionSpace::Volume].map(|own| (own.word(), own));
        let placements = [Placement::AsDrawn, Placement::ByStack].map(|own| (own.word(), own));
        let cavities = [Cavities::Moved, Cavities::Rim].map(|own| (own.word(), own));
        let periodic = PeriodicChoice::ALL.map(|own| (own.word(), own));
        let estimates = CycleEstimate::ALL.map(|own| (own.word(), own));
        let [rv, muscle, lv] = following.labels;
        Ok(Self {
            space: chosen("motion", &following.motion, spaces)?,
            placement: chosen("placement", &following.placement, placements)?,
            cavities: chosen("cavities", &following.cavities, cavities)?,
            periodic: chosen("periodic", &following.periodic, periodic)?,
            estimate: chosen("estimate", &following.estimate, estimates)?,
            methods,
            presets,
            labels: LabelMeaning { rv, muscle, lv },
        })
    }
}

/// Outlines of a reader, before they are read.
enum Given {
    Files(Vec<PathBuf>),
    Set(ContourSet),
}

impl Given {
    fn of(drawn: Drawn) -> PyResult<Self> {
        Ok(match drawn {
            Drawn::Files(files) => Self::Files(files),
            Drawn::Outlines(outlines) => Self::Set(contours_of(outlines)?),
        })
    }

    /// Reads files beside each other as one set.
    fn read(
        self,
        place: &CinePlace,
        reading: &ContourReading,
        warnings: &mut Warnings,
    ) -> veloxel::Result<ContourSet> {
        let files = match self {
            Self::Set(set) => return Ok(set),
            Self::Files(files) => files,
        };
        let mut all = Vec::new();
        for file in files {
            let read = read_contours(&file, Some(place), reading, warnings)?;
            all.extend_from_slice(read.contours.contours());
        }
        ContourSet::new(all).map_err(|twice| {
            let (structure, frame, slice) = (twice.structure, twice.frame, twice.slice);
            HeartError::TwoOutlines { structure, frame, slice }.into()
        })
    }
}

/// The images of a run.
struct Images {
    frames: Vec<Volume<f32>>,
    interval_ms: Option<f64>,
    mask: Option<Mask>,
    weight: Option<Volume<f32>>,
}

/// Everything that a run is given.
struct Whole {
    images: Images,
    contours: Given,
    truth: Vec<(String, Given)>,
    start_frames: Vec<usize>,
    pixels: Option<[usize; 4]>,
    is_whole: bool,
    choices: Choices,
}

impl Whole {
    fn run(self, library: &Library) -> veloxel::Result<TrackResult> {
        let Self { images, contours, truth, start_frames, pixels, is_whole, choices } = self;
        let Images { frames, interval_ms, mask, weight } = images;
        let mut warnings = Warnings::new();
        let cine = Cine::of_frames(frames, interval_ms, Strictness::Lenient, library)?;
        let place = CinePlace {
            grid: cine.grid().clone(),
            frames: cine.frames().len(),
            frame_interval_ms: interval_ms,
            images: Vec::new(),
        };
        let reading = ContourReading {
            frame: start_frames.first().copied().unwrap_or(0),
            labels: choices.labels,
            names: PlainNames::default(),
            curves: CurvePoints::Smooth,
            reading: library.reading(ReadOptions::default()),
        };
        let contours = contours.read(&place, &reading, &mut warnings)?;
        let truth = truth
            .into_iter()
            .map(|(name, given)| Ok((name, given.read(&place, &reading, &mut warnings)?)))
            .collect::<veloxel::Result<Vec<_>>>()?;
        let readers: Vec<Reader<'_>> =
            truth.iter().map(|(name, contours)| Reader { name, contours }).collect();
        let region = match (&mask, pixels) {
            (Some(mask), _) => RegionChoice::Mask { mask, name: "the region's mask" },
            (None, Some(pixels)) => RegionChoice::Pixels(pixels),
            (None, None) if is_whole => RegionChoice::All,
            (None, None) => RegionChoice::Auto,
        };
        let request = TrackRequest {
            readers: &readers,
            start_frames: &start_frames,
            labels: choices.labels,
            region,
            space: choices.space,
            placement: choices.placement,
            cavities: choices.cavities,
            periodic: choices.periodic,
            estimate: choices.estimate,
            presets: choices.presets,
            weight: weight.as_ref(),
            ..TrackRequest::new(&cine, &contours, &choices.methods)
        };
        let mut found = veloxel::pipelines::heart::track(&request, library)?;
        warnings.extend(std::mem::take(&mut found.account.warnings));
        found.account.warnings = warnings;
        Ok(found)
    }
}

/// Follows outlines over the frames of a cine.
#[pyfunction]
pub fn track(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    frames: Vec<Bound<'_, Image>>,
    following: Following<'_>,
) -> PyResult<Tracked> {
    let choices = Choices::of(&following)?;
    let Following { contours, truth, frame_interval_ms, start_frames, region, weight, progress, .. } =
        following;
    let (mut pixels, mut mask, mut is_whole) = (None, None, false);
    match region {
        Region::Pixels(own) => pixels = Some(own),
        Region::Mask(own) => mask = Some(own.get().mask()),
        Region::Named(word) => is_whole = chosen("region", &word, [("auto", false), ("all", true)])?,
    }
    let images = Images {
        frames: frames.iter().map(|frame| frame.get().volume.clone()).collect(),
        interval_ms: frame_interval_ms,
        mask,
        weight: weight.map(|weight| weight.get().volume.clone()),
    };
    let truth = truth.into_iter().map(|(name, drawn)| Ok((name, Given::of(drawn)?)));
    let truth = truth.collect::<PyResult<Vec<_>>>()?;
    let contours = Given::of(contours)?;
    let whole = Whole { images, contours, truth, start_frames, pixels, is_whole, choices };
    let found =
        session.get().lend(|library| run(py, library, progress.as_ref(), |library| whole.run(library)))?;
    let (cine, account) = (found.cine, found.account);
    let warnings = told(py, account.warnings.urgent())?.unbind();
    let runs = found.runs.into_iter().map(|run| of_run(py, run)).collect::<PyResult<_>>()?;
    Ok((runs, serde_json::to_string(&cine).unwrap_or_default(), account.device.name, warnings))
}

fn of_run(py: Python<'_>, run: TrackedRun) -> PyResult<HeartFound> {
    let TrackedRun { measures, contours, fields, labels, function, strain, distances, expected_errors } = run;
    let fields = fields.into_iter().map(|flow| Py::new(py, Field { flow }));
    let labels = labels.into_frames().into_iter().map(|frame| Py::new(py, Image::of(frame)));
    Ok(HeartFound {
        contours: outlines_of(&contours),
        fields: fields.collect::<PyResult<_>>()?,
        labels: labels.collect::<PyResult<_>>()?,
        function: function.to_csv(),
        strain: strain.map(|strain| strain.to_csv()),
        distances: distances.map(|distances| distances.to_csv()),
        expected_errors: expected_errors.map(|errors| errors.to_csv()),
        measures: serde_json::to_string(&measures).unwrap_or_default(),
        method: measures.method,
        preset: measures.preset,
    })
}
