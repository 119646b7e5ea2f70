// Residuals and their slopes. The contract is in mod.rs.

override AFFINE: u32 = 0u;
override WEIGHTED: u32 = 0u;

// The problem in the set on trial.
var<workgroup> trial: u32;
var<workgroup> moving_from: u32;

fn control(component: u32, at: u32) -> f32 {
    return controls[(trial * COMPONENTS + component) * block.lattice.controls.w + at];
}

// Weights of the four neighbours of the cubic B-spline, and their derivatives.
fn spline_weights(t: f32) -> vec4<f32> {
    let s = 1.0 - t;
    let sixth = 1.0 / 6.0;
    let squares = vec2<f32>(s * s, t * t);
    let two_thirds = 4.0 * sixth;
    return vec4<f32>(
        sixth * squares.x * s,
        two_thirds - squares.y * (1.0 - 0.5 * t),
        two_thirds - squares.x * (1.0 - 0.5 * s),
        sixth * squares.y * t,
    );
}

fn spline_slopes(t: f32) -> vec4<f32> {
    let s = 1.0 - t;
    return vec4<f32>(-0.5 * s * s, t * (1.5 * t - 2.0), s * (2.0 - 1.5 * s), 0.5 * t * t);
}

// The index `low` + `k` − 1, mirrored at the borders.
fn mirrored(low: u32, k: u32, count: u32) -> u32 {
    let last = i32(count) - 1;
    let at = abs(i32(low + k) - 1);
    return u32(clamp(select(at, 2 * last - at, at > last), 0, last));
}

// The moving image (w) and its derivatives per voxel (xyz) at a position inside of it; of pictures that follow each other the
// one at `plane`.
fn sampled(at: vec3<f32>, plane_at: u32) -> vec4<f32> {
    let size = block.moving_size;
    let cx = cell_of(at.x, size.x);
    let cy = cell_of(at.y, size.y);
    let wx = spline_weights(cx.weight);
    let dx = spline_slopes(cx.weight);
    let wy = spline_weights(cy.weight);
    let dy = spline_slopes(cy.weight);
    var low_z = 0u;
    var wz = vec4<f32>(1.0, 0.0, 0.0, 0.0);
    var dz = vec4<f32>();
    if (COMPONENTS == 3u) {
        let cz = cell_of(at.z, size.z);
        low_z = cz.low;
        wz = spline_weights(cz.weight);
        dz = spline_slopes(cz.weight);
    }
    let xs = vec4<u32>(
        mirrored(cx.low, 0u, size.x),
        mirrored(cx.low, 1u, size.x),
        mirrored(cx.low, 2u, size.x),
        mirrored(cx.low, 3u, size.x),
    );
    var found = vec4<f32>();
    for (var k = 0u; k < DEPTH; k = k + 1u) {
        var plane = vec3<f32>();
        for (var l = 0u; l < 4u; l = l + 1u) {
            var row = mirrored(cy.low, l, size.y);
            if (COMPONENTS == 3u) {
                row = row + mirrored(low_z, k, size.z) * size.y;
            } else {
                row = row + plane_at * size.y;
            }
            let corner = vec4<u32>(moving_from + row * size.x) + xs;
            let m = vec4<f32>(moving[corner.x], moving[corner.y], moving[corner.z], moving[corner.w]);
            let value = wx.x * m.x + wx.y * m.y + wx.z * m.z + wx.w * m.w;
            let slope = dx.x * m.x + dx.y * m.y + dx.z * m.z + dx.w * m.w;
            plane.x = plane.x + wy[l] * slope;
            plane.y = plane.y + dy[l] * value;
            plane.z = plane.z + wy[l] * value;
        }
        if (COMPONENTS == 2u) {
            return vec4<f32>(plane.x, plane.y, 0.0, plane.z);
        }
        found.x = found.x + wz[k] * plane.x;
        found.y = found.y + wz[k] * plane.y;
        found.z = found.z + dz[k] * plane.z;
        found.w = found.w + wz[k] * plane.z;
    }
    return found;
}

// `start` plus one row of a matrix times a position.
fn added(start: f32, row: vec4<f32>, at: vec3<f32>) -> f32 {
    if (COMPONENTS == 2u) {
        return start + row.x * at.x + row.y * at.y;
    }
    return start + row.x * at.x + row.y * at.y + row.z * at.z;
}

