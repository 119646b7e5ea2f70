//! `veloxel filter`: what methods do to images on their way, by itself.

use crate::{Bar, DeviceArguments, Outcome, ReadingArguments, Run, followed, warn_and_note};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::path::PathBuf;
use veloxel::jobs::{FilterJob, filter};
use veloxel::pipelines::filter::{FILTERS, FilterSettings};

/// Smooth an image, give it another number of voxels, or convolve it.
///
/// Beyond its border the nearest sample counts. The grid stays, or keeps its extent. A picture written as .png, .pgm or .jpg is
/// rounded; .tif and volumes hold floats.
#[derive(Debug, Args)]
pub struct FilterArguments {
    /// The filter
    #[arg(value_name = "NAME", value_parser = names())]
    name: String,

    /// The image, a picture or a volume
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// The filtered image
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// The standard deviation of gaussian in voxels, for all axes or for each
    #[arg(long, value_name = "S[,S,S]", value_delimiter = ',')]
    sigma: Option<Vec<f64>>,

    /// The voxels along each axis after resample; the image is smoothed before along axes that become coarser
    #[arg(long, value_name = "X,Y[,Z]", value_delimiter = ',')]
    size: Option<Vec<usize>>,

    /// The weights of convolution along every axis from one end to the other, such as 0.25,0.5,0.25; taken as they are
    #[arg(long, value_name = "W,W,W", value_delimiter = ',', allow_hyphen_values = true)]
    taps: Option<Vec<f64>>,

    #[command(flatten)]
    reading: ReadingArguments,

    #[command(flatten)]
    device: DeviceArguments,
}

fn names() -> PossibleValuesParser {
    FILTERS.map(|filter| PossibleValue::new(filter.name).help(filter.summary)).into()
}

impl Run for FilterArguments {
    fn run(self) -> Outcome {
        let Self { name, input, output, sigma: sigma_vox, size, taps, reading, device } = self;
        let settings = FilterSettings { sigma_vox, size, taps };
        let job = FilterJob { name, settings, input, output, reading: reading.reading()? };
        warn_and_note(&followed(&device.session(), Bar::Shown, |session| filter(&job, session))?);
        Ok(())
    }
}
