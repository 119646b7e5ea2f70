// The lattice of elements: between control points and pixels. The contract is in lattice.rs; sums go along x, then y,
// then z as in projection.rs and smoothing.rs. A kernel that needs them defines `control`, a control point of a
// component.

override COMPONENTS: u32 = 2u;
// Control points along z that a position depends on: 1 (2-D) or 4.
override DEPTH: u32 = 1u;
// Axes of the lattice: one more than components where the last is time.
override AXES: u32 = 2u;
// Whether the last element ends at the first node of the last axis.
override IS_CYCLE: u32 = 0u;

const STATE: u32 = 8u;

fn accepted_set(problem: u32) -> u32 {
    return u32(state[problem * STATE]);
}

fn is_active(problem: u32) -> bool {
    return state[problem * STATE + 3u] != 0.0;
}

fn pixel_at(i: u32) -> vec3<u32> {
    let row = i / block.lattice.size.x;
    return vec3<u32>(i % block.lattice.size.x, row % block.lattice.size.y, row / block.lattice.size.y);
}

fn control_at(k: u32) -> vec3<u32> {
    let row = k / block.lattice.controls.x;
    return vec3<u32>(k % block.lattice.controls.x, row % block.lattice.controls.y, row / block.lattice.controls.y);
}

// Where an axis' tables begin, in pixels and in elements and in control points.
fn pixels_before(axis: u32) -> u32 {
    return select(0u, block.lattice.size.x, axis > 0u) + select(0u, block.lattice.size.y, axis > 1u);
}

fn controls_before(axis: u32) -> u32 {
    return select(0u, block.lattice.controls.x, axis > 0u) + select(0u, block.lattice.controls.y, axis > 1u);
}

fn summed_along_z(component: u32, row: u32, low: u32, w: vec4<f32>) -> f32 {
    if (AXES == 2u) {
        return control(component, row);
    }
    let plane = block.lattice.controls.x * block.lattice.controls.y;
    let at = row + low * plane;
    var next = at + 2u * plane;
    if (IS_CYCLE == 1u && low + 2u == block.lattice.controls.z) {
        next = row;
    }
    return w.x * control(component, at)
        + w.y * control(component, at + plane)
        + w.z * control(component, next)
        + w.w * control(component, next + plane);
}

// The sum along y and z of the control points at `kx` along x, for a row of pixels.
fn at_row(component: u32, kx: u32, row: vec2<u32>) -> f32 {
    let y = pixels_before(1u) + row.x;
    let wy = weights[y];
    var low_z = 0u;
    var wz = vec4<f32>();
    if (AXES == 3u) {
        let z = pixels_before(2u) + row.y;
        low_z = first[z];
        wz = weights[z];
    }
    let width = block.lattice.controls.x;
    let at = first[y] * width + kx;
    return wy.x * summed_along_z(component, at, low_z, wz)
        + wy.y * summed_along_z(component, at + width, low_z, wz)
        + wy.z * summed_along_z(component, at + 2u * width, low_z, wz)
        + wy.w * summed_along_z(component, at + 3u * width, low_z, wz);
}

// A component at a pixel.
fn interpolated(component: u32, at: vec3<u32>) -> f32 {
    let low = first[at.x];
    let w = weights[at.x];
    var line: array<f32, 4>;
    for (var i = 0u; i < 4u; i = i + 1u) {
        line[i] = at_row(component, low + i, at.yz);
    }
    return w.x * line[0] + w.y * line[1] + w.z * line[2] + w.w * line[3];
}

// The pixels of the element before a control point's node (xy) and of the one after (zw).
fn support(axis: u32, k: u32) -> vec4<u32> {
    let node = k >> 1u;
    let nodes = block.lattice.controls[axis] >> 1u;
    let base = (controls_before(axis) >> 1u) + node;
    var pixels = vec4<u32>();
    let is_cycle = IS_CYCLE == 1u && axis + 1u == AXES;
    if (node > 0u) {
        pixels.x = begins[base - 1u];
        pixels.y = begins[base];
    } else if (is_cycle) {
        pixels.x = begins[base + nodes - 1u];
        pixels.y = begins[base + nodes];
    }
    if (node + 1u < nodes || is_cycle) {
        pixels.z = begins[base];
        pixels.w = begins[base + 1u];
    }
    return pixels;
}

