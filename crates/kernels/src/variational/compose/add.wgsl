// d + δ. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;

struct Block {
    items: u32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> displacement_x: array<Pack>;
@group(0) @binding(2) var<storage, read> displacement_y: array<Pack>;
@group(0) @binding(3) var<storage, read> displacement_z: array<Pack>;
@group(0) @binding(4) var<storage, read_write> increment_x: array<Pack>;
@group(0) @binding(5) var<storage, read_write> increment_y: array<Pack>;
@group(0) @binding(6) var<storage, read_write> increment_z: array<Pack>;

@compute @workgroup_size(256)
fn add(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.items) {
        increment_x[i] = increment_x[i] + displacement_x[i];
        increment_y[i] = increment_y[i] + displacement_y[i];
        if (COMPONENTS == 3u) {
            increment_z[i] = increment_z[i] + displacement_z[i];
        }
    }
}
