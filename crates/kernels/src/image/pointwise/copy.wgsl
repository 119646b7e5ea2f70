// A part of out = a part of the input. A copy of the whole input is the reference for the bandwidth of every other kernel.

@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.packs) {
        out[block.to + i] = input[block.first + i];
    }
}
