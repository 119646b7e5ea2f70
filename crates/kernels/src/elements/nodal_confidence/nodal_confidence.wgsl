// Variances of control points and the confidence of pixels. The contract is in mod.rs.

var<workgroup> controls_from: u32;
var<workgroup> pixels_from: u32;

fn control(component: u32, at: u32) -> f32 {
    return variance[controls_from + at];
}

fn value(component: u32, row: u32, x: u32) -> f32 {
    if (component == 1u) {
        return 1.0;
    }
    let i = row * block.lattice.size.x + x;
    if (component == 0u) {
        let r = residuals[pixels_from + i];
        return r * r;
    }
    let n = block.lattice.size.w;
    let s = slopes[pixels_from * COMPONENTS + (component - 2u) * n + i];
    return s * s;
}

// The first component is the squared residual, the second counts pixels, the others are squared slopes.
fn row_sum(component: u32, row: u32, kx: u32, square: bool) -> f32 {
    let pixels = support(0u, kx);
    let side = kx & 1u;
    var before = 0.0;
    for (var x = pixels.x; x < pixels.y; x = x + 1u) {
        before = before + weights[x][2u + side] * value(component, row, x);
    }
    var after = 0.0;
    for (var x = pixels.z; x < pixels.w; x = x + 1u) {
        after = after + weights[x][side] * value(component, row, x);
    }
    return before + after;
}

@compute @workgroup_size(256)
fn nodal_variance(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let count = block.lattice.controls.w;
    let own_set = accepted_set(problem) * block.lattice.counts.x + problem;
    if (lane == 0u) {
        pixels_from = own_set * block.lattice.size.w;
    }
    workgroupBarrier();
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.z * LINE) {
        let k = control_at(i);
        let pixels = gathered(1u, k, false);
        let per_pixel = select(0.0, 1.0 / pixels, pixels > 0.0);
        let mean = gathered(0u, k, false) * per_pixel;
        var inverse = 0.0;
        for (var c = 0u; c < COMPONENTS; c = c + 1u) {
            inverse = inverse + 1.0 / (gathered(2u + c, k, false) * per_pixel + block.limits.z);
        }
        variance[problem * count + i] = block.limits.w * max(mean, block.limits.x) * inverse;
    }
}

@compute @workgroup_size(256)
fn nodal_confidence(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let n = block.lattice.size.w;
    if (lane == 0u) {
        controls_from = problem * block.lattice.controls.w;
    }
    workgroupBarrier();
    for (var i = group.x * LINE + lane; i < n; i = i + block.lattice.counts.y * LINE) {
        confidence[problem * n + i] = 1.0 / (1.0 + interpolated(0u, pixel_at(i)) * block.limits.y);
    }
}
