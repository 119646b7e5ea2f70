//! The flow of a pair, of a window of frames, and of a sequence.

use crate::error::{InputError, exception, warning};
use crate::fields::field::Field;
use crate::fields::maps::Transform;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use crate::settings::{Settings, chosen};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use serde_json::json;
use std::borrow::Cow;
use veloxel::jobs::DenseOptions;
use veloxel::method::{GivenInput, TakenImages};
use veloxel::pipelines::{
    Account, DenseDraft, Directions, MethodChoice, OutsideFill, PairRequest, PairResult, PairStart,
    PairWanted, Refinement, SequenceRequest, StartKind, Wanted, WindowRequest,
};
use veloxel::{DenseFlow, Dimension, Flow, Grid, LinearTransform, SequenceMode, Volume, Warning};

/// How to run and what is wanted, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options<'py> {
    settings: Settings,
    inverse_consistency: bool,
    refine: bool,
    /// NaN, a number, or `edge`; none: no warped image.
    warped: Option<Outside>,
    progress: Option<Bound<'py, PyAny>>,
}

/// What a warped image holds where it has no sample.
#[derive(Debug, Clone, FromPyObject)]
pub enum Outside {
    Value(f32),
    Named(String),
}

impl Outside {
    pub fn fill(&self) -> PyResult<OutsideFill> {
        match self {
            Self::Value(value) => Ok(OutsideFill::Value(*value)),
            Self::Named(name) if name == "edge" => Ok(OutsideFill::Edge),
            Self::Named(name) => {
                Err(InputError::new_err(format!("outside is a number or \"edge\", not {name:?}")))
            }
        }
    }
}

impl Options<'_> {
    /// The method with its preset and parameters.
    pub fn method(&self) -> PyResult<MethodChoice> {
        let draft: DenseDraft = self.settings.draft()?;
        Ok(MethodChoice {
            draft,
            directions: if self.inverse_consistency { Directions::Both } else { Directions::Forward },
            refinement: if self.refine { Refinement::Bilateral } else { Refinement::None },
        })
    }

    /// How to run a job over files.
    pub fn of_files(&self) -> PyResult<DenseOptions> {
        let MethodChoice { draft, directions, refinement } = self.method()?;
        Ok(DenseOptions { method: draft.into(), directions, refinement, ..DenseOptions::default() })
    }

    /// What is told how far a run is.
    pub fn progress(&self) -> Option<&Bound<'_, PyAny>> {
        self.progress.as_ref()
    }

    fn wanted(&self) -> PyResult<PairWanted> {
        let warped = self.warped.as_ref().map(Outside::fill).transpose()?;
        Ok(PairWanted { warped, ..PairWanted::default() })
    }
}

/// What is known of the motion before the first step.
#[derive(FromPyObject)]
pub enum Init<'py> {
    Field(Bound<'py, Field>),
    Linear(Bound<'py, Transform>),
    Named(String),
}

/// A start with its data.
pub enum Begin<'a> {
    Field(Cow<'a, Flow>),
    Named(PairStart<'static>),
}

/// The starts that are found first, by their words.
const FOUND_FIRST: [(&str, PairStart<'static>); 6] = [
    ("none", PairStart::None),
    ("centre-of-mass", PairStart::CentreOfMass),
    ("rigid", PairStart::Rigid),
    ("similarity", PairStart::Similarity),
    ("affine", PairStart::Affine),
    ("matches", PairStart::Matches),
];

/// The words of all starts that are found first.
#[pyfunction]
pub fn starts() -> Vec<&'static str> {
    FOUND_FIRST.iter().map(|(word, _)| *word).collect()
}

impl<'a> Begin<'a> {
    /// The start of images whose fixed one lies on a grid: a field of pixels without a place, as picture formats hold it, lies there
    /// too.
    pub fn of(init: Option<&'a Init<'_>>, fixed: Option<&Grid>) -> PyResult<Self> {
        Ok(match init {
            None => Self::Named(PairStart::None),
            Some(Init::Field(field)) => {
                let flow = &field.get().flow;
                let own = flow.grid();
                let are_pictures = own.dimension() == Dimension::Two && own.is_unplaced();
                match fixed.filter(|fixed| are_pictures && fixed.size() == own.size()) {
                    Some(fixed) if fixed != own => {
                        let placed = Flow::from_planar_vox(fixed.clone(), flow.planar_vox().to_vec());
                        Self::Field(Cow::Owned(placed.map_err(|error| exception(&error))?))
                    }
                    _ => Self::Field(Cow::Borrowed(flow)),
                }
            }
            Some(Init::Linear(transform)) => Self::Named(PairStart::Transform(transform.get().map)),
            Some(Init::Named(name)) => Self::Named(chosen("init", name, FOUND_FIRST)?),
        })
    }

    /// The start as pipelines take it.
    pub fn start(&self) -> PairStart<'_> {
        match self {
            Self::Field(flow) => PairStart::Flow(flow),
            Self::Named(start) => *start,
        }
    }
}

/// What was found for a pair: a field and what belongs to it.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct FlowFound {
    #[pyo3(get)]
    field: Py<Field>,
    /// The field back, of a method that finds both together.
    #[pyo3(get)]
    inverse: Option<Py<Field>>,
    /// The linear map that the run began from.
    #[pyo3(get)]
    transform: Option<Py<Transform>>,
    #[pyo3(get)]
    confidence: Py<Image>,
    #[pyo3(get)]
    warped: Option<Py<Image>>,
    #[pyo3(get)]
    occlusion: Option<Py<Image>>,
    /// JSON.
    #[pyo3(get)]
    report: String,
    /// `(kind, message)` each.
    #[pyo3(get)]
    warnings: Py<PyList>,
    /// The image that the field lives on, as the method took it; none where only the caller has it.
    #[pyo3(get)]
    fixed: Option<Py<Image>>,
    /// The method and the preset whose curve says what the confidence means.
    #[pyo3(get)]
    errors: Option<(&'static str, &'static str)>,
}

