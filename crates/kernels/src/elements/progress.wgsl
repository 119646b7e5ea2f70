// How far the conjugate gradients of a problem are: totals of rᵀz at the first iteration, the one before and now.

struct Progress {
    // Square of the tolerance; 1 at the first iteration.
    limits: vec4<f32>,
}

@group(0) @binding(6) var<storage, read> at_first: array<f32>;
@group(0) @binding(7) var<storage, read> before_now: array<f32>;
@group(0) @binding(8) var<storage, read> at_now: array<f32>;

struct Ratios {
    now: f32,
    // Of now to before; 0 at the first iteration.
    beta: f32,
    is_done: bool,
}

// All threads of the workgroup must call this together.
fn ratios(problem: u32, lane: u32) -> Ratios {
    let groups = block.lattice.counts.z;
    let begin = problem * groups;
    var sums = vec3<f32>();
    for (var k = lane; k < groups; k = k + LINE) {
        sums.x = sums.x + at_first[begin + k];
        sums.y = sums.y + at_now[begin + k];
        if (block.progress.limits.y == 0.0) {
            sums.z = sums.z + before_now[begin + k];
        }
    }
    let first_total = workgroup_sum(sums.x, lane);
    let now = workgroup_sum(sums.y, lane);
    let before = workgroup_sum(sums.z, lane);
    var found = Ratios(now, 0.0, !is_active(problem) || !(now > block.progress.limits.x * first_total));
    if (before > 0.0) {
        found.beta = now / before;
    }
    return found;
}
