// One step of the conjugate gradients. The contract is in mod.rs.

struct Block {
    lattice: Lattice,
    progress: Progress,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(9) var<storage, read> curvature: array<f32>;
@group(0) @binding(10) var<storage, read> direction: array<f32>;
@group(0) @binding(11) var<storage, read> product: array<f32>;
@group(0) @binding(12) var<storage, read> diagonal: array<f32>;
@group(0) @binding(13) var<storage, read_write> controls: array<f32>;
@group(0) @binding(14) var<storage, read_write> residual: array<f32>;
@group(0) @binding(15) var<storage, read_write> preconditioned: array<f32>;
@group(0) @binding(16) var<storage, read_write> step: array<f32>;
@group(0) @binding(17) var<storage, read_write> next: array<f32>;

@compute @workgroup_size(256)
fn advance(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let found = ratios(problem, lane);
    var sums = 0.0;
    for (var k = lane; k < block.lattice.counts.z; k = k + LINE) {
        sums = sums + curvature[problem * block.lattice.counts.z + k];
    }
    let bent = workgroup_sum(sums, lane);
    var length = 0.0;
    if (bent > 0.0) {
        length = found.now / bent;
    }
    let unknowns = COMPONENTS * block.lattice.controls.w;
    let all = block.lattice.counts.x * unknowns;
    let own_set = accepted_set(problem);
    let accepted = own_set * all + problem * unknowns;
    let trial = (1u - own_set) * all + problem * unknowns;
    let damping = 1.0 + state[problem * STATE + 1u];
    let count = select(unknowns, 0u, found.is_done);
    var sum = 0.0;
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.z * LINE) {
        let own = problem * unknowns + i;
        let x = step[own] + length * direction[own];
        let r = residual[own] - length * product[own];
        let damped = diagonal[accepted + i] * damping;
        var z = 0.0;
        if (damped > 0.0) {
            z = r / damped;
        }
        step[own] = x;
        residual[own] = r;
        preconditioned[own] = z;
        controls[trial + i] = controls[accepted + i] + x;
        sum = sum + r * z;
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        next[problem * block.lattice.counts.z + group.x] = total;
    }
}
