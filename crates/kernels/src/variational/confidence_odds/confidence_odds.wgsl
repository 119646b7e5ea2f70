// The odds of a confidence, and back: the contract is mod.rs's.

@compute @workgroup_size(256)
fn squared_odds(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.count) {
        let c = input[i];
        let odds = min(c / max(1.0 - c, block.least_doubt), block.most);
        out[i] = odds * odds;
    }
}

@compute @workgroup_size(256)
fn confidence_of_odds(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.count) {
        let odds = sqrt(max(input[i], 0.0));
        out[i] = select(0.0, odds / (1.0 + odds), out[i] > 0.0);
    }
}
