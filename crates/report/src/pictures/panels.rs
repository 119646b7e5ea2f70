//! The picture panels of a pair: which maps are shown, on which scale, with which legend.

use crate::error::ReportError;
use crate::number;
use crate::pictures::colour::Ramp;
use crate::pictures::maps::{Map, Stage};
use crate::pictures::overlay::{ARROWS, ARROWS_OF_A_SLICE, Quiver, outline_svg};
use crate::pictures::panel::{Panel, Scaled};
use crate::pictures::picture::{LONGEST_SIDE, Raster};
use crate::pictures::planes::slices_of_thin_stack;
use crate::pictures::view::{ComparedView, PairView};
use veloxel_core::{Control, Dimension, Flow, Stopped, Volume};

const TRUE_MOTION: &str = "True motion";

/// Number of pictures in a row: about twice as many as rows, with few empty places.
fn columns_of(count: usize) -> usize {
    let left_over = |columns: usize| (columns - count % columns) % columns;
    let cost =
        |columns: usize| left_over(columns) as f64 + (columns as f64 - (2.0 * count as f64).sqrt()).abs();
    (1..=count).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1)
}

/// A pair, and the planes on which it is shown.
struct Shown<'a> {
    view: &'a PairView<'a>,
    stage: Stage<'a>,
}

/// All picture panels of a pair, in the order of the page.
pub(crate) fn panels(view: &PairView, control: &Control) -> Result<Vec<Panel>, ReportError> {
    let shown = Shown::new(view, control)?;
    let motion_scale = shown.stage.motion_scale(view.flow);
    let mut panels = vec![
        shown.motion_colours("Motion", view.flow, motion_scale)?,
        shown.motion_arrows(motion_scale)?,
        shown.images()?,
    ];
    panels.extend(shown.differences()?);
    if let Some(truth) = view.truth {
        panels.push(shown.motion_colours(TRUE_MOTION, truth, motion_scale)?);
        panels.push(shown.errors(truth, shown.error_limit(truth))?);
    }
    panels.push(shown.confidence()?);
    panels.push(shown.volume_change()?);
    Ok(panels)
}

/// The values with full colour, the same for every field of a comparison.
pub(crate) struct Scales {
    motion_mm: f64,
    /// Error with full colour, voxels.
    error: f64,
}

impl Scales {
    /// The scales of a comparison. Motion: the truth's, else the median of the fields'. Errors: the median of the fields', so
    /// that a field that fails does not darken the others.
    pub(crate) fn of(views: &[ComparedView<'_>], control: &Control) -> Result<Self, Stopped> {
        let shown = |view| Shown::new(view, control);
        let all = views.iter().map(|view| shown(&view.pair)).collect::<Result<Vec<_>, _>>()?;
        let median = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(1.0)
        };
        let motions = all.iter().map(|of| of.stage.motion_scale(of.view.truth.unwrap_or(of.view.flow)));
        let errors = all.iter().filter_map(|of| Some(of.error_limit(of.view.truth?)));
        Ok(Self { motion_mm: median(motions.collect()), error: median(errors.collect()) })
    }
}

/// The panels of one method in a comparison: its field, its confidence, occluded voxels and, with a truth, its error.
pub(crate) fn comparison_panels(
    ComparedView { pair: view, occlusion }: &ComparedView<'_>,
    scales: &Scales,
    control: &Control,
) -> Result<Vec<Panel>, ReportError> {
    let shown = Shown::new(view, control)?;
    let mut panels = vec![shown.motion_colours("Motion", view.flow, scales.motion_mm)?, shown.confidence()?];
    if let Some(truth) = view.truth {
        panels.push(shown.errors(truth, scales.error)?);
    }
    if let Some(hidden) = occlusion {
        let map = Map::Volume(hidden, Scaled { ramp: Ramp::Grey, low: 0.0, high: 1.0 });
        let caption = "White: hidden in the moving image, as the backward field shows.";
        panels.push(shown.stage.panel("Occlusion", caption, map, "")?);
    }
    Ok(panels)
}

