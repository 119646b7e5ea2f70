//! Launches of the operator's texts: the same springs everywhere and rows of whole packs, or the general case.

use super::{Operator, gauss_seidel_fused};
use crate::shared::{LINE, PACK1, PACK4, SUM, TILE_SUM};
use veloxel_core::Shape;
use veloxel_gpu::{
    Bind, Buffer, ComputeError, Device, Gpu, Later, Launch, ShaderSource, Uniform, cover, inputs, line,
    outputs, partials, sum_rows, tile,
};

const BLOCK: &str = include_str!("block.wgsl");
const INVERSE: &str = include_str!("inverse.wgsl");
const GENERAL: &str = include_str!("general.wgsl");
const UNIFORM: &str = include_str!("uniform.wgsl");
const IN_PLACE: &str = include_str!("bind_relax.wgsl");
const PRODUCT: &str = include_str!("bind_product.wgsl");
const RESIDUAL: &str = include_str!("bind_residual.wgsl");

static RELAX_GENERAL: ShaderSource = ShaderSource::wgsl(
    "relax, general",
    &[PACK1, BLOCK, IN_PLACE, INVERSE, GENERAL, include_str!("relax_general.wgsl")],
);
static RELAX_TINY: ShaderSource = ShaderSource::wgsl(
    "relax, tiny",
    &[PACK1, BLOCK, IN_PLACE, INVERSE, GENERAL, include_str!("relax_tiny.wgsl")],
);
static RELAX_ROWS: ShaderSource = ShaderSource::wgsl(
    "relax, rows",
    &[PACK4, BLOCK, IN_PLACE, INVERSE, UNIFORM, include_str!("relax_rows.wgsl")],
);
static RESIDUAL_GENERAL: ShaderSource = ShaderSource::wgsl(
    "residual, general",
    &[PACK1, LINE, SUM, BLOCK, RESIDUAL, INVERSE, GENERAL, include_str!("residual_general.wgsl")],
);
static RESIDUAL_ROWS: ShaderSource = ShaderSource::wgsl(
    "residual, rows",
    &[PACK4, TILE_SUM, BLOCK, RESIDUAL, INVERSE, UNIFORM, include_str!("residual_rows.wgsl")],
);
static RESTRICT_ROWS: ShaderSource = ShaderSource::wgsl(
    "restriction of the residual, rows",
    &[PACK4, TILE_SUM, BLOCK, RESIDUAL, INVERSE, UNIFORM, include_str!("restrict_rows.wgsl")],
);
static PRODUCT_GENERAL: ShaderSource = ShaderSource::wgsl(
    "product, general",
    &[PACK1, LINE, SUM, BLOCK, PRODUCT, INVERSE, GENERAL, include_str!("product_general.wgsl")],
);
static PRODUCT_ROWS: ShaderSource = ShaderSource::wgsl(
    "product, rows",
    &[PACK4, TILE_SUM, BLOCK, PRODUCT, INVERSE, UNIFORM, include_str!("product_rows.wgsl")],
);
static VOLUME_TARGET: ShaderSource =
    ShaderSource::wgsl("volume target", &[LINE, include_str!("volume_target.wgsl")]);

/// Packs of four that a workgroup of whole rows can hold on every device.
pub(super) const MOST_PACKS: usize = 256;
/// Grids up to this size are swept by one workgroup that holds them in its own memory, as often as asked.
const TINY: usize = 768;
/// With a volume term grids up to this size are swept by one workgroup too: launches would cost more.
const SMALL: usize = 2048;

/// How a launch sees the operator.
pub(super) struct View<'a> {
    pub operator: &'a Operator<'a>,
    /// Four voxels at a time, with springs that are the same everywhere.
    pub rows: bool,
}

