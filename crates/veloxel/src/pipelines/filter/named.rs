//! Filters by name, with the settings that each of them takes.

use veloxel_core::{Diagnosis, Dimension, ErrorKind, Hint};

/// What is done to an image.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// A Gaussian, cut at three standard deviations.
    Gaussian {
        /// Standard deviation in voxels, above 0: one number for all axes, or one for each.
        sigma_vox: Vec<f64>,
    },
    /// Linear interpolation at another number of voxels over the same extent; smoothed before where it becomes coarser.
    Resample {
        /// Voxels along each axis of the image.
        size: Vec<usize>,
    },
    /// The same symmetric filter along every axis.
    Convolution {
        /// The weights, centre first, then outwards; taken as they are.
        weights: Vec<f32>,
    },
}

/// The settings of all filters; a filter takes the one that is its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FilterSettings {
    /// Standard deviation of `gaussian` in voxels.
    pub sigma_vox: Option<Vec<f64>>,
    /// Voxels along each axis after `resample`.
    pub size: Option<Vec<usize>>,
    /// Weights of `convolution` from one end to the other.
    pub taps: Option<Vec<f64>>,
}

/// A filter that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedFilter {
    /// Name of the filter.
    pub name: &'static str,
    /// Half a sentence that says what it does and which setting it needs.
    pub summary: &'static str,
}

/// Every filter.
pub const FILTERS: [NamedFilter; 3] = [
    NamedFilter { name: "gaussian", summary: "A Gaussian; needs a standard deviation" },
    NamedFilter { name: "resample", summary: "The same extent in another number of voxels; needs a size" },
    NamedFilter { name: "convolution", summary: "A symmetric filter along every axis; needs weights" },
];

/// Most voxels on either side that a filter reaches.
const MOST_RADIUS: usize = 1000;

/// Settings from which no filter can be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// Another name than those of the filters.
    #[error("there is no filter {got}; there are {known}")]
    Unknown {
        /// The name.
        got: String,
        /// The names there are.
        known: String,
    },
    /// A filter without its setting.
    #[error("the filter {filter} needs {what}")]
    Missing {
        /// Name of the filter.
        filter: &'static str,
        /// The setting.
        what: &'static str,
    },
    /// A setting that the filter does not use.
    #[error("the filter {filter} does not use {what}")]
    Unused {
        /// Name of the filter.
        filter: &'static str,
        /// The setting.
        what: &'static str,
    },
    /// A standard deviation out of its range.
    #[error("a standard deviation has to lie in (0, 333] voxels, got {got}")]
    Sigma {
        /// The number.
        got: f64,
    },
    /// Weights that are no symmetric filter.
    #[error(
        "the weights of a filter have to be finite, odd in number, at most 2001, and the same from both ends: {reason}"
    )]
    Taps {
        /// What is wrong with them.
        reason: String,
    },
    /// Another number of numbers than the image has axes.
    #[error("{what}: the image has {axes} axes, got {got} numbers")]
    Axes {
        /// The setting.
        what: &'static str,
        /// Axes of the image.
        axes: usize,
        /// How many numbers came.
        got: usize,
    },
}

impl Diagnosis for FilterError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Parameter
    }
    fn hint(&self) -> Option<Hint> {
        let what = match self {
            Self::Unknown { .. } => return None,
            Self::Missing { what, .. } | Self::Unused { what, .. } | Self::Axes { what, .. } => what,
            Self::Sigma { .. } => SIGMA,
            Self::Taps { .. } => TAPS,
        };
        Some(match what {
            SIGMA => Hint::FilterSigma,
            SIZE => Hint::Size,
            _ => Hint::FilterWeights,
        })
    }
}

const SIGMA: &str = "a standard deviation";
const SIZE: &str = "a size";
const TAPS: &str = "weights";

impl Filter {
    /// The filter of a name with its setting, checked as far as that goes without an image.
    ///
    /// # Errors
    /// [`FilterError`].
    pub fn of(name: &str, settings: &FilterSettings) -> Result<Self, FilterError> {
        let known = || FILTERS.map(|filter| filter.name).join(", ");
        let own = FILTERS.iter().find(|filter| filter.name == name);
        let filter = own.ok_or_else(|| FilterError::Unknown { got: name.to_owned(), known: known() })?.name;
        let FilterSettings { sigma_vox, size, taps } = settings;
        let given = [(SIGMA, sigma_vox.is_some()), (SIZE, size.is_some()), (TAPS, taps.is_some())];
        let what = match filter {
            "gaussian" => SIGMA,
            "resample" => SIZE,
            _ => TAPS,
        };
        if let Some((what, _)) = given.into_iter().find(|(other, is_given)| *is_given && *other != what) {
            return Err(FilterError::Unused { filter, what });
        }
        match (sigma_vox, size, taps) {
            (Some(sigma_vox), ..) => gaussian(sigma_vox),
            (_, Some(size), _) => Ok(Self::Resample { size: size.clone() }),
            (.., Some(taps)) => convolution(taps),
            (None, None, None) => Err(FilterError::Missing { filter, what }),
        }
    }

    /// A number for each axis, from one for all or one for each.
    pub(super) fn axes(sigma_vox: &[f64], dimension: Dimension) -> Result<[f64; 3], FilterError> {
        match (sigma_vox, dimension) {
            (&[all], _) => Ok([all; 3]),
            (&[x, y], Dimension::Two) => Ok([x, y, 0.0]),
            (&[x, y, z], Dimension::Three) => Ok([x, y, z]),
            _ => Err(FilterError::Axes { what: SIGMA, axes: dimension.count(), got: sigma_vox.len() }),
        }
    }

    /// The voxels along x, y and z.
    pub(super) fn size(size: &[usize], dimension: Dimension) -> Result<[usize; 3], FilterError> {
        match (size, dimension) {
            (&[x, y], Dimension::Two) => Ok([x, y, 1]),
            (&[x, y, z], Dimension::Three) => Ok([x, y, z]),
            _ => Err(FilterError::Axes { what: SIZE, axes: dimension.count(), got: size.len() }),
        }
    }
}

fn gaussian(sigma_vox: &[f64]) -> Result<Filter, FilterError> {
    match sigma_vox.iter().find(|&&sigma| !(sigma > 0.0 && 3.0 * sigma <= MOST_RADIUS as f64)) {
        Some(&got) => Err(FilterError::Sigma { got }),
        None => Ok(Filter::Gaussian { sigma_vox: sigma_vox.to_vec() }),
    }
}

fn convolution(taps: &[f64]) -> Result<Filter, FilterError> {
    let fail = |reason: &str| Err(FilterError::Taps { reason: reason.to_owned() });
    let radius = taps.len() / 2;
    if taps.len().is_multiple_of(2) || radius > MOST_RADIUS {
        return fail(&format!("there are {}", taps.len()));
    }
    if let Some(wrong) = taps.iter().find(|weight| !(**weight as f32).is_finite()) {
        return fail(&format!("one is {wrong}"));
    }
    if let Some(k) = (1..=radius).find(|k| taps[radius - k] != taps[radius + k]) {
        return fail(&format!("{} is not {}", taps[radius - k], taps[radius + k]));
    }
    Ok(Filter::Convolution { weights: taps[radius..].iter().map(|&weight| weight as f32).collect() })
}
