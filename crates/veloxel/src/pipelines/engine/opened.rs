//! The engine of a stream, opened with its first frame: of phases, or of any method that takes pairs.

use super::EngineRequest;
use super::found::{FoundByPhase, FoundOnDevice};
use super::image::EngineImage;
use super::pairs::{PAIR, takes_pairs};
use crate::pipelines::dense::MethodChoice;
use crate::pipelines::phase_method::stream_parameters;
use crate::pipelines::prepare::full_scale::full_scale;
use crate::{Result, Session};
use veloxel_core::parameters::{ParameterValues, Parameters};
use veloxel_core::{Grid, Volume};
use veloxel_motion::{
    AnyMethod, ConfidenceChoice, FeatureScales, OpenedMethod, PairStream, PhaseEngine, PhaseOutputs,
};

/// An engine for frames of one grid, and the parameters in force.
#[derive(Debug)]
pub(super) struct OpenEngine {
    engine: AnyEngine,
    pub grid: Grid,
    pub parameters: ParameterValues,
    /// Frames that a flow is found from.
    pub needed: usize,
    /// What white is in the frames.
    pub white: f32,
    fields: Option<ConfidenceChoice>,
    scales: FeatureScales,
}

#[derive(Debug)]
enum AnyEngine {
    Phase(Box<PhaseEngine>),
    Pairs(Box<PairStream>),
}

/// What was found for a frame, and which one it is: 0 is the first that was pushed.
pub(super) struct FoundFor {
    pub frame: u64,
    pub found: FoundOnDevice,
}

impl OpenEngine {
    pub fn of(first: &Volume<f32>, request: &EngineRequest, session: &Session) -> Result<Self> {
        let (grid, draft) = (first.grid().clone(), &request.method);
        let EngineRequest { fields, scales, .. } = *request;
        if takes_pairs(draft) {
            let opened =
                MethodChoice::new(draft.clone()).open(&grid, full_scale(first), PAIR, session.device()?)?;
            let OpenedMethod { method: AnyMethod::Pair(method), parameters } = opened else {
                unreachable!("a method that takes pairs should be opened as one")
            };
            let engine = AnyEngine::Pairs(Box::new(PairStream::new(method)));
            return Ok(Self {
                engine,
                grid,
                parameters,
                needed: PAIR,
                white: full_scale(first),
                fields,
                scales,
            });
        }
        request.check_grid(&grid)?;
        let [nx, ny, _] = grid.size();
        // A dark first frame says nothing of the others: less than 8 bits is not guessed.
        let white = full_scale(first).max(255.0);
        let parameters = stream_parameters(draft, white)?;
        let engine = PhaseEngine::new([nx, ny], request.wanted, parameters.clone(), session.device()?)?;
        let (engine, needed) = (AnyEngine::Phase(Box::new(engine)), parameters.frames.count());
        Ok(Self {
            engine,
            grid,
            parameters: parameters.to_json(),
            needed,
            white: parameters.full_scale,
            fields,
            scales,
        })
    }

    /// Takes the `nth` frame, counted from 0; what was found for it or for one before it.
    pub fn push(
        &mut self,
        nth: u64,
        left: &EngineImage,
        right: Option<&EngineImage>,
    ) -> Result<Option<FoundFor>> {
        match &mut self.engine {
            AnyEngine::Pairs(stream) => {
                let Some(flow) = stream.push(&left.image)? else { return Ok(None) };
                let found = FoundOnDevice::Pair { flow: Box::new(flow), fields: self.fields };
                Ok(Some(FoundFor { frame: nth - 1, found }))
            }
            AnyEngine::Phase(engine) => {
                let outputs = engine.push(left.as_phase_image(), right.map(EngineImage::as_phase_image))?;
                outputs.map(|outputs| of_phase(outputs, self.fields, self.scales)).transpose()
            }
        }
    }

    /// What was found for the next of the last frames, which have no flow; none once all are out.
    pub fn drain(&mut self) -> Result<Option<FoundFor>> {
        let AnyEngine::Phase(engine) = &mut self.engine else { return Ok(None) };
        engine.drain()?.map(|outputs| of_phase(outputs, self.fields, self.scales)).transpose()
    }
}

fn of_phase(
    outputs: PhaseOutputs<'_>,
    fields: Option<ConfidenceChoice>,
    scales: FeatureScales,
) -> Result<FoundFor> {
    let (frame, counts) = (outputs.frame(), outputs.count_known()?);
    let fields = fields.map(|confidences| outputs.take(confidences)).transpose()?;
    let found = FoundByPhase { counts, fields, scales };
    Ok(FoundFor { frame, found: FoundOnDevice::Phase(Box::new(found)) })
}