impl<'a> View<'a> {
    pub fn of(operator: &'a Operator<'a>) -> Self {
        let plain = operator.diffusivity.is_none() && operator.volume_weight.is_none();
        Self { operator, rows: plain && operator.shape.size[0].is_multiple_of(4) }
    }
    fn general(operator: &'a Operator<'a>) -> Self {
        Self { operator, rows: false }
    }
    /// Packs along x, voxels along y and z.
    pub fn packs(&self) -> [usize; 3] {
        let [nx, ny, nz] = self.operator.shape.size;
        [if self.rows { nx / 4 } else { nx }, ny, nz]
    }
    /// α/s² along x, y and z.
    pub fn springs(&self) -> [f32; 3] {
        self.operator.spacing_edges.map(|s| self.operator.alpha / (s * s))
    }
    fn uniform(&self, coarse: Shape, step: &Step) -> Uniform {
        let s = self.operator.spacing_edges;
        Uniform::new()
            .u4(self.packs())
            .u4(coarse.size)
            .f4(self.springs())
            .f4(s.map(|s| 1.0 / s))
            .f(step.omega)
            .u(step.rows)
            .u(step.colour)
            .u(step.sweeps)
    }
    /// Bindings 1 to 6, the tensor's, and in the general case ψ and w.
    fn buffers(&self, x: [Bind<'a>; 3], rhs: [Bind<'a>; 3]) -> Vec<Bind<'a>> {
        let operator = self.operator;
        let tensor = inputs(operator.tensor.unwrap_or_default(), 6);
        let scalars = [operator.diffusivity, operator.volume_weight].map(Bind::optional);
        x.into_iter().chain(rhs).chain(tensor).chain(scalars).collect()
    }
    fn constants(&self) -> Vec<(&'static str, f64)> {
        let flag = |set: bool| f64::from(u8::from(set));
        let operator = self.operator;
        let mut constants = vec![
            ("COMPONENTS", operator.shape.components() as f64),
            ("TENSOR", flag(operator.tensor.is_some())),
        ];
        if !self.rows {
            constants.push(("DIFFUSIVITY", flag(operator.diffusivity.is_some())));
            constants.push(("VOLUME", flag(operator.volume_weight.is_some())));
        }
        constants
    }
}

/// What one pass is told beside the operator.
#[derive(Default)]
struct Step {
    omega: f32,
    rows: usize,
    colour: usize,
    sweeps: usize,
}

pub(super) fn three<'a>(bound: impl Iterator<Item = Bind<'a>>) -> [Bind<'a>; 3] {
    let mut out = [Bind::Absent; 3];
    out.iter_mut().zip(bound).for_each(|(o, b)| *o = b);
    out
}

/// The order of the voxels, as `relax_general.wgsl` numbers it.
const BY_ROWS: usize = 0;
const CHEQUER: usize = 1;
const QUARTER: usize = 2;

pub(super) fn relax(
    (device, gpu): (&Device, &dyn Gpu),
    operator: &Operator<'_>,
    (x, rhs): (&[Buffer], &[Buffer]),
    (omega, sweeps): (f32, usize),
) -> Result<(), ComputeError> {
    let order = match (operator.volume_weight, omega > 1.0) {
        (Some(_), _) => QUARTER,
        (None, true) => CHEQUER,
        (None, false) => BY_ROWS,
    };
    let voxels = operator.shape.len();
    if order != QUARTER && voxels <= TINY {
        return relax_by_one_group(
            gpu,
            (&RELAX_TINY, "relax_tiny"),
            operator,
            (x, rhs),
            (omega, sweeps, order),
        );
    }
    if order == QUARTER && voxels <= SMALL {
        let text = (&RELAX_GENERAL, "relax_small");
        return relax_by_one_group(gpu, text, operator, (x, rhs), (omega, sweeps, order));
    }
    let fast = View::of(operator);
    if order == BY_ROWS && gauss_seidel_fused::pays(gpu, &fast) {
        return (0..sweeps)
            .try_for_each(|_| gauss_seidel_fused::sweep((device, gpu), &fast, (x, rhs), omega));
    }
    for _ in 0..sweeps {
        if order == BY_ROWS && fast.rows && fast.packs()[0] <= MOST_PACKS {
            (0..2).try_for_each(|rows| relax_rows(gpu, &fast, (x, rhs), (omega, rows)))?;
        } else {
            relax_colours(gpu, operator, (x, rhs), (omega, order))?;
        }
    }
    Ok(())
}

fn relax_by_one_group(
    gpu: &dyn Gpu,
    (text, entry): (&'static ShaderSource, &'static str),
    operator: &Operator<'_>,
    (x, rhs): (&[Buffer], &[Buffer]),
    (omega, sweeps, order): (f32, usize, usize),
) -> Result<(), ComputeError> {
    let view = View::general(operator);
    let mut constants = view.constants();
    constants.push(("ORDER", order as f64));
    gpu.launch(&Launch {
        source: text,
        entry,
        constants: &constants,
        uniform: view.uniform(operator.shape, &Step { omega, sweeps, ..Default::default() }),
        buffers: &view.buffers(three(outputs(x, 3)), three(inputs(rhs, 3))),
        groups: [1, 1, 1],
    })
}

