//! The flows between frames that lie in the memory of the device, found one at a time and left there.

use super::frames::{FramesLook, ResidentFrames, look_at};
use super::look::unusual_mask;
use super::{ResidentImage, ResidentPair, copied, in_memory, mask_in_memory, sent, through_the_host};
use crate::pipelines::account::Account;
use crate::pipelines::dense::{
    ChangedPlace, DenseError, MethodChoice, StartKind, VolumeChange, note_idle_volume_mask, suggest_cine,
    warn_of_volume_change,
};
use crate::pipelines::sequence::{FieldLabel, FrameNames, SequenceRequest, sequence};
use crate::{Result, Session, VeloxelError};
use std::collections::VecDeque;
use veloxel_core::{Grid, Mask, Stage, Volume};
use veloxel_gpu::{Device, Traffic};
use veloxel_motion::{
    AnyMethod, DenseFlow, FlowExtras, Frame, GivenInput, MotionError, OnDevice, ResidentField, ResidentMask,
    ResidentRegion, ResidentSteps, SequenceMode, SequencePlan, SequenceRole, TakenImages,
};

/// Frames in the memory of the session's device, and what is known of them.
pub struct ResidentSequenceRequest<'f> {
    /// The frames in order of time.
    pub frames: Box<dyn ResidentFrames + 'f>,
    /// What they are called.
    pub names: FrameNames,
    /// Where data of every frame count, 1, or not, 0; none: everywhere.
    pub mask: Option<ResidentImage>,
    /// Where volume is preserved, 1, or not, 0; none: wherever data count.
    pub volume_mask: Option<ResidentImage>,
    /// Which fields.
    pub mode: SequenceMode,
    /// The number of the frame that reference fields live on; none: the first one's.
    pub reference: Option<usize>,
    /// How to estimate.
    pub method: MethodChoice,
}

impl<'f> ResidentSequenceRequest<'f> {
    /// Frames of which nothing else is known: consecutive flows are wanted.
    pub fn new(frames: impl ResidentFrames + 'f, method: MethodChoice) -> Self {
        Self {
            frames: Box::new(frames),
            names: FrameNames::default(),
            mask: None,
            volume_mask: None,
            mode: SequenceMode::Consecutive,
            reference: None,
            method,
        }
    }
}

/// One field of a sequence, left on the device.
#[derive(Debug)]
pub struct ResidentSequenceField {
    /// Which one.
    pub label: FieldLabel,
    /// What was found. The warnings of the whole sequence are the first field's, what is known at its end the last one's.
    pub pair: ResidentPair,
}

/// What is left of a sequence: [`sequence`] for frames that lie in the memory of the device, where the flows stay: the same bits, one
/// each time that it is asked for, in the order in which that pipeline finds them.
///
/// ```
/// use veloxel::pipelines::{MethodChoice, ResidentImage, ResidentSequence, ResidentSequenceRequest};
/// use veloxel::{Device, Grid, Session};
///
/// let session = Session::on(Device::cpu(1)?);
/// let grid = Grid::image(48, 40)?;
/// let waves = |t: usize| -> Result<ResidentImage, veloxel::VeloxelError> {
///     let sample = |i: usize| (0.3 * ((i % 48) as f32 - 0.5 * t as f32)).sin() + (0.2 * (i / 48) as f32).cos();
///     let samples = session.device()?.upload((0..grid.len()).map(sample).collect())?;
///     Ok(ResidentImage { grid: grid.clone(), samples })
/// };
/// let frames = vec![waves(0)?, waves(1)?, waves(2)?];
/// let request = ResidentSequenceRequest::new(frames, MethodChoice::default());
/// let mut fields = ResidentSequence::open(request, &session)?;
/// while let Some(field) = fields.next(&session)? {
///     let flow = field.pair.found.flow.download(session.device()?)?;
///     assert!((flow.vector_vox(20 * 48 + 24)[0] - 0.5).abs() < 0.1);
/// }
/// # Ok::<(), veloxel::VeloxelError>(())
/// ```
pub struct ResidentSequence<'f> {
    frames: Box<dyn ResidentFrames + 'f>,
    names: FrameNames,
    plan: SequencePlan,
    method: MethodChoice,
    fields: Fields,
    /// What the next field is told.
    account: Account,
    traffic: Traffic,
    change: VolumeChange,
    /// Consecutive fields that were handed out.
    consecutive: usize,
}

/// Fields that are found as they are asked for.
struct OnDeviceFields {
    steps: ResidentSteps,
    region: ResidentRegion,
    white: f32,
}

