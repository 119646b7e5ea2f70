//! The picture panels of a report: which maps are shown, on which scale, with which legend.

use super::colour::{Ramp, wheel};
use super::number;
use super::overlay::{ARROWS, ARROWS_OF_A_SLICE, Canvas, Quiver, letters_svg, outline_svg};
use super::panel::{Legend, MOTION_WHEEL, NO_ESTIMATE, Panel, Picture, Scaled, image, wheel_uri};
use super::picture::{LONGEST_SIDE, Raster};
use super::planes::{Plane, slices_of_thin_stack};
use super::view::{ComparedView, PairView};
use crate::ReportError;
use crate::metrics::finite_quantiles;
use veloxel_core::{Dimension, Flow};

const TRUE_MOTION: &str = "True motion";

/// Pictures in a row: about twice as many as rows, with few places left over.
fn columns_of(count: usize) -> usize {
    let left_over = |columns: usize| (columns - count % columns) % columns;
    let cost =
        |columns: usize| left_over(columns) as f64 + (columns as f64 - (2.0 * count as f64).sqrt()).abs();
    (1..=count).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1)
}

/// Everything that the panels of one pair share.
struct Stage<'a> {
    view: &'a PairView<'a>,
    planes: Vec<(Plane, Canvas)>,
    longest_mm: f64,
    unit: &'static str,
    /// As [`Panel::columns`].
    columns: usize,
}

/// All picture panels of a pair, in the order of the page.
pub(super) fn panels(view: &PairView) -> Result<Vec<Panel>, ReportError> {
    let stage = Stage::new(view);
    let motion_scale = stage.motion_scale_mm(view.flow);
    let mut panels = vec![
        stage.motion_colours("Motion", view.flow, motion_scale)?,
        stage.motion_arrows(motion_scale),
        stage.images()?,
    ];
    panels.extend(stage.differences()?);
    if let Some(truth) = view.truth {
        panels.push(stage.motion_colours(TRUE_MOTION, truth, motion_scale)?);
        panels.push(stage.errors(truth, stage.error_limit(truth))?);
    }
    panels.push(stage.confidence()?);
    panels.push(stage.volume_change()?);
    Ok(panels)
}

/// What full colour stands for, the same for every field of a comparison.
pub(super) struct Scales {
    motion_mm: f64,
    /// Voxels.
    error: f64,
}

impl Scales {
    /// Motion: the truth's, else the median of the fields'. Errors: the median of the fields', so that one that fails does not
    /// darken the others.
    pub(super) fn of(views: &[ComparedView<'_>]) -> Self {
        let stages: Vec<Stage<'_>> = views.iter().map(|view| Stage::new(&view.pair)).collect();
        let median = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(1.0)
        };
        let motions = stages.iter().map(|stage| match stage.view.truth {
            Some(truth) => stage.motion_scale_mm(truth),
            None => stage.motion_scale_mm(stage.view.flow),
        });
        let errors = stages.iter().filter_map(|stage| Some(stage.error_limit(stage.view.truth?)));
        Self { motion_mm: median(motions.collect()), error: median(errors.collect()) }
    }
}

/// The panels of one method in a comparison: its field, its confidence, what is hidden and, with a truth, its error.
pub(super) fn comparison_panels(
    ComparedView { pair: view, occlusion }: &ComparedView<'_>,
    scales: &Scales,
) -> Result<Vec<Panel>, ReportError> {
    let stage = Stage::new(view);
    let mut panels = vec![stage.motion_colours("Motion", view.flow, scales.motion_mm)?, stage.confidence()?];
    if let Some(truth) = view.truth {
        panels.push(stage.errors(truth, scales.error)?);
    }
    if let Some(hidden) = occlusion {
        let ramp = Scaled { ramp: Ramp::Grey, low: 0.0, high: 1.0 };
        let caption = "White: hidden in the moving image, as the backward field shows.";
        let hidden = hidden.data();
        panels.push(stage.scalar_panel("Occlusion", caption, ramp, "", |i| hidden[i])?);
    }
    Ok(panels)
}

