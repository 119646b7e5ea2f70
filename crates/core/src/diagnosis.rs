//! What kind of failure an error is, and which input of a run would mend it.
//!
//! Libraries name inputs in plain words; a face adds how it spells them: [`Hint::Mask`] is `--mask` on a command line and
//! `mask=` in Python.

use serde::{Deserialize, Serialize};

/// What kind of failure an error is; a face chooses its exception or exit code by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// Images, meshes, outlines or tables that cannot be used, alone or together.
    Input,
    /// A parameter, a preset or an option out of its range, or one that the method does not use.
    Parameter,
    /// Too little memory, or a budget of memory that is too small.
    Memory,
    /// A device that is not there, or that failed.
    Device,
    /// Something that this build or this format cannot do.
    Unsupported,
    /// The run was stopped by its observer.
    Stopped,
    /// A file could not be read or written.
    Io,
    /// A broken promise of this program: worth a bug report.
    Internal,
}

/// An input or an option of a run that would mend a failure, or that a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Hint {
    /// A mask of where data count.
    Mask,
    /// What the run starts from.
    Start,
    /// A start that is a linear map.
    LinearStart,
    /// A start from matches, which find motion of any size.
    Matches,
    /// The budget of memory of a run.
    MaxMemory,
    /// The budget of memory for decoding files.
    MaxDecode,
    /// Whether headers that need an assumption are refused.
    Strictness,
    /// Whether a header may name samples outside of its own folder.
    DataFiles,
    /// Which series of a DICOM folder is read.
    Series,
    /// Whether pictures are turned as their EXIF data say.
    Orientation,
    /// That the input is a sequence, and which fields of it are estimated.
    Sequence,
    /// The stream engine, which takes frames without end.
    Engine,
    /// The device.
    Device,
    /// The method.
    Method,
    /// The preset that the method's parameters start from.
    Preset,
    /// A parameter of the method.
    Parameters,
    /// The weight image.
    Weight,
    /// The mask of the volume constraint.
    VolumeMask,
    /// Which frames are taken.
    Frames,
    /// The frame that everything is referred to.
    Reference,
    /// The frame that outlines belong to or that tracking starts from.
    StartFrame,
    /// The region of a cine in which motion is estimated.
    Region,
    /// Where outlines are carried from.
    Placement,
    /// Which motion of a cine is taken.
    Estimate,
    /// In which order plain texts number their slices.
    TextOrder,
    /// An image of the cine that outlines belong to.
    Cine,
    /// The folder or file of the truth.
    Truth,
    /// What is known of the cameras of a stereo pair.
    Cameras,
    /// The distance of the cameras of a stereo pair.
    Baseline,
    /// The factor of a truth's disparities.
    DisparityScale,
    /// What is written where an image has no sample.
    Outside,
    /// The number type of distances.
    Precision,
    /// The algorithm of shortest paths.
    ShortestPaths,
    /// Which results are computed.
    Results,
    /// The output of confidences.
    Confidence,
    /// The output of warped images.
    Warped,
    /// The refinement of the flow.
    Refinement,
    /// Both directions of a pair.
    Directions,
    /// The standard deviation of a filter.
    FilterSigma,
    /// The voxels after resampling, or of a phantom.
    Size,
    /// The weights of a filter.
    FilterWeights,
    /// How many parts a mesh is cut into.
    PartCount,
    /// The nodes from which distances are wanted.
    Sources,
    /// The noise of a phantom.
    Noise,
}

/// What every error of the workspace says besides its text.
pub trait Diagnosis {
    /// What kind of failure it is.
    fn kind(&self) -> ErrorKind;
    /// The input or option that would mend it, where there is one.
    fn hint(&self) -> Option<Hint> {
        None
    }
}

impl Diagnosis for crate::control::Stopped {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Stopped
    }
}
