//! Label images that need not fit into memory, compared box by box: the numbers of both in memory, bit by bit.

use super::EvaluateNames;
use super::in_parts::each_box;
use super::mask_boxes::MaskBoxes;
use crate::pipelines::boxes::{boxes, require_room, require_samples, room_for_boxes};
use crate::pipelines::dense::DenseError;
use crate::pipelines::memory_plan::{PROGRAM_BYTES, SAMPLE};
use crate::{Result, Session};
use std::collections::BTreeSet;
use veloxel_core::{Grid, GridBox, Stage};
use veloxel_measure::{LabelBox, LabelOverlapReport, LabelOverlapSums, LabelSurfaces, MeasureError};
use veloxel_motion::ImageBoxes;

/// A label image and the truth, of which boxes are read.
#[derive(Clone, Copy)]
pub struct EvaluateLabelPartsRequest<'a> {
    /// The labels that are measured.
    pub result: &'a dyn ImageBoxes,
    /// The true ones, on the same grid.
    pub truth: &'a dyn ImageBoxes,
    /// Where they are compared; none: everywhere.
    pub mask: Option<MaskBoxes<'a>>,
    /// What both are called in errors.
    pub names: EvaluateNames<'a>,
}

/// Samples a voxel of a box: both images' as they are read, of the next box, as labels, and the voxels around it; with a mask its samples,
/// and the labels outside of it.
const OF_BOX: usize = 12;
const OF_MASKED_BOX: usize = 15;
/// Samples of a voxel that are held in memory: both images as they are read and as labels, and distances.
const OF_VOXEL: u64 = 8;
/// Voxels along x, y and z that boxes begin at multiples of: those of chunks that this program writes.
const STEP: [usize; 3] = [64; 3];
/// Surfaces take at most one of so many parts of the room, and distances from them no more; bands of distances have the rest.
const PARTS: usize = 3;
/// What is counted of a label takes so many samples, and one of so many parts of the room.
const OF_LABEL: [usize; 2] = [128, 8];

/// Bytes that comparing labels on a grid takes in memory.
pub fn evaluate_labels_room(grid: &Grid) -> u64 {
    PROGRAM_BYTES + SAMPLE * OF_VOXEL * grid.len() as u64
}

/// Dice, Jaccard and Hausdorff 95 of every label, as [`evaluate_labels`](super::evaluate_labels) gives them. Both images are read once for
/// the overlap, and once or more for the surfaces, of as many labels at once as there is room for.
///
/// # Errors
/// [`MeasureError::Core`] if the grids differ; as [`evaluate_labels`](super::evaluate_labels);
/// [`DenseError::Memory`] where not even the surface of a single label has room; [`DenseError::InParts`] for more labels than are counted
/// in the session's budget; what images fail with; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn evaluate_labels_in_parts(
    request: &EvaluateLabelPartsRequest<'_>,
    session: &Session,
) -> Result<LabelOverlapReport> {
    session.enter(Stage::Measure)?;
    let EvaluateLabelPartsRequest { result, truth, mask, names } = *request;
    let grid = truth.grid();
    grid.require_same(result.grid(), "label images").map_err(MeasureError::from)?;
    if let Some(mask) = mask {
        grid.require_same(mask.image.grid(), "truth and mask").map_err(MeasureError::from)?;
    }
    let of_box = if mask.is_some() { OF_MASKED_BOX } else { OF_BOX };
    // Surfaces are listed beside boxes.
    let most_voxels = require_room(grid, STEP, of_box * PARTS / (PARTS - 1), session)?;
    let compared = Compared { request, all: boxes(grid.size(), STEP, most_voxels), session };
    let sums = compared.sums()?;
    let found = sums.finish([names.result, names.truth])?;
    let distances_mm = compared.distances_mm(&found)?;
    Ok(found.report(distances_mm)?)
}

