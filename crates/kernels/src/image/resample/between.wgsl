// Where a voxel of one grid lies in another one over the same extent.

// The input voxels below and above an output voxel along an axis, and the weight of the upper one.
struct Between {
    low: u32,
    high: u32,
    weight: f32,
}

// The position is ((2 x + 1) n_in − n_out) / (2 n_out). It is computed in integers, because f32 would lose bits of the
// weight on long axes. The product is computed in two parts, so that it does not overflow.
fn between(x: u32, n_in: u32, n_out: u32, whole: u32, rest: u32) -> Between {
    if (n_in == 1u) {
        return Between(0u, 0u, 0.0);
    }
    let odd = 2u * x + 1u;
    let double = 2u * n_out;
    var voxel = (odd >> 8u) * whole;
    var part = (odd >> 8u) * rest + (odd & 255u) * n_in;
    voxel = voxel + part / double;
    part = part % double;
    if (part < n_out) {
        if (voxel == 0u) {
            return Between(0u, 1u, 0.0);
        }
        voxel = voxel - 1u;
        part = part + double;
    }
    if (voxel + 1u >= n_in) {
        return Between(n_in - 2u, n_in - 1u, 1.0);
    }
    return Between(voxel, voxel + 1u, f32(part - n_out) / f32(double));
}

// The mean of the eight samples around a position, left and right of it: below and above along y, then the same on the next plane.
// `weights`: of the upper ones along x, y and z; what the mean is multiplied by.
fn mix_eight(left: vec4<f32>, right: vec4<f32>, weights: vec4<f32>) -> f32 {
    // First along y, then along z, then along x.
    let near = vec2<f32>(left.x, right.x);
    let far = vec2<f32>(left.z, right.z);
    let low = near + weights.y * (vec2<f32>(left.y, right.y) - near);
    let high = far + weights.y * (vec2<f32>(left.w, right.w) - far);
    let line = weights.w * (low + weights.z * (high - low));
    return line.x + weights.x * (line.y - line.x);
}