/// Both images of a pair, and its true motion where that is known.
pub(crate) fn frame_panels(
    view: &PairView,
    scales: &Scales,
    control: &Control,
) -> Result<Vec<Panel>, ReportError> {
    let shown = Shown::new(view, control)?;
    let grey = |image| Map::Volume(image, shown.stage.grey(image));
    let mut panels = vec![
        shown.stage.panel("Fixed", "The image that the fields belong to.", grey(view.fixed), "")?,
        shown.stage.panel("Moving", "The image that they point into.", grey(view.moving), "")?,
    ];
    if let Some(truth) = view.truth {
        panels.push(shown.motion_colours(TRUE_MOTION, truth, scales.motion_mm)?);
    }
    Ok(panels)
}

impl<'a> Shown<'a> {
    fn new(view: &'a PairView<'a>, control: &'a Control) -> Result<Self, Stopped> {
        let planes = view.planes(control)?;
        let is_stack = slices_of_thin_stack(view.grid()).is_some();
        let columns = if is_stack { columns_of(planes.len()) } else { 0 };
        let stage = Stage::new(view.grid(), planes, control);
        Ok(Self { view, stage: Stage { columns, mask: view.mask, picture: Some("image"), ..stage } })
    }

    fn motion_colours(&self, title: &'static str, field: &Flow, scale_mm: f64) -> Result<Panel, ReportError> {
        let within = if self.stage.planes.len() > 1 { " within the plane" } else { "" };
        let caption = format!("Hue is the direction{within}, colour strength the length.");
        let panel = self.stage.panel(title, &caption, Map::Motion(field, scale_mm), self.stage.unit)?;
        Ok(panel.gaps_are(if title == TRUE_MOTION { "no truth" } else { "no vector" }))
    }

