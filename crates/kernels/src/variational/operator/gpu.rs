//! The operator's texts, over rows of whole packs where springs are the same everywhere or voxel by voxel; launches of sweeps.

use super::bindings::{ProductBindings, RelaxBindings, ResidualBindings, TargetBindings, TileBindings};
use super::view::{Pass, View};
use super::{Relax, gauss_seidel_fused};
use crate::kernel::{Launcher, PreparedLaunch};
use crate::shared::{LINE, PACK1, PACK4, SIDES1, SIDES4, SUM, TILE_SUM};
use crate::variational::multigrid_transfer::CELLS;
use veloxel_core::Axes;
use veloxel_gpu::{ComputeError, Later, ShaderSource, cover, tile};

const SOLVE: &str = include_str!("shaders/solve.wgsl");
const CONSTANTS: &str = include_str!("shaders/constants.wgsl");
const STENCIL: &str = include_str!("shaders/stencil.wgsl");
const GENERAL: &str = include_str!("shaders/general.wgsl");
const UNIFORM: &str = include_str!("shaders/uniform.wgsl");

/// A text over single voxels in general, or over rows of whole packs; its own part comes last.
macro_rules! over {
    (voxels, $($own:tt)*) => { over! { PACK1, SIDES1, GENERAL, $($own)* } };
    (rows, $($own:tt)*) => { over! { PACK4, SIDES4, UNIFORM, $($own)* } };
    (
        $pack:ident, $sides:ident, $springs:ident,
        $name:literal, $bindings:ident, $text:literal $(, $shared:ident)*
    ) => {
        crate::kernel::wgsl!(
            $name, $bindings, [$pack, $sides, $($shared,)* SOLVE, CONSTANTS, STENCIL, $springs], $text
        )
    };
}

static RELAX_GENERAL: ShaderSource =
    over!(voxels, "relax, general", RelaxBindings, "shaders/relax_general.wgsl");
static RELAX_TINY: ShaderSource = over!(voxels, "relax, tiny", RelaxBindings, "shaders/relax_tiny.wgsl");
static RELAX_TILE: ShaderSource = over!(voxels, "relax, tile", TileBindings, "shaders/relax_tile.wgsl");
static RELAX_ROWS: ShaderSource = over!(rows, "relax, rows", RelaxBindings, "shaders/relax_rows.wgsl");
pub(super) static RESIDUAL_GENERAL: ShaderSource =
    over!(voxels, "residual, general", ResidualBindings, "shaders/residual_general.wgsl", LINE, SUM, CELLS);
pub(super) static RESIDUAL_ROWS: ShaderSource =
    over!(rows, "residual, rows", ResidualBindings, "shaders/residual_rows.wgsl", TILE_SUM);
pub(super) static RESTRICT_ROWS: ShaderSource = over!(
    rows,
    "restriction of the residual, rows",
    ResidualBindings,
    "shaders/restrict_rows.wgsl",
    TILE_SUM,
    CELLS
);
pub(super) static PRODUCT_GENERAL: ShaderSource =
    over!(voxels, "product, general", ProductBindings, "shaders/product_general.wgsl", LINE, SUM);
pub(super) static PRODUCT_ROWS: ShaderSource =
    over!(rows, "product, rows", ProductBindings, "shaders/product_rows.wgsl", TILE_SUM);
pub(super) static VOLUME_TARGET: ShaderSource =
    crate::kernel::wgsl!("volume target", TargetBindings, [LINE], "shaders/volume_target.wgsl");

/// Number of packs of four that a workgroup of whole rows can hold on every device.
const MOST_PACKS: usize = 256;
/// Number of voxels up to which one workgroup holds the grid in its own memory and makes all sweeps.
const TINY: usize = 768;
/// Number of voxels up to which, with a volume term, one workgroup makes the sweeps: launches would cost more.
const SMALL: usize = 2048;

/// Number of sweeps that a workgroup makes of a picture's tile at once, and the tile's width and height.
const SWEEPS_OF_TILE: usize = 4;
const TILE: [usize; 2] = [32, 16];

/// The order of the voxels, numbered as in `relax_general.wgsl`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Rows by the parity of y + z, and in them voxels by the parity of x.
    Rows = 0,
    /// Voxels by the parity of x + y + z.
    Chequer = 1,
    /// Rows by the parity of y + z, and in them voxels by the parity of x + z.
    Quarter = 2,
}

pub(super) fn relax(gpu: &Launcher<'_>, args: &mut Relax<'_>) -> Result<(), ComputeError> {
    let operator = args.operator;
    let order = match (operator.volume_weight, args.omega > 1.0) {
        (Some(_), _) => Order::Quarter,
        (None, true) => Order::Chequer,
        (None, false) => Order::Rows,
    };
    let voxels = operator.shape.len();
    if order != Order::Quarter && voxels <= TINY {
        return relax_by_one_group(gpu, args, &RELAX_TINY, "relax_tiny", order);
    }
    if order == Order::Quarter && voxels <= SMALL {
        return relax_by_one_group(gpu, args, &RELAX_GENERAL, "relax_small", order);
    }
    if order == Order::Chequer && operator.shape.components() == 2 && args.sweeps > 1 {
        return relax_tiles(gpu, args);
    }
    let view = View::of(operator);
    let by_rows = order == Order::Rows && view.rows && view.packs()[0] <= MOST_PACKS;
    for _ in 0..args.sweeps {
        if by_rows && gauss_seidel_fused::pays(gpu, &view) {
            gauss_seidel_fused::sweep(gpu, &view, args)?;
        } else if by_rows {
            relax_rows(gpu, &view, args)?;
        } else {
            relax_colours(gpu, args, order)?;
        }
    }
    Ok(())
}

