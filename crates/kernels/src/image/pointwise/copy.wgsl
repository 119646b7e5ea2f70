// A part of out = a part of the input. A copy of the whole input is the reference for the bandwidth of every other kernel.

struct Block {
    packs: u32,
    // Index of the first pack of the part.
    first: u32,
    // Index of the first pack that is written.
    to: u32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read_write> out: array<Pack>;
@group(0) @binding(2) var<storage, read> input: array<Pack>;

@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.packs) {
        out[block.to + i] = input[block.first + i];
    }
}
