// Samples as they leave the device, a word a thread. The contract is in mod.rs. Needs line.wgsl, nan.wgsl.

const NAN_HALF: u32 = 0x7e00u;
const MOST_HALF: u32 = 0x7bffu;
const INFINITY: u32 = 0x7f800000u;
const BEYOND: u32 = 0x477ff000u;
const LEAST_NORMAL: u32 = 0x38800000u;
const LEAST: u32 = 0x33000000u;

// Binary16, the nearest number and of two the even one.
fn half(sample: f32) -> u32 {
    let bits = bitcast<u32>(sample);
    let sign = (bits >> 16u) & 0x8000u;
    let size = bits & 0x7fffffffu;
    if (size > INFINITY) {
        return NAN_HALF;
    }
    if (size >= BEYOND) {
        return sign | select(MOST_HALF, 0x7c00u, size == INFINITY);
    }
    if (size >= LEAST_NORMAL) {
        let shifted = size - 0x38000000u;
        return sign | ((shifted + 0xfffu + ((shifted >> 13u) & 1u)) >> 13u);
    }
    if (size <= LEAST) {
        return sign;
    }
    let digits = (size & 0x7fffffu) | 0x800000u;
    let right = 126u - (size >> 23u);
    let odd = (digits >> right) & 1u;
    return sign | ((digits + (1u << (right - 1u)) - 1u + odd) >> right);
}

fn share(sample: f32) -> u32 {
    if (is_nan(sample)) {
        return 0u;
    }
    return u32(floor(clamp(sample, 0.0, 1.0) * 255.0 + 0.5));
}

fn angle(sample: f32) -> u32 {
    let turns = sample * block.per_unit;
    let part = turns - floor(turns);
    if (is_nan(part)) {
        return 255u;
    }
    let number = u32(floor(part * 255.0 + 0.5));
    return select(0u, number, number < 255u);
}

@compute @workgroup_size(256)
fn whole(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.words) {
        out[i] = bitcast<u32>(samples[block.first + i]);
    }
}

@compute @workgroup_size(256)
fn halves(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.words) {
        return;
    }
    let at = block.first + 2u * i;
    var word = half(samples[at]);
    if (2u * i + 1u < block.count) {
        word |= half(samples[at + 1u]) << 16u;
    }
    out[i] = word;
}

@compute @workgroup_size(256)
fn bytes(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.words) {
        return;
    }
    var word = 0u;
    for (var k = 0u; k < min(4u, block.count - 4u * i); k++) {
        let sample = samples[block.first + 4u * i + k];
        var number = 0u;
        if (block.per_unit > 0.0) {
            number = angle(sample);
        } else {
            number = share(sample);
        }
        word |= number << (8u * k);
    }
    out[i] = word;
}
