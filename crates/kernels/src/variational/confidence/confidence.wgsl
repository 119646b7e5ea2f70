// How far a vector can be trusted: the contract is mod.rs's.

override COMPONENTS: u32 = 3u;

@compute @workgroup_size(256)
fn confidence(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    var trace = j_xx[i] + j_yy[i];
    if (COMPONENTS == 3u) {
        trace = trace + j_zz[i];
    }
    out[i] = trace / (trace + Pack(block.contrast)) / (Pack(1.0) + out[i] * block.per_half2);
}