    fn motion_arrows(&self, scale_mm: f64) -> Result<Panel, Stopped> {
        const TITLE: &str = "Motion as arrows";
        let stage = &self.stage;
        let arrows = if stage.columns > 1 { ARROWS_OF_A_SLICE } else { ARROWS };
        let quiver = Quiver::fit(stage.longest_mm, arrows, scale_mm);
        let pictures = stage.planes.iter().enumerate().map(|(k, (plane, canvas))| {
            let vector = |i| plane.page_vector_mm(self.view.flow.vector_vox(i));
            // Among slices a key would be too small to read.
            let key = if stage.columns > 1 { String::new() } else { quiver.key_svg(*canvas, stage.unit) };
            let arrows = quiver.to_svg(plane, vector, *canvas);
            let content = format!(r##"<use href="#fixed-{k}"/>{arrows}{key}"##);
            stage.framed(plane, *canvas, TITLE, &content)
        });
        let factor = quiver.gain;
        let drawn = if factor > 1.0 {
            format!("drawn {} times as long", number::text(factor))
        } else {
            format!("drawn at {} of their length", number::percent(factor))
        };
        Ok(Panel {
            title: TITLE,
            caption: format!("From the fixed to the moving image, {drawn}."),
            pictures: pictures.collect::<Result<_, _>>()?,
            columns: stage.columns,
            ..Panel::default()
        })
    }

    fn images(&self) -> Result<Panel, ReportError> {
        let (view, stage) = (self.view, &self.stage);
        let grey = stage.grey(view.fixed);
        let names = ["Fixed", "Moving", "Moving, motion undone"].into_iter();
        let volumes = [view.fixed, view.moving].into_iter().chain(view.warped);
        let layers: Vec<_> = names.zip(volumes.map(|volume| Map::Volume(volume, grey))).collect();
        let caption = "Switch between them: after the motion is undone, nothing should move.";
        let mut panel = stage.layers("Images", caption, &layers, None)?.gaps_are(self.gap_of_warped());
        for (k, picture) in panel.pictures.iter_mut().enumerate() {
            // Arrows are drawn over it.
            picture.svg = picture.svg.replacen("<image", &format!(r#"<image id="fixed-{k}""#), 1);
        }
        if let [(plane, canvas)] = stage.planes.as_slice() {
            // one plane leaves room for the fixed image beside the others
            let mut fixed = stage.framed(plane, *canvas, panel.title, r##"<use href="#fixed-0"/>"##)?;
            fixed.label = "fixed".to_owned();
            panel.pictures.iter_mut().for_each(|p| p.label = "as chosen above".to_owned());
            panel.pictures.insert(0, fixed);
            panel.first_layer = if view.warped.is_some() { 2 } else { 0 };
        }
        Ok(panel)
    }

    /// Text for places where the warped image has no value.
    fn gap_of_warped(&self) -> &'static str {
        match (0..self.view.grid().len()).all(|i| self.view.flow.is_valid(i)) {
            true => "outside the moving image",
            false => "no vector, or outside the moving image",
        }
    }

    fn differences(&self) -> Result<Vec<Panel>, ReportError> {
        let view = self.view;
        let difference = |other: &Volume<f32>, i: usize| other.data()[i] - view.fixed.data()[i];
        let scaled = Scaled::around_zero(self.stage.limit(|i| difference(view.moving, i).abs()));
        let panel = |title: &'static str, caption: &str, other: &Volume<f32>| {
            self.stage.panel(title, caption, Map::Values(&|i| difference(other, i), scaled), "intensity")
        };
        let mut panels = vec![panel("Difference before", "Moving minus fixed image.", view.moving)?];
        if let Some(warped) = view.warped {
            let caption = "The same with the motion undone, on the same scale.";
            panels.push(panel("Difference after", caption, warped)?.gaps_are(self.gap_of_warped()));
        }
        Ok(panels)
    }

    fn error_at(&self, truth: &Flow, index: usize) -> f32 {
        let (e, t) = (self.view.flow.vector_vox(index), truth.vector_vox(index));
        [0, 1, 2].map(|a: usize| e[a] - t[a]).iter().map(|d| d * d).sum::<f32>().sqrt()
    }

    /// The error that hardly any shown vector exceeds, voxels.
    fn error_limit(&self, truth: &Flow) -> f64 {
        self.stage.limit(|i| self.error_at(truth, i))
    }

    fn errors(&self, truth: &Flow, high: f64) -> Result<Panel, ReportError> {
        let (title, caption) = ("End-point error", "Length of the difference from the true motion.");
        let at = |i| self.error_at(truth, i);
        let map = Map::Values(&at, Scaled { ramp: Ramp::Heat, low: 0.0, high });
        Ok(self.stage.panel(title, caption, map, self.view.voxels())?.gaps_are("no vector, or no truth"))
    }

    fn confidence(&self) -> Result<Panel, ReportError> {
        let caption = "How far each vector can be trusted: 0 not at all, 1 fully.";
        let map = Map::Volume(self.view.confidence, Scaled::CONFIDENCE);
        self.stage.panel("Confidence", caption, map, "")
    }

    fn volume_change(&self) -> Result<Panel, ReportError> {
        let data = self.view.jacobian.data();
        let limit = self.stage.limit(|i| (data[i] - 1.0).abs()).clamp(0.01, 1.0);
        let scaled = Scaled { ramp: Ramp::Volume, low: 1.0 - limit, high: 1.0 + limit };
        let (title, what) = match self.view.grid().dimension() {
            Dimension::Two => ("Area change", "Area"),
            Dimension::Three => ("Volume change", "Volume"),
        };
        let caption =
            format!("{what} after the motion over that before; a red outline where the field folds.");
        let map = Map::Volume(self.view.jacobian, scaled);
        let mut panel = self.stage.panel(title, &caption, map, "det(I + ∇d)")?.gaps_are("no vector");
        for (picture, (plane, canvas)) in panel.pictures.iter_mut().zip(&self.stage.planes) {
            let folded = |i| [f32::from(u8::from(data[i] <= 0.0))];
            let folded = Raster::sample(plane, LONGEST_SIDE, folded, self.stage.control)?;
            let outline = outline_svg(&folded, *canvas, "folded");
            picture.svg = picture.svg.replace("</svg>", &format!("{outline}</svg>"));
        }
        Ok(panel)
    }
}
