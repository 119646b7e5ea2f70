//! How the command spells the inputs and options that errors and warnings of the library name in plain words.

use clap::Command;
use std::sync::OnceLock;
use veloxel::io::IoError;
use veloxel::parameters::ParameterError;
use veloxel::{ComputeError, CoreError, Diagnosis, Hint, MeshError, MotionError, VeloxelError, Warning};

/// The options that a hint is about.
fn options(hint: Hint) -> &'static str {
    match hint {
        Hint::Mask => "--mask",
        Hint::Start => "--init centre-of-mass, affine or none; `veloxel info FILE` shows where an image lies",
        Hint::Matches => "--init matches",
        Hint::MaxMemory => "--max-memory",
        Hint::MaxDecode => "--max-decode",
        Hint::Strictness => "--strict",
        Hint::DataFiles => "--allow-outside",
        Hint::Series => "--series NUMBER or --series UID",
        Hint::Sequence => "--sequence",
        Hint::Engine => "`… | veloxel engine -` for a stream, --sequence consecutive for every frame",
        Hint::Device => {
            "--device cpu is always there, --device auto takes the fastest that is; `veloxel devices` lists all"
        }
        Hint::Method => "--method",
        Hint::Preset => "--preset",
        Hint::Parameters => "`veloxel parameters METHOD` lists all",
        Hint::Weight => "--weight",
        Hint::VolumeMask => "--volume-mask",
        Hint::Frames => "--frames",
        Hint::Reference => "--reference",
        Hint::StartFrame => "--frame",
        Hint::Region => "--region",
        Hint::Placement => "--placement",
        Hint::Estimate => "--estimate",
        Hint::TextOrder => "--text-order",
        Hint::Cine => "--cine",
        Hint::Truth => "--truth",
        Hint::Cameras => "--calibration K.yaml; --focal PX with --baseline M for pictures that are rectified",
        Hint::Baseline => "--baseline",
        Hint::DisparityScale => "--scale for a truth, --result-scale for a result",
        Hint::Outside => "--outside",
        Hint::Precision => "--precision",
        Hint::ShortestPaths => "--apsp",
        Hint::Results => "--only",
        Hint::Confidence => "--confidence",
        Hint::Warped => "--warped",
        Hint::Refinement => "--refine",
        Hint::Directions => "--inverse-consistency",
        Hint::FilterSigma => "--sigma",
        Hint::Size => "--size",
        Hint::FilterWeights => "--taps",
        Hint::PartCount => "--parts",
        Hint::Sources => "--from",
        Hint::Noise => "--noise",
        _ => "",
    }
}

/// Whether a command has the option that a hint begins with; what begins with other words is of every command.
fn is_of(options: &str, command: &Command) -> bool {
    let Some(rest) = options.strip_prefix("--") else { return true };
    let name = rest.split([' ', ',', ';']).next().unwrap_or_default();
    command.get_arguments().any(|argument| argument.get_long() == Some(name))
}

/// The text followed by the options that its hint is about, if the command has them: `…, or cover it with a mask (--mask)`.
fn with_options(text: String, hint: Option<Hint>, command: Option<&Command>) -> String {
    let there = |options: &&str| command.is_none_or(|command| is_of(options, command));
    match hint.map(options).filter(there) {
        Some(options) if !options.is_empty() => format!("{text} ({options})"),
        _ => text,
    }
}

/// The command that runs: an option that it does not have is named nowhere.
static RUNNING: OnceLock<Command> = OnceLock::new();

/// Says once which command runs.
pub fn of_command(command: Command) {
    RUNNING.get_or_init(|| command);
}

/// The text of an error of the command that runs, which names no option that it does not have.
pub fn error_text(error: &(dyn std::error::Error + 'static)) -> String {
    error_text_of(error, RUNNING.get())
}

fn error_text_of(error: &(dyn std::error::Error + 'static), command: Option<&Command>) -> String {
    if let Some(method) = unknown_parameter_of(error) {
        return format!("{error} (`veloxel parameters {method}` lists all)");
    }
    with_options(error.to_string(), diagnosis(error).and_then(Diagnosis::hint), command)
}

/// The diagnosis of an error of the library.
fn diagnosis<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a dyn Diagnosis> {
    macro_rules! of {
        ($($kind:ty)+) => {
            $(if let Some(error) = error.downcast_ref::<$kind>() {
                return Some(error);
            })+
        };
    }
    of!(VeloxelError IoError MotionError MeshError ComputeError ParameterError CoreError);
    None
}

/// The method of an error about a parameter that it does not have.
fn unknown_parameter_of(error: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    let parameter = match error.downcast_ref::<VeloxelError>() {
        Some(
            VeloxelError::Parameter(parameter) | VeloxelError::Motion(MotionError::Parameter(parameter)),
        ) => parameter,
        _ => error.downcast_ref::<ParameterError>()?,
    };
    match parameter {
        ParameterError::Unknown { method, .. } => Some(method),
        _ => None,
    }
}

/// The command's text of a warning, which names no option that it does not have.
pub fn warning_text(warning: &Warning) -> String {
    with_options(warning.message.clone(), warning.hint, RUNNING.get())
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel::CoreError;

    #[test]
    fn the_option_that_mends_an_error_follows_it() {
        let not_finite =
            CoreError::NotFinite { what: "the image".to_owned(), value: f32::NAN, position: [1, 2, 0] };
        let error: Box<dyn std::error::Error> = Box::new(VeloxelError::from(not_finite));
        let flow = Command::new("flow").arg(clap::Arg::new("mask").long("mask"));
        assert!(error_text_of(&*error, Some(&flow)).ends_with("cover it with a mask (--mask)"));
        assert!(error_text_of(&*error, Some(&Command::new("filter"))).ends_with("cover it with a mask"));
        let plain: Box<dyn std::error::Error> = "something else".into();
        assert_eq!(error_text_of(&*plain, Some(&flow)), "something else");
    }

    #[test]
    fn a_warning_names_no_option_that_the_command_does_not_have() {
        let text = |command: &Command| with_options("say".to_owned(), Some(Hint::Weight), Some(command));
        assert_eq!(text(&Command::new("flow").arg(clap::Arg::new("w").long("weight"))), "say (--weight)");
        assert_eq!(text(&Command::new("segment")), "say");
    }
}
