// Scores of every candidate of every block. The contract is in mod.rs.

// 0: ncc; 1: correlation; 2: ssd; 3: sad.
override MEASURE: u32 = 0u;
override MASKED: u32 = 0u;
// Pairs of images.
override CHANNELS: u32 = 1u;
// 1: scores are added to those that stand in the output.
override ADD: u32 = 0u;

// Sums of a window: of w, f and f², and of m, m² and f m.
struct Sums {
    of_fixed: vec3<f32>,
    of_both: vec3<f32>,
}

// A thread scores the candidates of a row for one block.
@compute @workgroup_size(32, 8)
fn window_scores(@builtin(global_invocation_id) id: vec3<u32>) {
    let nodes = block.nodes;
    if (id.x >= nodes.x || id.y >= nodes.y) {
        return;
    }
    let width = 2u * block.reach.xyz + vec3<u32>(1u, 1u, 1u);
    let lines = width.y * width.z;
    let plane = id.z / lines;
    let line = id.z % lines;
    let node = vec3<u32>(id.x, id.y, plane);
    let centre = (2u * node + vec3<u32>(1u, 1u, 1u)) * block.size.xyz / (2u * nodes.xyz);
    let shift_y = i32(line % width.y) - i32(block.reach.y);
    let shift_z = i32(line / width.y) - i32(block.reach.z);
    for (var k = 0u; k < width.x; k = k + 1u) {
        let shift = vec3<i32>(i32(k) - i32(block.reach.x), shift_y, shift_z);
        let score = finished(window_sums(vec3<i32>(centre), shift));
        let candidate = line * width.x + k;
        let out = ((candidate * nodes.z + plane) * nodes.y + id.y) * nodes.x + id.x;
        if (ADD == 1u) {
            scores[out] = scores[out] + score;
        } else {
            scores[out] = score;
        }
    }
}

fn index_of(at: vec3<i32>) -> u32 {
    let last = vec3<i32>(block.size.xyz) - vec3<i32>(1, 1, 1);
    let inside = vec3<u32>(clamp(at, vec3<i32>(0, 0, 0), last));
    return (inside.z * block.size.y + inside.y) * block.size.x + inside.x;
}

// Whether a whole window lies inside of the image.
fn is_inside(centre: vec3<i32>) -> bool {
    let radius = vec3<i32>(block.radius.xyz);
    return all(centre >= radius) && all(centre + radius < vec3<i32>(block.size.xyz));
}

fn window_sums(centre: vec3<i32>, shift: vec3<i32>) -> Sums {
    let radius = vec3<i32>(block.radius.xyz);
    let row = i32(block.size.x);
    let plane = row * i32(block.size.y);
    // Inside, indices are sums: no sample needs to be clamped on its own.
    let inside = is_inside(centre) && is_inside(centre + shift);
    let at_centre = centre.z * plane + centre.y * row + centre.x;
    let shifted = shift.z * plane + shift.y * row + shift.x;
    var fixed_all = vec3<f32>(0.0, 0.0, 0.0);
    var both_all = vec3<f32>(0.0, 0.0, 0.0);
    for (var x = -radius.x; x <= radius.x; x = x + 1) {
        var fixed_column = vec3<f32>(0.0, 0.0, 0.0);
        var both_column = vec3<f32>(0.0, 0.0, 0.0);
        for (var y = -radius.y; y <= radius.y; y = y + 1) {
            var fixed_row = vec3<f32>(0.0, 0.0, 0.0);
            var both_row = vec3<f32>(0.0, 0.0, 0.0);
            for (var z = -radius.z; z <= radius.z; z = z + 1) {
                var here = u32(at_centre + z * plane + y * row + x);
                var there = u32(at_centre + z * plane + y * row + x + shifted);
                if (!inside) {
                    let at = centre + vec3<i32>(x, y, z);
                    here = index_of(at);
                    there = index_of(at + shift);
                }
                var w = 1.0;
                if (MASKED == 1u) {
                    w = weight[here];
                }
                for (var channel = 0u; channel < CHANNELS; channel = channel + 1u) {
                    let f = fixed_sample(channel, here);
                    let m = moving_sample(channel, there);
                    fixed_row = fixed_row + terms_of_fixed(f, w);
                    both_row = both_row + terms_of_both(f, m, w);
                }
            }
            fixed_column = fixed_column + fixed_row;
            both_column = both_column + both_row;
        }
        fixed_all = fixed_all + fixed_column;
        both_all = both_all + both_column;
    }
    return Sums(fixed_all, both_all);
}

fn fixed_sample(channel: u32, i: u32) -> f32 {
    if (CHANNELS > 1u && channel == 1u) {
        return fixed_1[i];
    }
    if (CHANNELS > 2u && channel == 2u) {
        return fixed_2[i];
    }
    return fixed_0[i];
}

fn moving_sample(channel: u32, i: u32) -> f32 {
    if (CHANNELS > 1u && channel == 1u) {
        return moving_1[i];
    }
    if (CHANNELS > 2u && channel == 2u) {
        return moving_2[i];
    }
    return moving_0[i];
}

fn terms_of_fixed(f: f32, w: f32) -> vec3<f32> {
    if (MASKED == 1u) {
        let wf = w * f;
        return vec3<f32>(w, wf, wf * f);
    }
    return vec3<f32>(0.0, f, f * f);
}

fn terms_of_both(f: f32, m: f32, w: f32) -> vec3<f32> {
    if (MEASURE >= 2u) {
        let difference = f - m;
        var cost = abs(difference);
        if (MEASURE == 2u) {
            cost = difference * difference;
        }
        if (MASKED == 1u) {
            cost = w * cost;
        }
        return vec3<f32>(0.0, 0.0, cost);
    }
    var wf = f;
    var wm = m;
    if (MASKED == 1u) {
        wf = w * f;
        wm = w * m;
    }
    return vec3<f32>(wm, wm * m, wf * m);
}

fn finished(sums: Sums) -> f32 {
    var share = block.share;
    if (MASKED == 1u) {
        if (!(sums.of_fixed.x > 0.0)) {
            return 0.0;
        }
        share = 1.0 / sums.of_fixed.x;
    }
    let product = sums.of_both.z * share;
    if (MEASURE == 0u) {
        let f = sums.of_fixed.y * share;
        let m = sums.of_both.x * share;
        let variance_f = max(sums.of_fixed.z * share - f * f, 0.0) + block.floor2;
        let variance_m = max(sums.of_both.y * share - m * m, 0.0) + block.floor2;
        return block.gain * ((product - f * m) / sqrt(variance_f * variance_m));
    }
    if (MEASURE == 1u) {
        let square_f = sums.of_fixed.z * share + block.floor2;
        let square_m = sums.of_both.y * share + block.floor2;
        return block.gain * (product / sqrt(square_f * square_m));
    }
    return block.gain * -product;
}