fn relax_rows(
    gpu: &dyn Gpu,
    view: &View<'_>,
    (x, rhs): (&[Buffer], &[Buffer]),
    (omega, rows): (f32, usize),
) -> Result<(), ComputeError> {
    let [packs, ny, nz] = view.packs();
    let height = (256 / packs).clamp(1, ny.div_ceil(2));
    let mut constants = view.constants();
    constants.extend([("WIDTH", packs as f64), ("HEIGHT", height as f64)]);
    gpu.launch(&Launch {
        source: &RELAX_ROWS,
        entry: "relax_rows",
        constants: &constants,
        uniform: view.uniform(view.operator.shape, &Step { omega, rows, ..Default::default() }),
        buffers: &view.buffers(three(outputs(x, 3)), three(inputs(rhs, 3))),
        groups: [1, cover(ny.div_ceil(2), height), nz as u32],
    })
}

fn relax_colours(
    gpu: &dyn Gpu,
    operator: &Operator<'_>,
    (x, rhs): (&[Buffer], &[Buffer]),
    (omega, order): (f32, usize),
) -> Result<(), ComputeError> {
    let view = View::general(operator);
    let [nx, ny, nz] = operator.shape.size;
    let mut constants = view.constants();
    constants.push(("ORDER", order as f64));
    let passes: &[(usize, usize)] =
        if order == CHEQUER { &[(0, 0), (0, 1)] } else { &[(0, 0), (0, 1), (1, 0), (1, 1)] };
    let rows = if order == CHEQUER { ny } else { ny.div_ceil(2) };
    for &(parity, colour) in passes {
        gpu.launch(&Launch {
            source: &RELAX_GENERAL,
            entry: "relax_colour",
            constants: &constants,
            uniform: view
                .uniform(operator.shape, &Step { omega, rows: parity, colour, ..Default::default() }),
            buffers: &view.buffers(three(outputs(x, 3)), three(inputs(rhs, 3))),
            groups: [cover(nx.div_ceil(2), 32), cover(rows, 8), nz as u32],
        })?;
    }
    Ok(())
}

