//! The files of a flow, read.

use crate::Session;
use crate::jobs::StartFrom;
use crate::jobs::flow_job::{FlowJob, takes_pair};
use crate::jobs::options::dense_options::ReadRegion;
use crate::jobs::{Result, name};
use crate::pipelines::WITHIN_VOX;
use crate::pipelines::prepare::grids::field_on;
use crate::pipelines::{
    PairNames, PairRequest, PairResult, PairStart, PairWanted, Wanted, WindowRequest, pair, window,
};
use std::path::{Path, PathBuf};
use veloxel_core::{CoreError, Flow, LinearTransform, Mask, Volume, Warnings, fallible};
use veloxel_io::{self as io, FrameStream, IoError, Reading};
use veloxel_motion::TakenImages;

/// What was read.
pub(crate) struct FlowInputs {
    pub frames: Vec<Volume<f32>>,
    /// Where the image that the flow lives on is not transparent, if it is anywhere.
    visible: Option<Mask>,
    region: ReadRegion,
    start: Option<Flow>,
    transform: Option<LinearTransform>,
    pub truth: Option<Flow>,
}

impl FlowInputs {
    /// Reads images, masks and fields.
    pub fn load(job: &FlowJob, session: &Session, warnings: &mut Warnings) -> Result<Self> {
        let reading = &session.reading(job.options.reading);
        let region = job.options.read_region(reading, warnings)?;
        let mut flow = |path: Option<&PathBuf>| path.map(|p| io::read_flow(p, reading, warnings)).transpose();
        let start_field = match &job.start {
            StartFrom::Flow(path) => Some(path),
            _ => None,
        };
        let (start, truth) = (flow(start_field)?, flow(job.truth.as_ref())?);
        let transform = match &job.start {
            StartFrom::Transform(path) => Some(io::read_transform(path, reading, warnings)?),
            _ => None,
        };
        let (frames, visible) = match job.takes() {
            TakenImages::Pairs => {
                let [fixed, moving] = takes_pair(job)?;
                let ReadImages { fixed, moving, visible } = load_images(fixed, moving, reading, warnings)?;
                (vec![fixed, moving], visible)
            }
            takes @ TakenImages::Windows { .. } => load_window(job, takes.most(), reading, warnings)?,
        };
        let fixed = frames.first().map(Volume::grid);
        let placed = |field: Option<Flow>| match (field, fixed) {
            (Some(field), Some(fixed)) => field_on(field, fixed).map(Some),
            (field, _) => Ok(field),
        };
        let (start, truth) = (placed(start)?, placed(truth)?);
        Ok(Self { frames, visible, region, start, transform, truth })
    }

    /// The flow of the images that were read, with what the job's outputs need.
    pub fn solve(&self, job: &FlowJob, session: &Session) -> Result<PairResult> {
        let (options, outputs) = (&job.options, &job.outputs);
        let images: Vec<String> = job.inputs.iter().map(|path| name(path)).collect();
        let (weight, volume_mask) = (options.weight_name(), options.volume_mask_name());
        let warped = outputs.warped.as_deref().map(name).unwrap_or_default();
        let names = PairNames {
            images: &images,
            weight: &weight,
            volume_mask: &volume_mask,
            warped: &warped,
            ..PairNames::default()
        };
        let wanted = PairWanted {
            inverse: Wanted::when(job.outputs.inverse.is_some()),
            transform: Wanted::when(job.outputs.transform.is_some()),
            expected_errors: Wanted::when(outputs.expected_error.is_some()),
            covariances: Wanted::when(outputs.covariance.is_some()),
            probability_within_vox: outputs
                .probability
                .as_ref()
                .map(|_| outputs.within_vox.unwrap_or(WITHIN_VOX)),
            warped: outputs.warped.is_some().then_some(outputs.outside),
            measures: Wanted::Yes,
            page: Wanted::when(outputs.html.is_some()),
        };
        let (method, truth, ReadRegion { mask, moving_mask, volume_mask, weight }) =
            (&options.choice(), self.truth.as_ref(), &self.region);
        match (job.takes(), self.frames.as_slice()) {
            (TakenImages::Pairs, [fixed, moving]) => {
                let request = PairRequest {
                    names,
                    mask: mask.as_ref(),
                    visible: self.visible.as_ref(),
                    moving_mask: moving_mask.as_ref(),
                    volume_mask: volume_mask.as_ref(),
                    weight: weight.as_ref(),
                    start: self.start(&job.start),
                    truth,
                    strictness: options.reading.strictness,
                    wanted,
                    ..PairRequest::new(fixed, moving, method)
                };
                pair(&request, session)
            }
            (_, frames) => {
                let (mask, visible) = (mask.as_ref(), self.visible.as_ref());
                let request = WindowRequest {
                    names,
                    mask,
                    visible,
                    truth,
                    wanted,
                    ..WindowRequest::new(frames, method)
                };
                window(&request, session)
            }
        }
    }