/// Results as they come out of a pipeline.
pub struct Found {
    pub dense: DenseFlow,
    pub warped: Option<Volume<f32>>,
    pub transform: Option<LinearTransform>,
    /// The image that the field lives on; none where the caller has it.
    pub fixed: Option<Volume<f32>>,
    pub account: Account,
}

impl FlowFound {
    pub fn of(py: Python<'_>, found: Found) -> PyResult<Self> {
        let Found { dense, warped, transform, fixed, account } = found;
        let DenseFlow { flow, confidence, inverse, occlusion, mut statistics, .. } = dense;
        let mut warnings = account.warnings;
        warnings.extend(std::mem::take(&mut statistics.warnings));
        let report = json!({
            "veloxel_version": env!("CARGO_PKG_VERSION"),
            "device": account.device,
            "stages": account.stages.0,
            "parameters": account.parameters,
            "warnings": warnings,
            "statistics": statistics,
        });
        let image = |volume: Volume<f32>| Py::new(py, Image::of(volume));
        Ok(Self {
            field: Py::new(py, Field { flow })?,
            inverse: inverse.map(|flow| Py::new(py, Field { flow })).transpose()?,
            transform: transform.map(|map| Py::new(py, Transform { map })).transpose()?,
            confidence: image(confidence)?,
            warped: warped.map(image).transpose()?,
            occlusion: occlusion.map(image).transpose()?,
            fixed: fixed.map(image).transpose()?,
            report: report.to_string(),
            warnings: told(py, warnings.urgent())?.unbind(),
            errors: account.errors.map(|errors| errors.source().into()),
        })
    }
}

/// Warnings as a list of `(kind, message)`.
pub fn told<'py, 'w>(
    py: Python<'py>,
    warnings: impl Iterator<Item = &'w Warning>,
) -> PyResult<Bound<'py, PyList>> {
    let warnings = warnings.map(|own| warning(py, own)).collect::<PyResult<Vec<Bound<'py, PyTuple>>>>()?;
    PyList::new(py, warnings)
}

/// What is known of a pair beside its images, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Known<'py> {
    mask: Option<Bound<'py, Image>>,
    moving_mask: Option<Bound<'py, Image>>,
    volume_mask: Option<Bound<'py, Image>>,
    weight: Option<Bound<'py, Image>>,
    init: Option<Init<'py>>,
}

