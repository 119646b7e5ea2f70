// What every launch over the operator is told.

override COMPONENTS: u32 = 3u;
override TENSOR: u32 = 1u;

struct Block {
    // nx in packs, ny, nz
    size: vec4<u32>,
    // The coarser grid's cells, where there is one.
    coarse: vec4<u32>,
    // α / s², per axis
    spring: vec4<f32>,
    // 1 / s, per axis
    per_spacing: vec4<f32>,
    // ω, or the damping
    omega: f32,
    // Parity of y + z of the rows that a pass takes.
    rows: u32,
    // Parity of x, x + y + z or x + z of the voxels that it takes there.
    colour: u32,
    sweeps: u32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(7) var<storage, read> j0: array<Pack>;
@group(0) @binding(8) var<storage, read> j1: array<Pack>;
@group(0) @binding(9) var<storage, read> j2: array<Pack>;
@group(0) @binding(10) var<storage, read> j3: array<Pack>;
@group(0) @binding(11) var<storage, read> j4: array<Pack>;
@group(0) @binding(12) var<storage, read> j5: array<Pack>;
