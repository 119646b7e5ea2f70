//! The frames of a sequence in the memory of a device, and whether they can be taken as they are.

use super::look::{Asked, Where, own_look, seen};
use super::{ResidentImage, copied};
use crate::Result;
use crate::pipelines::prepare::depths::may_differ;
use crate::pipelines::prepare::full_scale::white_of;
use crate::pipelines::prepare::intensities::note_unlike_frames;
use crate::pipelines::prepare::looked_at::LookedAt;
use crate::pipelines::sequence::FrameNames;
use veloxel_core::{Grid, Warnings};
use veloxel_gpu::Device;

/// Frames in the memory of a device, which stay there unchanged as long as this lives.
pub trait ResidentFrames: Send + Sync {
    /// The grid of each, in order of time.
    fn grids(&self) -> Vec<&Grid>;

    /// A copy of the n-th frame in the device's own memory.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute).
    fn copied(&self, nth: usize, device: &Device) -> Result<ResidentImage>;
}

impl ResidentFrames for Vec<ResidentImage> {
    fn grids(&self) -> Vec<&Grid> {
        self.iter().map(|frame| &frame.grid).collect()
    }

    fn copied(&self, nth: usize, device: &Device) -> Result<ResidentImage> {
        let ResidentImage { grid, samples } = &self[nth];
        Ok(ResidentImage { grid: grid.clone(), samples: copied(device, samples)? })
    }
}

/// What the extremes and some samples of frames say.
pub(super) enum FramesLook {
    /// They may be taken as they are; what white is in the first one.
    AsTheyAre { white: f32 },
    /// Preparation would change them: why.
    ToPrepare(String),
}

/// Looks at frames as preparation in the memory of the host does, and notes what it would note.
pub(super) fn look_at(
    frames: &dyn ResidentFrames,
    names: &FrameNames,
    device: &Device,
    warnings: &mut Warnings,
) -> Result<FramesLook> {
    let grids = frames.grids();
    let to_prepare = |why: String| Ok(FramesLook::ToPrepare(why));
    if grids.iter().any(|grid| grids[0].require_same(grid, "").is_err()) {
        return to_prepare("the frames lie on several grids".to_owned());
    }
    let asked = (0..grids.len()).map(|nth| {
        // The copy goes back to the device once it was looked at.
        Asked::of(device, &frames.copied(nth, device)?, Where::alone(grids[nth]))
    });
    let seen = seen(asked.collect::<Result<_>>()?, device)?;
    for (nth, own) in seen.iter().enumerate() {
        if let Some(why) = own.unlike_numbers(&names.text(nth)) {
            return to_prepare(why);
        }
        if may_differ(grids[0].dimension(), [seen[0].range(), own.range()]) {
            return to_prepare("the pictures may have several depths".to_owned());
        }
    }
    for (nth, own) in seen.iter().enumerate() {
        match own_look(&*own.looked_at, &names.text(nth)) {
            Ok(told) => warnings.extend(told),
            Err(why) => return to_prepare(why),
        }
    }
    let looked_at = seen.iter().map(|own| &*own.looked_at as &dyn LookedAt);
    note_unlike_frames(looked_at, |nth| names.text(nth), warnings);
    Ok(FramesLook::AsTheyAre { white: white_of(seen[0].range()[1].max(0.0)) })
}
