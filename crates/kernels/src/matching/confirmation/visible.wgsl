// Which voxels nothing else hides. The contract is in mod.rs. Needs nan.wgsl, lattice.wgsl, target.wgsl.

struct Block {
    size: vec4<u32>,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> forward_x: array<f32>;
@group(0) @binding(2) var<storage, read> forward_y: array<f32>;
@group(0) @binding(3) var<storage, read> forward_z: array<f32>;
@group(0) @binding(4) var<storage, read> confirmed: array<f32>;
@group(0) @binding(5) var<storage, read> confirmed_back: array<f32>;
@group(0) @binding(6) var<storage, read_write> out: array<f32>;

fn at_corner(k: u32) -> vec3<f32> {
    return vec3<f32>(confirmed_back[k], 0.0, 0.0);
}

@compute @workgroup_size(32, 4)
fn visible(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    var own = vec3<f32>(forward_x[i], forward_y[i], 0.0);
    if (COMPONENTS == 3u) {
        own.z = forward_z[i];
    }
    let cells = target_of(id, own, size);
    var back = vec3<f32>();
    if (cells.is_inside) {
        back = sampled(cells);
    }
    out[i] = select(1.0, 0.0, confirmed[i] < 0.5 && back.x > 0.5);
}
