// Energy, orientation and phase of every pixel of every level: the contract is mod.rs's. Needs nan.wgsl, arctangent.wgsl.

override PLAIN: u32 = 0u;

struct Block {
    // Size and first pixel of each level; unused levels begin after every pixel.
    levels: array<vec4<u32>, 13>,
    // Of lanes k and k + 4: cosines and sines.
    once: array<vec4<f32>, 4>,
    twice: array<vec4<f32>, 4>,
    count: u32,
    least2: f32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> responses: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> energy: array<f32>;
@group(0) @binding(3) var<storage, read_write> orientation: array<f32>;
@group(0) @binding(4) var<storage, read_write> phase: array<f32>;

const PI: f32 = 3.14159274;

// Cosine and sine (not negative) of half the angle of a point.
fn half_angle(x: f32, y: f32) -> vec2<f32> {
    let length = sqrt(x * x + y * y);
    if (length <= 0.0) {
        return vec2<f32>(1.0, 0.0);
    }
    let larger = sqrt(0.5 + 0.5 * (abs(x) / length));
    let smaller = abs(y) / (2.0 * length * larger);
    let cosine = select(smaller, larger, x >= 0.0);
    let sine = select(larger, smaller, x >= 0.0);
    return vec2<f32>(select(cosine, -cosine, y < 0.0), sine);
}

// Over lanes, one after the other.
fn over_lanes(a: vec4<f32>, b: vec4<f32>) -> f32 {
    return a.x + b.x + a.y + b.y + a.z + b.z + a.w + b.w;
}

@compute @workgroup_size(256)
fn phase_features(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.count) {
        return;
    }
    var level = block.levels[0];
    for (var l = 1u; l < 13u; l = l + 1u) {
        if (i >= block.levels[l].z) {
            level = block.levels[l];
        }
    }
    let pixels = level.x * level.y;
    let at = 4u * level.z + (i - level.z);
    let a = responses[at];
    let b = responses[at + pixels];
    let c = responses[at + 2u * pixels];
    let d = responses[at + 3u * pixels];
    // Lanes 0 to 3, and 4 to 7.
    let even = vec4<f32>(a.x, b.x, c.x, d.x);
    let odd = vec4<f32>(a.y, b.y, c.y, d.y);
    let even4 = vec4<f32>(a.z, b.z, c.z, d.z);
    let odd4 = vec4<f32>(a.w, b.w, c.w, d.w);
    let power = even * even + odd * odd;
    let power4 = even4 * even4 + odd4 * odd4;
    energy[i] = over_lanes(power, power4);
    let most = max(max(max(power.x, power.y), max(power.z, power.w)), max(max(power4.x, power4.y), max(power4.z, power4.w)));
    if (most <= block.least2) {
        orientation[i] = not_a_number();
        phase[i] = not_a_number();
        return;
    }
    let magnitude = sqrt(power);
    let magnitude4 = sqrt(power4);
    let cos2 = vec4<f32>(block.twice[0].x, block.twice[1].x, block.twice[2].x, block.twice[3].x);
    let sin2 = vec4<f32>(block.twice[0].y, block.twice[1].y, block.twice[2].y, block.twice[3].y);
    let cos24 = vec4<f32>(block.twice[0].z, block.twice[1].z, block.twice[2].z, block.twice[3].z);
    let sin24 = vec4<f32>(block.twice[0].w, block.twice[1].w, block.twice[2].w, block.twice[3].w);
    let x = over_lanes(magnitude * cos2, magnitude4 * cos24);
    let y = over_lanes(magnitude * sin2, magnitude4 * sin24);
    let half = 0.5 * arctangent2(y, x);
    let turned = select(half, half + PI, half < 0.0);
    orientation[i] = select(turned, 0.0, turned >= PI);
    var s = over_lanes(odd, odd4);
    var c_sum = over_lanes(even, even4);
    if (PLAIN == 0u) {
        let direction = half_angle(x, y);
        let cos1 = vec4<f32>(block.once[0].x, block.once[1].x, block.once[2].x, block.once[3].x);
        let sin1 = vec4<f32>(block.once[0].y, block.once[1].y, block.once[2].y, block.once[3].y);
        let cos14 = vec4<f32>(block.once[0].z, block.once[1].z, block.once[2].z, block.once[3].z);
        let sin14 = vec4<f32>(block.once[0].w, block.once[1].w, block.once[2].w, block.once[3].w);
        let along = cos1 * direction.x + sin1 * direction.y;
        let along4 = cos14 * direction.x + sin14 * direction.y;
        s = over_lanes(odd * power * along, odd4 * power4 * along4);
        c_sum = over_lanes(even * power * abs(along), even4 * power4 * abs(along4));
    }
    let angle = arctangent2(s, c_sum);
    phase[i] = select(angle, PI, angle <= -PI);
}