/// Where fields come from.
enum Fields {
    /// The device.
    Found(Box<OnDeviceFields>),
    /// They were found for frames that were prepared in the memory of the host.
    Sent(VecDeque<(FieldLabel, DenseFlow)>),
}

impl<'f> ResidentSequence<'f> {
    /// Looks at the frames; nothing is estimated yet, unless they have to be prepared in the memory of the host.
    ///
    /// # Errors
    /// As [`sequence`]; [`DenseError::Takes`] for a method that takes windows of frames;
    /// [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for masks on another grid than the first frame.
    pub fn open(request: ResidentSequenceRequest<'f>, session: &Session) -> Result<Self> {
        session.enter(Stage::Solve)?;
        let (device, mut account) = (session.device()?, Account::begin(session)?);
        let before = device.traffic();
        request.check()?;
        let reference = request.reference.map_or(Ok(0), |number| request.names.position(number))?;
        let plan = SequencePlan { mode: request.mode, reference, extras: FlowExtras::default() };
        let grids = request.frames.grids();
        let steps = ResidentSteps::new(plan, grids.len())?;
        suggest_cine(&request.method.draft, grids[0], grids.len(), &mut account.warnings);
        let look = match request.unusual_mask(device)? {
            Some(why) => FramesLook::ToPrepare(why),
            None => {
                let Account { stages, warnings, .. } = &mut account;
                stages.time("look", || look_at(&*request.frames, &request.names, device, warnings))?
            }
        };
        let fields = match look {
            FramesLook::ToPrepare(why) => {
                through_the_host(&why, &mut account.warnings);
                Fields::Sent(request.by_host(session, &mut account)?)
            }
            FramesLook::AsTheyAre { white } => {
                let mask = |image: &Option<ResidentImage>| -> Result<Option<ResidentMask>> {
                    let of = |image: &ResidentImage| {
                        let weight = copied(device, &image.samples)?;
                        Ok(ResidentMask { grid: image.grid.clone(), weight })
                    };
                    image.as_ref().map(of).transpose()
                };
                let (mask, volume_mask) = (mask(&request.mask)?, mask(&request.volume_mask)?);
                let region = ResidentRegion { mask, volume_mask, weight: None };
                Fields::Found(Box::new(OnDeviceFields { steps, region, white }))
            }
        };
        let ResidentSequenceRequest { frames, names, method, .. } = request;
        let (traffic, change) = (device.traffic().since(before), VolumeChange::default());
        Ok(Self { frames, names, plan, method, fields, account, traffic, change, consecutive: 0 })
    }

    /// The grid of all fields.
    pub fn grid(&self) -> Grid {
        self.frames.grids()[0].clone()
    }

    /// The next field; none at the end.
    ///
    /// # Errors
    /// As [`sequence`]; after an error there are no more.
    pub fn next(&mut self, session: &Session) -> Result<Option<ResidentSequenceField>> {
        session.enter(Stage::Solve)?;
        let device = session.device()?;
        let before = device.traffic();
        let of_sequence = Account { device: session.device_report()?.clone(), ..Account::default() };
        let mut account = std::mem::replace(&mut self.account, of_sequence);
        let Some((label, found)) = self.found(session, &mut account)? else { return Ok(None) };
        let Account { parameters, errors, .. } = &account;
        (self.account.parameters, self.account.errors) = (parameters.clone(), *errors);
        let mut traffic = device.traffic().since(before);
        let earlier = std::mem::take(&mut self.traffic);
        traffic.to_device_bytes += earlier.to_device_bytes;
        traffic.to_host_bytes += earlier.to_host_bytes;
        let pair = ResidentPair { found, transform: None, traffic, account };
        Ok(Some(ResidentSequenceField { label, pair }))
    }

    fn found(&mut self, session: &Session, account: &mut Account) -> Result<Option<(FieldLabel, OnDevice)>> {
        let (device, frames) = (session.device()?, &*self.frames);
        let OnDeviceFields { steps, region, white } = match &mut self.fields {
            Fields::Sent(fields) => {
                let Some((label, found)) = fields.pop_front() else { return Ok(None) };
                return Ok(Some((label, sent(device, found)?)));
            }
            Fields::Found(fields) => &mut **fields,
        };
        let grid = frames.grids()[0].clone();
        let fetch = |nth: usize| {
            let image = frames.copied(nth, device).map_err(|error| of_frame(nth, error))?;
            Frame::of_buffer(device, &grid, image.samples)
        };
        let method = &self.method;
        let found = session.with_method(
            &method.key(&grid, *white, 2),
            || Ok::<_, VeloxelError>(method.open(&grid, *white, 2, device)?),
            |opened| {
                account.parameters = opened.parameters.clone();
                account.errors = method.error_curves(grid.dimension(), StartKind::None);
                let AnyMethod::Pair(own) = &mut opened.method else { return Err(takes_windows(method)) };
                Ok(account.stages.time("solve", || steps.next(&mut **own, &fetch, region))?)
            },
        )?;
        let Some(ResidentField { role, fixed, moving, found }) = found else { return Ok(None) };
        if region.volume_mask.is_some() {
            let (name, is_last) = ("the volume mask", steps.is_done());
            if self.change == VolumeChange::default() {
                note_idle_volume_mask(&method.draft, name, &account.parameters, &mut account.warnings);
            }
            self.change.add(found.statistics.jacobian.mean_abs_minus_one);
            if is_last {
                let (place, parameters) = (ChangedPlace::mask(name), &account.parameters);
                warn_of_volume_change(&method.draft, parameters, place, &self.change, &mut account.warnings);
            }
        }
        let label = self.label(role, [fixed, moving]);
        self.consecutive += usize::from(role == SequenceRole::Consecutive);
        Ok(Some((label, found)))
    }

