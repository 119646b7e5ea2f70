//! Arguments that several commands share: device, method, single parameters, strictness; and the summaries of their runs.

use crate::chosen_inputs::SeriesList;
use crate::shortcuts::{self, Shortcut};
use crate::{Bar, Fallible, Outcome, allocator, interrupt, presets, print, print_lines, warn, wrong_usage};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use std::io::IsTerminal;
use std::path::PathBuf;
use veloxel::io::{DataFiles, ReadOptions, Strictness};
use veloxel::jobs::{DenseMethodOptions, DenseOptions, DeviceOptions, JobRun, MethodOptions, PhaseOptions};
use veloxel::method::{DenseMethodEntry, METHODS};
use veloxel::parameters::{MethodEntry, ParameterError};
use veloxel::report::number::{counted, duration};
use veloxel::report::{DeviceReport, RunHeader};
use veloxel::{Session, VeloxelError};

/// Where to compute.
#[derive(Debug, Args)]
pub struct DeviceArguments {
    /// Where to compute: auto (the fastest there is), cpu, or a GPU: cuda, vulkan, metal, dx12 or wgpu (any of these
    /// three), with :1 for the second of its kind, or cuda:0,1 and cuda:all for several as one; `veloxel devices` lists them
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device, help_heading = "Device")]
    pub device: String,

    /// Threads of the processor; 0: all
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Device")]
    pub threads: usize,
}

impl DeviceArguments {
    pub fn options(&self) -> DeviceOptions {
        DeviceOptions { name: Some(self.device.clone()), threads: self.threads }
    }

    /// A session on the device, which is opened in the background.
    pub fn session(&self) -> Session {
        Session::begin(&self.options()).listed_in(interrupt::pending().clone())
    }
}

/// What a command may take that need not hold its inputs and its result in memory.
#[derive(Debug, Args)]
pub struct MemoryArguments {
    /// Memory that the process may take, such as 500M or 2GiB: on the processor what does not fit is read in parts and written so,
    /// from .ome.zarr (or .nii, .mha or .nrrd without compression) into a folder named .ome.zarr
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Memory")]
    max_memory: Option<u64>,
}

impl MemoryArguments {
    /// A session under this budget.
    pub fn of(&self, session: Session) -> Session {
        if self.max_memory.is_some() {
            allocator::keep_little();
        }
        session.with_max_memory(self.max_memory)
    }
}

/// What a command may take that works in boxes, or what it would take.
#[derive(Debug, Args)]
pub struct BoxesArguments {
    #[command(flatten)]
    pub memory: MemoryArguments,

    /// Print the memory, boxes, time and files that the run would need; only headers are read
    #[arg(long, help_heading = "Memory")]
    pub dry_run: bool,
}

/// A session for commands that ask for no device.
pub fn host_session() -> Session {
    let options = DeviceOptions { name: Some("cpu".to_owned()), threads: 1 };
    Session::begin(&options).listed_in(interrupt::pending().clone())
}

/// How files are read, and where to compute.
#[derive(Debug, Args)]
pub struct ComputeArguments {
    #[command(flatten)]
    reading: ReadingArguments,

    #[command(flatten)]
    device: DeviceArguments,
}

impl ComputeArguments {
    /// The inputs of a command, each with its series where several are named.
    pub fn inputs(&mut self, command: &str, inputs: Vec<PathBuf>) -> Fallible<Vec<PathBuf>> {
        self.reading.inputs(command, inputs)
    }

    /// How files are read.
    pub fn reading(&self) -> Fallible<ReadOptions> {
        self.reading.reading()
    }

    /// A session on the device, which is opened in the background.
    pub fn session(&self) -> Session {
        self.device.session()
    }
}

/// The arguments of every command that runs a method.
#[derive(Debug, Args)]
pub struct MethodArguments {
    /// Values that the parameters start from; --params and --set change them
    #[arg(long, value_parser = presets(&METHODS.each_ref().map(DenseMethodEntry::name)), default_value = "accurate", help_heading = "Method")]
    preset: String,

    /// Change one parameter: the value is a number, a word, or TOML such as "{ charbonnier = { epsilon = 0.001 } }"
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Method")]
    set: Vec<(String, String)>,

    /// Parameters from a TOML file; --set changes them further
    #[arg(long, value_name = "FILE.toml", help_heading = "Method")]
    params: Option<PathBuf>,

    #[command(flatten)]
    compute: ComputeArguments,

    /// No progress, no summary
    #[arg(short, long)]
    pub quiet: bool,
}

impl MethodArguments {
    /// A method with its preset and settings, checked before any image is read.
    pub fn method<M: MethodEntry>(
        &self,
        command: &str,
        method: MethodOptions<M>,
    ) -> Fallible<MethodOptions<M>> {
        Ok(self.settings(self.preset_and_file(command, method)?)?)
    }