/// Both images of a pair, and its true motion where that is known.
pub(super) fn frame_panels(view: &PairView, scales: &Scales) -> Result<Vec<Panel>, ReportError> {
    let stage = Stage::new(view);
    let grey = |data: &[f32]| {
        let limits = stage.quantiles(|i| data[i], [0.005, 0.995]);
        let [low, high] = limits.unwrap_or([0.0, 1.0]);
        Scaled { ramp: Ramp::Grey, low, high }
    };
    let (fixed, moving) = (view.fixed.data(), view.moving.data());
    let mut panels = vec![
        stage.scalar_panel("Fixed", "The image that the fields belong to.", grey(fixed), "", |i| fixed[i])?,
        stage.scalar_panel("Moving", "The image that they point into.", grey(moving), "", |i| moving[i])?,
    ];
    if let Some(truth) = view.truth {
        panels.push(stage.motion_colours(TRUE_MOTION, truth, scales.motion_mm)?);
    }
    Ok(panels)
}

impl<'a> Stage<'a> {
    fn new(view: &'a PairView<'a>) -> Self {
        let planes = view.planes();
        let longest_mm =
            planes.iter().flat_map(|p| [p.across.extent_mm(), p.down.extent_mm()]).fold(0.0, f64::max);
        let planes: Vec<_> =
            planes.into_iter().map(|p| (Canvas::of(&p, longest_mm), p)).map(|(c, p)| (p, c)).collect();
        let columns = if slices_of_thin_stack(view.grid()).is_some() { columns_of(planes.len()) } else { 0 };
        Self { view, planes, longest_mm, unit: view.length_unit(), columns }
    }

    /// The length of motion that gets full colour: 99 % of what is shown of the field are not longer.
    fn motion_scale_mm(&self, field: &Flow) -> f64 {
        let lengths = self.planes.iter().flat_map(|(plane, _)| {
            plane.indices().map(move |i| {
                let [u, v] = plane.page_vector_mm(field.vector_vox(i));
                u.hypot(v)
            })
        });
        finite_quantiles(lengths, [0.99]).map_or(1.0, |[most]| number::nice_ceiling(most))
    }

    fn motion_colours(&self, title: &'static str, field: &Flow, scale_mm: f64) -> Result<Panel, ReportError> {
        let mut has_gaps = false;
        let pictures = self.pictures(|plane, canvas| {
            let vectors = Raster::sample(plane, LONGEST_SIDE, |i| plane.page_vector_mm(field.vector_vox(i)));
            has_gaps |= vectors.has_gaps();
            Ok(image(&vectors.to_data_uri_by(|v| wheel(v.map(|c| c / scale_mm as f32)))?, canvas, ""))
        })?;
        let within = if self.planes.len() > 1 { " within the plane" } else { "" };
        Ok(Panel {
            title,
            caption: format!("Hue is the direction{within}, colour strength the length."),
            pictures,
            legend: Some(Legend::Wheel {
                uri: wheel_uri(wheel)?,
                alt: MOTION_WHEEL,
                note: format!("rim: {} {}; longer vectors are darker", number::text(scale_mm), self.unit),
            }),
            gap: if !has_gaps {
                ""
            } else if title == TRUE_MOTION {
                "no truth"
            } else {
                "no vector"
            },
            columns: self.columns,
            ..Panel::default()
        })
    }

