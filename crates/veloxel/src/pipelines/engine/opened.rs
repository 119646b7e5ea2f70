//! The engine of a stream, opened with its first frame: of phases, or of any method that takes pairs.

use super::EngineRequest;
use super::found_on_device::FoundOnDevice;
use super::image::EngineImage;
use super::pairs::{PAIR, takes_pairs};
use super::rounding::{Leaving, Rounding};
use crate::pipelines::dense::MethodChoice;
use crate::pipelines::phase_method::stream_parameters;
use crate::pipelines::prepare::full_scale::full_scale;
use crate::{Result, Session};
use veloxel_core::parameters::{ParameterValues, Parameters};
use veloxel_core::{Grid, Volume};
use veloxel_motion::{AnyMethod, OpenedMethod, PairStream, PhaseEngine, PhaseOutputs};

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
    leaving: Leaving,
    rounding: Option<Rounding>,
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
    pub rounding: Option<Rounding>,
}

impl OpenEngine {
    pub fn of(first: &Volume<f32>, request: &EngineRequest, session: &Session) -> Result<Self> {
        let (grid, draft) = (first.grid().clone(), &request.method);
        let (leaving, rounding) = Leaving::of(request, &grid);
        if takes_pairs(draft) {
            let choice = MethodChoice::new(draft.clone());
            let (mut methods, mut parameters) = (Vec::new(), ParameterValues::default());
            for device in session.device()?.apart()? {
                let opened = choice.open(&grid, full_scale(first), PAIR, &device)?;
                let OpenedMethod { method: AnyMethod::Pair(method), parameters: own } = opened else {
                    unreachable!("a method that takes pairs should be opened as one")
                };
                methods.push(method);
                parameters = own;
            }
            let engine = AnyEngine::Pairs(Box::new(PairStream::side_by_side(methods)));
            return Ok(Self {
                engine,
                grid,
                parameters,
                needed: PAIR,
                white: full_scale(first),
                leaving,
                rounding,
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
            leaving,
            rounding,
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
                let found = FoundOnDevice::of_pair(flow, self.leaving)?;
                Ok(Some(FoundFor { frame: nth - 1, found, rounding: self.rounding.clone() }))
            }
            AnyEngine::Phase(engine) => {
                let outputs = engine.push(left.as_phase_image(), right.map(EngineImage::as_phase_image))?;
                outputs.map(|outputs| of_phase(outputs, self.leaving, &self.rounding)).transpose()
            }
        }
    }

    /// What was found for the next of the last frames, which have no flow; none once all are out.
    pub fn drain(&mut self) -> Result<Option<FoundFor>> {
        let AnyEngine::Phase(engine) = &mut self.engine else { return Ok(None) };
        engine.drain()?.map(|outputs| of_phase(outputs, self.leaving, &self.rounding)).transpose()
    }
}

fn of_phase(outputs: PhaseOutputs<'_>, leaving: Leaving, rounding: &Option<Rounding>) -> Result<FoundFor> {
    let frame = outputs.frame();
    Ok(FoundFor { frame, found: FoundOnDevice::of_phase(outputs, leaving)?, rounding: rounding.clone() })
}
