// The second half of the product: what the control points gather. The contract is in mod.rs.

struct Block {
    lattice: Lattice,
    progress: Progress,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(9) var<storage, read> preconditioned: array<f32>;
@group(0) @binding(10) var<storage, read> before: array<f32>;
@group(0) @binding(11) var<storage, read> between: array<f32>;
@group(0) @binding(12) var<storage, read> diagonal: array<f32>;
@group(0) @binding(13) var<storage, read_write> direction: array<f32>;
@group(0) @binding(14) var<storage, read_write> product: array<f32>;
@group(0) @binding(15) var<storage, read_write> curvature: array<f32>;

var<workgroup> controls_from: u32;
var<workgroup> pixels_from: u32;
var<workgroup> beta: f32;

fn control(component: u32, at: u32) -> f32 {
    let i = controls_from + component * block.lattice.controls.w + at;
    if (beta == 0.0) {
        return preconditioned[i];
    }
    return preconditioned[i] + beta * before[i];
}

fn contribution(component: u32, pixel: u32, square: bool) -> f32 {
    return between[pixels_from + component * block.lattice.size.w + pixel];
}

@compute @workgroup_size(256)
fn least_squares_product(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let per_component = block.lattice.controls.w;
    let unknowns = COMPONENTS * per_component;
    let found = ratios(problem, lane);
    let accepted = (accepted_set(problem) * block.lattice.counts.x + problem) * unknowns;
    let damping = state[problem * STATE + 1u];
    let count = select(unknowns, 0u, found.is_done);
    if (lane == 0u) {
        beta = found.beta;
        controls_from = problem * unknowns;
        pixels_from = problem * COMPONENTS * block.lattice.size.w;
    }
    workgroupBarrier();
    var sum = 0.0;
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.z * LINE) {
        let component = i / per_component;
        let at = i % per_component;
        let k = control_at(at);
        let p = control(component, at);
        let undamped = gathered(component, k, false) + smoothed(component, k);
        let y = undamped + damping * diagonal[accepted + i] * p;
        direction[controls_from + i] = p;
        product[controls_from + i] = y;
        sum = sum + p * y;
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        curvature[problem * block.lattice.counts.z + group.x] = total;
    }
}
