//! The outlines of a label image: one volume for one frame, or one with a time axis for every frame.

use super::collection::Collection;
use super::spot::Spot;
use super::{CinePlace, ContourReading};
use crate::content::Content;
use crate::error::{IoError, Result};
use crate::read::{read, require_labels};
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use veloxel_core::{Contour, Dimension, Polygon, Structure, Volume, WarningKind, Warnings};

/// Which labels are what: numbers from 1 to 65535, none of them twice. What has none is neither read nor written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelMeaning {
    /// The cavity of the right ventricle.
    pub rv: Option<i32>,
    /// The muscle of the left ventricle.
    pub muscle: Option<i32>,
    /// The cavity of the left ventricle.
    pub lv: Option<i32>,
}

/// Labels of structures; 0 is what lies outside of all.
const LABELS: RangeInclusive<i32> = 1..=65535;

impl Default for LabelMeaning {
    /// The labels of ACDC: 1, 2 and 3.
    fn default() -> Self {
        Self { rv: Some(1), muscle: Some(2), lv: Some(3) }
    }
}

impl FromStr for LabelMeaning {
    type Err = String;

    /// `rv=1,muscle=2,lv=3`; what is not named has no label.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected rv=1,muscle=2,lv=3 or some of it, got \"{text}\"");
        let mut meaning = Self { rv: None, muscle: None, lv: None };
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            let value: i32 = value.trim().parse().map_err(|_| wrong())?;
            if !LABELS.contains(&value) {
                return Err(format!("expected labels from 1 to 65535, got {value}"));
            }
            if [meaning.rv, meaning.muscle, meaning.lv].contains(&Some(value)) {
                return Err(format!("expected a label of its own for each structure, got {value} twice"));
            }
            let place = match name.trim() {
                "rv" => &mut meaning.rv,
                "muscle" | "myocardium" | "myo" => &mut meaning.muscle,
                "lv" => &mut meaning.lv,
                _ => return Err(wrong()),
            };
            *place = Some(value);
        }
        Ok(meaning)
    }
}

impl LabelMeaning {
    /// Whether a label lies inside the outline of a structure.
    fn is_in(self, structure: Structure, label: i32) -> bool {
        let label = Some(label);
        match structure {
            Structure::Endo => label == self.lv,
            Structure::Epi => label == self.lv || label == self.muscle,
            Structure::Rv => label == self.rv,
            Structure::RvEpi | Structure::Region => false,
        }
    }
}

/// A part of fewer pixels is no structure.
const LEAST_PIXELS: f64 = 6.0;

pub(super) fn read_outlines(path: &Path, options: &ContourReading, into: &mut Collection) -> Result<()> {
    let mut warnings = Warnings::new();
    let content = read(path, options.reading.clone(), &mut warnings)?;
    into.context.pass_on(warnings);
    let frames = match content {
        Content::Image(image) => vec![(options.frame, image)],
        Content::Sequence(sequence) => sequence.into_frames().into_iter().enumerate().collect(),
        other => return Err(IoError::kind(path, "a label image", other.describe(), "give labels")),
    };
    let (mut others, mut small) = (0, 0);
    if let [(frame, _)] = &frames[..] {
        into.context.note(WarningKind::Note, format!("its labels are outlines on frame {frame}"));
    }
    for (_, labels) in &frames {
        require_labels(path, labels.grid(), 0, labels.data(), 65535)?;
    }
    for (frame, labels) in frames {
        if let Some(place) = into.place() {
            let own = labels.grid();
            // Labels painted on a picture of the one slice have no place.
            let is_picture = own.is_unplaced() && own.dimension() == Dimension::Two;
            if !is_picture || place.grid.size() != own.size() {
                let same = place.grid.require_same(own, "the cine and the labels");
                same.map_err(IoError::core(path))?;
            }
        } else {
            let (grid, frames) = (labels.grid().clone(), options.frame + 1);
            into.describe(CinePlace { grid, frames, frame_interval_ms: None, images: Vec::new() })?;
        }
        let found = label_outlines(&labels, frame, options.labels).map_err(IoError::core(path))?;
        others += found.others;
        small += found.small;
        for Contour { structure, frame, slice, polygon } in found.contours {
            into.add_polygon(Spot { structure, frame, slice }, polygon);
        }
    }
    LabelOutlines { contours: Vec::new(), others, small }
        .left_out()
        .into_iter()
        .for_each(|text| into.leave_out(text));
    Ok(())
}

/// The outlines of a label image, and what is none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelOutlines {
    /// The outlines, slice by slice.
    pub contours: Vec<Contour>,
    /// Smaller parts beside the largest of a structure in a slice, which were left out.
    pub others: usize,
    /// Parts of a few pixels, which were left out.
    pub small: usize,
}

impl LabelOutlines {
    /// What was left out, a sentence each.
    pub fn left_out(&self) -> Vec<String> {
        let Self { others, small, .. } = self;
        let parts = "smaller parts beside the largest of a structure in a slice";
        let few = format!("{small} parts of fewer than {LEAST_PIXELS} pixels were left out");
        let texts = [(*others > 0, format!("{others} {parts} were left out")), (*small > 0, few)];
        texts.into_iter().filter(|(is_said, _)| *is_said).map(|(_, text)| text).collect()
    }
}

/// The outlines of labels of a frame, in pixels of each slice.
///
/// # Errors
/// [`CoreError::Outline`](veloxel_core::CoreError::Outline) for a border that cannot be followed.
pub fn label_outlines(
    labels: &Volume<f32>,
    frame: usize,
    meaning: LabelMeaning,
) -> Result<LabelOutlines, veloxel_core::CoreError> {
    let mut found = LabelOutlines::default();
    for slice in 0..labels.grid().size()[2] {
        for structure in [Structure::Endo, Structure::Epi, Structure::Rv] {
            let spot = Spot { structure, frame, slice };
            let Some((polygon, more)) = outline(labels, spot, meaning)? else { continue };
            // Muscle alone is no outline around a cavity, but a crescent or a cap.
            if polygon.signed_area_px2() < LEAST_PIXELS {
                found.small += 1;
                continue;
            }
            found.others += more;
            found.contours.push(Contour { structure, frame, slice, polygon });
        }
    }
    Ok(found)
}

fn outline(
    labels: &Volume<f32>,
    spot: Spot,
    meaning: LabelMeaning,
) -> Result<Option<(Polygon, usize)>, veloxel_core::CoreError> {
    let [nx, ny, _] = labels.grid().size();
    let label = |[x, y]: [usize; 2]| *labels.at([x, y, spot.slice]) as i32;
    // An epicardium surrounds a cavity: slices of muscle alone have none.
    let has_cavity = (0..nx * ny).any(|i| Some(label([i % nx, i / nx])) == meaning.lv);
    if spot.structure == Structure::Epi && !has_cavity {
        return Ok(None);
    }
    Polygon::outline([nx, ny], |pixel| meaning.is_in(spot.structure, label(pixel)))
}