/// The whole numbers that an image holds, of which boxes are read.
///
/// # Errors
/// [`DenseError::Memory`] where no box has room; what the image fails with; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn labels_in_boxes(image: &dyn ImageBoxes, session: &Session) -> Result<BTreeSet<i32>> {
    let grid = image.grid();
    let all = boxes(grid.size(), STEP, require_room(grid, STEP, OF_BOX, session)?);
    let mut found = BTreeSet::new();
    let read = |own: GridBox| Ok(image.samples(own)?.into_owned());
    each_box(&all, read, |samples: Vec<f32>| {
        session.control().check()?;
        let mut last = f32::NAN;
        for sample in samples.into_iter().filter(|sample| sample.fract() == 0.0) {
            if sample != last {
                found.insert(sample as i32);
                last = sample;
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// Two images whose boxes are seen.
struct Compared<'a> {
    request: &'a EvaluateLabelPartsRequest<'a>,
    all: Vec<GridBox>,
    session: &'a Session,
}

impl Compared<'_> {
    /// What is counted of all boxes.
    fn sums(&self) -> Result<LabelOverlapSums> {
        let Self { request, all, session } = self;
        let mut sums = LabelOverlapSums::new(request.truth.grid());
        let [of_label, part] = OF_LABEL;
        let most_values = (room_for_boxes(session) / part / of_label).max(1);
        let mut seen = 0;
        self.each_box(all, |own| {
            session.control().step(0.5 * f64::from(seen) / all.len() as f64, [None; 2])?;
            sums.add(&own, session.threads())?;
            seen += 1;
            if sums.values() > most_values {
                let what = format!("compare more than {most_values} labels");
                return Err(DenseError::in_parts(&what, session.max_memory_bytes()).into());
            }
            Ok(())
        })?;
        Ok(sums)
    }

    /// The distance of each label that both images have.
    fn distances_mm(&self, found: &LabelSurfaces) -> Result<Vec<f64>> {
        let (session, room) = (self.session, room_for_boxes(self.session));
        require_samples(PARTS * found.most_listed().max(found.least_band()), session)?;
        let turns = found.turns(room / PARTS);
        let mut distances_mm = Vec::new();
        for (nth, turn) in turns.iter().enumerate() {
            session.control().step(0.5 + 0.5 * nth as f64 / turns.len() as f64, [None; 2])?;
            let mut lists = found.lists(turn);
            let there = self.all.iter().copied().filter(|own| turn.region().intersection(own).is_some());
            self.each_box(&there.collect::<Vec<_>>(), |own| Ok(lists.add(&own, session.threads())?))?;
            let bands = room.saturating_sub(2 * turn.listed_samples());
            distances_mm.extend(lists.hausdorff95_mm(bands, session.threads())?);
        }
        Ok(distances_mm)
    }

    /// Sees boxes while the next one is read.
    fn each_box(&self, all: &[GridBox], mut see: impl FnMut(LabelBox) -> Result<()>) -> Result<()> {
        let EvaluateLabelPartsRequest { result, truth, mask, names } = *self.request;
        let grid = truth.grid();
        let read = |own: GridBox| {
            let seen = LabelBox::seen(grid, own);
            let inside = mask.map(|mask| mask.inside(seen));
            let samples = [result.samples(seen)?.into_owned(), truth.samples(seen)?.into_owned()];
            Ok(ReadBox { own, samples, inside: inside.transpose()? })
        };
        each_box(all, read, |ReadBox { own, samples: [ours, theirs], inside }| {
            let part = LabelBox::new(grid, own, [(names.result, &ours), (names.truth, &theirs)])?;
            drop((ours, theirs));
            see(match inside {
                Some(inside) => part.within(&inside),
                None => part,
            })
        })
    }
}

/// What was read of a box and of the voxels around it.
struct ReadBox {
    own: GridBox,
    /// Samples of the result and of the truth.
    samples: [Vec<f32>; 2],
    /// Which voxels the mask has, if there is one.
    inside: Option<Vec<bool>>,
}
