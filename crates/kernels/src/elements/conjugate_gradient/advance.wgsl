// What the conjugate gradients found, put on trial. The contract is in mod.rs.

@compute @workgroup_size(256)
fn advance(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let groups = block.lattice.counts.z;
    var squares = 0.0;
    var bends = 0.0;
    for (var k = lane; k < groups; k = k + LINE) {
        squares = squares + sums[problem * groups + k];
        bends = bends + sums[(block.lattice.counts.x + problem) * groups + k];
    }
    let square = workgroup_sum(squares, lane);
    let bent = workgroup_sum(bends, lane);
    var length = 0.0;
    if (bent > 0.0) {
        length = square / bent;
    }
    let unknowns = COMPONENTS * block.lattice.controls.w;
    let all = block.lattice.counts.x * unknowns;
    let own_set = accepted_set(problem);
    let own = problem * unknowns;
    let count = select(0u, unknowns, is_active(problem));
    for (var i = group.x * LINE + lane; i < count; i = i + groups * LINE) {
        var x = step[own + i];
        if (length != 0.0) {
            x = x + length * direction[own + i];
        }
        controls[(1u - own_set) * all + own + i] = controls[own_set * all + own + i] + x;
    }
}
