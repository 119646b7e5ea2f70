// The best candidate of every block. The contract is in mod.rs. Needs tile_sum.wgsl.

override COMPONENTS: u32 = 3u;
override BOTH_ENDS: u32 = 0u;
override PARABOLA: u32 = 1u;
override PULLED: u32 = 0u;
override DISTINCT: u32 = 0u;
// How far candidates lie along x, y, z: known when the text is compiled, so that the scores of several are on their way.
override REACH_X: u32 = 1u;
override REACH_Y: u32 = 1u;
override REACH_Z: u32 = 0u;

const WIDTH: u32 = 32u;
const HEIGHT: u32 = 4u;

fn reaches() -> vec3<i32> {
    return vec3<i32>(i32(REACH_X), i32(REACH_Y), i32(REACH_Z));
}

fn is_in_grid(at: vec3<i32>) -> bool {
    return all(at >= vec3<i32>(0, 0, 0)) && all(at < vec3<i32>(block.nodes.xyz));
}

fn index_of(at: vec3<i32>) -> u32 {
    let u = vec3<u32>(at);
    return (u.z * block.nodes.y + u.y) * block.nodes.x + u.x;
}

// O_c of a block.
fn objective(at: vec3<i32>, c: vec3<i32>, pulled_to: vec3<f32>) -> f32 {
    let reach = reaches();
    let widths = 2 * reach + vec3<i32>(1, 1, 1);
    let k = c + reach;
    let volume = u32((k.z * widths.y + k.y) * widths.x + k.x) * block.nodes.x * block.nodes.y * block.nodes.z;
    let here = scores[volume + index_of(at)];
    var score = here;
    if (BOTH_ENDS == 1u) {
        var there = here;
        if (is_in_grid(at - c)) {
            there = scores[volume + index_of(at - c)];
        }
        score = 0.5 * (here + there);
    }
    let step = vec3<f32>(c) * block.spacing.xyz;
    score = score - block.rest * (step.x * step.x + step.y * step.y + step.z * step.z);
    if (PULLED == 1u) {
        let off = step - pulled_to;
        score = score - block.pull * (off.x * off.x + off.y * off.y + off.z * off.z);
    }
    return score;
}

// The peak of the parabola through three values, from the middle one, which is the largest.
fn peak(low: f32, middle: f32, high: f32) -> f32 {
    let bend = 2.0 * middle - low - high;
    if (!(bend > 0.0)) {
        return 0.0;
    }
    return clamp(0.5 * (high - low) / bend, -0.5, 0.5);
}

fn along(at: vec3<i32>, best: vec3<i32>, axis: vec3<i32>, pulled_to: vec3<f32>, middle: f32) -> f32 {
    let reach = reaches();
    let is_inner = all(abs(best + axis) <= reach) && all(abs(best - axis) <= reach);
    if (PARABOLA == 0u || !is_inner) {
        return 0.0;
    }
    if (BOTH_ENDS == 1u && !(is_in_grid(at - best - axis) && is_in_grid(at - best + axis))) {
        return 0.0;
    }
    return peak(objective(at, best - axis, pulled_to), middle, objective(at, best + axis, pulled_to));
}

struct Chosen {
    candidate: vec3<i32>,
    objective: f32,
}

fn chosen(at: vec3<i32>, pulled_to: vec3<f32>) -> Chosen {
    let reach = reaches();
    var best = Chosen(vec3<i32>(0, 0, 0), objective(at, vec3<i32>(0, 0, 0), pulled_to));
    for (var z = -reach.z; z <= reach.z; z = z + 1) {
        for (var y = -reach.y; y <= reach.y; y = y + 1) {
            for (var x = -reach.x; x <= reach.x; x = x + 1) {
                let value = objective(at, vec3<i32>(x, y, z), pulled_to);
                if (value > best.objective) {
                    best = Chosen(vec3<i32>(x, y, z), value);
                }
            }
        }
    }
    return best;
}

// The increment of a block, edges.
fn increment(at: vec3<i32>, best: Chosen, pulled_to: vec3<f32>) -> vec3<f32> {
    let middle = best.objective;
    let c = best.candidate;
    var found = vec3<f32>(0.0, 0.0, 0.0);
    found.x = block.spacing.x * (f32(c.x) + along(at, c, vec3<i32>(1, 0, 0), pulled_to, middle));
    found.y = block.spacing.y * (f32(c.y) + along(at, c, vec3<i32>(0, 1, 0), pulled_to, middle));
    if (COMPONENTS == 3u) {
        found.z = block.spacing.z * (f32(c.z) + along(at, c, vec3<i32>(0, 0, 1), pulled_to, middle));
    }
    return found;
}

@compute @workgroup_size(32, 4)
fn best_candidate(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var length = 0.0;
    if (id.x < block.nodes.x && id.y < block.nodes.y) {
        let at = vec3<i32>(id);
        let i = index_of(at);
        var before = vec3<f32>(before_x[i], before_y[i], 0.0);
        var pulled_to = vec3<f32>(0.0, 0.0, 0.0);
        if (COMPONENTS == 3u) {
            before.z = before_z[i];
        }
        if (PULLED == 1u) {
            pulled_to.x = towards_x[i] - before.x;
            pulled_to.y = towards_y[i] - before.y;
            if (COMPONENTS == 3u) {
                pulled_to.z = towards_z[i] - before.z;
            }
        }
        let best = chosen(at, pulled_to);
        let found = increment(at, best, pulled_to);
        length = sqrt(found.x * found.x + found.y * found.y + found.z * found.z);
        out_x[i] = found.x + before.x;
        out_y[i] = found.y + before.y;
        if (COMPONENTS == 3u) {
            out_z[i] = found.z + before.z;
        }
        if (DISTINCT == 1u) {
            distinctness[i] = distinct(at, best.candidate, pulled_to, best.objective);
        }
    }
    let sum = tile_sum(length, lane);
    if (lane == 0u) {
        sums[(group.z * groups.y + group.y) * groups.x + group.x] = sum;
    }
}

// How far the best is ahead of candidates that are not beside it.
fn distinct(at: vec3<i32>, best: vec3<i32>, pulled_to: vec3<f32>, most: f32) -> f32 {
    let reach = reaches();
    var has_rival = false;
    var rival = 0.0;
    for (var z = -reach.z; z <= reach.z; z = z + 1) {
        for (var y = -reach.y; y <= reach.y; y = y + 1) {
            for (var x = -reach.x; x <= reach.x; x = x + 1) {
                let c = vec3<i32>(x, y, z);
                if (any(abs(c - best) > vec3<i32>(1, 1, 1))) {
                    let value = objective(at, c, pulled_to);
                    if (!has_rival || value > rival) {
                        rival = value;
                        has_rival = true;
                    }
                }
            }
        }
    }
    if (!has_rival) {
        return 1.0;
    }
    if (most > 0.0) {
        return clamp(1.0 - max(rival, 0.0) / most, 0.0, 1.0);
    }
    if (rival < 0.0) {
        return clamp(1.0 - most / rival, 0.0, 1.0);
    }
    return 0.0;
}
