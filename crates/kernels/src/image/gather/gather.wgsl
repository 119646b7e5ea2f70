// Samples at given voxels. The contract is in mod.rs. Needs line.wgsl.

@compute @workgroup_size(256)
fn gather(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    out[i] = image[indices[i]];
}
