// The uniform block and the tensor's bindings of every launch of the operator.

override COMPONENTS: u32 = 3u;
override TENSOR: u32 = 1u;

struct Block {
    // Packs along x, voxels along y and z.
    size: vec4<u32>,
    // Cells of the coarser grid along x, y, z, if there is one.
    coarse: vec4<u32>,
    // α / s², per axis.
    spring: vec4<f32>,
    // 1 / s, per axis.
    per_spacing: vec4<f32>,
    // The relaxation factor ω, or the damping of Jacobi's method.
    omega: f32,
    // Parity of y + z of the rows that a pass updates.
    rows: u32,
    // Parity of x, x + y + z or x + z of the voxels that a pass updates in these rows.
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
