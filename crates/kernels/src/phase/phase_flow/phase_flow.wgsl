// Flow of one level. The contract is in mod.rs. Needs nan.wgsl, expansion.wgsl, phases.wgsl.

override FRAMES: u32 = 5u;
// 1: phases are sampled at the positions displaced by the coarser estimate.
override DISPLACED: u32 = 1u;
override COARSER: u32 = 1u;
override BY_FIT: u32 = 1u;

const LEAST_DETERMINANT: f32 = 1e-6;

fn taken(frame: u32, pixel: u32) -> vec4<u32> {
    let i = block.start.x + pixel;
    if (frame == 0u) {
        return frame0[i];
    }
    if (frame == 1u) {
        return frame1[i];
    }
    if (frame == 2u) {
        return frame2[i];
    }
    if (frame == 3u) {
        return frame3[i];
    }
    return frame4[i];
}

// The phases of a frame, and the words of the nearest pixel, whose flags tell which phases are valid.
struct Sample {
    phases: Phases,
    words: vec4<u32>,
}

fn sampled(frame: u32, here: vec2<u32>, d: vec2<f32>, time: f32) -> Sample {
    if (DISPLACED == 0u || COARSER == 0u) {
        let words = taken(frame, here.y * block.size.x + here.x);
        return Sample(phases_of(words), words);
    }
    let spot = spot_of(here, d * time, block.size.xy);
    let words = taken(frame, spot.nearest);
    let across = phases_of(taken(frame, spot.across));
    let down = phases_of(taken(frame, spot.down));
    return Sample(between(phases_of(words), across, down, spot.away), words);
}

// The line fitted to the phases over time: slope and mean squared error.
struct Line {
    slope: vec4<f32>,
    error: vec4<f32>,
}

fn line_of_three(before: vec4<u32>, centre: vec4<u32>, after: vec4<u32>) -> Line {
    let u = ahead(after, centre);
    let v = ahead(before, centre);
    let bend = u + v;
    return Line(0.5 * (u - v), bend * bend * block.parts.z);
}

fn line_of_five(before2: vec4<u32>, before: vec4<u32>, centre: vec4<u32>, after: vec4<u32>, after2: vec4<u32>) -> Line {
    let u1 = ahead(after, centre);
    let u2 = u1 + ahead(after2, after);
    let v1 = ahead(before, centre);
    let v2 = v1 + ahead(before2, before);
    let slope = block.parts.x * (((u2 - v2) + (u2 - v2)) + (u1 - v1));
    let mean = block.parts.y * (((v2 + v1) + u1) + u2);
    let twice = slope + slope;
    let a = v2 - mean + twice;
    let b = v1 - mean + slope;
    let c = u1 - mean - slope;
    let d = u2 - mean - twice;
    return Line(slope, block.parts.y * ((((mean * mean + a * a) + b * b) + c * c) + d * d));
}

// The weight of each orientation, from the error of its fit.
fn goodness_of(error: vec4<f32>, one: vec4<f32>) -> vec4<f32> {
    return one * (vec4<f32>(1.0) / (vec4<f32>(1.0) + block.limits.z * error));
}

// The sum over the lanes, each multiplied by number `factor` of the block's frequencies.
fn weighed(first: vec4<f32>, second: vec4<f32>, factor: u32) -> f32 {
    return over_lanes(first * block.frequencies[2u * factor], second * block.frequencies[2u * factor + 1u]);
}

@compute @workgroup_size(32, 4)
fn phase_flow(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size.xy;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let pixels = size.x * size.y;
    let here = id.y * size.x + id.x;
    var d = vec2<f32>();
    if (COARSER == 1u) {
        let n = neighbours(id.xy, block.size.zw);
        let plane = block.size.z * block.size.w;
        let coarse = vec2<f32>(
            expanded(coarser[n.x], coarser[n.y], coarser[n.z], coarser[n.w]),
            expanded(coarser[plane + n.x], coarser[plane + n.y], coarser[plane + n.z], coarser[plane + n.w]),
        );
        if (!is_nan(coarse.x)) {
            d = coarse;
        }
    }
    let words = taken((FRAMES - 1u) / 2u, here);
    let centre = phases_of(words);
    var seen = words;
    var first = Line();
    var second = Line();
    if (FRAMES == 2u) {
        let after = sampled(1u, id.xy, d, 1.0);
        seen = seen & after.words;
        first.slope = ahead(after.phases.first, centre.first);
        second.slope = ahead(after.phases.second, centre.second);
    } else if (FRAMES == 3u) {
        let before = sampled(0u, id.xy, d, -1.0);
        let after = sampled(2u, id.xy, d, 1.0);
        seen = seen & before.words & after.words;
        first = line_of_three(before.phases.first, centre.first, after.phases.first);
        second = line_of_three(before.phases.second, centre.second, after.phases.second);
    } else {
        let before2 = sampled(0u, id.xy, d, -2.0);
        let before = sampled(1u, id.xy, d, -1.0);
        let after = sampled(3u, id.xy, d, 1.0);
        let after2 = sampled(4u, id.xy, d, 2.0);
        seen = seen & before2.words & before.words & after.words & after2.words;
        first = line_of_five(before2.phases.first, before.phases.first, centre.first, after.phases.first, after2.phases.first);
        second =
            line_of_five(before2.phases.second, before.phases.second, centre.second, after.phases.second, after2.phases.second);
    }
    let tau = vec4<f32>(block.limits.x);
    let none = vec4<f32>();
    let all = vec4<f32>(1.0);
    let one = select(none, all, ((seen & vec4<u32>(1u)) != vec4<u32>()) & (first.error < tau));
    let one2 = select(none, all, ((seen & vec4<u32>(0x10000u)) != vec4<u32>()) & (second.error < tau));
    let goodness = goodness_of(first.error, one);
    let goodness2 = goodness_of(second.error, one2);
    var weight = one;
    var weight2 = one2;
    if (BY_FIT == 1u) {
        weight = goodness;
        weight2 = goodness2;
    }
    let pull = weight * first.slope;
    let pull2 = weight2 * second.slope;
    let bx = weighed(pull, pull2, 0u);
    let by = weighed(pull, pull2, 1u);
    let xx = weighed(weight, weight2, 2u);
    let xy = weighed(weight, weight2, 3u);
    let yy = weighed(weight, weight2, 4u);
    let determinant = xx * yy - xy * xy;
    var x = not_a_number();
    var y = not_a_number();
    var sure = 0.0;
    if (over_lanes(one, one2) >= block.limits.y && determinant > LEAST_DETERMINANT) {
        x = d.x + (xy * by - yy * bx) / determinant;
        y = d.y + (xy * bx - xx * by) / determinant;
        sure = 0.125 * over_lanes(goodness, goodness2);
    }
    out[here] = x;
    out[pixels + here] = y;
    confidence[here] = sure;
}
