// Samples at some voxels. The contract is in mod.rs. Needs line.wgsl.

override LISTED: u32 = 1u;

@compute @workgroup_size(256)
fn gather(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    var index = i * block.step;
    if (LISTED == 1u) {
        index = indices[i];
    }
    out[i] = image[index];
}
