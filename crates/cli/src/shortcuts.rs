//! Options of `veloxel flow` that stand for settings of CLG.

use veloxel::jobs::DenseMethodOptions;
use veloxel::parameters::ParameterError;

/// A setting that an option stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortcut {
    /// The option, which errors begin with.
    option: &'static str,
    /// The parameter.
    name: &'static str,
    value: String,
}

/// `--warps`: exactly so many warps on every level.
pub fn warps(count: usize) -> Vec<Shortcut> {
    let counts = ["warps", "finest_warps", "matched_warps"].map(|name| (name, count.to_string()));
    let tolerances = ["warp_tol", "refine_mismatch"].map(|name| (name, "0".to_owned()));
    of_option("--warps", counts.into_iter().chain(tolerances))
}

/// `--iterations`: exactly so many iterations a linear solve.
pub fn iterations(count: usize) -> Vec<Shortcut> {
    of_option("--iterations", [("iterations", count.to_string()), ("rtol", "0".to_owned())])
}

/// `--raw-intensity`: intensities as they are.
pub fn raw_intensity() -> Vec<Shortcut> {
    of_option("--raw-intensity", [("intensity", "raw".to_owned())])
}

fn of_option(
    option: &'static str,
    settings: impl IntoIterator<Item = (&'static str, String)>,
) -> Vec<Shortcut> {
    settings.into_iter().map(|(name, value)| Shortcut { option, name, value }).collect()
}

/// The method with these settings.
///
/// # Errors
/// [`ParameterError`] for a number out of range, or a method other than CLG.
pub fn apply(
    shortcuts: &[Shortcut],
    method: DenseMethodOptions,
) -> Result<DenseMethodOptions, ParameterError> {
    let set = |method: DenseMethodOptions, Shortcut { option, name, value }: &Shortcut| {
        method.set_from(name, value, option)
    };
    shortcuts.iter().try_fold(method, set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel::{ClgParams, Dimension};

    #[test]
    fn shortcuts_are_settings_and_turn_the_tolerances_off() {
        let all = [warps(7), iterations(3), raw_intensity()].concat();
        let options = apply(&all, DenseMethodOptions::default()).unwrap();
        let params: ClgParams = options.build(Dimension::Two).unwrap();
        assert_eq!((params.warps, params.finest_warps, params.matched_warps), (7, 7, 7));
        assert_eq!((params.warp_tol, params.refine_mismatch), (0.0, 0.0));
        assert_eq!((params.iterations, params.rtol), (3, 0.0));
        assert_eq!(params.intensity.name(), "raw");
    }

    #[test]
    fn a_shortcut_that_cannot_be_taken_is_told_with_its_option() {
        let text = apply(&warps(0), DenseMethodOptions::default()).unwrap_err().to_string();
        assert!(text.starts_with("--warps: parameter `warps` is 0"), "{text}");
        let phase = DenseMethodOptions::named("phase").unwrap();
        let text = apply(&warps(3), phase).unwrap_err().to_string();
        assert!(text.starts_with("--warps: phase has no parameter `warps`, which belongs to clg"), "{text}");
    }
}
