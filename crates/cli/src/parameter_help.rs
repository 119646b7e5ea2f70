//! The parameters of `--set`, below the options of a command's long help.

use veloxel::jobs::{ListedParameter, clg_parameter_list, phase_parameter_list};

/// For `veloxel flow`, which has two methods.
pub fn of_flow() -> String {
    format!(
        "Parameters of --set and --params (--method clg), with their values in the preset accurate (two: \
         pictures, volumes):\n{}\nThose of --method phase are in `veloxel help stereo`.",
        lines(&clg_parameter_list())
    )
}

/// For the commands of the phase engine.
pub fn of_phase() -> String {
    format!(
        "Parameters of --set and --params, with their values in the preset accurate:\n{}",
        lines(&phase_parameter_list())
    )
}

fn lines(parameters: &[ListedParameter]) -> String {
    let two =
        |p: &ListedParameter| format!("  {} = {}\n          {}\n", p.name, p.values.join(", "), p.meaning);
    parameters.iter().map(two).collect()
}
