//! The flow between two images, left in the memory of the device; of images that lie there already, nothing but a few numbers and
//! some samples goes over the bus.

use super::look::{Glance, Samples, glance};
use super::request::ResidentRequest;
use super::{ResidentImage, copied, in_memory, mask_in_memory, sent, through_the_host};
use crate::pipelines::account::Account;
use crate::pipelines::dense::{Opening, PairResult, PairWanted, Wanted};
use crate::pipelines::pair::{PairRequest, pair};
use crate::pipelines::prepare::full_scale::full_scale;
use crate::pipelines::prepare::grids::allow_two_grids;
use crate::pipelines::prepare::passes::Passes;
use crate::{Result, Session};
use veloxel_core::{Grid, LinearTransform, Stage, Warnings};
use veloxel_gpu::Traffic;
use veloxel_motion::{AnyMethod, Frame, MotionError, OnDevice, PairMethod, ResidentMask, ResidentRegion};

/// A pair's flow that was left on the device.
#[derive(Debug)]
pub struct ResidentPair {
    /// The flow, its confidence, the flow back of methods that find both, and the diagnostics.
    pub found: OnDevice,
    /// The linear map that the run began from, as [`PairResult::transform`].
    pub transform: Option<LinearTransform>,
    /// What went over the bus.
    pub traffic: Traffic,
    /// Device, times, warnings and parameters.
    pub account: Account,
}

/// [`pair`] for images that lie in the memory of the device, where the flow and its confidence stay: the same bits. Nothing is
/// measured, and nothing is cut into tiles.
///
/// Images that [`pair`] would change before a method sees them (holes, padding, other tones, another depth of bits) are prepared in
/// the memory of the host, which a warning says.
///
/// ```
/// use veloxel::pipelines::{MethodChoice, ResidentImage, ResidentRequest, resident_pair};
/// use veloxel::{Device, Grid, Session};
///
/// let session = Session::on(Device::cpu(1)?);
/// let grid = Grid::image(48, 40)?;
/// let waves = |shift: f32| -> Result<ResidentImage, veloxel::VeloxelError> {
///     let sample = |i: usize| (0.3 * ((i % 48) as f32 - shift)).sin() + (0.2 * (i / 48) as f32).cos();
///     let samples = session.device()?.upload((0..grid.len()).map(sample).collect())?;
///     Ok(ResidentImage { grid: grid.clone(), samples })
/// };
/// let method = MethodChoice::default();
/// let found = resident_pair(ResidentRequest::new(waves(0.0)?, waves(0.5)?, &method), &session)?.found;
/// let flow = found.flow.download(session.device()?)?;
/// assert!((flow.vector_vox(20 * 48 + 24)[0] - 0.5).abs() < 0.1);
/// # Ok::<(), veloxel::VeloxelError>(())
/// ```
///
/// # Errors
/// As [`pair`]; [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for masks on another grid.
pub fn resident_pair(request: ResidentRequest<'_>, session: &Session) -> Result<ResidentPair> {
    session.enter(Stage::Solve)?;
    let mut account = Account::begin(session)?;
    let device = session.device()?;
    let before = device.traffic();
    request.check()?;
    let why = match account.stages.time("look", || glance(&request, device))? {
        Glance::ToPrepare(why) => why,
        Glance::AsTheyAre { white, left } => {
            match as_they_are(&request, white, &left, session, &mut account)? {
                Ok(found) => return Ok(found.after(device.traffic().since(before), account)),
                Err(why) => why,
            }
        }
    };
    through_the_host(&why, &mut account.warnings);
    let found = by_host(request, session, &mut account)?;
    Ok(found.after(device.traffic().since(before), account))
}

/// What was found, and the linear map that the run began from.
struct Found {
    on_device: OnDevice,
    transform: Option<LinearTransform>,
}

impl Found {
    fn after(self, traffic: Traffic, account: Account) -> ResidentPair {
        let Self { on_device: found, transform } = self;
        ResidentPair { found, transform, traffic, account }
    }
}

