// Gain and shift between two images, and the image that is matched by them. The contract is in mod.rs.

override WEIGHTED: u32 = 0u;

var<workgroup> trial: u32;
var<workgroup> gain: f32;
var<workgroup> shift: f32;

fn control(component: u32, at: u32) -> f32 {
    return 0.0;
}

fn sums_begin(which: u32, problem: u32) -> u32 {
    return (which * block.lattice.counts.x + problem) * block.lattice.counts.y;
}

@compute @workgroup_size(256)
fn brightness_sums(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let n = block.lattice.size.w;
    let count = select(0u, n, is_active(problem));
    if (lane == 0u) {
        trial = (1u - accepted_set(problem)) * block.lattice.counts.x + problem;
    }
    workgroupBarrier();
    var own = array<f32, 5>();
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.y * LINE) {
        let f = fixed[problem * n + i] - block.numbers.w;
        let r = residuals[trial * n + i];
        let m = f + block.numbers.x * r;
        var p = 1.0;
        if (WEIGHTED == 1u) {
            p = weight[problem * n + i] * weight[problem * n + i];
        }
        p = select(p, 0.0, r == 0.0);
        own[0] = own[0] + p;
        own[1] = own[1] + p * f;
        own[2] = own[2] + p * m;
        own[3] = own[3] + (p * m) * m;
        own[4] = own[4] + (p * m) * f;
    }
    for (var which = 0u; which < 5u; which = which + 1u) {
        let total = workgroup_sum(own[which], lane);
        if (lane == 0u) {
            sums[sums_begin(which, problem) + group.x] = total;
        }
    }
}

fn total_of(which: u32, problem: u32) -> f32 {
    let begin = sums_begin(which, problem);
    var sum = 0.0;
    for (var k = 0u; k < block.lattice.counts.y; k = k + 1u) {
        sum = sum + sums[begin + k];
    }
    return sum;
}

// Gain and shift that leave least, about the middle of the range.
fn find_best(problem: u32) {
    gain = 1.0;
    shift = 0.0;
    let count = total_of(0u, problem);
    if (count <= 0.0) {
        return;
    }
    let per_count = 1.0 / count;
    let mean_f = per_count * total_of(1u, problem);
    let mean_m = per_count * total_of(2u, problem);
    let variance = per_count * total_of(3u, problem) - mean_m * mean_m;
    let covariance = per_count * total_of(4u, problem) - mean_m * mean_f;
    var best = 1.0;
    if (variance > 0.0) {
        best = clamp(covariance / variance, block.numbers.y, block.numbers.z);
    }
    gain = best;
    shift = mean_f - best * mean_m;
}

@compute @workgroup_size(256)
fn match_brightness(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let n = block.lattice.size.w;
    let count = select(0u, n, is_active(problem));
    if (lane == 0u) {
        find_best(problem);
    }
    workgroupBarrier();
    let per_best = 1.0 / gain;
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.y * LINE) {
        let at = problem * n + i;
        matched[at] = block.numbers.w + per_best * (fixed[at] - block.numbers.w - shift);
        var w = gain;
        if (WEIGHTED == 1u) {
            w = w * weight[at];
        }
        matched_weight[at] = w;
    }
}
