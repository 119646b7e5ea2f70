//! Methods of pairs that work at once: one on each of several GPUs, or several on one.

use crate::pipelines::at_once::{LEAST, at_once};
use crate::{Result, Session};
use veloxel_core::parameters::ParameterValues;
use veloxel_gpu::Device;
use veloxel_motion::{AnyMethod, MotionError, OpenedMethod, PairMethod};

/// Pairs at once on one GPU: a fourth one adds little.
const AT_ONCE: usize = 3;
/// Methods that were opened, and what their parameters are.
pub(super) struct SideBySide {
    pub methods: Vec<Box<dyn PairMethod>>,
    pub parameters: ParameterValues,
}

impl SideBySide {
    /// Opens a method of pairs on each GPU of a device that consists of several, or several on one; none where one does as well, or
    /// where the method is not one of pairs.
    pub fn open(
        session: &Session,
        pairs: usize,
        open: impl Fn(&Device) -> Result<OpenedMethod, MotionError>,
    ) -> Result<Option<Self>> {
        let device = session.device()?;
        let mut devices = device.apart()?;
        // Under a budget plans count the memory of one queue.
        let is_free = session.max_memory_bytes().is_none();
        if devices.len() < 2 && device.is_gpu() && is_free && pairs >= LEAST.0 {
            let OpenedMethod { method: AnyMethod::Pair(first), .. } = open(device)? else { return Ok(None) };
            let voxels = first.grid().len();
            let needed_bytes = first.footprint().map(|footprint| footprint.bytes(voxels));
            let free_bytes = device.free_bytes().map(|bytes| bytes as u64);
            devices = session.devices_at_once(at_once(AT_ONCE, voxels * pairs, needed_bytes, free_bytes))?;
        }
        if devices.len() < 2 {
            return Ok(None);
        }
        let (mut methods, mut in_force) = (Vec::new(), None);
        for device in &devices {
            let OpenedMethod { method: AnyMethod::Pair(method), parameters } = open(device)? else {
                return Ok(None);
            };
            methods.push(method);
            in_force = Some(parameters);
        }
        Ok(in_force.map(|parameters| Self { methods, parameters }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipelines::{DenseDraft, MethodChoice, SequenceOutput, SequenceRequest, sequence};
    use veloxel_core::{Grid, Volume};
    use veloxel_testkit::every_device::here;

    /// The bits of every field of a sequence, and how often its GPU is open then.
    fn bits_of_fields(frames: &[Volume<f32>], device: &Device) -> (Vec<Vec<u32>>, usize) {
        let session = Session::on(device.clone());
        let mut draft = DenseDraft::named("clg").unwrap();
        draft.set_preset("ultrafast").unwrap();
        let method = MethodChoice::new(draft);
        let request = SequenceRequest::new(frames, &method);
        let mut fields = Vec::new();
        let mut deliver = |field: SequenceOutput<'_>| {
            fields.push(field.found.flow.planar_vox().iter().map(|v| v.to_bits()).collect());
            Ok(())
        };
        sequence(&request, &session, &mut deliver).unwrap();
        let devices = session.devices_at_once(1 + session.further_count()).unwrap();
        assert!(devices[1..].iter().all(|device| device.memory_stats().kept_bytes == 0));
        (fields, devices.len())
    }

    mod pairs_at_once_have_the_bits_of_pairs_in_turn {
        use super::*;

        #[test]
        fn cuda() {
            let device = here("cuda", Device::named("cuda", 2));
            let grid = Grid::volume(128, 128, 96).unwrap();
            let waves = |t: usize| {
                let at = |[x, y, z]: [usize; 3]| {
                    (0.2 * (x as f32 - 0.3 * t as f32)).sin() + (0.15 * (y + z) as f32).cos()
                };
                Volume::from_fn(grid.clone(), at)
            };
            let frames: Vec<Volume<f32>> =
                (0..=LEAST.1.div_ceil(grid.len()).max(LEAST.0)).map(waves).collect();
            let (at_once, opened) = bits_of_fields(&frames, &device);
            assert_eq!(opened, AT_ONCE);
            let in_turn: Vec<_> =
                frames.windows(4).step_by(3).flat_map(|few| bits_of_fields(few, &device).0).collect();
            assert_eq!(at_once[..in_turn.len()], in_turn[..]);
            assert!(in_turn.len() > 8);
        }
    }
}
