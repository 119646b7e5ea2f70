// Judges a trial and begins the next step. The contract is in mod.rs.

const UNKNOWN_ENERGY: f32 = 3.40282347e38;

struct Decision {
    accepted_set: f32,
    damping: f32,
    energy: f32,
    working: f32,
    taken: f32,
    refused: f32,
    first_energy: f32,
    smoothness: f32,
}

fn decided(problem: u32, energy: f32, smooth_part: f32) -> Decision {
    let at = problem * STATE;
    var d = Decision(state[at], state[at + 1u], state[at + 2u], state[at + 3u], state[at + 4u], state[at + 5u], state[at + 6u], state[at + 7u]);
    if (d.working == 0.0) {
        return d;
    }
    let is_first = d.energy == UNKNOWN_ENERGY;
    if (energy < d.energy) {
        if (is_first) {
            d.first_energy = energy;
        } else {
            let gained = d.energy - energy;
            d.damping = clamp(d.damping * block.damping.x, block.damping.z, block.damping.w);
            d.working = select(0.0, 1.0, gained > block.limits.x * energy);
        }
        d.accepted_set = 1.0 - d.accepted_set;
        d.energy = energy;
        d.smoothness = smooth_part;
        d.taken = d.taken + 1.0;
    } else {
        d.damping = d.damping * block.damping.y;
        d.refused = d.refused + 1.0;
        if (is_first || d.damping > block.damping.w || d.damping < block.damping.z) {
            d.working = 0.0;
        }
    }
    return d;
}

@compute @workgroup_size(256)
fn decide(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    var pixels = 0.0;
    for (var k = lane; k < block.lattice.tiling.z; k = k + LINE) {
        pixels = pixels + energy_of_pixels[problem * block.lattice.tiling.z + k];
    }
    var unknown_part = 0.0;
    for (var k = lane; k < block.lattice.counts.z; k = k + LINE) {
        unknown_part = unknown_part + energy_of_unknowns[problem * block.lattice.counts.z + k];
    }
    let data = workgroup_sum(pixels, lane);
    let smooth_part = workgroup_sum(unknown_part, lane);
    let d = decided(problem, data + smooth_part, smooth_part);
    if (group.x == 0u && lane == 0u) {
        let at = problem * STATE;
        next[at] = d.accepted_set;
        next[at + 1u] = d.damping;
        next[at + 2u] = d.energy;
        next[at + 3u] = d.working;
        next[at + 4u] = d.taken;
        next[at + 5u] = d.refused;
        next[at + 6u] = d.first_energy;
        next[at + 7u] = d.smoothness;
    }
    let unknowns = COMPONENTS * block.lattice.controls.w;
    let all = block.lattice.counts.x * unknowns;
    let own_set = u32(d.accepted_set);
    let accepted = own_set * all + problem * unknowns;
    let trial = (1u - own_set) * all + problem * unknowns;
    let count = select(0u, unknowns, d.working != 0.0);
    let is_descent = block.limits.y != 0.0;
    var sum = 0.0;
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.z * LINE) {
        let r = -gradient[accepted + i];
        let own = problem * unknowns + i;
        if (is_descent) {
            controls[trial + i] = controls[accepted + i] + d.damping * r;
        } else {
            let damped = diagonal[accepted + i] * (1.0 + d.damping);
            var z = 0.0;
            if (damped > 0.0) {
                z = r / damped;
            }
            controls[trial + i] = controls[accepted + i];
            residual[own] = r;
            step[own] = 0.0;
            sum = sum + r * z;
        }
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        progress[problem * block.lattice.counts.z + group.x] = total;
    }
}
