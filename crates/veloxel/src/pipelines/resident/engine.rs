//! A stream of frames that lie in the memory of the device: flow, disparity and features of every frame, which stay there.

use super::ResidentImage;
use super::look::{Asked, Where, own_look, seen};
use crate::pipelines::dense::{DOUBT, doubted_phases};
use crate::pipelines::engine::{EngineError, EngineRequest};
use crate::pipelines::phase_method::stream_parameters;
use crate::pipelines::prepare::depths::may_differ;
use crate::pipelines::prepare::full_scale::white_of;
use crate::{Result, Session};
use veloxel_core::{Counter, Dimension, Stage, Warnings};
use veloxel_gpu::{Device, Traffic};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Operation;
use veloxel_motion::{
    ConfidenceChoice, KnownShares, PhaseEngine, PhaseImage, PhaseOutputs, ResidentPhase, TakenImages,
};

/// The phase-based engine over frames that lie in the memory of the session's device: [`Engine`](crate::pipelines::engine::Engine) for
/// images there, with the same bits.
///
/// Frames are taken as they are: where that engine would prepare one (holes, padding, another depth of the right one), it is refused.
#[derive(Debug)]
pub struct ResidentEngine {
    request: EngineRequest,
    /// Opened with the first frame.
    engine: Option<PhaseEngine>,
    frames: usize,
}

/// What was found for a frame, left on the device.
#[derive(Debug)]
pub struct ResidentStreamFrame {
    /// Which one: 0 is the first that was pushed.
    pub frame: u64,
    /// Its fields, with the confidences that were asked for.
    pub fields: ResidentPhase,
    /// Shares of its pixels that are known.
    pub shares: KnownShares,
    /// What there is to say of the frames.
    pub warnings: Warnings,
    /// What went over the bus.
    pub traffic: Traffic,
}

impl ResidentEngine {
    /// An engine for what is wanted of a stream; fields come always, and in 32 bits.
    ///
    /// # Errors
    /// [`EngineError::InMemoryAlone`] for a method of pairs, or results in types of their own.
    pub fn new(request: EngineRequest) -> Result<Self, EngineError> {
        if request.method.method().takes == TakenImages::Pairs {
            let why = format!("{} follows streams of frames in memory", request.method.method_name());
            return Err(EngineError::InMemoryAlone { why });
        }
        if request.delivery.is_some() {
            let why = "results are rounded for the memory of the host".to_owned();
            return Err(EngineError::InMemoryAlone { why });
        }
        Ok(Self { request, engine: None, frames: 0 })
    }

