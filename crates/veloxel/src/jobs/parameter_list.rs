//! Every parameter in a line or two, for people who look for the one to change.

use super::parameters::as_json;
use serde_json::Value;
use veloxel_core::Dimension;
use veloxel_motion::{ClgParams, PhaseParameters, Preset};

/// A parameter as `--set` and TOML files take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedParameter {
    /// Its name.
    pub name: &'static str,
    /// Its value in the preset `accurate`, as `--set` would take it; two where pictures and volumes differ.
    pub values: Vec<String>,
    /// What it does, with its unit, range or words.
    pub meaning: &'static str,
}

/// The parameters of combined local-global flow, the ones that are changed most first.
pub fn clg_parameter_list() -> Vec<ListedParameter> {
    let presets =
        [Dimension::Two, Dimension::Three].map(|dimension| ClgParams::preset(Preset::Accurate, dimension));
    list(&CLG, &presets)
}

/// The parameters of the phase engine, likewise.
pub fn phase_parameter_list() -> Vec<ListedParameter> {
    list(&PHASE, &[PhaseParameters::default()])
}

fn list(
    meanings: &[(&'static str, &'static str)],
    presets: &[impl serde::Serialize],
) -> Vec<ListedParameter> {
    let presets: Vec<_> = presets.iter().filter_map(|preset| as_json(preset).ok()).collect();
    let parameter = |&(name, meaning): &(&'static str, &'static str)| {
        let mut values: Vec<_> = presets.iter().filter_map(|p| p.get(name)).map(as_setting).collect();
        values.dedup();
        ListedParameter { name, values, meaning }
    };
    meanings.iter().map(parameter).collect()
}

/// A value as TOML, words without their quotes.
fn as_setting(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Object(fields) => {
            let fields: Vec<_> = fields.iter().map(|(k, v)| format!("{k} = {}", as_setting(v))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

const CLG: [(&str, &str); 37] = [
    ("alpha", "weight of smoothness against data, above 0"),
    ("beta", "weight of volume preservation; 0: off"),
    ("volume", "what beta preserves: divergence or jacobian"),
    ("rho", "standard deviation of the local window, voxels, 0 to 16"),
    ("gamma", "weight of gradient constancy; 0: off"),
    ("lcc_sigma", "window of local normalisation, voxels, 0 to 32; 0: off"),
    ("presmooth", "smoothing of both images first, voxels, 0 to 8"),
    ("solver", "jacobi, sor or multigrid"),
    ("iterations", "most V-cycles or sweeps of a solve, 1 to 100000"),
    ("rtol", "a solve ends at this share of its first residual; 0: all iterations"),
    ("omega", "over-relaxation of sor, below 2"),
    ("warps", "warps of a level, 1 to 1000"),
    ("finest_warps", "warps of the finest level, 1 to 1000"),
    ("warp_tol", "a level ends when the mean increment is below this, voxels"),
    ("eta", "size of a level over that of the next finer one, 0.4 to 0.95"),
    ("max_levels", "most levels of the pyramid; 1: none"),
    ("data_penaliser", "quadratic, or { charbonnier = { epsilon = 0.001 } }"),
    ("smoothness_penaliser", "the same for smoothness"),
    ("lagged_updates", "updates of the robust weights in a warp, 1 to 100"),
    ("kappa", "how much weaker smoothness is across edges, 0 to 100; 0: not at all"),
    ("regularise", "what is kept smooth: total or increment"),
    ("derivatives", "central4, or forward as in the paper"),
    ("normalise", "constraints count by distance, or by contrast (off)"),
    ("zeta", "contrast below which brightness counts less, above 0, up to 1"),
    ("gradient_zeta", "the same for gradients"),
    ("interpolation", "linear or cubic-spline"),
    ("increment_limit", "longest step of a warp, voxels"),
    ("update", "how steps join the field: add, or compose, which prevents folding"),
    ("median", "filter between warps: off, { plain = { radius = 2 } }, or non-local in 2-D"),
    ("intensity", "percentiles become 0 and 1, or raw (--raw-intensity)"),
    ("alpha_mismatch", "mismatch, voxels, below which alpha falls; 0: alpha is fixed"),
    ("alpha_floor", "least share of alpha that is left when the images match"),
    ("alpha_matched", "alpha once the images match to half of alpha_mismatch"),
    ("rho_matched", "rho once they match"),
    ("mean_matched", "once they match, bends longer than this stay free, voxels; 0: none"),
    ("matched_warps", "warps of the finest level once they match"),
    ("refine_mismatch", "mismatch, voxels, below which pictures are refined as volumes are; 0: never"),
];

const PHASE: [(&str, &str); 19] = [
    ("tau_l", "largest error of the line through the phases, radians², above 0, up to 10"),
    ("frames", "frames of a field: two, three or five"),
    ("min_orientations", "orientations that must count at a pixel, 2 to 8"),
    ("flow_check_px", "flow of two frames: largest error of there and back; 0: no check"),
    ("stereo_check_px", "stereo: largest error of left and right; 0: no check"),
    ("unknown", "pixels without an estimate on a level: pass-through or stay"),
    ("median", "filter of the finest level: off, three or five"),
    ("coarse_median", "filter of the coarser levels: off, three or five"),
    ("checked_median", "filter of what a check leaves, which closes holes: off, three or five"),
    ("weighing", "orientations count alike or by-fit"),
    ("max_levels", "most levels of the pyramid, 1 to 13"),
    ("least_side_px", "short side of the coarsest level of flow and features, pixels"),
    ("stereo_least_side_px", "the same for stereo"),
    ("sigma_px", "width of the Gabor filters, pixels, 1 to 4"),
    ("full_scale", "intensity of white; from the image unless set"),
    ("least_magnitude", "share of white that a response must reach, 0 to 1"),
    ("warping", "what the coarser level warps: responses or images"),
    ("feature_sums", "weighted or plain"),
    ("arithmetic", "float or fixed, the bits of the paper's hardware"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_parameter_is_listed_once() {
        let all = |values: serde_json::Map<String, Value>| values.keys().cloned().collect::<BTreeSet<_>>();
        for (listed, all) in [
            (clg_parameter_list(), all(as_json(&ClgParams::default()).unwrap())),
            (phase_parameter_list(), all(as_json(&PhaseParameters::default()).unwrap())),
        ] {
            let names: BTreeSet<_> = listed.iter().map(|p| p.name.to_owned()).collect();
            assert_eq!(names, all);
            assert_eq!(listed.len(), all.len());
            assert!(listed.iter().all(|p| !p.values.is_empty() && p.meaning.chars().count() <= 76));
        }
    }

    #[test]
    fn values_are_shown_as_they_are_set() {
        let listed = clg_parameter_list();
        let value = |name: &str| listed.iter().find(|p| p.name == name).map(|p| p.values.clone()).unwrap();
        assert_eq!(value("solver"), ["sor", "multigrid"]);
        assert_eq!(value("data_penaliser"), ["{ charbonnier = { epsilon = 0.001 } }", "quadratic"]);
        assert_eq!(value("kappa"), ["0.0"]);
    }
}