/// Estimates the flow of images that seem to need no preparation, while their samples are looked at; the reason if they do need it.
fn as_they_are(
    request: &ResidentRequest<'_>,
    white: f32,
    left: &Samples,
    session: &Session,
    account: &mut Account,
) -> Result<std::result::Result<Found, String>> {
    let device = session.device()?;
    let grids = [&request.fixed.grid, &request.moving.grid];
    let opening = Opening { method: request.method, start: request.start.kind() };
    let start = request.start.of_method(grids[0])?;
    let frame =
        |image: &ResidentImage| Frame::of_buffer(device, &image.grid, copied(device, &image.samples)?);
    let images = [frame(&request.fixed)?, frame(&request.moving)?];
    let weights = |image: &Option<ResidentImage>| -> Result<Option<ResidentMask>> {
        let of = |image: &ResidentImage| {
            Ok(ResidentMask { grid: image.grid.clone(), weight: copied(device, &image.samples)? })
        };
        image.as_ref().map(of).transpose()
    };
    let region = ResidentRegion {
        mask: weights(&request.mask)?,
        volume_mask: weights(&request.volume_mask)?,
        weight: weights(&request.weight)?,
    };
    let (mut told, mut of_grids) = (Warnings::new(), Warnings::new());
    allow_two_grids(grids[0], grids[1], request.strictness, &mut of_grids)?;
    // On a processor the threads are the solution's.
    let passes = if device.is_gpu() { Passes::by(session) } else { Passes::ALONE };
    let (unlike, found) = std::thread::scope(|scope| {
        let looking = scope.spawn(|| left.look(passes, &mut told));
        let solve = |method: &mut dyn PairMethod| method.run_resident(images, &region, start);
        let found = solved(&opening, grids[0], white, session, account, solve);
        (looking.join().expect("a look at samples should not panic"), found)
    });
    if let Some(why) = unlike {
        return Ok(Err(why));
    }
    told.extend(of_grids);
    account.warnings.extend(told);
    let found = found?;
    let transform = request.start.transform(found.linear_start, grids).unwrap_or_default();
    Ok(Ok(Found { on_device: found, transform }))
}

/// Opens a method of pairs, or takes the one that is open, and lets it work.
fn solved(
    opening: &Opening<'_>,
    grid: &Grid,
    white: f32,
    session: &Session,
    account: &mut Account,
    solve: impl FnOnce(&mut dyn PairMethod) -> Result<OnDevice, MotionError>,
) -> Result<OnDevice> {
    let device = session.device()?;
    session.with_method(
        &opening.key(grid, white),
        || opening.open(grid, white, device),
        |opened| {
            account.parameters = opened.parameters.clone();
            account.errors = opening.method.error_curves(grid.dimension(), opening.start);
            let AnyMethod::Pair(method) = &mut opened.method else {
                return Err(opening.takes_windows().into());
            };
            Ok::<_, crate::VeloxelError>(account.stages.time("solve", || solve(&mut **method))?)
        },
    )
}

/// Takes the images to the host, and what was found back to the device.
fn by_host(request: ResidentRequest<'_>, session: &Session, account: &mut Account) -> Result<Found> {
    let device = session.device()?;
    let mask = |image: Option<ResidentImage>| mask_in_memory(device, image);
    let (fixed, moving) = (in_memory(device, request.fixed)?, in_memory(device, request.moving)?);
    let (masks, moving_mask) =
        ([mask(request.mask)?, mask(request.volume_mask)?], mask(request.moving_mask)?);
    let weight = request.weight.map(|weight| in_memory(device, weight)).transpose()?;
    let inverse = Wanted::when(request.method.draft.method().uses.finds_inverse);
    let PairResult { found, transform, account: own, .. } = pair(
        &PairRequest {
            names: request.names,
            mask: masks[0].as_ref(),
            volume_mask: masks[1].as_ref(),
            moving_mask: moving_mask.as_ref(),
            weight: weight.as_ref(),
            start: request.start,
            strictness: request.strictness,
            wanted: PairWanted { inverse, ..PairWanted::default() },
            ..PairRequest::new(&fixed, &moving, request.method)
        },
        session,
    )?;
    account.absorb(own);
    Ok(Found { on_device: sent(device, found)?, transform })
}

/// [`pair`], but that the flow and its confidence stay in the memory of the device. Nothing is measured, and nothing is cut
/// into tiles.
///
/// # Errors
/// As [`pair`].
pub fn pair_on_device(request: &PairRequest<'_>, session: &Session) -> Result<ResidentPair> {
    session.enter(Stage::Solve)?;
    let mut account = Account::begin(session)?;
    let before = session.device()?.traffic();
    let prepared = request.prepared(session, &mut account)?;
    let (grid, white) = (prepared.fixed.grid(), full_scale(&prepared.fixed));
    let pair = request.pair(&prepared)?;
    let solve = |method: &mut dyn PairMethod| method.run_on_device(&pair);
    let found = solved(&request.opening(), grid, white, session, &mut account, solve)?;
    let grids = [grid, prepared.moving.grid()];
    let transform = request.start.transform(found.linear_start, grids).unwrap_or_default();
    let traffic = session.device()?.traffic().since(before);
    Ok(ResidentPair { found, transform, traffic, account })
}