/// The flow from the first image to the second, or of a window of frames by a method that takes those.
#[pyfunction]
pub fn flow(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    images: Vec<Bound<'_, Image>>,
    options: Options<'_>,
    known: Known<'_>,
) -> PyResult<FlowFound> {
    let Known { mask, moving_mask, volume_mask, weight, init } = known;
    let method = options.method()?;
    // A method that finds the way back gives it.
    let inverse = Wanted::when(method.draft.method().uses.finds_inverse);
    let wanted = PairWanted { inverse, ..options.wanted()? };
    let frames: Vec<&Volume<f32>> = images.iter().map(|image| &image.get().volume).collect();
    let begin = Begin::of(init.as_ref(), frames.first().map(|frame| frame.grid()))?;
    let is_given = [
        (GivenInput::Mask, mask.is_some()),
        (GivenInput::VolumeMask, volume_mask.is_some()),
        (GivenInput::Weight, weight.is_some()),
        (GivenInput::Start, begin.start().kind() != StartKind::None),
    ];
    method.require_used(&is_given).map_err(|error| exception(&error))?;
    let weight = weight.map(|weight| weight.get().volume.clone());
    let [mask, moving_mask, volume_mask] =
        [mask, moving_mask, volume_mask].map(|mask| mask.map(|mask| mask.get().mask()));
    let takes_windows = matches!(method.takes(), TakenImages::Windows { .. });
    if !takes_windows && frames.len() != 2 {
        let (name, count) = (method.draft.method_name(), frames.len());
        let text =
            format!("{name} takes two images, not {count}: veloxel.sequence takes the frames of a sequence");
        return Err(InputError::new_err(text));
    }
    if takes_windows && moving_mask.is_some() {
        let text = "moving_mask= belongs to two images: leave samples out of frames as NaN";
        return Err(InputError::new_err(text));
    }
    let result = session.get().lend(|library| {
        run(py, library, options.progress.as_ref(), |library| -> veloxel::Result<PairResult> {
            if takes_windows {
                let request =
                    WindowRequest { mask: mask.as_ref(), wanted, ..WindowRequest::new(frames, &method) };
                return veloxel::pipelines::window(&request, library);
            }
            let [fixed, moving] = &frames[..] else { unreachable!("the number of images should be checked") };
            let request = PairRequest {
                mask: mask.as_ref(),
                moving_mask: moving_mask.as_ref(),
                volume_mask: volume_mask.as_ref(),
                weight: weight.as_ref(),
                start: begin.start(),
                wanted,
                ..PairRequest::new(*fixed, *moving, &method)
            };
            veloxel::pipelines::pair(&request, library)
        })
    })?;
    let PairResult { found, warped, transform, account, prepared, .. } = result;
    FlowFound::of(py, Found { dense: found, warped, transform, fixed: Some(prepared.fixed), account })
}

/// Which fields of a sequence, by their words.
pub const MODES: [(&str, SequenceMode); 3] = [
    ("consecutive", SequenceMode::Consecutive),
    ("reference", SequenceMode::Reference),
    ("both", SequenceMode::Both),
];

/// Which fields of a sequence, and where its data count, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Fields<'py> {
    mode: String,
    reference: Option<usize>,
    masks: Vec<Bound<'py, Image>>,
    volume_masks: Vec<Bound<'py, Image>>,
}

/// The flows between the frames of a sequence, with their labels `(name, fixed, moving)`.
#[pyfunction]
pub fn sequence(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    images: Vec<Bound<'_, Image>>,
    options: Options<'_>,
    fields: Fields<'_>,
) -> PyResult<Vec<(String, usize, usize, FlowFound)>> {
    let (method, wanted) = (options.method()?, options.wanted()?);
    let Fields { mode, reference, masks, volume_masks } = fields;
    let mode = chosen("mode", &mode, MODES)?;
    let frames: Vec<&Volume<f32>> = images.iter().map(|image| &image.get().volume).collect();
    let [masks, volume_masks] =
        [masks, volume_masks].map(|masks| masks.iter().map(|mask| mask.get().mask()).collect::<Vec<_>>());
    let (fields, account) = session.get().lend(|library| {
        run(py, library, options.progress.as_ref(), |library| {
            let mut fields = Vec::new();
            let request = SequenceRequest {
                masks: &masks,
                volume_masks: &volume_masks,
                mode,
                reference,
                wanted,
                ..SequenceRequest::new(frames.iter().copied(), &method)
            };
            let result = veloxel::pipelines::sequence(&request, library, &mut |output| {
                fields.push((output.label, output.found.into_owned(), output.warped));
                Ok(())
            })?;
            fields.sort_by_key(|(label, ..)| label.nth);
            Ok((fields, result.account))
        })
    })?;
    let found = fields.into_iter().map(|(label, dense, warped)| {
        let own = Account { warnings: veloxel::Warnings::new(), ..account.clone() };
        let fixed = Some(frames[label.fixed].clone());
        let found = FlowFound::of(py, Found { dense, warped, transform: None, fixed, account: own })?;
        Ok((label.name(), label.fixed, label.moving, found))
    });
    let found = found.collect::<PyResult<Vec<_>>>()?;
    if let Some((.., last)) = found.last() {
        let whole = told(py, account.warnings.urgent())?;
        whole.iter().try_for_each(|own| last.warnings.bind(py).append(own))?;
    }
    Ok(found)
}
