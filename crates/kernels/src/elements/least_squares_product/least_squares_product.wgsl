// The second launch of an iteration: what the control points gather. The contract is in mod.rs.

var<workgroup> problem_here: u32;
var<workgroup> sums_of_lanes: array<vec4<f32>, 256>;

fn control(component: u32, at: u32) -> f32 {
    return direction[(problem_here * COMPONENTS + component) * block.lattice.controls.w + at];
}

fn row_sum(component: u32, row: u32, kx: u32, square: bool) -> f32 {
    let rows = block.lattice.size.y * block.lattice.size.z;
    return row_sums[((problem_here * COMPONENTS + component) * rows + row) * block.lattice.controls.x + kx];
}

@compute @workgroup_size(256)
fn least_squares_product(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let per_component = block.lattice.controls.w;
    let unknowns = COMPONENTS * per_component;
    let accepted = (accepted_set(problem) * block.lattice.counts.x + problem) * unknowns;
    let damping = state[problem * STATE + 1u];
    let count = select(0u, unknowns, going[problem] != 0.0);
    if (lane == 0u) {
        problem_here = problem;
    }
    workgroupBarrier();
    var own = vec4<f32>();
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.z * LINE) {
        let component = i / per_component;
        let at = i % per_component;
        let k = control_at(at);
        let p = control(component, at);
        let r = residual[problem * unknowns + i];
        let d = diagonal[accepted + i];
        let undamped = gathered(component, k, false) + smoothed(component, k);
        let y = undamped + damping * d * p;
        product[problem * unknowns + i] = y;
        let damped = d * (1.0 + damping);
        var z = vec2<f32>();
        if (damped > 0.0) {
            z = vec2<f32>(r, y) / damped;
        }
        own = own + vec4<f32>(r * z.x, p * y, z.x * y, y * z.y);
    }
    sums_of_lanes[lane] = own;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half = half >> 1u) {
        if (lane < half) {
            sums_of_lanes[lane] = sums_of_lanes[lane] + sums_of_lanes[lane + half];
        }
        workgroupBarrier();
    }
    if (lane < 4u) {
        let column = block.lattice.counts.x * block.lattice.counts.z;
        sums[lane * column + problem * block.lattice.counts.z + group.x] = sums_of_lanes[0][lane];
    }
}
