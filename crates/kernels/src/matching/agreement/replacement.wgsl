// One of two samples, by what agrees around. The contract is in mod.rs. Needs line.wgsl.

@compute @workgroup_size(256)
fn replacement(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    if (all_weights[i] > 0.0 && agreeing[i] >= block.share * all_weights[i]) {
        out[i] = by[i];
    }
}