/// Which text applies the operator, and how its workgroups lie.
struct Plan {
    source: &'static ShaderSource,
    constants: Vec<(&'static str, f64)>,
    groups: [u32; 3],
    sums: Buffer,
}

impl Plan {
    /// A workgroup tile over `size` packs, or a line over `count` voxels.
    fn new(
        device: &Device,
        view: &View<'_>,
        [rows, general]: [&'static ShaderSource; 2],
        size: [usize; 3],
    ) -> Result<Self, ComputeError> {
        let mut constants = view.constants();
        let [width, height, depth] = size;
        if view.rows {
            let [w, h] = tile(width);
            constants.extend([("WIDTH", w as f64), ("HEIGHT", h as f64)]);
            let groups = [cover(width, w), cover(height, h), depth as u32];
            let count = groups.iter().map(|&g| g as usize).product();
            return Ok(Self { source: rows, constants, groups, sums: device.scratch(count)? });
        }
        let (groups, sums) = partials(device, width * height * depth, 1)?;
        Ok(Self { source: general, constants, groups, sums })
    }
    fn total(self) -> Later<f64> {
        Later::on_device(self.sums, |sums| sum_rows::<1>(sums)[0])
    }
}

pub(super) fn jacobi(
    gpu: &dyn Gpu,
    operator: &Operator<'_>,
    (x, rhs, out): (&[Buffer], &[Buffer], &[Buffer]),
    damping: f32,
) -> Result<(), ComputeError> {
    let view = View::of(operator);
    let mut constants = view.constants();
    let [packs, ny, nz] = view.packs();
    let groups = if view.rows {
        let [w, h] = tile(packs);
        constants.extend([("WIDTH", w as f64), ("HEIGHT", h as f64)]);
        [cover(packs, w), cover(ny, h), nz as u32]
    } else {
        line(operator.shape.len(), 256)
    };
    let mut buffers = view.buffers(three(inputs(x, 3)), three(inputs(rhs, 3)));
    buffers.extend(outputs(out, 3));
    buffers.push(Bind::Spare);
    gpu.launch(&Launch {
        source: if view.rows { &RESIDUAL_ROWS } else { &RESIDUAL_GENERAL },
        entry: "jacobi",
        constants: &constants,
        uniform: view.uniform(operator.shape, &Step { omega: damping, ..Default::default() }),
        buffers: &buffers,
        groups,
    })
}

pub(super) fn subtract_product(
    (device, gpu): (&Device, &dyn Gpu),
    operator: &Operator<'_>,
    x: &[Buffer],
    target: &[Buffer],
) -> Result<Later<f64>, ComputeError> {
    let view = View::of(operator);
    let plan = Plan::new(device, &view, [&PRODUCT_ROWS, &PRODUCT_GENERAL], view.packs())?;
    let mut buffers = view.buffers(three(inputs(x, 3)), three(outputs(target, 3)));
    buffers.push(Bind::Out(&plan.sums));
    gpu.launch(&Launch {
        source: plan.source,
        entry: "subtract_product",
        constants: &plan.constants,
        uniform: view.uniform(operator.shape, &Step::default()),
        buffers: &buffers,
        groups: plan.groups,
    })?;
    Ok(plan.total())
}

pub(super) fn norm2(
    (device, gpu): (&Device, &dyn Gpu),
    operator: &Operator<'_>,
    x: &[Buffer],
    rhs: &[Buffer],
) -> Result<Later<f64>, ComputeError> {
    let view = View::of(operator);
    let plan = Plan::new(device, &view, [&RESIDUAL_ROWS, &RESIDUAL_GENERAL], view.packs())?;
    let mut buffers = view.buffers(three(inputs(x, 3)), three(inputs(rhs, 3)));
    buffers.extend([Bind::Spare, Bind::Spare, Bind::Spare, Bind::Out(&plan.sums)]);
    gpu.launch(&Launch {
        source: plan.source,
        entry: "residual_norm2",
        constants: &plan.constants,
        uniform: view.uniform(operator.shape, &Step::default()),
        buffers: &buffers,
        groups: plan.groups,
    })?;
    Ok(plan.total())
}

pub(super) fn restrict(
    (device, gpu): (&Device, &dyn Gpu),
    operator: &Operator<'_>,
    (x, rhs): (&[Buffer], &[Buffer]),
    (coarse, to): (&[Buffer], Shape),
) -> Result<Later<f64>, ComputeError> {
    let halves_x = to.size[0] < operator.shape.size[0];
    let view = if halves_x { View::of(operator) } else { View::general(operator) };
    // Two coarse cells a thread are one pack of fine ones.
    let width = if view.rows { view.packs()[0] } else { to.size[0] };
    let size = [width, to.size[1], to.size[2]];
    let plan = Plan::new(device, &view, [&RESTRICT_ROWS, &RESIDUAL_GENERAL], size)?;
    let mut buffers = view.buffers(three(inputs(x, 3)), three(inputs(rhs, 3)));
    buffers.extend(outputs(coarse, 3));
    buffers.push(Bind::Out(&plan.sums));
    gpu.launch(&Launch {
        source: plan.source,
        entry: "restrict_residual",
        constants: &plan.constants,
        uniform: view.uniform(to, &Step::default()),
        buffers: &buffers,
        groups: plan.groups,
    })?;
    Ok(plan.total())
}

pub(super) fn subtract_volume_target(
    gpu: &dyn Gpu,
    operator: &Operator<'_>,
    change: &Buffer,
    rhs: &[Buffer],
) -> Result<(), ComputeError> {
    let Some(weight) = operator.volume_weight else { return Ok(()) };
    let shape = operator.shape;
    let mut buffers = vec![Bind::In(weight), Bind::In(change)];
    buffers.extend(outputs(rhs, 3));
    gpu.launch(&Launch {
        source: &VOLUME_TARGET,
        entry: "subtract_volume_target",
        constants: &[("COMPONENTS", shape.components() as f64)],
        uniform: Uniform::new().u4(shape.size).f4(operator.spacing_edges.map(|s| 0.5 / s)),
        buffers: &buffers,
        groups: line(shape.len(), 256),
    })
}
