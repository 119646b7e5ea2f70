//! The results of either kind of engine on the device, and how they are fetched.

use super::rounding::Leaving;
use crate::Result;
use crate::pipelines::dense::doubt_phases;
use veloxel_core::Warnings;
use veloxel_motion::{
    ConfidenceChoice, DeliveredFields, DeliveredFlow, FeatureScales, KnownShares, LeavingFields, LeavingFlow,
    PhaseCounts, PhaseFields, PhaseOutputs, PhaseTaken, StreamFlow, StreamedFlow,
};

/// The results of either kind of engine.
pub(super) enum FoundOnDevice {
    Phase(Box<(PhaseCounts, PhaseOnDevice)>),
    Pair(Box<PairOnDevice>),
}

/// What the engine of phases has found, as it leaves.
pub(super) enum PhaseOnDevice {
    Numbers,
    Fields(PhaseTaken, FeatureScales),
    Rounded(LeavingFields),
}

/// What a method of pairs has found, as it leaves.
pub(super) enum PairOnDevice {
    Numbers(StreamFlow),
    Fields(StreamFlow, ConfidenceChoice),
    Rounded(Box<LeavingFlow>),
}

/// Fields and shares in memory.
pub(super) struct InMemory {
    pub fields: Option<PhaseFields>,
    pub delivered: Option<DeliveredFields>,
    pub shares: KnownShares,
    pub warnings: Warnings,
}

impl std::fmt::Debug for FoundOnDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Phase(_) => "Phase",
            Self::Pair(_) => "Pair",
        })
    }
}

impl FoundOnDevice {
    /// What the engine of phases has, as it is to leave.
    pub fn of_phase(outputs: PhaseOutputs<'_>, leaving: Leaving) -> Result<Self> {
        let counts = outputs.count_known()?;
        let fields = match leaving {
            Leaving::Numbers => PhaseOnDevice::Numbers,
            Leaving::Fields { confidences, scales } => {
                PhaseOnDevice::Fields(outputs.take(confidences)?, scales)
            }
            Leaving::Rounded(delivery) => PhaseOnDevice::Rounded(outputs.deliver(&delivery)?),
        };
        Ok(Self::Phase(Box::new((counts, fields))))
    }

    /// What a method of pairs has, as it is to leave.
    pub fn of_pair(flow: StreamFlow, leaving: Leaving) -> Result<Self> {
        Ok(Self::Pair(Box::new(match leaving {
            Leaving::Numbers => PairOnDevice::Numbers(flow),
            Leaving::Fields { confidences, .. } => PairOnDevice::Fields(flow, confidences),
            Leaving::Rounded(delivery) => PairOnDevice::Rounded(Box::new(flow.deliver(&delivery)?)),
        })))
    }

    /// Waits for the device, and fetches what leaves it.
    pub fn fetch(self) -> Result<InMemory> {
        match self {
            Self::Phase(found) => {
                let (counts, fields) = *found;
                let warnings = Warnings::new();
                let mut here =
                    InMemory { fields: None, delivered: None, shares: KnownShares::default(), warnings };
                match fields {
                    PhaseOnDevice::Numbers => {}
                    PhaseOnDevice::Fields(taken, scales) => here.fields = Some(taken.fetch(scales)?),
                    PhaseOnDevice::Rounded(leaving) => here.delivered = Some(leaving.fetch()?),
                }
                if let Some(PhaseFields { flow: Some(flow), flow_confidence, .. }) = &mut here.fields {
                    doubt_phases(flow, flow_confidence.as_mut(), &mut here.warnings);
                }
                here.shares = counts.get()?;
                Ok(here)
            }
            Self::Pair(found) => found.fetch(),
        }
    }
}

impl PairOnDevice {
    fn fetch(self) -> Result<InMemory> {
        let shares = |share| KnownShares { flow: Some(share), ..KnownShares::default() };
        Ok(match self {
            Self::Numbers(flow) => {
                let (shares, warnings) = (shares(flow.known_share()?), Warnings::new());
                InMemory { fields: None, delivered: None, shares, warnings }
            }
            Self::Fields(flow, confidences) => {
                let StreamedFlow { flow, confidence, statistics, known_share } = flow.fetch(confidences)?;
                let fields = PhaseFields {
                    flow: Some(flow),
                    flow_confidence: confidence,
                    disparity_px: None,
                    disparity_confidence: None,
                    features: None,
                    coarser_features: Vec::new(),
                };
                let (shares, warnings) = (shares(known_share), statistics.warnings);
                InMemory { fields: Some(fields), delivered: None, shares, warnings }
            }
            Self::Rounded(flow) => {
                let DeliveredFlow { fields, statistics, known_share } = flow.fetch()?;
                let (shares, warnings) = (shares(known_share), statistics.warnings);
                InMemory { fields: None, delivered: Some(fields), shares, warnings }
            }
        })
    }
}