    /// A method with its preset and what the file of parameters says.
    fn preset_and_file<M: MethodEntry>(
        &self,
        command: &str,
        method: MethodOptions<M>,
    ) -> Fallible<MethodOptions<M>> {
        let method = method.preset(&self.preset).map_err(|error| refused(command, &error))?;
        Ok(self.params.iter().try_fold(method, |method, path| method.file(path))?)
    }

    /// A method with what `--set` says.
    fn settings<M: MethodEntry>(&self, method: MethodOptions<M>) -> Result<MethodOptions<M>, VeloxelError> {
        let set = |method: MethodOptions<M>, (name, value): &(String, String)| {
            method.set_from(name, value, "--set")
        };
        Ok(self.set.iter().try_fold(method, set)?)
    }

    /// The options of a run of a dense method, in one direction and without masks, checked before any image is read.
    ///
    /// `shortcuts` are options that stand for settings; they come after the file and before `--set`.
    pub fn options(
        &self,
        command: &str,
        method: DenseMethodOptions,
        shortcuts: &[Shortcut],
    ) -> Fallible<DenseOptions> {
        let method = self.preset_and_file(command, method)?;
        let method = shortcuts::apply(shortcuts, method).map_err(|error| refused(command, &error))?;
        let method = self.settings(method)?;
        let (reading, command_line) = (self.compute.reading()?, command_line());
        Ok(DenseOptions { method, reading, command_line, ..DenseOptions::default() })
    }
}

impl MethodArguments {
    /// The inputs of a command, each with its series where several are named.
    pub fn inputs(&mut self, command: &str, inputs: Vec<PathBuf>) -> Fallible<Vec<PathBuf>> {
        self.compute.inputs(command, inputs)
    }

    /// A session on the device, which is opened in the background.
    pub fn session(&self) -> Session {
        self.compute.session()
    }

    /// Whether a bar is shown: unless the command is to be quiet.
    pub fn bar(&self) -> Bar {
        if self.quiet { Bar::Hidden } else { Bar::Shown }
    }

    /// How files are read.
    pub fn reading(&self) -> Fallible<ReadOptions> {
        self.compute.reading()
    }

    /// The options of a run of the phase-based method.
    pub fn phase_options(&self, command: &str) -> Fallible<PhaseOptions> {
        self.stream_options(command, "phase")
    }

    /// The options of a run of a method over a stream.
    pub fn stream_options(&self, command: &str, method: &str) -> Fallible<PhaseOptions> {
        let method = self.method(command, MethodOptions::named(method)?)?;
        Ok(PhaseOptions { method, reading: self.compute.reading()?, command_line: command_line() })
    }
}

/// Wrong usage: settings that the method does not take together.
fn refused(command: &str, error: &ParameterError) -> clap::Error {
    wrong_usage(command, ErrorKind::ArgumentConflict, &error.to_string())
}

/// What a run came to.
pub struct Summary {
    /// Names and values.
    pub lines: Vec<(&'static str, String)>,
    /// The most important values, in one line.
    pub line: String,
}

impl MethodArguments {
    /// Prints the warnings and the summary: a few lines for a person at a terminal, one line for a log.
    pub fn show<R>(
        &self,
        run: &JobRun<R>,
        header: &RunHeader,
        Summary { mut lines, line }: Summary,
    ) -> Outcome {
        warn(&header.warnings);
        if self.quiet {
            return Ok(());
        }
        let (all, device) = (total_time(header), device_text(&header.device));
        if !std::io::stdout().is_terminal() {
            let first = written(run).next().map_or(String::new(), |(_, path)| format!("{path}: "));
            return Ok(print(&format!("{first}{line}; {all} on {device}\n"))?);
        }
        let solve = header.stage_times.iter().filter(|stage| stage.stage == "solve");
        let solve = duration(solve.map(|stage| stage.time_ms).sum());
        lines.push(("time", format!("{all} (solve {solve}), {device}")));
        lines.extend(written(run));
        print_lines(&lines)
    }
}

/// The files of a run, line by line.
pub fn written<R>(run: &JobRun<R>) -> impl Iterator<Item = (&'static str, String)> {
    run.written.iter().map(|(role, path)| (role.text(), path.display().to_string()))
}

/// The time of all stages.
pub fn total_time(header: &RunHeader) -> String {
    duration(header.stage_times.iter().map(|stage| stage.time_ms).sum())
}

/// The device that computed, and its number of threads.
pub fn device_text(device: &DeviceReport) -> String {
    format!("{}, {}", device.name, counted(device.threads, "thread"))
}

/// A parser of a value that is one of a few words.
pub fn words<W: Into<PossibleValue>, T: Copy + Send + Sync + 'static, const N: usize>(
    words: [(W, T); N],
) -> impl TypedValueParser<Value = T> {
    let words = words.map(|(word, value)| (word.into(), value));
    PossibleValuesParser::new(words.clone().map(|(word, _)| word)).map(move |given| {
        let (_, value) = (words.iter().find(|(word, _)| word.matches(&given, false)))
            .expect("clap should let none but these words pass");
        *value
    })
}

