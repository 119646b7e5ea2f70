// The squared odds of a confidence: the contract is mod.rs's.

@compute @workgroup_size(256)
fn squared_odds(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.count) {
        let c = input[i];
        let odds = min(c / max(1.0 - c, block.least_doubt), block.most);
        out[i] = odds * odds;
    }
}
