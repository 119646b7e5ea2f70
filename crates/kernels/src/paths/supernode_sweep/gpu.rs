//! Launches of the sweeps: one for each level of the tree.

use super::{SupernodeSweep, Supernodes};
use crate::bindings::{bindings, block};
use crate::kernel::{Launcher, wgsl};
use std::ops::Range;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Device, ShaderSource, cover};

static CLIMB: ShaderSource = wgsl!("supernode_sweep", ClimbBindings, [], "supernode_sweep.wgsl");
static DESCEND: ShaderSource = wgsl!("descend", DescendBindings, [], "descend.wgsl");

block! {
    /// Numbers that launches up and down the tree need.
    struct Block {
        /// Number of columns side by side, in samples and in fours.
        width: u32,
        width4: u32,
        /// Index of the level's first task, and number of columns that hold a source.
        first_task: u32,
        count: u32,
        infinity: f32,
        /// Number of rows of the matrices.
        nodes: u32,
    }
}

bindings! {
    /// What a launch up the tree binds.
    struct ClimbBindings<'a> {
        block: Block,
        /// Eight numbers a supernode: its first own place, its number of own places, the begin of its boundary, its length, the
        /// begins of closure and coupling, and the range of columns whose sources are in its subtree.
        entries: read u32,
        /// Tasks. Up the tree: supernode, first row of the boundary, first column. Down the tree: supernode, first own row.
        tasks: read u32,
        boundary: read u32,
        closure: read f32,
        coupling: read f32,
        up: write f32,
        sources: read u32,
    }
}

bindings! {
    /// What a launch down the tree binds.
    struct DescendBindings<'a> {
        block: Block,
        entries: read u32,
        tasks: read u32,
        boundary: read u32,
        closure: read f32,
        coupling: read f32,
        up: read vec4<f32>,
        down: write vec4<f32>,
    }
}

/// Number of rows of a thread.
const ROWS: usize = 8;
/// Number of threads of a workgroup: columns up the tree, fours of columns down the tree.
const THREADS: usize = 64;

/// The part of a factor that does not depend on the sources, on a GPU.
#[derive(Debug)]
pub(super) struct OnGpu {
    boundary: Buffer<u32>,
    closure: Buffer,
    coupling: Buffer,
    downwards: Option<Buffer>,
    /// Tasks down the tree, and each level's range of them, the root's first.
    down: Buffer<u32>,
    levels: Vec<Range<usize>>,
}

/// Tasks of `N` numbers each, level by level.
#[derive(Default)]
struct Tasks {
    numbers: Vec<u32>,
    levels: Vec<Range<usize>>,
}

impl Tasks {
    fn of<const N: usize>(levels: &[Vec<usize>], of: impl Fn(usize) -> Vec<[usize; N]>) -> Self {
        let (mut tasks, mut count) = (Self::default(), 0);
        for level in levels {
            let own: Vec<[usize; N]> = level.iter().flat_map(|&i| of(i)).collect();
            tasks.numbers.extend(own.iter().flatten().map(|&number| number as u32));
            tasks.levels.push(count..count + own.len());
            count += own.len();
        }
        // No buffer is empty.
        tasks.numbers.resize(tasks.numbers.len().max(1), 0);
        tasks
    }
}

impl OnGpu {
    pub fn new(supernodes: &Supernodes, device: &Device) -> Result<Self, ComputeError> {
        let tasks = Tasks::of(&supernodes.levels(), |i| {
            (0..supernodes.entries[i].own()).step_by(ROWS).map(|row| [i, row]).collect()
        });
        let upload = |samples: &[f32]| device.upload_copy(if samples.is_empty() { &[0.0] } else { samples });
        let boundary = if supernodes.boundary.is_empty() { &[0][..] } else { &supernodes.boundary };
        Ok(Self {
            boundary: device.upload_copy(boundary)?,
            closure: upload(&supernodes.closure)?,
            coupling: upload(&supernodes.coupling)?,
            downwards: supernodes.downwards.as_ref().map(|lengths| upload(lengths)).transpose()?,
            down: device.upload(tasks.numbers)?,
            levels: tasks.levels,
        })
    }
}

pub(super) fn sweep(args: SupernodeSweep<'_>, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
    let SupernodeSweep { supernodes, sources, width, up, down } = args;
    let (host, on_gpu) = (supernodes.host(), supernodes.on_gpu());
    let device = gpu.device();
    let columns = |i: usize| {
        let subtree = host.entries[i].subtree();
        [subtree.start, subtree.end].map(|place| sources.partition_point(|&source| source < place))
    };
    let entry = |i: usize| {
        let entry = &host.entries[i];
        let [from, to] = columns(i);
        let boundary = [entry.boundary.start, entry.boundary.len()];
        [entry.places.start, entry.own(), boundary[0], boundary[1], entry.closure, entry.coupling, from, to]
    };
    let entries: Vec<u32> = (0..host.entries.len()).flat_map(entry).map(|number| number as u32).collect();
    let entries = device.upload(entries)?;
    let climbing = Tasks::of(&host.levels(), |i| {
        let [from, to] = columns(i);
        let rows = (0..host.entries[i].boundary.len()).step_by(ROWS);
        rows.flat_map(|row| (from..to).step_by(THREADS).map(move |column| [i, row, column])).collect()
    });
    let tasks = device.upload(climbing.numbers)?;
    let places: Vec<u32> = sources.iter().map(|&place| place as u32).collect();
    let places = device.upload(if places.is_empty() { vec![0] } else { places })?;
    let block = |first_task: usize| Block {
        width,
        width4: width / 4,
        first_task,
        count: sources.len(),
        infinity: f32::INFINITY,
        nodes: host.nodes,
    };
    let (entries, OnGpu { boundary, closure, coupling, downwards, .. }) = (&entries, on_gpu);
    let upwards = |entry: &'static str, first: usize, groups: [u32; 3]| {
        let (block, tasks, sources) = (block(first), &tasks, &places);
        gpu.launch(&CLIMB, entry)
            .bind(&ClimbBindings { block, entries, tasks, boundary, closure, coupling, up, sources })
            .run(groups)
    };
    upwards("begin", 0, [cover(width, 64), cover(host.nodes, 4), 1])?;
    for level in climbing.levels.iter().rev().filter(|level| !level.is_empty()) {
        upwards("climb", level.start, [level.len() as u32, 1, 1])?;
    }
    let coupling = downwards.as_ref().unwrap_or(coupling);
    for level in on_gpu.levels.iter().filter(|level| !level.is_empty()) {
        let (block, tasks) = (block(level.start), &on_gpu.down);
        gpu.launch(&DESCEND, "descend")
            .bind(&DescendBindings { block, entries, tasks, boundary, closure, coupling, up, down })
            .run([cover(width / 4, THREADS), level.len() as u32, 1])?;
    }
    Ok(())
}
