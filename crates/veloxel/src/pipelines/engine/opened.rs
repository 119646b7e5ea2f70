//! The engine of a stream, opened with its first frame: of phases, or of any method that takes pairs.

use super::EngineRequest;
use super::found_on_device::FoundOnDevice;
use super::image::EngineImage;
use super::pairs::{PAIR, takes_pairs};
use super::rounding::{Afterwards, Leaving, Rounding};
use super::unknown::{KnownFrames, Unknown};
use crate::pipelines::dense::MethodChoice;
use crate::pipelines::phase_method::stream_parameters;
use crate::pipelines::prepare::full_scale::full_scale;
use crate::{Result, Session};
use veloxel_core::parameters::{ParameterValues, Parameters};
use veloxel_core::{Grid, Volume};
use veloxel_motion::{AnyMethod, FrameWindow, OpenedMethod, PairStream, PhaseEngine, PhaseOutputs};

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
    handed_out: HandedOut,
    known: KnownFrames,
}

/// How results leave: of frames that have data everywhere, and of those that have holes.
#[derive(Debug)]
struct HandedOut {
    whole: (Leaving, Option<Rounding>),
    with_holes: (Leaving, Option<Rounding>),
}

impl HandedOut {
    fn of(request: &EngineRequest, grid: &Grid) -> Self {
        let [whole, with_holes] = [Afterwards::Stays, Afterwards::LosesHoles]
            .map(|afterwards| Leaving::of(request, grid, afterwards));
        Self { whole, with_holes }
    }

    fn with(&self, unknown: Option<&Unknown>) -> (Leaving, Option<Rounding>) {
        let (leaving, rounding) = if unknown.is_some() { &self.with_holes } else { &self.whole };
        (*leaving, rounding.clone())
    }
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
    pub unknown: Option<Unknown>,
}

impl OpenEngine {
    pub fn of(first: &Volume<f32>, request: &EngineRequest, session: &Session) -> Result<Self> {
        let (grid, draft) = (first.grid().clone(), &request.method);
        let handed_out = HandedOut::of(request, &grid);
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
                handed_out,
                known: KnownFrames::new(FrameWindow { frames: PAIR, centre: 0 }),
            });
        }
        request.check_grid(&grid)?;
        let [nx, ny, _] = grid.size();
        // A dark first frame says nothing of the others: less than 8 bits is not guessed.
        let white = full_scale(first).max(255.0);
        let parameters = stream_parameters(draft, white)?;
        let engine = PhaseEngine::new([nx, ny], request.wanted, parameters.clone(), session.device()?)?;
        let window = FrameWindow { frames: parameters.frames.count(), centre: parameters.frames.centre() };
        let engine = AnyEngine::Phase(Box::new(engine));
        Ok(Self {
            engine,
            grid,
            parameters: parameters.to_json(),
            needed: window.frames,
            white: parameters.full_scale,
            handed_out,
            known: KnownFrames::new(window),
        })
    }

    /// Takes the `nth` frame, counted from 0; what was found for it or for one before it.
    pub fn push(
        &mut self,
        nth: u64,
        left: &EngineImage,
        right: Option<&EngineImage>,
    ) -> Result<Option<FoundFor>> {
        let Self { engine, grid, known, handed_out, .. } = self;
        match engine {
            AnyEngine::Pairs(stream) => {
                grid.require_same(left.image.grid(), "the first frame and this one")?;
                known.push_next(left);
                let mask = known.in_pair(grid)?;
                let Some(flow) = stream.push_within(&left.image, mask.as_ref())? else { return Ok(None) };
                let unknown = known.of_pair();
                let (leaving, rounding) = handed_out.with(unknown.as_ref());
                let found = FoundOnDevice::of_pair(flow, leaving)?;
                Ok(Some(FoundFor { frame: nth - 1, found, rounding, unknown }))
            }
            AnyEngine::Phase(engine) => {
                known.push(engine.pushed(), left, right);
                let outputs = engine.push(left.as_phase_image(), right.map(EngineImage::as_phase_image))?;
                outputs.map(|outputs| of_phase(outputs, known, handed_out)).transpose()
            }
        }
    }

    /// What was found for the next of the last frames, which have no flow; none once all are out.
    pub fn drain(&mut self) -> Result<Option<FoundFor>> {
        let Self { engine: AnyEngine::Phase(engine), known, handed_out, .. } = self else { return Ok(None) };
        engine.drain()?.map(|outputs| of_phase(outputs, known, handed_out)).transpose()
    }
}

fn of_phase(outputs: PhaseOutputs<'_>, known: &KnownFrames, handed_out: &HandedOut) -> Result<FoundFor> {
    let frame = outputs.frame();
    let unknown = known.of_window(frame);
    let (leaving, rounding) = handed_out.with(unknown.as_ref());
    Ok(FoundFor { frame, found: FoundOnDevice::of_phase(outputs, leaving)?, rounding, unknown })
}