    /// Takes the next frame, and the right camera's with it: what is found now, of this frame or an earlier one; none where more frames
    /// must come first.
    ///
    /// # Errors
    /// [`EngineError::InMemoryAlone`] for a frame that would be prepared;
    /// [`VeloxelError::Motion`](crate::VeloxelError::Motion) for a frame of another size than the first;
    /// [`EngineError::PicturesAlone`]; [`VeloxelError::Compute`](crate::VeloxelError::Compute);
    /// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn push(
        &mut self,
        left: ResidentImage,
        right: Option<ResidentImage>,
        session: &Session,
    ) -> Result<Option<ResidentStreamFrame>> {
        session.enter(Stage::Solve)?;
        let device = session.device()?;
        let before = device.traffic();
        if let Some(right) = &right {
            left.grid.require_same(&right.grid, "left and right frame")?;
        }
        let (greatest, mut warnings) = look_at(&left, right.as_ref(), device)?;
        let engine = match &mut self.engine {
            Some(engine) => engine,
            none => none.insert(opened(&self.request, &left, greatest, device)?),
        };
        let frame = Counter { what: "frame", now: self.frames + 1, of: 0 };
        session.control().step(0.0, [Some(frame), None])?;
        self.frames += 1;
        let left = engine.frame_of(left.samples)?;
        let right = right.map(|right| engine.frame_of(right.samples)).transpose()?;
        let outputs = engine.push(PhaseImage::Resident(&left), right.as_ref().map(PhaseImage::Resident))?;
        let Some(outputs) = outputs else { return Ok(None) };
        let found = found(outputs, &self.request, &mut warnings, device)?;
        let (frame, fields, shares) = found;
        let traffic = device.traffic().since(before);
        Ok(Some(ResidentStreamFrame { frame, fields, shares, warnings, traffic }))
    }

    /// At the end of the stream: the results of the next of the last frames, which have no flow; none once all are out.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute).
    pub fn drain(&mut self, session: &Session) -> Result<Option<ResidentStreamFrame>> {
        let device = session.device()?;
        let before = device.traffic();
        let Some(engine) = &mut self.engine else { return Ok(None) };
        let Some(outputs) = engine.drain()? else { return Ok(None) };
        let mut warnings = Warnings::new();
        let (frame, fields, shares) = found(outputs, &self.request, &mut warnings, device)?;
        let traffic = device.traffic().since(before);
        Ok(Some(ResidentStreamFrame { frame, fields, shares, warnings, traffic }))
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// [`EngineError::NoFrames`]; [`EngineError::FewFrames`] where flow needs more.
    pub fn finish(self) -> Result<(), EngineError> {
        let Self { request, engine, frames } = self;
        let Some(engine) = engine else { return Err(EngineError::NoFrames { name: request.name }) };
        let needed = engine.parameters().frames.count();
        if request.wanted.flow && frames < needed {
            return Err(EngineError::FewFrames { name: request.name, frames, needed });
        }
        Ok(())
    }
}

/// The greatest sample of a left frame, and what there is to say of both frames.
fn look_at(left: &ResidentImage, right: Option<&ResidentImage>, device: &Device) -> Result<(f32, Warnings)> {
    let asked = [Some(left), right].into_iter().flatten();
    let asked = asked.map(|frame| Asked::of(device, frame, Where::alone(&frame.grid)));
    let seen = seen(asked.collect::<Result<_>>()?, device)?;
    let refused = |why: String| Err(EngineError::InMemoryAlone { why }.into());
    let mut warnings = Warnings::new();
    for (own, name) in seen.iter().zip(["the frame", "the right frame"]) {
        if let Some(why) = own.unlike_numbers(name) {
            return refused(why);
        }
        match own_look(&*own.looked_at, name) {
            Ok(told) => warnings.extend(told),
            Err(why) => return refused(why),
        }
        if may_differ(Dimension::Two, [seen[0].range(), own.range()]) {
            return refused("the frames of both cameras may have several depths".to_owned());
        }
    }
    Ok((seen[0].range()[1], warnings))
}

/// An engine for frames like the first one.
fn opened(
    request: &EngineRequest,
    first: &ResidentImage,
    greatest: f32,
    device: &Device,
) -> Result<PhaseEngine> {
    request.check_grid(&first.grid)?;
    let [nx, ny, _] = first.grid.size();
    // As of frames in memory: a dark first frame says nothing of the others.
    let parameters = stream_parameters(&request.method, white_of(greatest.max(0.0)).max(255.0))?;
    Ok(PhaseEngine::new([nx, ny], request.wanted, parameters, device)?)
}

/// What the engine has found, with its confidences as of frames in memory.
fn found(
    outputs: PhaseOutputs<'_>,
    request: &EngineRequest,
    warnings: &mut Warnings,
    device: &Device,
) -> Result<(u64, ResidentPhase, KnownShares)> {
    let (frame, counts) = (outputs.frame(), outputs.count_known()?);
    let confidences = request.fields.unwrap_or(ConfidenceChoice::Taken);
    let mut fields = outputs.take(confidences)?.stay(request.scales)?;
    if fields.flow.is_some()
        && doubted_phases(&fields.grid, warnings)
        && let Some(confidence) = &mut fields.flow_confidence
    {
        Operation::Rescale { gain: DOUBT, offset: 0.0 }.on(confidence).run(device)?;
    }
    Ok((frame, fields, counts.get()?))
}