    fn motion_arrows(&self, scale_mm: f64) -> Panel {
        let arrows = if self.columns > 1 { ARROWS_OF_A_SLICE } else { ARROWS };
        let quiver = Quiver::fit(self.longest_mm, arrows, scale_mm);
        let pictures = self.planes.iter().enumerate().map(|(k, (plane, canvas))| {
            let vector = |i| plane.page_vector_mm(self.view.flow.vector_vox(i));
            // Among slices a key would be too small to read.
            let key = if self.columns > 1 { String::new() } else { quiver.key_svg(*canvas, self.unit) };
            let arrows = quiver.to_svg(plane, vector, *canvas);
            let content = format!(r##"<use href="#fixed-{k}"/>{arrows}{key}"##);
            self.framed(plane, *canvas, &content)
        });
        let factor = quiver.gain;
        let drawn = if factor > 1.0 {
            format!("drawn {} times as long", number::text(factor))
        } else {
            format!("drawn at {} of their length", number::percent(factor))
        };
        Panel {
            title: "Motion as arrows",
            caption: format!("From the fixed to the moving image, {drawn}."),
            pictures: pictures.collect(),
            columns: self.columns,
            ..Panel::default()
        }
    }

    fn images(&self) -> Result<Panel, ReportError> {
        let view = self.view;
        let (low, high) = self
            .quantiles(|i| view.fixed.data()[i], [0.005, 0.995])
            .map_or((0.0, 1.0), |[low, high]| (low as f32, high as f32));
        let mut has_gaps = false;
        let mut plane_number = 0;
        let mut pictures = self.pictures(|plane, canvas| {
            let mut layers = String::new();
            for (k, volume) in [view.fixed, view.moving].into_iter().chain(view.warped).enumerate() {
                let raster = Raster::sample(plane, LONGEST_SIDE, |i| [volume.data()[i]]);
                has_gaps |= raster.has_gaps();
                let uri = raster.to_data_uri(Ramp::Grey, low, high)?;
                let id = if k == 0 { format!(r#" id="fixed-{plane_number}""#) } else { String::new() };
                layers.push_str(&format!(r#"<g class="layer layer-{k}">{}</g>"#, image(&uri, canvas, &id)));
            }
            plane_number += 1;
            Ok(layers)
        })?;
        if let [(plane, canvas)] = self.planes.as_slice() {
            // one plane leaves room for the fixed image beside the others
            let mut fixed = self.framed(plane, *canvas, r##"<use href="#fixed-0"/>"##);
            fixed.label = "fixed".to_owned();
            pictures.iter_mut().for_each(|p| p.label = "as chosen above".to_owned());
            pictures.insert(0, fixed);
        }
        Ok(Panel {
            title: "Images",
            caption: "Switch between them: after the motion is undone, nothing should move.".to_owned(),
            pictures,
            layers: ["Fixed", "Moving", "Moving, motion undone"][..2 + usize::from(view.warped.is_some())]
                .to_vec(),
            first_layer: if self.planes.len() == 1 && view.warped.is_some() { 2 } else { 0 },
            gap: if has_gaps { self.gap_of_warped() } else { "" },
            columns: self.columns,
            ..Panel::default()
        })
    }

    /// Where the warped image has no value.
    fn gap_of_warped(&self) -> &'static str {
        match (0..self.view.grid().len()).all(|i| self.view.flow.is_valid(i)) {
            true => "outside the moving image",
            false => "no vector, or outside the moving image",
        }
    }

    fn differences(&self) -> Result<Vec<Panel>, ReportError> {
        let view = self.view;
        let fixed = view.fixed.data();
        let ramp = Scaled::around_zero(self.limit(|i| (view.moving.data()[i] - fixed[i]).abs()));
        let panel = |title: &'static str, caption: &str, other: &[f32]| {
            self.scalar_panel(title, caption, ramp, "intensity", |i| other[i] - fixed[i])
        };
        let mut panels = vec![panel("Difference before", "Moving minus fixed image.", view.moving.data())?];
        if let Some(warped) = view.warped {
            let caption = "The same with the motion undone, on the same scale.";
            panels.push(panel("Difference after", caption, warped.data())?.gaps_are(self.gap_of_warped()));
        }
        Ok(panels)
    }

    fn error_at(&self, truth: &Flow, index: usize) -> f32 {
        let (e, t) = (self.view.flow.vector_vox(index), truth.vector_vox(index));
        [0, 1, 2].map(|a: usize| e[a] - t[a]).iter().map(|d| d * d).sum::<f32>().sqrt()
    }

    /// The error that hardly any shown vector exceeds, voxels.
    fn error_limit(&self, truth: &Flow) -> f64 {
        self.limit(|i| self.error_at(truth, i))
    }

    fn errors(&self, truth: &Flow, high: f64) -> Result<Panel, ReportError> {
        let ramp = Scaled { ramp: Ramp::Heat, low: 0.0, high };
        let (title, caption) = ("End-point error", "Length of the difference from the true motion.");
        let unit = self.view.voxels();
        let panel = self.scalar_panel(title, caption, ramp, unit, |i| self.error_at(truth, i))?;
        Ok(panel.gaps_are("no vector, or no truth"))
    }

    fn confidence(&self) -> Result<Panel, ReportError> {
        let ramp = Scaled { ramp: Ramp::Sequential, low: 0.0, high: 1.0 };
        let caption = "How far each vector can be trusted: 0 not at all, 1 fully.";
        let data = self.view.confidence.data();
        self.scalar_panel("Confidence", caption, ramp, "", |i| data[i])
    }

    fn volume_change(&self) -> Result<Panel, ReportError> {
        let data = self.view.jacobian.data();
        let limit = self.limit(|i| (data[i] - 1.0).abs()).clamp(0.01, 1.0);
        let ramp = Scaled { ramp: Ramp::Volume, low: 1.0 - limit, high: 1.0 + limit };
        let (title, what) = match self.view.grid().dimension() {
            Dimension::Two => ("Area change", "Area"),
            Dimension::Three => ("Volume change", "Volume"),
        };
        let caption =
            format!("{what} after the motion over that before; a red outline where the field folds.");
        let panel = self.scalar_panel(title, &caption, ramp, "det(I + ∇d)", |i| data[i])?;
        let mut panel = panel.gaps_are("no vector");
        for (picture, (plane, canvas)) in panel.pictures.iter_mut().zip(&self.planes) {
            let folded = Raster::sample(plane, LONGEST_SIDE, |i| [f32::from(u8::from(data[i] <= 0.0))]);
            let outline = outline_svg(&folded, *canvas, "folded");
            picture.svg = picture.svg.replace("</svg>", &format!("{outline}</svg>"));
        }
        Ok(panel)
    }

    fn scalar_panel(
        &self,
        title: &'static str,
        caption: &str,
        ramp: Scaled,
        note: &str,
        at: impl Fn(usize) -> f32,
    ) -> Result<Panel, ReportError> {
        let mut has_gaps = false;
        let pictures = self.pictures(|plane, canvas| {
            let raster = Raster::sample(plane, LONGEST_SIDE, |i| [at(i)]);
            has_gaps |= raster.has_gaps();
            let uri = raster.to_data_uri(ramp.ramp, ramp.low as f32, ramp.high as f32)?;
            Ok(image(&uri, canvas, ""))
        })?;
        let (caption, legend) = (caption.to_owned(), Some(ramp.legend(note)));
        let gap = if has_gaps { NO_ESTIMATE } else { "" };
        Ok(Panel { title, caption, pictures, legend, gap, columns: self.columns, ..Panel::default() })
    }

    /// A round number that hardly any shown value exceeds.
    fn limit(&self, at: impl Fn(usize) -> f32) -> f64 {
        number::nice_ceiling(self.quantiles(at, [0.99]).map_or(0.0, |[most]| most))
    }

    fn quantiles<const N: usize>(&self, at: impl Fn(usize) -> f32, shares: [f64; N]) -> Option<[f64; N]> {
        finite_quantiles(self.planes.iter().flat_map(|(plane, _)| plane.indices().map(&at)), shares)
    }

    fn pictures(
        &self,
        mut content: impl FnMut(&Plane, Canvas) -> Result<String, ReportError>,
    ) -> Result<Vec<Picture>, ReportError> {
        self.planes
            .iter()
            .map(|(plane, canvas)| Ok(self.framed(plane, *canvas, &content(plane, *canvas)?)))
            .collect()
    }

    /// The content with the mask's outline and the letters above.
    fn framed(&self, plane: &Plane, canvas: Canvas, content: &str) -> Picture {
        let outline = self.view.mask.map(|mask| {
            let inside = Raster::sample(plane, LONGEST_SIDE, |i| [f32::from(u8::from(mask.data()[i]))]);
            outline_svg(&inside, canvas, "outline")
        });
        let content = format!("{content}{}{}", outline.unwrap_or_default(), letters_svg(plane, canvas));
        match plane.name {
            "" => Picture::framed(canvas, "image", &content),
            name => {
                let label = match self.columns {
                    0 => format!("{name}, {}", plane.position),
                    _ => plane.position.clone(),
                };
                Picture { label, ..Picture::framed(canvas, name, &content) }
            }
        }
    }
}
