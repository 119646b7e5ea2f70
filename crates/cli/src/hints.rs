//! How the command spells the inputs and options that errors and warnings of the library name in plain words.

use clap::Command;
use std::sync::OnceLock;
use veloxel::io::IoError;
use veloxel::parameters::ParameterError;
use veloxel::{ComputeError, CoreError, Diagnosis, Hint, MeshError, MotionError, VeloxelError, Warning};

/// The advice that belongs to a hint, one after a semicolon: each is given where the command has all options that it names.
const ADVICE: &[(Hint, &str)] = &[
    (Hint::Mask, "--mask covers what does not count"),
    (Hint::Start, "--init centre-of-mass, affine or none; `veloxel info FILE` shows where an image lies"),
    (Hint::LinearStart, "--init rigid, similarity, affine, centre-of-mass or the file of a transform"),
    (Hint::Matches, "--init matches"),
    (Hint::MaxMemory, "--max-memory"),
    (Hint::MaxDecode, "--max-decode"),
    (Hint::Strictness, "--strict"),
    (Hint::DataFiles, "--allow-outside"),
    (Hint::Series, "--series NUMBER or --series UID"),
    (Hint::Orientation, "--orient turns it"),
    (Hint::Sequence, "--sequence"),
    (Hint::Engine, "`… | veloxel engine -` for a stream; --sequence consecutive for every frame"),
    (
        Hint::Device,
        "--device cpu is always there, --device auto takes the fastest that is; `veloxel devices` lists all",
    ),
    (Hint::Method, "--method"),
    (Hint::Preset, "--preset"),
    (Hint::Parameters, "`veloxel parameters METHOD` lists all"),
    (Hint::Weight, "--weight"),
    (Hint::VolumeMask, "--volume-mask"),
    (Hint::Frames, "--frames"),
    (Hint::Reference, "--reference"),
    (Hint::StartFrame, "--frame"),
    (Hint::Region, "--region"),
    (Hint::Placement, "--placement"),
    (Hint::Estimate, "--estimate"),
    (Hint::TextOrder, "--text-order"),
    (Hint::Cine, "--cine"),
    (Hint::Truth, "--truth"),
    (Hint::Cameras, "--calibration K.yaml; --focal PX with --baseline M for pictures that are rectified"),
    (Hint::Baseline, "--baseline"),
    (Hint::DisparityScale, "--scale for a truth; --result-scale for a result"),
    (Hint::Outside, "--outside"),
    (Hint::Precision, "--precision"),
    (Hint::ShortestPaths, "--apsp"),
    (Hint::Results, "--only"),
    (Hint::Confidence, "--confidence"),
    (Hint::Warped, "--warped"),
    (Hint::Refinement, "--refine"),
    (Hint::Directions, "--inverse-consistency"),
    (Hint::FilterSigma, "--sigma"),
    (Hint::Size, "--size"),
    (Hint::FilterWeights, "--taps"),
    (Hint::PartCount, "--parts"),
    (Hint::Sources, "--from"),
    (Hint::Noise, "--noise"),
];

/// Whether a command has every option that some advice names; what stands between backticks is another command's.
fn is_of(advice: &str, command: &Command) -> bool {
    let own = advice.split('`').step_by(2).flat_map(|text| text.split([' ', ',']));
    let mut options = own.filter_map(|word| word.strip_prefix("--"));
    options.all(|name| command.get_arguments().any(|argument| argument.get_long() == Some(name)))
}

/// The advice of a hint that can be followed in a command, if there is any.
fn advice(hint: Hint, command: Option<&Command>) -> Option<String> {
    let (_, all) = ADVICE.iter().find(|(of, _)| *of == hint)?;
    let there = all.split("; ").filter(|advice| command.is_none_or(|command| is_of(advice, command)));
    let there: Vec<&str> = there.collect();
    (!there.is_empty()).then(|| there.join("; "))
}

/// The text followed by what its hint advises, if the command has the options for it: `…: replace it (--mask covers what does not
/// count)`.
fn with_options(text: String, hint: Option<Hint>, command: Option<&Command>) -> String {
    match hint.and_then(|hint| advice(hint, command)) {
        Some(advice) => format!("{text} ({advice})"),
        None => text,
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

/// The text of an error that belongs to a command, which names no option that the command does not have.
pub fn error_text_of(error: &(dyn std::error::Error + 'static), command: Option<&Command>) -> String {
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
        assert!(
            error_text_of(&*error, Some(&flow)).ends_with(": replace it (--mask covers what does not count)")
        );
        assert!(error_text_of(&*error, Some(&Command::new("filter"))).ends_with(": replace it"));
        let plain: Box<dyn std::error::Error> = "something else".into();
        assert_eq!(error_text_of(&*plain, Some(&flow)), "something else");
    }

    #[test]
    fn a_warning_names_no_option_that_the_command_does_not_have() {
        let text = |command: &Command| with_options("say".to_owned(), Some(Hint::Weight), Some(command));
        assert_eq!(text(&Command::new("flow").arg(clap::Arg::new("w").long("weight"))), "say (--weight)");
        assert_eq!(text(&Command::new("segment")), "say");
    }

    /// Every command with its name, those inside of commands as well.
    fn all_of(command: &Command, name: String, found: &mut Vec<(String, Command)>) {
        found.push((name.clone(), command.clone()));
        command
            .get_subcommands()
            .for_each(|inner| all_of(inner, format!("{name} {}", inner.get_name()), found));
    }

    #[test]
    fn no_hint_names_an_option_that_a_command_does_not_have_and_each_has_a_command() {
        let (mut interface, mut commands) = (crate::interface(), Vec::new());
        interface.build();
        all_of(&interface, String::new(), &mut commands);
        assert!(commands.len() > 20, "{}", commands.len());
        for (hint, all) in ADVICE {
            for (name, command) in &commands {
                let text = with_options("say".to_owned(), Some(*hint), Some(command));
                for option in text.split('`').step_by(2).flat_map(|text| text.split("--").skip(1)) {
                    let option = option.split([' ', ',', ';', ')']).next().unwrap();
                    let has = command.get_arguments().any(|argument| argument.get_long() == Some(option));
                    assert!(has, "veloxel{name} has no --{option}: {text}");
                }
            }
            for each in all.split("; ") {
                assert!(commands.iter().any(|(_, command)| is_of(each, command)), "{hint:?}: {each}");
            }
        }
    }

    #[test]
    fn what_has_no_mask_is_told_of_no_mask() {
        let not_finite =
            CoreError::NotFinite { what: "the image".to_owned(), value: f32::NAN, position: [0; 3] };
        let not_a_weight = CoreError::NotAWeight { value: 7.0, position: [0; 3] };
        let mut commands = Vec::new();
        all_of(&crate::interface(), String::new(), &mut commands);
        for (name, command) in commands {
            let has = command.get_arguments().any(|argument| argument.get_long() == Some("mask"));
            for error in [&not_finite, &not_a_weight] {
                let text = error_text_of(error, Some(&command));
                assert_eq!(text.contains("mask"), has, "veloxel{name}: {text}");
            }
        }
    }
}