    fn start(&self, from: &StartFrom) -> PairStart<'_> {
        match from {
            StartFrom::None => PairStart::None,
            StartFrom::CentreOfMass => PairStart::CentreOfMass,
            StartFrom::Rigid => PairStart::Rigid,
            StartFrom::Similarity => PairStart::Similarity,
            StartFrom::Affine => PairStart::Affine,
            StartFrom::Transform(_) => self.transform.map_or(PairStart::None, PairStart::Transform),
            StartFrom::Matches => PairStart::Matches,
            StartFrom::Flow(_) => self.start.as_ref().map_or(PairStart::None, PairStart::Flow),
        }
    }
}

/// Two images.
pub(crate) struct ReadImages {
    pub fixed: Volume<f32>,
    pub moving: Volume<f32>,
    /// Where the fixed one is not transparent, if it is anywhere.
    pub visible: Option<Mask>,
}

/// Fixed and moving image, read side by side.
pub(crate) fn load_images(
    fixed_path: &Path,
    moving_path: &Path,
    reading: &Reading,
    warnings: &mut Warnings,
) -> Result<ReadImages> {
    let mut about_moving = Warnings::new();
    let of_moving = &reading.clone().without_transparent();
    let (fixed, moving) = std::thread::scope(|scope| {
        let read_moving = || io::read_image(moving_path, of_moving, &mut about_moving);
        let room = fallible::room_for_thread();
        let thread = room.and_then(|()| std::thread::Builder::new().spawn_scoped(scope, read_moving));
        let fixed = io::read_image_and_mask(fixed_path, reading, warnings);
        (fixed, thread.map(|thread| thread.join().expect("reading an image should not panic")))
    });
    // Where there are no threads any more, one after the other.
    let moving = moving.unwrap_or_else(|_| io::read_image(moving_path, of_moving, &mut about_moving));
    let ((fixed, visible), moving) = (fixed?, moving?);
    warnings.extend(about_moving);
    Ok(ReadImages { fixed, moving, visible })
}

/// All frames of a source, or of several files, but no more than a window can have; and where the middle one of files, on which the flow
/// lives, is not transparent.
fn load_window(
    job: &FlowJob,
    most: usize,
    reading: &Reading,
    warnings: &mut Warnings,
) -> Result<(Vec<Volume<f32>>, Option<Mask>)> {
    if (2..=most).contains(&job.inputs.len()) {
        return load_window_of_files(&job.inputs, reading, warnings);
    }
    let mut stream = match job.inputs.as_slice() {
        [one] => FrameStream::open(one, reading.clone().without_transparent(), warnings)?,
        many => FrameStream::of_files(many.to_vec(), reading.clone().without_transparent()),
    };
    // One frame too many is enough to know that there are.
    let mut frames = Vec::new();
    while frames.len() <= most
        && let Some(frame) = stream.next_frame(warnings)?
    {
        frames.push(frame);
    }
    if frames.is_empty() {
        return Err(CoreError::EmptySequence.into());
    }
    Ok((frames, None))
}

/// A frame a file, and where the middle one is not transparent.
fn load_window_of_files(
    files: &[PathBuf],
    reading: &Reading,
    warnings: &mut Warnings,
) -> Result<(Vec<Volume<f32>>, Option<Mask>)> {
    let (middle, mut visible) = ((files.len() - 1) / 2, None);
    let of_others = &reading.clone().without_transparent();
    let mut read = |(nth, file): (usize, &PathBuf)| -> Result<_> {
        if nth != middle {
            return Ok(io::read_image(file, of_others, warnings)?);
        }
        let (image, mask) = io::read_image_and_mask(file, reading, warnings)?;
        visible = mask;
        Ok(image)
    };
    let frames = files.iter().enumerate().map(&mut read).collect::<Result<Vec<_>>>()?;
    for (frame, file) in frames.iter().zip(files).skip(1) {
        let same = frames[0].grid().require_same(frame.grid(), "first frame and this one");
        same.map_err(|source| IoError::Core { path: file.clone(), source })?;
    }
    Ok((frames, visible))
}