fn in_place<'a>(view: &View<'a>, args: &'a Relax<'_>, pass: &Pass) -> RelaxBindings<'a> {
    let (block, coefficients) = (view.block(pass), view.coefficients());
    RelaxBindings { block, x: args.x, rhs: args.rhs, coefficients }
}

fn relax_by_one_group(
    gpu: &Launcher<'_>,
    args: &Relax<'_>,
    text: &'static ShaderSource,
    entry: &'static str,
    order: Order,
) -> Result<(), ComputeError> {
    let pass = Pass { omega: args.omega, sweeps: args.sweeps, ..Pass::default() };
    let view = View::general(args.operator);
    view.launch(gpu, text, entry)
        .constant("ORDER", order as usize)
        .bind(&in_place(&view, args, &pass))
        .run([1, 1, 1])
}

/// Sweeps a picture in chequered order, several sweeps a launch.
fn relax_tiles(gpu: &Launcher<'_>, args: &mut Relax<'_>) -> Result<(), ComputeError> {
    let view = View::general(args.operator);
    let [nx, ny, _] = view.packs();
    let mut out = gpu.device().scratch_field(2, args.operator.shape.len())?;
    let mut left = args.sweeps;
    while left > 0 {
        let sweeps = left.min(SWEEPS_OF_TILE);
        let pass = Pass { omega: args.omega, sweeps, ..Pass::default() };
        let (block, coefficients) = (view.block(&pass), view.coefficients());
        view.launch(gpu, &RELAX_TILE, "relax_tile")
            .bind(&TileBindings { block, x: args.x, rhs: args.rhs, coefficients, out: &out })
            .run([cover(nx, TILE[0]), cover(ny, TILE[1]), 1])?;
        args.x.swap_with_slice(&mut out);
        left -= sweeps;
    }
    Ok(())
}

fn relax_rows(gpu: &Launcher<'_>, view: &View<'_>, args: &Relax<'_>) -> Result<(), ComputeError> {
    let [packs, ny, nz] = view.packs();
    let height = (256 / packs).clamp(1, ny.div_ceil(2));
    (0..2).try_for_each(|rows| {
        let pass = Pass { omega: args.omega, rows, ..Pass::default() };
        view.launch(gpu, &RELAX_ROWS, "relax_rows")
            .constants([("WIDTH", packs), ("HEIGHT", height)])
            // Each of several GPUs has the planes that lie on it.
            .constant("BACKWARDS", gpu.device().gpus() == 1)
            .bind(&in_place(view, args, &pass))
            .run([1, cover(ny.div_ceil(2), height), nz as u32])
    })
}

fn relax_colours(gpu: &Launcher<'_>, args: &Relax<'_>, order: Order) -> Result<(), ComputeError> {
    let view = View::general(args.operator);
    let [nx, ny, nz] = view.packs();
    let (passes, rows): (&[[usize; 2]], _) = match order {
        Order::Chequer => (&[[0, 0], [0, 1]], ny),
        Order::Rows | Order::Quarter => (&[[0, 0], [0, 1], [1, 0], [1, 1]], ny.div_ceil(2)),
    };
    let groups = [cover(nx.div_ceil(2), 32), cover(rows, 8), nz as u32];
    passes.iter().try_for_each(|&[rows, colour]| {
        let pass = Pass { omega: args.omega, rows, colour, ..Pass::default() };
        view.launch(gpu, &RELAX_GENERAL, "relax_colour")
            .constant("ORDER", order as usize)
            .bind(&in_place(&view, args, &pass))
            .run(groups)
    })
}

/// A workgroup tile over `size` packs.
pub(super) fn tiled<'a>(
    launch: PreparedLaunch<'a>,
    [width, height, depth]: Axes<usize>,
) -> (PreparedLaunch<'a>, [u32; 3]) {
    let [w, h] = tile(width);
    let groups = [cover(width, w), cover(height, h), depth as u32];
    (launch.constants([("WIDTH", w), ("HEIGHT", h)]), groups)
}

/// Launches a text that leaves a sum for each workgroup in its last binding: tiles over `size` packs, or a line over as many
/// voxels.
pub(super) fn sum(
    launch: PreparedLaunch<'_>,
    view: &View<'_>,
    size: Axes<usize>,
) -> Result<Later<f64>, ComputeError> {
    let total = |[sum]: [f64; 1]| sum;
    if view.rows {
        let (launch, groups) = tiled(launch, size);
        launch.sums_of_groups(groups, total)
    } else {
        launch.sums(size.iter().product(), total)
    }
}
