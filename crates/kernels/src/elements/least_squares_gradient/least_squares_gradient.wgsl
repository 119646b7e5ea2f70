// Gradient and diagonal. The contract is in mod.rs.

var<workgroup> trial: u32;

fn control(component: u32, at: u32) -> f32 {
    return controls[(trial * COMPONENTS + component) * block.lattice.controls.w + at];
}

fn row_sum(component: u32, row: u32, kx: u32, square: bool) -> f32 {
    let rows = block.lattice.size.y * block.lattice.size.z;
    let which = select(0u, block.lattice.counts.x, square) + trial % block.lattice.counts.x;
    return row_sums[((which * COMPONENTS + component) * rows + row) * block.lattice.controls.x + kx];
}

@compute @workgroup_size(256)
fn least_squares_gradient(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let per_component = block.lattice.controls.w;
    let unknowns = COMPONENTS * per_component;
    let count = select(0u, unknowns, is_active(problem));
    if (lane == 0u) {
        trial = (1u - accepted_set(problem)) * block.lattice.counts.x + problem;
    }
    workgroupBarrier();
    var sum = 0.0;
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.z * LINE) {
        let component = i / per_component;
        let at = i % per_component;
        let k = control_at(at);
        let smooth_part = block.elastic.x * smoothed(component, k);
        gradient[trial * unknowns + i] = gathered(component, k, false) + smooth_part;
        diagonal[trial * unknowns + i] = gathered(component, k, true) + smoothed_diagonal(k);
        sum = sum + control(component, at) * smooth_part;
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        energy[problem * block.lattice.counts.z + group.x] = total;
    }
}
