// Adds how far two images are apart. The contract is in mod.rs. Needs line.wgsl, nan.wgsl.

@compute @workgroup_size(256)
fn add_difference(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    let apart = block.gain * abs(first[i] - second[i]);
    out[i] = out[i] + select(block.most, apart, !is_nan(apart) && apart < block.most);
}
