//! The pictures of Figures 5 to 7.

use crate::BenchError;
use crate::phase::Scene;
use crate::phase::stereo::RectifiedPair;
use veloxel_core::{Control, Flow, Volume};
use veloxel_measure::finite_quantiles;
use veloxel_motion::FeatureMaps;
use veloxel_report::{MapPicture, colour_wheel_rgb, disparity_rgb, grey_rgb, phase_rgb};

/// A picture under its title.
#[derive(Debug)]
pub(super) struct Shown {
    pub title: &'static str,
    pub picture: MapPicture,
}

/// Pictures beside the tables; empty where nothing was measured.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    /// The pictures of Figure 5.
    pub features: Vec<Shown>,
    /// The pictures of Figure 6.
    pub stereo: Vec<Shown>,
    /// The pictures of Figure 7.
    pub flow: Vec<Shown>,
}

impl Pictures {
    /// The test image, and the phase found in it.
    pub fn features(&mut self, image: &Volume<f32>, maps: &FeatureMaps) -> Result<(), BenchError> {
        // Lines are brighter than white: the picture's own range is shown.
        let range = finite_quantiles(image.data().iter().copied(), [0.0, 1.0]).unwrap_or([0.0, 255.0]);
        let [low, high] = range.map(|v| v as f32);
        let shown = image.map(|v| v - low);
        let phase = phase_rgb(&maps.phase_rad, &maps.energy)?;
        self.features = vec![
            Shown { title: "Test image (Figure 5a)", picture: grey_rgb(&shown, high - low) },
            Shown { title: "Local phase (Figure 5b)", picture: phase },
        ];
        Ok(())
    }

    /// A pair, its truth, and the disparity without and with the check.
    pub fn stereo(&mut self, pair: &RectifiedPair, [unchecked, checked]: [&Volume<f32>; 2]) {
        let range = finite_quantiles(pair.truth_px.data().iter().copied(), [0.01, 0.99]);
        let map = |title, map: &Volume<f32>| Shown { title, picture: disparity_rgb(map, range) };
        self.stereo = vec![
            Shown { title: "Left image", picture: grey_rgb(&pair.left, 255.0) },
            map("True disparity", &pair.truth_px),
            map("Found, without the check", unchecked),
            map("Found, left and right checked", checked),
        ];
    }

    /// The centre frame, its true flow, and the flow at both thresholds.
    pub fn flow(&mut self, scene: &Scene, [medium, high]: [&Flow; 2]) {
        let colours = |flow: &Flow, scale_vox: Option<f64>| {
            colour_wheel_rgb(flow, 0, scale_vox, &Control::default())
                .expect("a channel without an owner should not be stopped")
        };
        let own = colours(&scene.truth, None);
        let of = |title, flow: &Flow| {
            let found = colours(flow, Some(own.scale_vox));
            let picture = MapPicture { width: found.width, height: found.height, rgb: found.rgb };
            Shown { title, picture }
        };
        self.flow = vec![
            Shown { title: "Centre frame", picture: grey_rgb(&scene.frames[scene.frames.len() / 2], 255.0) },
            of("True flow", &scene.truth),
            of("Found, τ_l = 0.5", medium),
            of("Found, τ_l = 0.05", high),
        ];
    }
}
