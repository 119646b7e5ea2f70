// The first launch of an iteration: its direction, and what the pixels say to it. The contract is in mod.rs.

var<workgroup> sums_of_lanes: array<vec4<f32>, 256>;
var<workgroup> unknowns_from: u32;
var<workgroup> accepted_from: u32;
var<workgroup> slopes_from: u32;
// 1 + λ.
var<workgroup> damped: f32;
// The last iteration's step along its direction, and its direction's share of the new one.
var<workgroup> alpha: f32;
var<workgroup> beta: f32;

fn residual_at(i: u32) -> f32 {
    if (alpha == 0.0) {
        return residual[unknowns_from + i];
    }
    return residual[unknowns_from + i] - alpha * product[unknowns_from + i];
}

fn direction_at(i: u32, r: f32) -> f32 {
    let d = diagonal[accepted_from + i] * damped;
    var z = 0.0;
    if (d > 0.0) {
        z = r / d;
    }
    if (beta == 0.0) {
        return z;
    }
    return z + beta * direction[unknowns_from + i];
}

fn control(component: u32, at: u32) -> f32 {
    let i = component * block.lattice.controls.w + at;
    return direction_at(i, residual_at(i));
}

fn pixel(problem: u32, row: u32, x: u32, p: vec3<f32>) -> vec4<f32> {
    let n = block.lattice.size.w;
    let i = slopes_from + row * block.lattice.size.x + x;
    let sx = slopes[i];
    let sy = slopes[i + n];
    var along = sx * p.x + sy * p.y;
    var back = vec4<f32>();
    if (COMPONENTS == 3u) {
        let sz = slopes[i + 2u * n];
        along = along + sz * p.z;
        back.z = sz * along;
    }
    back.x = sx * along;
    back.y = sy * along;
    return back;
}

fn energy_of(values: vec4<f32>) -> f32 {
    return 0.0;
}

fn term(values: vec4<f32>, component: u32, w: f32) -> vec2<f32> {
    return vec2<f32>(w * values[component], 0.0);
}

fn write_sums(problem: u32, component: u32, row: u32, kx: u32, sums: vec2<f32>) {
    let rows = block.lattice.size.y * block.lattice.size.z;
    row_sums[((problem * COMPONENTS + component) * rows + row) * block.lattice.controls.x + kx] = sums.x;
}

// Totals of the last iteration: rᵀz, pᵀy, zᵀy, yᵀz(y); 0 before the first. All threads of the workgroup must call this together.
fn totals(problem: u32, lane: u32) -> vec4<f32> {
    let groups = block.lattice.counts.z;
    let column = block.lattice.counts.x * groups;
    let count = select(groups, 0u, block.limits.y != 0.0);
    var sums = vec4<f32>();
    for (var k = lane; k < count; k = k + LINE) {
        let i = problem * groups + k;
        let own = vec4<f32>(sums_before[i], sums_before[column + i], sums_before[2u * column + i], sums_before[3u * column + i]);
        sums = sums + own;
    }
    sums_of_lanes[lane] = sums;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half = half >> 1u) {
        if (lane < half) {
            sums_of_lanes[lane] = sums_of_lanes[lane] + sums_of_lanes[lane + half];
        }
        workgroupBarrier();
    }
    return sums_of_lanes[0];
}

@compute @workgroup_size(256)
fn least_squares_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let unknowns = COMPONENTS * block.lattice.controls.w;
    var partial = 0.0;
    for (var k = lane; k < block.lattice.counts.z; k = k + LINE) {
        partial = partial + at_first[problem * block.lattice.counts.z + k];
    }
    let first_total = workgroup_sum(partial, lane);
    let before = totals(problem, lane);
    let is_first = block.limits.y != 0.0;
    var length = 0.0;
    var now = first_total;
    var share = 0.0;
    if (!is_first) {
        if (before.y > 0.0) {
            length = before.x / before.y;
        }
        now = before.x - 2.0 * length * before.z + length * length * before.w;
        if (before.x > 0.0) {
            share = now / before.x;
        }
    }
    let working = is_active(problem) && now > block.limits.x * first_total;
    if (lane == 0u) {
        unknowns_from = problem * unknowns;
        let own_set = accepted_set(problem) * block.lattice.counts.x + problem;
        accepted_from = own_set * unknowns;
        slopes_from = own_set * COMPONENTS * block.lattice.size.w;
        damped = 1.0 + state[problem * STATE + 1u];
        alpha = length;
        beta = share;
        if (group.x == 0u && group.z == 0u) {
            going[problem] = select(0.0, 1.0, working);
        }
    }
    workgroupBarrier();
    // A share of the unknowns.
    let flat = group.z * block.lattice.tiling.y + group.x;
    for (var i = flat * LINE + lane; i < unknowns; i = i + block.lattice.tiling.z * LINE) {
        if (length != 0.0) {
            step[unknowns_from + i] = step[unknowns_from + i] + length * direction[unknowns_from + i];
        }
        if (working) {
            let r = residual_at(i);
            next_residual[unknowns_from + i] = r;
            next_direction[unknowns_from + i] = direction_at(i, r);
        }
    }
    let nothing = project_rows(problem, group, working, lane);
}
