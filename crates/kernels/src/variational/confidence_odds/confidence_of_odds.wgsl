// The confidence of squared odds: the contract is mod.rs's.

override COMPONENTS: u32 = 3u;

@compute @workgroup_size(256)
fn confidence_of_odds(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    var trace = j_xx[i] + j_yy[i];
    if (COMPONENTS == 3u) {
        trace = trace + j_zz[i];
    }
    let odds = sqrt(max(squared_odds[i], 0.0));
    out[i] = trace / (trace + block.contrast) * (odds / (1.0 + odds));
}
