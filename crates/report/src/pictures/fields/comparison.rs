//! The pictures of a comparison: a row for each plane, a column for each method, on the same planes and scales.

use crate::error::ReportError;
use crate::pictures::colour::Ramp;
use crate::pictures::maps::Map;
use crate::pictures::overlay::Canvas;
use crate::pictures::panel::{Panel, Picture, Scaled};
use crate::pictures::panels::{Shown, TRUE_MOTION};
use crate::pictures::planes::Plane;
use crate::pictures::view::{ComparedView, PairView};
use veloxel_core::{Control, Stopped};

/// The panel of one kind for a method; none where the method has nothing of that kind.
type PanelKind<'a> = dyn Fn(&ComparedView<'_>) -> Result<Option<Panel>, ReportError> + 'a;

/// Views of one pair by several methods, under the methods' names.
pub(crate) struct Columns<'a> {
    views: &'a [ComparedView<'a>],
    names: Vec<String>,
    /// The planes of all of them: through the centre of the true motion, else of the first field's.
    planes: Vec<Plane>,
    scales: Scales,
    control: &'a Control,
}

/// The values with full colour, the same for every field of a comparison.
struct Scales {
    motion_mm: f64,
    /// Error with full colour, voxels.
    error: f64,
    /// Difference of a field from the first one with full colour, voxels.
    apart: f64,
    /// Difference of intensities with full colour.
    intensity: f64,
}

