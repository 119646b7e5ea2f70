// How wrong a vector may be: the contract is mod.rs's. `each_voxel.wgsl`, or another kernel that starts from this error, follows
// this part and defines its uniform block; nan.wgsl stands before it.

override COMPONENTS: u32 = 3u;

// The first sample of the nearest fourth difference that lies inside, and the distance of its samples.
fn samples(i: u32, at: u32, count: u32, stride: u32, step: u32) -> vec2<u32> {
    let centre = min(max(at, 2u * step), count - 1u - 2u * step);
    return vec2<u32>(i - at * stride + (centre - 2u * step) * stride, step * stride);
}

fn squared(a: f32, b: f32, c: f32, d: f32, e: f32) -> f32 {
    let near = b + d - 2.0 * c;
    let far = a + e - 2.0 * c;
    let fourth = far - 4.0 * near;
    return fourth * fourth;
}

fn square_x(s: vec2<u32>) -> f32 {
    let first = s.x;
    let step = s.y;
    return squared(d_x[first], d_x[first + step], d_x[first + 2u * step], d_x[first + 3u * step], d_x[first + 4u * step]);
}

fn square_y(s: vec2<u32>) -> f32 {
    let first = s.x;
    let step = s.y;
    return squared(d_y[first], d_y[first + step], d_y[first + 2u * step], d_y[first + 3u * step], d_y[first + 4u * step]);
}

fn square_z(s: vec2<u32>) -> f32 {
    let first = s.x;
    let step = s.y;
    return squared(d_z[first], d_z[first + step], d_z[first + 2u * step], d_z[first + 3u * step], d_z[first + 4u * step]);
}

fn voxel(at: vec3<u32>) -> u32 {
    return (at.z * block.error.size.y + at.y) * block.error.size.x + at.x;
}

// e² of a voxel, whose warped image is still there.
fn expected(at: vec3<u32>) -> f32 {
    let size = block.error.size;
    let i = voxel(at);
    let outside = is_nan(warped_to_error[i]);
    let along_x = samples(i, at.x, size.x, 1u, block.error.steps.x);
    let along_y = samples(i, at.y, size.y, size.x, block.error.steps.y);
    let along_z = samples(i, at.z, size.z, size.x * size.y, block.error.steps.z);
    // A step of 0 finds five times the same sample, and no difference.
    var squares = square_x(along_x);
    squares = squares + square_x(along_y);
    if (COMPONENTS == 3u) {
        squares = squares + square_x(along_z);
    }
    squares = squares + square_y(along_x);
    squares = squares + square_y(along_y);
    if (COMPONENTS == 3u) {
        squares = squares + square_y(along_z);
        squares = squares + square_z(along_x);
        squares = squares + square_z(along_y);
        squares = squares + square_z(along_z);
    }
    let a = block.error.factors.y;
    var minors = 0.0;
    var determinant = 0.0;
    if (COMPONENTS == 2u) {
        let p = j_0[i] + a;
        let q = j_1[i];
        let r = j_2[i] + a;
        minors = p + r;
        determinant = p * r - q * q;
    } else {
        let p = j_0[i] + a;
        let q = j_1[i];
        let r = j_2[i];
        let s = j_3[i] + a;
        let t = j_4[i];
        let u = j_5[i] + a;
        minors = s * u - t * t + p * u - r * r + p * s - q * q;
        determinant = p * (s * u - t * t) + q * (r * t - q * u) + r * (q * t - r * s);
    }
    var open = 1.0;
    if (determinant > 0.0) {
        open = clamp(block.error.factors.z * minors / determinant, 0.0, 1.0);
    }
    // Chosen at the end, so that no sample waits for the warped image's.
    return select(squares * block.error.factors.x + tt[i] * open * block.error.factors.w, block.error.outside2, outside);
}