// The first and the end of the entries of a control point's rows, and the first control point that they are of; in a cycle
// the last is followed by the first.
fn neighbours(axis: u32, k: u32) -> vec3<u32> {
    let node = k >> 1u;
    if (IS_CYCLE == 1u && axis + 1u == AXES) {
        return vec3<u32>(0u, 6u, 2u * node + block.lattice.controls[axis] - 2u);
    }
    let begin = select(0u, 2u, node == 0u);
    let end = select(6u, 4u, 2u * node + 2u == block.lattice.controls[axis]);
    return vec3<u32>(begin, end, 2u * node + begin - 2u);
}

// Entries of the matrices of values, first and second derivatives.
fn entries(axis: u32, k: u32, n: u32) -> vec3<f32> {
    let row = 18u * (controls_before(axis) + k) + n;
    return vec3<f32>(stencil[row], stencil[row + 6u], stencil[row + 12u]);
}

// What stands with the matrices of values, first and second derivatives along z; in 2-D with the first alone.
fn smoothed_plane(component: u32, plane: u32, k: vec3<u32>) -> vec3<f32> {
    let along_x = neighbours(0u, k.x);
    let along_y = neighbours(1u, k.y);
    let alpha = block.lattice.alpha;
    let beta = block.lattice.beta;
    let mixed = block.lattice.mixed;
    var sums = vec3<f32>();
    var y = along_y.z;
    for (var n = along_y.x; n < along_y.y; n = n + 1u) {
        let row = plane + y * block.lattice.controls.x;
        var m = 0.0;
        var s = 0.0;
        var b = 0.0;
        var x = along_x.z;
        for (var i = along_x.x; i < along_x.y; i = i + 1u) {
            let e = entries(0u, k.x, i);
            let p = control(component, row + x);
            m = m + e.x * p;
            s = s + e.y * p;
            b = b + e.z * p;
            x = x + 1u;
        }
        let w = entries(1u, k.y, n);
        sums.x = sums.x + w.x * (alpha.x * s + beta.x * b) + w.y * (alpha.y * m + mixed.x * s) + w.z * (beta.y * m);
        if (AXES == 3u) {
            sums.y = sums.y + w.x * (alpha.z * m + mixed.y * s) + w.y * (mixed.z * m);
            sums.z = sums.z + w.x * (beta.z * m);
        }
        y = y + 1u;
    }
    return sums;
}

// The Sobolev term's matrix times the control points.
fn smoothed(component: u32, k: vec3<u32>) -> f32 {
    if (AXES == 2u) {
        return smoothed_plane(component, 0u, k).x;
    }
    let along_z = neighbours(2u, k.z);
    var sum = 0.0;
    var z = along_z.z;
    for (var n = along_z.x; n < along_z.y; n = n + 1u) {
        let w = entries(2u, k.z, n);
        let plane = z % block.lattice.controls.z;
        let t = smoothed_plane(component, plane * block.lattice.controls.x * block.lattice.controls.y, k);
        sum = sum + w.x * t.x + w.y * t.y + w.z * t.z;
        z = z + 1u;
    }
    return sum;
}

// That matrix' diagonal.
fn smoothed_diagonal(k: vec3<u32>) -> f32 {
    let alpha = block.lattice.alpha;
    let beta = block.lattice.beta;
    let mixed = block.lattice.mixed;
    let x = entries(0u, k.x, 2u + (k.x & 1u));
    let w = entries(1u, k.y, 2u + (k.y & 1u));
    let values = w.x * (alpha.x * x.y + beta.x * x.z) + w.y * (alpha.y * x.x + mixed.x * x.y) + w.z * (beta.y * x.x);
    if (AXES == 2u) {
        return values;
    }
    let slopes = w.x * (alpha.z * x.x + mixed.y * x.y) + w.y * (mixed.z * x.x);
    let curvatures = w.x * (beta.z * x.x);
    let z = entries(2u, k.z, 2u + (k.z & 1u));
    return z.x * values + z.y * slopes + z.z * curvatures;
}
