//! The picture panels of a pair: which maps are shown, on which scale, with which legend.

use crate::error::ReportError;
use crate::number;
use crate::pictures::colour::Ramp;
use crate::pictures::fields::warped_grid::warped_grid_svg;
use crate::pictures::maps::{Map, Stage};
use crate::pictures::overlay::{ARROWS, ARROWS_OF_A_SLICE, Quiver, outline_svg};
use crate::pictures::panel::{Panel, Scaled};
use crate::pictures::picture::{LONGEST_SIDE, Raster};
use crate::pictures::planes::{Plane, slices_of_thin_stack};
use crate::pictures::view::PairView;
use veloxel_core::{Control, Dimension, Flow, Stopped, Volume};

pub(crate) const TRUE_MOTION: &str = "True motion";

/// Squares of a warped grid along the longest side of a plane, and of a slice among others.
const SQUARES: f64 = 24.0;
const SQUARES_OF_A_SLICE: f64 = 14.0;

/// Number of pictures in a row: about twice as many as rows, with few empty places.
fn columns_of(count: usize) -> usize {
    let left_over = |columns: usize| (columns - count % columns) % columns;
    let cost =
        |columns: usize| left_over(columns) as f64 + (columns as f64 - (2.0 * count as f64).sqrt()).abs();
    (1..=count).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1)
}

/// The length of motion with full colour in the panels of a pair, millimetres.
pub(crate) fn motion_scale(view: &PairView, control: &Control) -> Result<f64, Stopped> {
    Ok(Shown::new(view, control)?.stage.motion_scale(view.flow))
}

/// A pair, and the planes on which it is shown.
pub(crate) struct Shown<'a> {
    pub view: &'a PairView<'a>,
    pub stage: Stage<'a>,
}

/// All picture panels of a pair, in the order of the page.
pub(crate) fn panels(view: &PairView, control: &Control) -> Result<Vec<Panel>, ReportError> {
    let shown = Shown::new(view, control)?;
    let motion_scale = shown.stage.motion_scale(view.flow);
    let mut panels = vec![
        shown.motion_colours("Motion", view.flow, motion_scale)?,
        shown.motion_arrows(motion_scale)?,
        shown.images()?,
        shown.warped_grid()?,
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

impl<'a> Shown<'a> {
    fn new(view: &'a PairView<'a>, control: &'a Control) -> Result<Self, Stopped> {
        Ok(Self::on(view, view.planes(control)?, control))
    }

    /// A pair on planes of its grid.
    pub(crate) fn on(view: &'a PairView<'a>, planes: Vec<Plane>, control: &'a Control) -> Self {
        let is_stack = slices_of_thin_stack(view.grid()).is_some();
        let columns = if is_stack { columns_of(planes.len()) } else { 0 };
        let stage = Stage::new(view.grid(), planes, control);
        Self { view, stage: Stage { columns, mask: view.mask, picture: Some("image"), ..stage } }
    }

    pub(crate) fn motion_colours(
        &self,
        title: &'static str,
        field: &Flow,
        scale_mm: f64,
    ) -> Result<Panel, ReportError> {
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

    /// The lines of a regular grid of the fixed image where they lie in the moving one.
    fn warped_grid(&self) -> Result<Panel, Stopped> {
        const TITLE: &str = "Warped grid";
        let stage = &self.stage;
        let squares = if stage.columns > 1 { SQUARES_OF_A_SLICE } else { SQUARES };
        let pictures = stage.planes.iter().enumerate().map(|(k, (plane, canvas))| {
            let vector = |i| plane.page_vector_mm(self.view.flow.vector_vox(i));
            let lines = warped_grid_svg(plane, vector, *canvas, stage.longest_mm, squares);
            stage.framed(plane, *canvas, TITLE, &format!(r##"<use href="#moving-{k}"/>{lines}"##))
        });
        let caption = "A regular grid of the fixed image, where the field finds its lines in the moving image, at true length.";
        Ok(Panel {
            title: TITLE,
            caption: caption.to_owned(),
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
            picture.svg = picture.svg.replacen("<image width", &format!(r#"<image id="fixed-{k}" width"#), 1);
            picture.svg =
                picture.svg.replacen("<image width", &format!(r#"<image id="moving-{k}" width"#), 1);
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
    pub(crate) fn gap_of_warped(&self) -> &'static str {
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

    /// The length of the difference between the field and another one, voxels.
    pub(crate) fn error_at(&self, truth: &Flow, index: usize) -> f32 {
        let (e, t) = (self.view.flow.vector_vox(index), truth.vector_vox(index));
        [0, 1, 2].map(|a: usize| e[a] - t[a]).iter().map(|d| d * d).sum::<f32>().sqrt()
    }

    /// The error that hardly any shown vector exceeds, voxels.
    pub(crate) fn error_limit(&self, truth: &Flow) -> f64 {
        self.stage.limit(|i| self.error_at(truth, i))
    }

    pub(crate) fn errors(&self, truth: &Flow, high: f64) -> Result<Panel, ReportError> {
        let (title, caption) = ("End-point error", "Length of the difference from the true motion.");
        let at = |i| self.error_at(truth, i);
        let map = Map::Values(&at, Scaled { ramp: Ramp::Heat, low: 0.0, high });
        Ok(self.stage.panel(title, caption, map, self.view.voxels())?.gaps_are("no vector, or no truth"))
    }

    pub(crate) fn confidence(&self) -> Result<Panel, ReportError> {
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
