//! The demonstration in memory: a beating, twisting heart whose motion is known, and what a method makes of it.

use super::account::Stages;
use super::dense::{MethodChoice, PairWanted, Wanted};
use super::sequence::{Deliver, FieldLabel, SequenceRequest, SequenceResult, sequence};
use crate::{Result, Session};
use veloxel_core::{Control, Mask, Sequence, Stopped, Volume, Warnings};
use veloxel_motion::SequenceMode;
use veloxel_phantoms::{HeartParams, HeartPhantom};

/// β inside the muscle: heart muscle keeps its volume.
const MUSCLE_BETA: u32 = 3;

/// A beating heart, its muscle in every frame, and its motion.
#[derive(Debug)]
pub struct DemoPhantom {
    /// The frames of one beat.
    pub sequence: Sequence,
    /// 1 in the muscle of the first frame, 0 elsewhere.
    pub muscle: Volume<i32>,
    /// How long it took to make them.
    pub stages: Stages,
    masks: Vec<Mask>,
    heart: HeartPhantom,
}

impl DemoPhantom {
    /// Makes the heart.
    ///
    /// # Errors
    /// [`VeloxelError::Phantom`](crate::VeloxelError::Phantom) should not occur;
    /// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
    pub fn new(control: &Control) -> Result<Self> {
        let (heart, mut stages) = (HeartPhantom::new(HeartParams::default())?, Stages::default());
        let (sequence, masks) = stages.time("phantom", || -> Result<_> {
            let muscle = |t: usize| control.check().map(|()| heart.muscle(t));
            let masks = (0..heart.frame_count()).map(muscle).collect::<Result<Vec<Mask>, Stopped>>()?;
            let frame = |t: usize| control.check().map(|()| heart.frame(t));
            let frames = (0..heart.params().frames).map(frame).collect::<Result<_, Stopped>>()?;
            Ok((Sequence::new(frames, Some(heart.params().frame_interval_ms))?, masks))
        })?;
        let muscle = masks[0].map(|&inside| i32::from(inside));
        Ok(Self { sequence, muscle, stages, masks, heart })
    }

    /// The method that the demonstration runs: CLG that preserves the volume of the muscle.
    ///
    /// # Errors
    /// [`VeloxelError::Parameter`](crate::VeloxelError::Parameter) should not occur.
    pub fn method() -> Result<MethodChoice> {
        let mut method = MethodChoice::default();
        method.draft.set("beta", MUSCLE_BETA.into(), "the demonstration")?;
        Ok(method)
    }
}

/// Estimates the motion of the heart, consecutive fields and those of the first frame, and measures them against the truth.
///
/// # Errors
/// As [`sequence`].
pub fn demo(phantom: &DemoPhantom, session: &Session, deliver: Deliver<'_>) -> Result<SequenceResult> {
    let truth = |label: &FieldLabel, _: &mut Warnings| {
        let [fixed, moving] = label.numbers;
        Ok(Some(phantom.heart.motion(fixed, moving)))
    };
    let method = DemoPhantom::method()?;
    let request = SequenceRequest {
        volume_masks: &phantom.masks,
        mode: SequenceMode::Both,
        truth: Some(&truth),
        wanted: PairWanted { measures: Wanted::Yes, page: Wanted::Yes, ..PairWanted::default() },
        ..SequenceRequest::new(phantom.sequence.frames(), &method)
    };
    sequence(&request, session, deliver)
}
