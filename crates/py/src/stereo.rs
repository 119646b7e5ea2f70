//! Disparity of a stereo pair, and features of an image.

use crate::cameras::{Cameras, CamerasIn, ViewOut};
use crate::fields::flow::told;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use crate::settings::Settings;
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::json;
use veloxel::io::ReadOptions;
use veloxel::pipelines::{
    DenseDraft, FeaturesRequest, RectifyRequest, StereoRequest, StereoResult, depth, rectify,
};
use veloxel::report::{CamerasReport, ValueRange};
use veloxel::{Mask, Rectification, RectifiedView, Session as Library, Volume, Warnings};

/// What is known of a stereo pair, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Known<'py> {
    settings: Settings,
    mask: Option<Bound<'py, Image>>,
    cameras: Option<CamerasIn>,
    progress: Option<Bound<'py, PyAny>>,
}

/// What was found of a stereo pair.
#[pyclass(frozen, module = "veloxel._veloxel", get_all)]
pub struct StereoFound {
    disparity: Py<Image>,
    confidence: Py<Image>,
    /// Pixels, NaN where there is no disparity.
    expected_error: Py<Image>,
    /// Metres, where the cameras are known.
    depth: Option<Py<Image>>,
    /// The pictures that the disparity belongs to: rectified where the cameras took them otherwise.
    left: Py<Image>,
    right: Py<Image>,
    view: Option<ViewOut>,
    /// JSON.
    report: String,
    /// `(kind, message)` each.
    warnings: Py<PyList>,
}

impl StereoFound {
    /// Disparity, confidence and expected error of pictures whose cameras are not known, with its report and its warnings.
    pub fn of_maps(
        py: Python<'_>,
        [disparity, confidence, expected_error]: [Volume<f32>; 3],
        [left, right]: [Volume<f32>; 2],
        report: String,
        warnings: Py<PyList>,
    ) -> PyResult<Self> {
        let image = |volume: Volume<f32>| Py::new(py, Image::of(volume));
        Ok(Self {
            disparity: image(disparity)?,
            confidence: image(confidence)?,
            expected_error: image(expected_error)?,
            depth: None,
            left: image(left)?,
            right: image(right)?,
            view: None,
            report,
            warnings,
        })
    }
}

/// A pair on its way into the pipeline.
struct Pair {
    left: Volume<f32>,
    right: Volume<f32>,
    masks: [Option<Mask>; 2],
    rectification: Option<Rectification>,
    view: Option<RectifiedView>,
    warnings: Warnings,
}

impl Pair {
    /// The pair as its cameras took it, rectified where that is to be done.
    fn prepared(self, cameras: &Cameras, library: &Library) -> veloxel::Result<Self> {
        let mut warnings = Warnings::new();
        let rig = cameras.rig(&library.reading(ReadOptions::default()), &mut warnings)?;
        let Some(rig) = rig else {
            let [width, height, _] = self.left.grid().size();
            return Ok(Self { view: cameras.view([width, height])?, warnings, ..self });
        };
        let (left, right, mask) = ((&self.left).into(), (&self.right).into(), self.masks[0].as_ref());
        let mut found = rectify(&RectifyRequest { left, right, rig: &rig, mask, colours: None }, library)?;
        warnings.extend(std::mem::take(&mut found.account.warnings));
        Ok(Self {
            left: found.left.image,
            right: found.right.image,
            masks: [Some(found.left.seen), Some(found.right.seen)],
            view: Some(found.geometry.view),
            rectification: Some(found.geometry),
            warnings,
        })
    }
}

/// The disparity of the left image: `x_right = x_left − d`.
#[pyfunction]
pub fn stereo(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    left: &Bound<'_, Image>,
    right: &Bound<'_, Image>,
    known: Known<'_>,
) -> PyResult<StereoFound> {
    let Known { settings, mask, cameras, progress } = known;
    let draft: DenseDraft = settings.draft()?;
    let [left, right] = [left, right].map(|image| image.get().volume.clone());
    let masks = [mask.map(|mask| mask.get().mask()), None];
    let cameras = cameras.map(CamerasIn::cameras).transpose()?;
    let pair = Pair { left, right, masks, rectification: None, view: None, warnings: Warnings::new() };
    let (mut pair, result) = session.get().lend(|library| {
        run(py, library, progress.as_ref(), |library| {
            let pair = match &cameras {
                Some(cameras) => pair.prepared(cameras, library)?,
                None => pair,
            };
            let [mask, right_mask] = pair.masks.each_ref().map(Option::as_ref);
            let request =
                StereoRequest { mask, right_mask, ..StereoRequest::new(&pair.left, &pair.right, &draft) };
            let result = veloxel::pipelines::stereo(&request, library)?;
            Ok((pair, result))
        })
    })?;
    let StereoResult { found, errors, mut account, .. } = result;
    let expected_px = errors.of_each_px(&found.disparity_px, &found.confidence);
    pair.warnings.extend(std::mem::take(&mut account.warnings));
    let depth_m = pair.view.map(|view| depth(&found.disparity_px, &view));
    let cameras = pair.view.map(|view| {
        CamerasReport::new(view, pair.rectification.as_ref(), depth_m.as_ref().and_then(ValueRange::of))
    });
    let report = json!({
        "device": account.device, "stages": account.stages.0, "parameters": account.parameters,
        "warnings": pair.warnings, "statistics": found.report, "cameras": cameras,
    });
    let image = |volume: Volume<f32>| Py::new(py, Image::of(volume));
    Ok(StereoFound {
        disparity: image(found.disparity_px)?,
        confidence: image(found.confidence)?,
        expected_error: image(expected_px)?,
        depth: depth_m.map(image).transpose()?,
        left: image(pair.left)?,
        right: image(pair.right)?,
        view: pair.view.map(|view| (view.focal_px, view.baseline_m, view.centre_px)),
        report: report.to_string(),
        warnings: told(py, pair.warnings.urgent())?.unbind(),
    })
}

/// Energy, orientation and phase of a scale.
type Maps = (Image, Image, Image);

/// Features of every scale, finest first, with warnings.
#[pyfunction]
#[pyo3(signature = (session, image, settings, progress=None))]
pub fn features(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    image: &Bound<'_, Image>,
    settings: Settings,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Vec<Maps>, Py<PyList>)> {
    let draft: DenseDraft = settings.draft()?;
    let image = &image.get().volume;
    let result = session.get().lend(|library| {
        run(py, library, progress, |library| {
            veloxel::pipelines::features(&FeaturesRequest::new(image, &draft), library)
        })
    })?;
    let warnings = told(py, result.account.warnings.urgent())?.unbind();
    let maps = |maps: veloxel::FeatureMaps| {
        (Image::of(maps.energy), Image::of(maps.orientation_rad), Image::of(maps.phase_rad))
    };
    Ok((result.levels.into_iter().map(maps).collect(), warnings))
}
