//! Outlines on their way from a file: each is checked, and told by its place.

use super::spot::Spot;
use super::told::Told;
use super::{CinePlace, ContourFile};
use crate::error::Result;
use crate::read::context::Context;
use veloxel_core::{Contour, ContourSet, CoreError, Hint, Polygon, Structure, WarningKind};

/// Points may lie so far outside of the image, pixels: readers cut at its border.
const MARGIN_PX: f64 = 1.0;

pub(super) struct Collection<'a> {
    pub context: Context<'a>,
    place: Option<CinePlace>,
    contours: Vec<Contour>,
    told: Told,
    /// What was left out, a sentence each.
    left_out: Vec<String>,
}

impl<'a> Collection<'a> {
    pub fn new(context: Context<'a>, place: Option<CinePlace>) -> Self {
        Self { context, place, contours: Vec::new(), told: Told::default(), left_out: Vec::new() }
    }

    pub fn place(&self) -> Option<&CinePlace> {
        self.place.as_ref()
    }

    /// The cine, or a refusal that says what needs it.
    pub(crate) fn require_place(&self, what: &'static str) -> Result<&CinePlace> {
        let hint = "its cine must be known to read it: name that";
        self.place().ok_or_else(|| self.context.unsupported(what, hint).about(Hint::Cine))
    }

    /// Takes the file's description of its cine, unless the cine is known already.
    ///
    /// # Errors
    /// [`IoError::Malformed`] if the file is of another cine.
    pub fn describe(&mut self, place: CinePlace) -> Result<()> {
        let Some(known) = &self.place else {
            self.place = Some(place);
            return Ok(());
        };
        let is_same = known.grid.size() == place.grid.size();
        let (expected, got) = (known.grid.size_text(), place.grid.size_text());
        self.context.require(is_same, "the cine of the outlines", expected, got)
    }

    /// The slice of an outline: the named one, or the only one.
    ///
    /// # Errors
    /// [`IoError::Malformed`] where none is named and the cine has several.
    pub(crate) fn slice(&self, named: Option<usize>, spot: impl Fn() -> String) -> Result<usize> {
        let slices = self.place().map_or(1, |place| place.grid.size()[2]);
        let got = || format!("no slice for {}, of {slices}", spot());
        match named {
            None if slices > 1 => Err(self.context.malformed("the outlines", "the slice of each", got())),
            named => Ok(named.unwrap_or(0)),
        }
    }

    /// Says where an outline went whose place is not written beside its points.
    pub(crate) fn tell(&mut self, name: &str, spot: Spot) {
        self.told.add(name, spot);
    }

    pub fn note(&mut self, message: impl AsRef<str>) {
        self.context.note(WarningKind::Header, message);
    }

    /// Notes what was left out, which a refusal names where nothing is left.
    pub(crate) fn leave_out(&mut self, message: String) {
        self.note(&message);
        self.left_out.push(message);
    }

    /// Adds an outline in pixels.
    pub fn add(&mut self, spot: Spot, points_px: Vec<[f64; 2]>) -> Result<()> {
        self.check_spot(spot, &points_px)?;
        let polygon = Polygon::new(points_px).map_err(|error| match error {
            CoreError::Outline { reason } => self.context.malformed(spot.text(), "a closed outline", reason),
            error => self.context.core(error),
        })?;
        self.add_polygon(spot, polygon);
        Ok(())
    }

    pub(crate) fn add_polygon(&mut self, Spot { structure, frame, slice }: Spot, polygon: Polygon) {
        self.contours.push(Contour { structure, frame, slice, polygon });
    }

    /// Adds an outline in LPS millimetres, all of it in one slice.
    pub(crate) fn add_mm(
        &mut self,
        structure: Structure,
        frame: usize,
        points_mm: &[[f64; 3]],
    ) -> Result<()> {
        let grid = self.require_place("an outline in millimetres")?.grid.clone();
        let voxels: Vec<[f64; 3]> = points_mm.iter().map(|&p| grid.voxel_from_world(p)).collect();
        let mean = voxels.iter().map(|v| v[2]).sum::<f64>() / voxels.len().max(1) as f64;
        let slice = mean.round();
        let apart = voxels.iter().map(|v| (v[2] - slice).abs()).fold(0.0, f64::max);
        let last = grid.size()[2] - 1;
        let is_in_one = apart <= 0.3 && (0.0..=last as f64).contains(&slice);
        let what = format!("{structure} on frame {frame}");
        let expected = format!("an outline in one slice, of 0 to {last}");
        let got = format!("points around slice {mean:.2}, up to {apart:.2} slices away");
        self.context.require(is_in_one, what, expected, got)?;
        let spot = Spot { structure, frame, slice: slice as usize };
        self.tell("a curve in millimetres", spot);
        self.add(spot, voxels.into_iter().map(|[x, y, _]| [x, y]).collect())
    }

    /// Whether frame, slice and points lie in the cine.
    fn check_spot(&self, spot: Spot, points_px: &[[f64; 2]]) -> Result<()> {
        let Some(place) = &self.place else { return Ok(()) };
        let size = place.grid.size();
        if spot.frame >= place.frames || spot.slice >= size[2] {
            let expected = format!("frames 0 to {} and slices 0 to {}", place.frames - 1, size[2] - 1);
            return Err(self.context.malformed("the place of an outline", expected, spot.text()));
        }
        let is_outside =
            |p: &&[f64; 2]| (0..2).any(|a| p[a] < -MARGIN_PX || p[a] > size[a] as f64 - 1.0 + MARGIN_PX);
        let Some([x, y]) = points_px.iter().find(is_outside) else { return Ok(()) };
        let spacing = place.grid.spacing_mm();
        let would_fit = points_px.iter().all(|p| !is_outside(&&[p[0] / spacing[0], p[1] / spacing[1]]));
        let hint = if would_fit && spacing[..2] != [1.0; 2] {
            "; divided by the spacing it would fit, so that these are millimetres, it seems: divide by the spacing"
        } else {
            ""
        };
        let expected = format!("pixels of an image of {} × {}{hint}", size[0], size[1]);
        Err(self.context.malformed(spot.text(), expected, format!("the point ({x:.1}, {y:.1})")))
    }

    /// All outlines.
    pub fn finish(mut self) -> Result<ContourFile> {
        self.told.say(&mut self.context);
        let left_out = self.left_out.iter().map(|message| format!(": {message}"));
        let got = std::iter::once("none".to_owned()).chain(left_out).collect::<String>();
        self.context.require(!self.contours.is_empty(), "the outlines", "at least one", got)?;
        match ContourSet::new(self.contours) {
            Ok(contours) => Ok(ContourFile { contours, place: self.place }),
            Err(Contour { structure, frame, slice, .. }) => {
                let text = Spot { structure, frame, slice }.text();
                Err(self.context.malformed(text, "one outline", "two"))
            }
        }
    }
}
