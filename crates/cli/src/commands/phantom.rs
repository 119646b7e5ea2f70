//! `veloxel phantom`: images whose motion is known exactly.

use crate::{Bar, Outcome, Run, followed, host_session, print, warn, words};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::collections::HashSet;
use std::path::PathBuf;
use veloxel::jobs::{PhantomJob, phantom};
use veloxel::pipelines::{PHANTOMS, PhantomSettings, TextureKind};

/// Write images whose motion is known exactly, with that motion.
///
/// The folder gets fixed, moving and truth (fixed(x) = moving(x + d(x))) and, where there is muscle, its labels; of heart and
/// cine the frames, the true field from frame 0 to each other frame, and the muscle's labels or the outlines; of edge-to-line
/// the picture with the true orientation and phase (radians) near its circle. Pictures are .tif and .flo, volumes .nii.gz.
/// Several names, or --seeds, make a database: a folder for each phantom.
#[derive(Debug, Args)]
pub struct PhantomArguments {
    /// The phantoms
    #[arg(value_name = "NAME", value_parser = names(), required = true)]
    names: Vec<String>,

    /// Its size in voxels; heart takes three numbers, edge-to-line two
    #[arg(long, value_name = "X,Y[,Z]", value_delimiter = ',', required = true)]
    size: Vec<usize>,

    /// The folder for its files
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// The texture of a pair; smooth without it
    #[arg(long, value_parser = textures())]
    texture: Option<TextureKind>,

    /// Standard deviation of the noise of every image, where intensities go from 0 to 1
    #[arg(long, value_name = "SD")]
    noise: Option<f64>,

    /// Number of pairs of each NAME, which differ by texture and noise: folders NAME_01, NAME_02, …
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=9999))]
    seeds: Option<u64>,
}

fn names() -> PossibleValuesParser {
    PHANTOMS.map(|phantom| PossibleValue::new(phantom.name).help(phantom.summary)).into()
}

fn textures() -> impl TypedValueParser<Value = TextureKind> {
    words([
        (PossibleValue::new("smooth").help("A few waves"), TextureKind::Smooth),
        (PossibleValue::new("speckle").help("Speckle, as in echo"), TextureKind::Speckle),
        (PossibleValue::new("wall").help("Bright muscle, of the shells"), TextureKind::Wall),
    ])
}

impl Run for PhantomArguments {
    fn run(self) -> Outcome {
        let Self { mut names, size, output: folder, texture, noise: noise_sd, seeds } = self;
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        let settings = PhantomSettings { size, texture, noise_sd, seed: None };
        let job = PhantomJob { names, settings, seeds, folder };
        let run = followed(&host_session(), Bar::Shown, |session| phantom(&job, session))?;
        warn(&run.warnings);
        let lines: String = run.written.iter().map(|path| format!("{}\n", path.display())).collect();
        Ok(print(&lines)?)
    }
}