impl<'a> Columns<'a> {
    /// The columns of a comparison. Scale of motion: the truth's, else the median of the fields'. Scale of errors: the median of
    /// the fields', so that a field that fails does not darken the others.
    ///
    /// # Errors
    /// [`ReportError::NothingToShow`] without a view; [`ReportError::Stopped`].
    pub fn of(
        views: &'a [ComparedView<'a>],
        names: Vec<String>,
        control: &'a Control,
    ) -> Result<Self, ReportError> {
        let first = views.first().ok_or(ReportError::nothing("comparison page", "no method could run"))?.pair;
        let planes = PairView { flow: first.truth.unwrap_or(first.flow), ..first }.planes(control)?;
        let all: Vec<Shown<'_>> =
            views.iter().map(|view| Shown::on(&view.pair, planes.clone(), control)).collect();
        let median = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(1.0)
        };
        let motions = all.iter().map(|of| of.stage.motion_scale(of.view.truth.unwrap_or(of.view.flow)));
        let errors = all.iter().filter_map(|of| Some(of.error_limit(of.view.truth?)));
        let apart = all.iter().skip(1).map(|of| of.error_limit(first.flow));
        let before = |i: usize| (first.moving.data()[i] - first.fixed.data()[i]).abs();
        let scales = Scales {
            motion_mm: median(motions.collect()),
            error: median(errors.collect()),
            apart: median(apart.collect()),
            intensity: all[0].stage.limit(before),
        };
        Ok(Self { views, names, planes, scales, control })
    }

    /// Both images of the pair, and its true motion where that is known.
    pub fn frames(&self) -> Result<Vec<Panel>, ReportError> {
        let view = &self.views[0].pair;
        let shown = self.shown(view);
        let grey = |image| Map::Volume(image, shown.stage.grey(image));
        let mut panels = vec![
            shown.stage.panel("Fixed", "The image that the fields belong to.", grey(view.fixed), "")?,
            shown.stage.panel("Moving", "The image that they point into.", grey(view.moving), "")?,
        ];
        if let Some(truth) = view.truth {
            panels.push(shown.motion_colours(TRUE_MOTION, truth, self.scales.motion_mm)?);
        }
        Ok(panels)
    }

    /// A panel for each kind of map: motion, error, difference from the first field, what is left of the difference of the
    /// images, confidence, and occlusion.
    pub fn panels(&self) -> Result<Vec<Panel>, ReportError> {
        let kinds: [&PanelKind<'_>; 6] = [
            &|of| {
                Ok(Some(self.shown(&of.pair).motion_colours(
                    "Motion",
                    of.pair.flow,
                    self.scales.motion_mm,
                )?))
            },
            &|of| {
                of.pair.truth.map(|truth| self.shown(&of.pair).errors(truth, self.scales.error)).transpose()
            },
            &|of| self.apart_from_first(&of.pair),
            &|of| self.left_over(&of.pair),
            &|of| Ok(Some(self.shown(&of.pair).confidence()?)),
            &|of| self.occlusion(of),
        ];
        let mut panels = Vec::new();
        for kind in kinds {
            let of_views = self.views.iter().map(kind).collect::<Result<Vec<_>, _>>()?;
            panels.extend(self.in_columns(of_views)?);
        }
        Ok(panels)
    }

    fn shown<'b>(&'b self, view: &'b PairView<'b>) -> Shown<'b> {
        Shown::on(view, self.planes.clone(), self.control)
    }

    /// How far a field is from the first one; none of a single method.
    fn apart_from_first(&self, view: &PairView<'_>) -> Result<Option<Panel>, ReportError> {
        let first = self.views[0].pair.flow;
        if self.views.len() < 2 || std::ptr::eq(first, view.flow) {
            return Ok(None);
        }
        let shown = self.shown(view);
        let at = |i: usize| shown.error_at(first, i);
        let map = Map::Values(&at, Scaled { ramp: Ramp::Heat, low: 0.0, high: self.scales.apart });
        let caption = "Length of the difference between a field and the first one.";
        let panel = shown.stage.panel("Difference from the first field", caption, map, view.voxels())?;
        Ok(Some(panel.gaps_are("no vector in one of them")))
    }

    /// What is left of the difference of the images once the motion is undone.
    fn left_over(&self, view: &PairView<'_>) -> Result<Option<Panel>, ReportError> {
        let Some(warped) = view.warped else { return Ok(None) };
        let shown = self.shown(view);
        let at = |i: usize| warped.data()[i] - view.fixed.data()[i];
        let map = Map::Values(&at, Scaled::around_zero(self.scales.intensity));
        let caption =
            "Moving image with the motion undone, minus fixed image, on the scale of the difference before.";
        let panel = shown.stage.panel("Difference after", caption, map, "intensity")?;
        Ok(Some(panel.gaps_are(shown.gap_of_warped())))
    }

    fn occlusion(&self, view: &ComparedView<'_>) -> Result<Option<Panel>, ReportError> {
        let Some(hidden) = view.occlusion else { return Ok(None) };
        let map = Map::Volume(hidden, Scaled { ramp: Ramp::Grey, low: 0.0, high: 1.0 });
        let caption = "White: hidden in the moving image, as the backward field shows.";
        Ok(Some(self.shown(&view.pair).stage.panel("Occlusion", caption, map, "")?))
    }

    /// The panels of one kind, one of each method, as one: a row for each plane. None if no method has one.
    fn in_columns(&self, panels: Vec<Option<Panel>>) -> Result<Option<Panel>, Stopped> {
        let Some(like) = panels.iter().flatten().next().cloned() else { return Ok(None) };
        let gap = panels.iter().flatten().map(|panel| panel.gap).find(|gap| !gap.is_empty());
        let mut pictures = Vec::new();
        for (row, plane) in self.planes.iter().enumerate() {
            self.control.check()?;
            for (panel, name) in panels.iter().zip(&self.names) {
                let own = panel.as_ref().map(|panel| panel.pictures[row].clone());
                let mut picture = own.unwrap_or_else(|| empty(plane, &like.pictures[row]));
                picture.label = match plane.position.as_str() {
                    "" => name.clone(),
                    position => format!("{name}: {} {position}", plane.name),
                };
                pictures.push(picture);
            }
        }
        Ok(Some(Panel { pictures, columns: panels.len(), gap: gap.unwrap_or_default(), ..like }))
    }
}

/// The place of a picture that a method does not have.
fn empty(plane: &Plane, like: &Picture) -> Picture {
    let height = like.width * plane.down.extent_mm() / plane.across.extent_mm();
    let canvas = Canvas { width: like.width, height, units_per_mm: 1.0 };
    Picture { width: like.width, ..Picture::framed(canvas, "not known", "") }
}
