//! Which result is delivered in which type.

use crate::phase::results::{ConfidenceChoice, FeatureScales};
use std::f32::consts::{PI, TAU};
use std::str::FromStr;
use veloxel_core::{DeliveredType, Diagnosis, ErrorKind, Hint};
use veloxel_kernels::image::deliver::SampleForm;

/// A result of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveredResult {
    /// Components of the flow, voxels.
    Flow,
    /// Disparities, pixels.
    Disparity,
    /// Confidences of flow and disparity, 0 to 1.
    Confidence,
    /// Local energy, intensity².
    Energy,
    /// Local orientation, radians, the same again after π.
    Orientation,
    /// Local phase, radians, the same again after 2π.
    Phase,
}

impl DeliveredResult {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Flow, Self::Disparity, Self::Confidence, Self::Energy, Self::Orientation, Self::Phase];

    /// Its name: `flow`, `disparity`, `confidence`, `energy`, `orientation` or `phase`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flow => "flow",
            Self::Disparity => "disparity",
            Self::Confidence => "confidence",
            Self::Energy => "energy",
            Self::Orientation => "orientation",
            Self::Phase => "phase",
        }
    }

    /// What a sample of this type says; none where a type cannot say it.
    pub(super) const fn form(self, kind: DeliveredType) -> Option<SampleForm> {
        match (kind, self) {
            (DeliveredType::F32, _) => Some(SampleForm::Whole),
            (DeliveredType::F16, _) => Some(SampleForm::Half),
            (DeliveredType::U8, Self::Confidence) => Some(SampleForm::Share),
            (DeliveredType::U8, Self::Orientation) => Some(SampleForm::Angle { period: PI }),
            (DeliveredType::U8, Self::Phase) => Some(SampleForm::Angle { period: TAU }),
            (DeliveredType::U8, Self::Flow | Self::Disparity | Self::Energy) => None,
        }
    }
}

/// The type of each result; `f32` unless something else is said.
///
/// As text: `f16` for all of them, or pairs such as `flow=f16,confidence=u8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveredTypes([DeliveredType; 6]);

impl DeliveredTypes {
    /// The type of a result.
    pub const fn of(&self, result: DeliveredResult) -> DeliveredType {
        self.0[result as usize]
    }

    /// These types, but another one for a result.
    ///
    /// # Errors
    /// [`DeliveryError::NoBytes`] for a result that one byte cannot hold.
    pub fn with(mut self, result: DeliveredResult, kind: DeliveredType) -> Result<Self, DeliveryError> {
        if result.form(kind).is_none() {
            return Err(DeliveryError::NoBytes { result: result.name() });
        }
        self.0[result as usize] = kind;
        Ok(self)
    }

    /// What a sample of a result says.
    pub(crate) fn form(&self, result: DeliveredResult) -> SampleForm {
        result.form(self.of(result)).unwrap_or(SampleForm::Whole)
    }
}

impl FromStr for DeliveredTypes {
    type Err = DeliveryError;

    fn from_str(text: &str) -> Result<Self, DeliveryError> {
        let kind = |name: &str| {
            DeliveredType::named(name).ok_or_else(|| DeliveryError::UnknownType { got: name.to_owned() })
        };
        text.split(',').map(str::trim).try_fold(Self::default(), |types, part| {
            let Some((name, of_it)) = part.split_once('=') else {
                let kind = kind(part)?;
                return DeliveredResult::ALL
                    .into_iter()
                    .try_fold(types, |types, result| types.with(result, kind));
            };
            let result = DeliveredResult::ALL.into_iter().find(|result| result.name() == name.trim());
            let result =
                result.ok_or_else(|| DeliveryError::UnknownResult { got: name.trim().to_owned() })?;
            types.with(result, kind(of_it.trim())?)
        })
    }
}

/// What of a frame is delivered, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    /// The type of each result.
    pub types: DeliveredTypes,
    /// Whether confidences come with flow and disparity.
    pub confidences: ConfidenceChoice,
    /// Which scales of the features come.
    pub scales: FeatureScales,
}

/// Types that are none, or that cannot hold a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeliveryError {
    /// A result that has no form of one byte.
    #[error("{result} does not fit into u8: f32 or f16; u8 is for confidence, orientation and phase")]
    NoBytes {
        /// The result.
        result: &'static str,
    },
    /// A word that is no type.
    #[error("{got:?} is no type of samples: f32, f16 or u8")]
    UnknownType {
        /// The word.
        got: String,
    },
    /// A word that is no result.
    #[error("{got:?} is no result: flow, disparity, confidence, energy, orientation or phase")]
    UnknownResult {
        /// The word.
        got: String,
    },
}

impl Diagnosis for DeliveryError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Parameter
    }
    fn hint(&self) -> Option<Hint> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(text: &str) -> Result<DeliveredTypes, DeliveryError> {
        text.parse()
    }

    #[test]
    fn types_are_told_for_all_results_or_for_each() {
        let all = types("f16").unwrap();
        assert!(DeliveredResult::ALL.iter().all(|&result| all.of(result) == DeliveredType::F16));
        let some = types("f16, confidence=u8,flow = f32").unwrap();
        let found = DeliveredResult::ALL.map(|result| some.of(result).name());
        assert_eq!(found, ["f32", "f16", "u8", "f16", "f16", "f16"]);
        assert_eq!(
            types("phase=u8").unwrap().form(DeliveredResult::Phase),
            SampleForm::Angle { period: TAU }
        );
    }

    #[test]
    fn what_is_no_type_or_no_result_is_refused_by_name() {
        for (text, word) in
            [("f64", "f64"), ("flow=u8", "flow"), ("u8", "flow"), ("speed=f16", "speed"), ("", "")]
        {
            let error = types(text).unwrap_err().to_string();
            assert!(error.contains(word) && error.contains("f"), "{text}: {error}");
        }
    }
}
