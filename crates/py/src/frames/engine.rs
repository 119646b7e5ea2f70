//! A stream of frames, as a class: a thread of its own keeps the engine, and answers a frame at a time.

use super::delivered::Delivered;
use crate::error::{InputError, InternalError, exception};
use crate::fields::field::Field;
use crate::fields::flow::told;
use crate::image::Image;
use crate::running::{Waited, Watcher, wait_for};
use crate::session::Session;
use crate::settings::Settings;
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::json;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, TryLockError};
use veloxel::pipelines::DenseDraft;
use veloxel::pipelines::engine::{
    ConfidenceChoice, DeliveredTypes, Delivery, Engine as Library, EngineFound, EngineImage, EngineRequest,
    FeatureScales, FrameImages,
};
use veloxel::report::FrameReport;
use veloxel::{FeatureMaps, PhaseWanted, Result, Volume, Warnings};

/// What is wanted of a stream, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Stream {
    settings: Settings,
    flow: bool,
    stereo: bool,
    features: bool,
    confidence: bool,
    all_scales: bool,
    /// The types in which results come, `flow=f16,confidence=u8`; none: as fields and images of 32 bits.
    samples: Option<String>,
}

impl Stream {
    /// The request of an engine.
    pub fn request(self) -> PyResult<EngineRequest> {
        let Self { settings, flow, stereo, features, confidence, all_scales, samples } = self;
        let method: DenseDraft = settings.draft()?;
        let confidences = if confidence { ConfidenceChoice::Taken } else { ConfidenceChoice::Left };
        let scales = if all_scales { FeatureScales::All } else { FeatureScales::Finest };
        let types = samples.map(|samples| samples.parse::<DeliveredTypes>());
        let types = types.transpose().map_err(|error| exception(&error))?;
        Ok(EngineRequest {
            wanted: PhaseWanted { flow, stereo, features },
            fields: types.is_none().then_some(confidences),
            delivery: types.map(|types| Delivery { types, confidences, scales }),
            scales,
            images: FrameImages::Dropped,
            ..EngineRequest::of_flow(&method)
        })
    }
}

/// A frame, and the right camera's with it.
struct Frames {
    left: Volume<f32>,
    right: Option<Volume<f32>>,
}

/// The next thing that the engine is asked for.
enum Question {
    Push(Box<Frames>),
    Drain,
    Finish,
}

/// What was found for a frame, if anything was, and what there is to warn of.
type Answer = Result<(Option<EngineFound>, Warnings)>;

/// The thread that keeps an engine.
struct Worker {
    questions: Sender<Question>,
    answers: Mutex<Receiver<Answer>>,
    watcher: Arc<Watcher>,
}

/// Flow, disparity and features of a stream of frames of one size.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct Engine {
    /// The thread; it is `None` once the stream has ended.
    worker: Mutex<Option<Worker>>,
}

/// What was found for a frame.
#[pyclass(frozen, module = "veloxel._veloxel", get_all)]
pub struct StreamFound {
    /// The number of the frame, from 0 on.
    frame: u64,
    flow: Option<Py<Field>>,
    flow_confidence: Option<Py<Image>>,
    disparity: Option<Py<Image>>,
    disparity_confidence: Option<Py<Image>>,
    /// Energy, orientation and phase of each scale, finest first.
    features: Vec<(Py<Image>, Py<Image>, Py<Image>)>,
    /// All results in types of their own, where these were asked for.
    delivered: Option<Py<Delivered>>,
    /// JSON.
    report: String,
    /// `(kind, message)` each.
    warnings: Py<PyList>,
}

#[pymethods]
impl Engine {
    #[new]
    fn new(session: &Bound<'_, Session>, stream: Stream) -> PyResult<Self> {
        let request = stream.request()?;
        request.check().map_err(|error| exception(&error))?;
        let library = session.get().library()?;
        let watcher = Arc::new(Watcher::default());
        let own = library.beside().map_err(|error| exception(&error))?;
        own.follow(Some(watcher.clone()));
        let ((questions, asked), (tell, answers)) = (channel(), channel());
        let thread = std::thread::Builder::new().name("veloxel stream".to_owned());
        thread
            .spawn(move || answer(request, &own, &asked, &tell))
            .map_err(|error| InternalError::new_err(format!("no thread for the stream: {error}")))?;
        Ok(Self { worker: Mutex::new(Some(Worker { questions, answers: Mutex::new(answers), watcher })) })
    }

    /// Takes the next frame, and the right camera's with it.
    #[pyo3(signature = (left, right=None))]
    fn push(
        &self,
        py: Python<'_>,
        left: &Bound<'_, Image>,
        right: Option<&Bound<'_, Image>>,
    ) -> PyResult<Option<StreamFound>> {
        let left = left.get().volume.clone();
        let right = right.map(|right| right.get().volume.clone());
        self.ask(py, Question::Push(Box::new(Frames { left, right })))
    }

