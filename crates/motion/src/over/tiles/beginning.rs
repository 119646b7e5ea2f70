//! What all tiles of a run begin from, as it is kept beside them: the next run, or another process, does not find it again.

use super::coarse::shrunk_grid;
use super::plan::CoarsePlan;
use super::store::KeptBeginning;
use crate::error::Result;
use crate::method::shared_scalars::SharedScalars;
use crate::steps::intensity::IntensityMap;
use serde::{Deserialize, Serialize};
use veloxel_core::{Flow, Grid, LinearBrightness};

/// The map of intensities, the moving image's brightness, the flow of the coarse pass, and the numbers by which all tiles decide.
pub(super) struct Beginning {
    pub map: IntensityMap,
    /// What the moving image is compared as.
    pub brightness: Option<LinearBrightness>,
    pub flow: Flow,
    /// Numbers by which all tiles decide, where the method shares some.
    pub scalars: Option<SharedScalars>,
}

/// What is noted beside the samples of the flow; numbers as the bits that they have.
#[derive(Serialize, Deserialize)]
struct Note {
    map: [u32; 2],
    #[serde(default)]
    brightness: Option<[u32; 2]>,
    scalars: Option<Vec<[String; 4]>>,
}

impl Beginning {
    pub fn kept(
        map: IntensityMap,
        brightness: Option<LinearBrightness>,
        flow: &Flow,
        scalars: Option<&SharedScalars>,
    ) -> KeptBeginning {
        let map = [map.lower, map.upper].map(f32::to_bits);
        let brightness = brightness.map(|own| [own.gain, own.offset].map(f32::to_bits));
        let note = Note { map, brightness, scalars: scalars.map(SharedScalars::texts) };
        let note = serde_json::to_string(&note).expect("numbers should be JSON");
        KeptBeginning { samples: flow.planar_vox().to_vec(), note }
    }

    /// What was kept of the coarse pass over a grid; none where something else kept it.
    pub fn of(kept: KeptBeginning, grid: &Grid, coarse: &CoarsePlan) -> Result<Option<Self>> {
        let small = shrunk_grid(grid, coarse.shrinking);
        let is_whole = kept.samples.len() == grid.dimension().count() * small.len();
        let note = serde_json::from_str(&kept.note).ok().filter(|_| is_whole);
        let Some(Note { map, brightness, scalars }) = note else { return Ok(None) };
        let scalars = match scalars.map(|texts| SharedScalars::of_texts(&texts)) {
            Some(None) => return Ok(None),
            Some(found) => found,
            None => None,
        };
        let [lower, upper] = map.map(f32::from_bits);
        let flow = Flow::from_planar_vox(small, kept.samples)?;
        let brightness = brightness
            .map(|own| own.map(f32::from_bits))
            .map(|[gain, offset]| LinearBrightness { gain, offset });
        Ok(Some(Self { map: IntensityMap { lower, upper }, brightness, flow, scalars }))
    }
}