fn moved(x: vec3<f32>, d: vec3<f32>) -> vec3<f32> {
    if (AFFINE == 0u) {
        return x + d;
    }
    return vec3<f32>(
        x.x + added(added(block.added_x.w, block.added_x, x), block.linear_x, d),
        x.y + added(added(block.added_y.w, block.added_y, x), block.linear_y, d),
        x.z + added(added(block.added_z.w, block.added_z, x), block.linear_z, d),
    );
}

// Derivatives in voxels of the moving image as those in voxels of the fixed one.
fn pulled_back(g: vec3<f32>) -> vec3<f32> {
    if (AFFINE == 0u) {
        return g;
    }
    if (COMPONENTS == 2u) {
        return vec3<f32>(
            g.x * block.linear_x.x + g.y * block.linear_y.x,
            g.x * block.linear_x.y + g.y * block.linear_y.y,
            0.0,
        );
    }
    return vec3<f32>(
        g.x * block.linear_x.x + g.y * block.linear_y.x + g.z * block.linear_z.x,
        g.x * block.linear_x.y + g.y * block.linear_y.y + g.z * block.linear_z.y,
        g.x * block.linear_x.z + g.y * block.linear_y.z + g.z * block.linear_z.z,
    );
}

fn is_seen(at: vec3<f32>) -> bool {
    let size = block.moving_size;
    let inside = is_inside(at.x, size.x, 0.001) && is_inside(at.y, size.y, 0.001);
    return inside && (COMPONENTS == 2u || is_inside(at.z, size.z, 0.001));
}

// The slopes (xyz) and the residual (w) of a pixel that moves by `u` edges.
fn pixel(problem: u32, row: u32, x: u32, u: vec3<f32>) -> vec4<f32> {
    let size = block.lattice.size;
    let i = row * size.x + x;
    let begin = vec3<f32>(vec3<u32>(x, row % size.y, row / size.y));
    let at = moved(begin, block.per_edge.xyz * u);
    var r = 0.0;
    var slope = vec3<f32>();
    if (is_seen(at)) {
        var w = block.per_edge.w;
        if (WEIGHTED == 1u) {
            w = w * weight[problem * size.w + i];
        }
        let found = sampled(at, row / size.y);
        r = w * (found.w - fixed[problem * size.w + i]);
        slope = w * (block.per_edge.xyz * pulled_back(found.xyz));
    }
    residuals[trial * size.w + i] = r;
    slopes[trial * COMPONENTS * size.w + i] = slope.x;
    slopes[(trial * COMPONENTS + 1u) * size.w + i] = slope.y;
    if (COMPONENTS == 3u) {
        slopes[(trial * COMPONENTS + 2u) * size.w + i] = slope.z;
    }
    return vec4<f32>(slope, r);
}

fn energy_of(values: vec4<f32>) -> f32 {
    return values.w * values.w;
}

fn term(values: vec4<f32>, component: u32, w: f32) -> vec2<f32> {
    let s = values[component];
    return vec2<f32>(w * (values.w * s), (w * w) * (s * s));
}

fn write_sums(problem: u32, component: u32, row: u32, kx: u32, sums: vec2<f32>) {
    let rows = block.lattice.size.y * block.lattice.size.z;
    let at = ((problem * COMPONENTS + component) * rows + row) * block.lattice.controls.x + kx;
    row_sums[at] = sums.x;
    row_sums[block.lattice.counts.x * COMPONENTS * rows * block.lattice.controls.x + at] = sums.y;
}

@compute @workgroup_size(256)
fn residual(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    if (lane == 0u) {
        trial = (1u - accepted_set(problem)) * block.lattice.counts.x + problem;
        moving_from = problem * block.moving_size.x * block.moving_size.y * block.moving_size.z;
    }
    workgroupBarrier();
    let total = workgroup_sum(project_rows(problem, group, is_active(problem), lane), lane);
    if (lane == 0u) {
        let partials = block.lattice.tiling.z;
        energy[problem * partials + group.x * (partials / block.lattice.tiling.y) + group.z] = total;
    }
}
