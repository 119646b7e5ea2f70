//! Each dense method as one call: a pair, parameters and a session in, a flow out. The session keeps the opened method, so that
//! many pairs of one size and one set of parameters cost little more than a method that is opened once.
//!
//! The images are taken as they are: [`pipelines::pair`](crate::pipelines::pair()) looks at them first, and knows more starts.

use crate::session::MethodKey;
use crate::{Result, Session};
use std::any::Any;
use veloxel_core::parameters::{ParameterValues, Parameters};
use veloxel_core::{CoreError, Grid, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{
    AnyMethod, BlockMatching, BlockMatchingParams, Clg, ClgParams, DenseDraft, DenseFlow, FiniteElements,
    FiniteElementsParams, FlowExtras, LucasKanade, LucasKanadeParams, MotionError, OpenedMethod, Pair,
    PairMethod, PhaseFlow, PhaseParameters,
};

/// Combined local-global flow of a pair.
///
/// ```
/// use veloxel::{ClgParams, ClgPreset, Device, Grid, Pair, Session, Volume, clg};
///
/// let session = Session::on(Device::cpu(1)?);
/// let image = Volume::from_fn(Grid::image(32, 32)?, |[x, y, _]| (0.4 * x as f32).sin() + 0.1 * y as f32);
/// let params = ClgParams::preset(ClgPreset::Fast, image.grid().dimension());
/// let found = clg(&Pair::new(&image, &image), &params, &session)?;
/// assert_eq!(found.flow.vector_vox(0), [0.0; 3]);
/// # Ok::<(), veloxel::VeloxelError>(())
/// ```
///
/// # Errors
/// [`VeloxelError::Motion`](crate::VeloxelError::Motion) as [`PairMethod::run`]; [`VeloxelError::Parameter`](crate::VeloxelError::Parameter)
/// for a parameter out of its range; [`VeloxelError::Compute`](crate::VeloxelError::Compute) for a device that is not there.
pub fn clg(pair: &Pair<'_>, params: &ClgParams, session: &Session) -> Result<DenseFlow> {
    of_pair(pair, params, session, Clg::new)
}

/// Pyramidal iterative Lucas-Kanade flow of a pair: every voxel from its own window.
///
/// # Errors
/// As [`clg`].
pub fn lucas_kanade(pair: &Pair<'_>, params: &LucasKanadeParams, session: &Session) -> Result<DenseFlow> {
    of_pair(pair, params, session, LucasKanade::new)
}

/// Pyramidal block matching of a pair: the window of one image that is most like that of the other.
///
/// # Errors
/// As [`clg`].
pub fn block_matching(pair: &Pair<'_>, params: &BlockMatchingParams, session: &Session) -> Result<DenseFlow> {
    of_pair(pair, params, session, BlockMatching::new)
}

/// Finite-element registration of a pair: a smooth field of cubic Bézier elements.
///
/// # Errors
/// As [`clg`].
pub fn finite_elements(
    pair: &Pair<'_>,
    params: &FiniteElementsParams,
    session: &Session,
) -> Result<DenseFlow> {
    of_pair(pair, params, session, FiniteElements::new)
}

/// Phase-based flow of the centre one of as many frames as the parameters say, towards the next one.
///
/// # Errors
/// As [`clg`]; [`VeloxelError::Motion`](crate::VeloxelError::Motion) as [`WindowMethod::run`](veloxel_motion::WindowMethod::run).
pub fn phase_flow(frames: &[&Volume<f32>], params: &PhaseParameters, session: &Session) -> Result<DenseFlow> {
    let grid = frames.first().ok_or(CoreError::EmptySequence)?.grid();
    let device = session.device()?;
    let key = key(params, grid, frames.len())?;
    let open = || {
        let method = AnyMethod::Window(Box::new(PhaseFlow::new(grid, params, device)?));
        Ok::<_, MotionError>(OpenedMethod { method, parameters: ParameterValues::new() })
    };
    let found = session.with_method(&key, open, |opened| match &mut opened.method {
        AnyMethod::Window(method) => method.run(frames, None, FlowExtras::default()),
        AnyMethod::Pair(_) => unreachable!("a method should be kept under its own key"),
    });
    Ok(found?)
}

fn of_pair<P: Parameters, M: PairMethod + Any>(
    pair: &Pair<'_>,
    params: &P,
    session: &Session,
    new: fn(&Grid, P, &Device) -> Result<M, MotionError>,
) -> Result<DenseFlow> {
    let (grid, device) = (pair.fixed.grid(), session.device()?);
    let key = key(params, grid, 2)?;
    let open = || {
        let method = AnyMethod::Pair(Box::new(new(grid, params.clone(), device)?));
        Ok::<_, MotionError>(OpenedMethod { method, parameters: ParameterValues::new() })
    };
    let found = session.with_method(&key, open, |opened| match &mut opened.method {
        AnyMethod::Pair(method) => method.run(pair),
        AnyMethod::Window(_) => unreachable!("a method should be kept under its own key"),
    });
    Ok(found?)
}

/// What a session keeps a method with all its parameters under.
fn key<P: Parameters>(params: &P, grid: &Grid, frames: usize) -> Result<MethodKey> {
    let mut draft = DenseDraft::named(P::METHOD)?;
    for (name, value) in params.to_json() {
        draft.set(&name, value, "the parameters")?;
    }
    let decorations = vec!["all parameters given"];
    Ok(MethodKey { draft, grid: grid.clone(), frames, white: 0.0, decorations })
}