    /// The results of the next of the last frames.
    fn drain(&self, py: Python<'_>) -> PyResult<Option<StreamFound>> {
        self.ask(py, Question::Drain)
    }

    /// Ends the stream.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.ask(py, Question::Finish)?;
        self.close()
    }

    /// Drops the stream, whatever is under way.
    fn close(&self) -> PyResult<()> {
        match self.worker.try_lock() {
            Ok(mut worker) => *worker = None,
            Err(TryLockError::Poisoned(worker)) => *worker.into_inner() = None,
            Err(TryLockError::WouldBlock) => return Err(busy()),
        }
        Ok(())
    }
}

impl Engine {
    /// Asks, and waits for the answer without the interpreter's lock; what ends the waiting ends the stream.
    fn ask(&self, py: Python<'_>, question: Question) -> PyResult<Option<StreamFound>> {
        let mut kept = match self.worker.try_lock() {
            Ok(kept) => kept,
            Err(TryLockError::Poisoned(kept)) => kept.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(busy()),
        };
        let worker = kept.as_ref().ok_or_else(|| InputError::new_err("the stream has ended"))?;
        let is_there = worker.questions.send(question).is_ok();
        let Waited { news, raised } = wait_for(py, &worker.answers, &worker.watcher, None);
        if let Some(raised) = raised {
            *kept = None;
            return Err(raised);
        }
        match news.filter(|_| is_there) {
            Some(Ok((found, warnings))) => found.map(|found| of_frame(py, found, warnings)).transpose(),
            Some(Err(error)) => Err(exception(&error)),
            None => {
                *kept = None;
                Err(InternalError::new_err("the stream panicked: please report it"))
            }
        }
    }
}

fn busy() -> PyErr {
    InputError::new_err("another thread waits for a frame of this stream: frames come one after the other")
}

/// Answers every question until the channel is closed.
fn answer(
    request: EngineRequest,
    session: &veloxel::Session,
    asked: &Receiver<Question>,
    tell: &Sender<Answer>,
) {
    let method = request.method.clone();
    let mut engine = match Library::new(request, session) {
        Ok(engine) => engine,
        Err(error) => return drop(tell.send(Err(error))),
    };
    while let Ok(question) = asked.recv() {
        let answer = match question {
            Question::Push(frames) => push(&mut engine, &method, &frames),
            Question::Drain => drain(&mut engine),
            Question::Finish => {
                let end = engine.finish().map(|end| (None, end.account.warnings));
                return drop(tell.send(end));
            }
        };
        if tell.send(answer).is_err() {
            return;
        }
    }
}

fn push(engine: &mut Library<'_>, method: &DenseDraft, frames: &Frames) -> Answer {
    let mut warnings = Warnings::new();
    let Frames { left, right } = frames;
    let (left, right) = match right {
        None => (EngineImage::for_method(method, left, "the frame", &mut warnings)?, None),
        Some(right) => {
            let views = [left.into(), right.into()];
            let names = ["the frame", "the right frame"];
            let [left, right] = EngineImage::of_views(method, views, names, &mut warnings)?;
            (left, Some(right))
        }
    };
    let found = engine.push(left, right)?;
    Ok((found.map(|found| found.fetch()).transpose()?, warnings))
}

fn drain(engine: &mut Library<'_>) -> Answer {
    let found = engine.drain()?;
    Ok((found.map(|found| found.fetch()).transpose()?, Warnings::new()))
}

fn of_frame(py: Python<'_>, found: EngineFound, mut warnings: Warnings) -> PyResult<StreamFound> {
    let EngineFound { report, fields, delivered, warnings: own, .. } = found;
    warnings.extend(own);
    let image = |volume: Volume<f32>| Py::new(py, Image::of(volume));
    let maps =
        |maps: FeatureMaps| Ok((image(maps.energy)?, image(maps.orientation_rad)?, image(maps.phase_rad)?));
    let fields = fields.unwrap_or_default();
    let FrameReport { frame, latency_ms, response_ms, .. } = report;
    let report = json!({
        "latency_ms": latency_ms,
        "response_ms": response_ms,
        "flow_valid_share": report.flow_valid_share,
        "stereo_valid_share": report.stereo_valid_share,
        "features_valid_share": report.features_valid_share,
    });
    let features = fields.features.into_iter().chain(fields.coarser_features);
    Ok(StreamFound {
        frame,
        flow: fields.flow.map(|flow| Py::new(py, Field { flow })).transpose()?,
        flow_confidence: fields.flow_confidence.map(image).transpose()?,
        disparity: fields.disparity_px.map(image).transpose()?,
        disparity_confidence: fields.disparity_confidence.map(image).transpose()?,
        features: features.map(maps).collect::<PyResult<_>>()?,
        delivered: delivered.map(|fields| Py::new(py, Delivered::of(fields))).transpose()?,
        report: report.to_string(),
        warnings: told(py, warnings.urgent())?.unbind(),
    })
}
