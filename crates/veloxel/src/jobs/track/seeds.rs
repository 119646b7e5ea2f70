//! The outlines that tracking starts from.

use super::TrackJob;
use super::cine::Cine;
use super::placement::{self, Misplaced, Placement};
use crate::Result;
use std::path::Path;
use veloxel_core::{Contour, ContourSet, Polygon, Structure, Volume, WarningKind, Warnings};
use veloxel_io::{ContourReading, IoError, PlainNames, TextOrder, read_contours};

/// Outlines on the frames that tracking starts from.
pub(super) struct Seeds {
    /// The first of them is the reference: motion and strain begin there.
    pub frames: Vec<usize>,
    pub contours: ContourSet,
    misplaced: Vec<Misplaced>,
}

impl Seeds {
    /// Reads the seeds of a job.
    pub fn load(job: &TrackJob, cine: &Cine, warnings: &mut Warnings) -> Result<Self> {
        let contours = read(job, &job.contours, cine, warnings)?;
        let there = contours.frames();
        let list = || there.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let frames = match (&job.frames[..], &there[..]) {
            ([], [only]) => vec![*only],
            ([], _) if there.contains(&0) => vec![0],
            ([], _) => {
                return Err(frames!(
                    "frame 0 has no outline, frames {} have: say with --frame where to start",
                    list()
                ));
            }
            (asked, _) => asked.to_vec(),
        };
        if let Some(missing) = frames.iter().find(|frame| !there.contains(frame)) {
            return Err(frames!("--frame {missing}: that frame has no outline; frames {} have", list()));
        }
        let left = contours.contours().iter().filter(|c| !frames.contains(&c.frame)).count();
        if left > 0 {
            let text = format!(
                "{left} outlines on other frames than those that tracking starts from were left out (--frame)"
            );
            warnings.push(WarningKind::Note, text);
        }
        let own = contours.into_iter().filter(|c| frames.contains(&c.frame)).collect();
        let contours = ContourSet::new(own).unwrap_or_default();
        let by_stack = job.placement == Placement::ByStack;
        let misplaced = if by_stack { placement::misplaced(&contours, cine) } else { Vec::new() };
        placement::note(&misplaced, cine.pixel_mm(), warnings);
        Ok(Self { frames, contours, misplaced })
    }

    /// The vertices of a seed, where it is carried from.
    pub fn placed_px(&self, seed: &Contour) -> Vec<[f64; 2]> {
        let is_left = matches!(seed.structure, Structure::Endo | Structure::Epi);
        let of_it = |m: &&Misplaced| is_left && (m.frame, m.slice) == (seed.frame, seed.slice);
        let [x, y] = self.misplaced.iter().find(of_it).map_or([0.0; 2], |m| m.shift_px);
        seed.polygon.points_px().iter().map(|p| [p[0] + x, p[1] + y]).collect()
    }

    /// The frame that motion and strain are told from.
    pub fn reference(&self) -> usize {
        self.frames[0]
    }
}

/// Reads outlines of the cine; files beside each other are one set.
pub(super) fn read(
    job: &TrackJob,
    files: &[super::ContourInput],
    cine: &Cine,
    warnings: &mut Warnings,
) -> Result<ContourSet> {
    let mut all: Vec<Contour> = Vec::new();
    for file in files {
        let frame = file.frame.or(job.frames.first().copied()).unwrap_or(0);
        let reading =
            ContourReading { frame, labels: job.labels, names: job.names, reading: job.options.reading };
        all.extend(read_one(&file.path, reading, cine, warnings)?);
    }
    ContourSet::new(all).map_err(|twice| {
        frames!(
            "two outlines of {} on frame {} of slice {}: give one, or another frame (FILE@FRAME)",
            twice.structure,
            twice.frame,
            twice.slice
        )
    })
}

fn read_one(
    path: &Path,
    reading: ContourReading,
    cine: &Cine,
    warnings: &mut Warnings,
) -> Result<ContourSet> {
    let place = Some(&cine.place);
    let given = read_contours(path, place, &reading, warnings);
    let slices = cine.place.grid.size()[2];
    let is_ambiguous = reading.names.order.is_none() && slices > 1 && path.is_dir();
    let refusal = match given {
        Err(error @ IoError::Unsupported { .. }) if is_ambiguous => error,
        other => return Ok(other?.contours),
    };
    // Numbers alone do not say at which end they begin: the images do, where the outlines fit one way only.
    let with = |order: TextOrder, word: &'static str| -> Result<_, IoError> {
        let (names, mut own) = (PlainNames { order: Some(order), ..reading.names }, Warnings::new());
        let file = read_contours(path, place, &ContourReading { names, ..reading.clone() }, &mut own)?;
        let score = contrast(&file.contours, &cine.sequence.frames()[..1.max(cine.place.frames)]);
        Ok((score, word, file.contours, own))
    };
    let up = with(TextOrder::Ascending, "ascending: the first numbers are slice 0")?;
    let down = with(TextOrder::Descending, "descending: the first numbers are the last slice")?;
    let (better, worse) = if up.0 > down.0 { (up, down) } else { (down, up) };
    let (score, word, contours, own) = better;
    if score < CLEAR * worse.0.abs() {
        return Err(refusal.into());
    }
    let text = format!(
        "{}: the images say that the numbers of the texts are {word} (--text-order says so for certain)",
        path.display()
    );
    warnings.push(WarningKind::Header, text);
    warnings.extend(own);
    Ok(contours)
}

/// How many times better one order must fit.
const CLEAR: f64 = 1.5;

/// By how much the cavity is brighter than the wall around it, in standard deviations of the image, mean over slices with both
/// outlines, on the first frame of each.
fn contrast(contours: &ContourSet, frames: &[Volume<f32>]) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for slice in contours.slices() {
        let pair = |frame: usize| {
            let first_of = |[left, right]: [Structure; 2]| {
                let contour = contours.get(left, slice, frame).or(contours.get(right, slice, frame))?;
                Some(&contour.polygon)
            };
            let endo = first_of([Structure::Endo, Structure::Rv])?;
            Some((frame, endo, first_of([Structure::Epi, Structure::RvEpi])?))
        };
        if let Some((frame, endo, epi)) = contours.frames().into_iter().find_map(pair) {
            sum += step(&frames[frame], slice, [endo, epi]);
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}

fn step(image: &Volume<f32>, slice: usize, [endo, epi]: [&Polygon; 2]) -> f64 {
    let [nx, ny, _] = image.grid().size();
    let (mut inside, mut wall, mut all) = ([0.0, 0.0], [0.0, 0.0], [0.0, 0.0, 0.0]);
    for y in 0..ny {
        for x in 0..nx {
            let (value, p) = (f64::from(*image.at([x, y, slice])), [x as f64, y as f64]);
            all = [all[0] + 1.0, all[1] + value, all[2] + value * value];
            let sum = if endo.contains(p) {
                &mut inside
            } else if epi.contains(p) {
                &mut wall
            } else {
                continue;
            };
            *sum = [sum[0] + 1.0, sum[1] + value];
        }
    }
    let deviation = (all[2] / all[0] - (all[1] / all[0]).powi(2)).sqrt();
    if inside[0] * wall[0] * deviation > 0.0 {
        (inside[1] / inside[0] - wall[1] / wall[0]) / deviation
    } else {
        0.0
    }
}