/// How files are read.
#[derive(Debug, Args)]
pub struct ReadingArguments {
    /// Refuse headers that need an assumption, instead of warning
    #[arg(long, help_heading = "Files")]
    strict: bool,

    /// Allow a header to name a file of samples outside of its own folder
    #[arg(long, help_heading = "Files")]
    allow_outside: bool,

    /// Turn pictures of JPEG and PNG as their EXIF data say
    #[arg(long, help_heading = "Files")]
    orient: bool,

    /// Limit on the memory for reading files, such as 500M or 8G; by default half of what is free
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Files")]
    max_decode: Option<u64>,

    /// Which series of DICOM files, where there are several: by its number or its UID; of FOLDER alone FOLDER@series:3. Of flow and
    /// track several, as 3,5 or 3-12: one an input, or as many inputs from one folder. `veloxel info FOLDER` lists them
    #[arg(long, value_name = "NUMBER|UID", help_heading = "Files")]
    series: Option<SeriesList>,
}

impl ReadingArguments {
    /// The inputs of a command, each with its series where several are named.
    pub fn inputs(&mut self, command: &str, inputs: Vec<PathBuf>) -> Fallible<Vec<PathBuf>> {
        match self.series.take() {
            Some(several) if !several.is_one() => several.of_inputs(command, inputs),
            other => {
                self.series = other;
                Ok(inputs)
            }
        }
    }

    /// Whether a series is chosen.
    pub fn chooses_series(&self) -> bool {
        self.series.is_some()
    }

    pub fn reading(&self) -> Fallible<ReadOptions> {
        Ok(ReadOptions {
            strictness: if self.strict { Strictness::Strict } else { Strictness::Lenient },
            data_files: if self.allow_outside { DataFiles::Anywhere } else { DataFiles::BesideHeader },
            max_decode_bytes: self.max_decode,
            series: self.series.as_ref().map(SeriesList::one).transpose()?,
            part: None,
            orient: self.orient,
            ..ReadOptions::default()
        })
    }
}

/// Reads a number of bytes, or of 1024 times as many (K, M, G, T).
pub fn bytes(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[number.len()..].to_ascii_uppercase();
    let unit = unit.trim_end_matches("IB").trim_end_matches('B');
    let power = ["", "K", "M", "G", "T"].iter().position(|known| *known == unit);
    let power = power.ok_or("expected a size such as 500M or 8G")?;
    let bytes = number.parse::<f64>().ok().map(|n| n * 1024f64.powi(power as i32));
    let bytes = bytes.filter(|bytes| (1.0..1e18).contains(bytes));
    Ok(bytes.ok_or("expected a size above 0, such as 500M or 8G")? as u64)
}

pub fn setting(text: &str) -> Result<(String, String), String> {
    let given = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
    let (name, value) =
        given.filter(|(name, _)| !name.is_empty()).ok_or("expected NAME=VALUE, such as alpha=0.1")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads the name of a device. Names of devices of any machine are accepted, so that a device that is not here fails clearly
/// and not as a typo.
fn device(text: &str) -> Result<String, String> {
    let (kind, index) = text.split_once(':').map_or((text, None), |(kind, index)| (kind, Some(index)));
    let one = |index: &str| index.parse::<u32>().is_ok();
    let known = match (kind, index) {
        ("auto" | "cpu", None) => true,
        ("cuda", Some(index)) => index == "all" || index.split(',').all(one),
        ("cuda" | "vulkan" | "metal" | "dx12" | "wgpu", index) => index.is_none_or(one),
        _ => false,
    };
    if known {
        Ok(text.to_owned())
    } else {
        Err("possible values: auto, cpu, cuda, vulkan, metal, dx12, wgpu; a GPU with :N for the N-th after the first; several \
             as one with cuda:0,1 or cuda:all"
            .to_owned())
    }
}

/// The command as typed, quoted where a shell would need it.
pub fn command_line() -> String {
    let arguments = crate::line().iter().skip(1).map(|a| quoted(&a.to_string_lossy()));
    std::iter::once("veloxel".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// A word of a line, quoted where a shell would need it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