    fn label(&self, role: SequenceRole, [fixed, moving]: [usize; 2]) -> FieldLabel {
        let frames = self.frames.grids().len();
        let is_both = self.plan.mode == SequenceMode::Both;
        let first = if is_both { frames } else { 0 };
        let nth = match role {
            SequenceRole::Consecutive => self.consecutive,
            SequenceRole::Reference => first + moving - usize::from(moving > self.plan.reference),
        };
        let count = if is_both { 2 * frames - 1 } else { frames - 1 };
        let numbers = [fixed, moving].map(|nth| self.names.number(nth));
        FieldLabel { role, fixed, moving, numbers, nth, count }
    }
}

impl ResidentSequenceRequest<'_> {
    fn check(&self) -> Result<()> {
        if self.method.takes() != TakenImages::Pairs {
            return Err(takes_windows(&self.method));
        }
        let masks = [
            (GivenInput::Mask, &self.mask, "the frames and the mask"),
            (GivenInput::VolumeMask, &self.volume_mask, "the frames and the volume mask"),
        ];
        self.method.require_used(&masks.each_ref().map(|(input, image, _)| (*input, image.is_some())))?;
        let grids = self.frames.grids();
        for (_, image, what) in masks {
            let both = image.iter().zip(grids.first());
            both.into_iter().try_for_each(|(image, grid)| grid.require_same(&image.grid, what))?;
        }
        Ok(())
    }

    fn unusual_mask(&self, device: &Device) -> Result<Option<String>> {
        let own = unusual_mask(device, self.mask.as_ref(), "the mask")?;
        Ok(own.or(unusual_mask(device, self.volume_mask.as_ref(), "the volume mask")?))
    }

    /// The fields of frames that are taken to the host; they stay there until they are asked for.
    fn by_host(&self, session: &Session, account: &mut Account) -> Result<VecDeque<(FieldLabel, DenseFlow)>> {
        let device = session.device()?;
        let count = self.frames.grids().len();
        let frames = (0..count).map(|nth| in_memory(device, self.frames.copied(nth, device)?));
        let frames: Vec<Volume<f32>> = frames.collect::<Result<_>>()?;
        let mask = |image: &Option<ResidentImage>| -> Result<Option<Mask>> {
            let copy = |image: &ResidentImage| -> Result<ResidentImage> {
                Ok(ResidentImage { grid: image.grid.clone(), samples: copied(device, &image.samples)? })
            };
            mask_in_memory(device, image.as_ref().map(copy).transpose()?)
        };
        let (mask, volume_mask) = (mask(&self.mask)?, mask(&self.volume_mask)?);
        let in_memory = SequenceRequest {
            names: self.names.clone(),
            masks: mask.as_slice(),
            volume_masks: volume_mask.as_slice(),
            mode: self.mode,
            reference: self.reference,
            ..SequenceRequest::new(&frames, &self.method)
        };
        let mut fields = VecDeque::new();
        let result = sequence(&in_memory, session, &mut |output| {
            fields.push_back((output.label, output.found.into_owned()));
            Ok(())
        })?;
        account.absorb(result.account);
        Ok(fields)
    }
}

fn takes_windows(method: &MethodChoice) -> VeloxelError {
    let (takes, given) =
        ("windows of frames in the memory of the host", "sequence in the memory of the device");
    DenseError::Takes { method: method.draft.method_name(), takes, given }.into()
}

/// Why a frame could not be copied, in the words of methods.
fn of_frame(nth: usize, error: VeloxelError) -> MotionError {
    match error {
        VeloxelError::Compute(error) => error.into(),
        error => MotionError::Sequence { reason: format!("frame {nth}: {error}") },
    }
}
