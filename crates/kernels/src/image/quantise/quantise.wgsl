// Samples converted to fixed point. The contract is in mod.rs. Needs line.wgsl, nan.wgsl.

@compute @workgroup_size(256)
fn quantise(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    let sample = samples[i];
    if (!is_nan(sample)) {
        let whole = floor(sample * block.per_step + 0.5) * block.step;
        samples[i] = clamp(whole, -block.most, block.most);
    }
}
