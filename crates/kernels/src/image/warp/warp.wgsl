// Samples the moving image at displaced positions. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;
// 0: nearest; 1: linear; 2: cubic spline; 3: the label of the most weight; 4: cubic convolution.
override INTERPOLATION: u32 = 1u;
override AFFINE: u32 = 0u;
// Voxels per thread, along the last axis: 1 or 4.
override VOXELS: u32 = 4u;
// 1: the moving image has one voxel along x, and so no neighbour there.
override THIN: u32 = 0u;
// 1: both images are parts of larger ones, and positions count from the first voxels of these.
override PART: u32 = 0u;
// Cubic ones wait for 64 samples each.
const RESIDENT_THREADS: u32 = 1536u;
// Number of planes that cubic ones read: 1 (2-D) or 4 (3-D).
override DEPTH: u32 = 4u;

// The displacements of all voxels of a thread are loaded before the first sample of the image.
@compute @workgroup_size(32, 8)
fn warp(@builtin(global_invocation_id) id: vec3<u32>) {
    var first = id;
    var stride = block.size.x;
    var left = 0u;
    if (COMPONENTS == 3u) {
        first.z = id.z * VOXELS;
        stride = block.size.x * block.size.y;
        left = block.size.z - 1u - min(first.z, block.size.z - 1u);
    } else {
        first.y = id.y * VOXELS;
        left = block.size.y - 1u - min(first.y, block.size.y - 1u);
    }
    if (first.x >= block.size.x || first.y >= block.size.y) {
        return;
    }
    let start = (first.z * block.size.y + first.y) * block.size.x + first.x;
    let steps = min(vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(left, left, left, left));
    let at = start + steps * stride;
    let dx = block.per_edge.x * load_x(at);
    let dy = block.per_edge.y * load_y(at);
    var dz = vec4<f32>();
    if (COMPONENTS == 3u) {
        dz = block.per_edge.z * load_z(at);
    }
    let x = vec4<f32>(f32(first.x + block.fixed_begin.x));
    var y = vec4<f32>(f32(first.y + block.fixed_begin.y));
    var z = vec4<f32>(f32(first.z + block.fixed_begin.z));
    if (COMPONENTS == 3u) {
        z = z + vec4<f32>(steps);
    } else {
        y = y + vec4<f32>(steps);
    }
    var to_x = x + dx;
    var to_y = y + dy;
    var to_z = z + dz;
    if (AFFINE == 1u) {
        to_x = x + added(added(vec4<f32>(block.added_x.w), block.added_x, x, y, z), block.linear_x, dx, dy, dz);
        to_y = y + added(added(vec4<f32>(block.added_y.w), block.added_y, x, y, z), block.linear_y, dx, dy, dz);
        to_z = z + added(added(vec4<f32>(block.added_z.w), block.added_z, x, y, z), block.linear_z, dx, dy, dz);
    }
    out[at.x] = sample(to_x.x, to_y.x, to_z.x);
    if (VOXELS == 4u) {
        if (left >= 1u) {
            out[at.y] = sample(to_x.y, to_y.y, to_z.y);
        }
        if (left >= 2u) {
            out[at.z] = sample(to_x.z, to_y.z, to_z.z);
        }
        if (left >= 3u) {
            out[at.w] = sample(to_x.w, to_y.w, to_z.w);
        }
    }
}

fn load_x(at: vec4<u32>) -> vec4<f32> {
    if (VOXELS == 1u) {
        return vec4<f32>(displacement_x[at.x]);
    }
    return vec4<f32>(displacement_x[at.x], displacement_x[at.y], displacement_x[at.z], displacement_x[at.w]);
}

fn load_y(at: vec4<u32>) -> vec4<f32> {
    if (VOXELS == 1u) {
        return vec4<f32>(displacement_y[at.x]);
    }
    return vec4<f32>(displacement_y[at.x], displacement_y[at.y], displacement_y[at.z], displacement_y[at.w]);
}

fn load_z(at: vec4<u32>) -> vec4<f32> {
    if (VOXELS == 1u) {
        return vec4<f32>(displacement_z[at.x]);
    }
    return vec4<f32>(displacement_z[at.x], displacement_z[at.y], displacement_z[at.z], displacement_z[at.w]);
}

// `start` plus one row of a matrix times (x, y, z), for four positions.
fn added(start: vec4<f32>, row: vec4<f32>, x: vec4<f32>, y: vec4<f32>, z: vec4<f32>) -> vec4<f32> {
    if (COMPONENTS == 2u) {
        return start + row.x * x + row.y * y;
    }
    return start + row.x * x + row.y * y + row.z * z;
}

fn sample(x: f32, y: f32, z: f32) -> f32 {
    var inside = is_inside(x, block.moving_whole.x, block.reach) && is_inside(y, block.moving_whole.y, block.reach);
    if (COMPONENTS == 3u) {
        inside = inside && is_inside(z, block.moving_whole.z, block.reach);
    }
    if (!inside) {
        return not_a_number();
    }
    if (INTERPOLATION == 0u) {
        return nearest(x, y, z);
    }
    if (INTERPOLATION == 1u) {
        return linear(x, y, z);
    }
    if (INTERPOLATION == 3u) {
        return most_weight(x, y, z);
    }
    return cubic(x, y, z);
}

// The voxel of the part at a voxel of the whole image, or the nearest one that has `after - 1` behind it.
fn in_part(at: u32, begin: u32, count: u32, after: u32) -> u32 {
    if (PART == 0u) {
        return at;
    }
    return min(max(at, begin) - begin, max(count, after) - after);
}

fn nearest_along(at: f32, count: u32) -> u32 {
    return u32(clamp(at + 0.5, 0.0, f32(count - 1u)));
}

// The cell of a position of the whole image, in the part.
fn part_cell(at: f32, whole: u32, begin: u32, count: u32) -> Cell {
    let cell = cell_of(at, whole);
    let low = in_part(cell.low, begin, count, 2u);
    return Cell(low, min(low + 1u, count - 1u), cell.weight);
}

fn nearest(x: f32, y: f32, z: f32) -> f32 {
    let column = in_part(nearest_along(x, block.moving_whole.x), block.moving_begin.x, block.moving_size.x, 1u);
    var row = in_part(nearest_along(y, block.moving_whole.y), block.moving_begin.y, block.moving_size.y, 1u);
    if (COMPONENTS == 3u) {
        let plane = in_part(nearest_along(z, block.moving_whole.z), block.moving_begin.z, block.moving_size.z, 1u);
        row = row + plane * block.moving_size.y;
    }
    return moving[row * block.moving_size.x + column];
}

fn linear(x: f32, y: f32, z: f32) -> f32 {
    let cx = part_cell(x, block.moving_whole.x, block.moving_begin.x, block.moving_size.x);
    let cy = part_cell(y, block.moving_whole.y, block.moving_begin.y, block.moving_size.y);
    if (COMPONENTS == 2u) {
        let low = i32(cy.low * block.moving_size.x + cx.low);
        let high = i32(cy.high * block.moving_size.x + cx.low);
        let left = vec2<f32>(moving[low], moving[high]);
        var right = left;
        if (THIN == 0u) {
            right = vec2<f32>(moving[low + 1], moving[high + 1]);
        }
        let rows = lerp2(left, right, cx.weight);
        return lerp(rows.x, rows.y, cy.weight);
    }
    let cz = part_cell(z, block.moving_whole.z, block.moving_begin.z, block.moving_size.z);
    // Signed indices cannot overflow here, so the compiler may fold the step to the next sample into the address of the
    // load.
    let base = i32((cz.low * block.moving_size.y + cy.low) * block.moving_size.x + cx.low);
    let far = base + i32((cz.high - cz.low) * block.moving_size.x * block.moving_size.y);
    let row = i32((cy.high - cy.low) * block.moving_size.x);
    let left = vec4<f32>(moving[base], moving[base + row], moving[far], moving[far + row]);
    var right = left;
    if (THIN == 0u) {
        right = vec4<f32>(moving[base + 1], moving[base + row + 1], moving[far + 1], moving[far + row + 1]);
    }
    let rows = lerp4(left, right, cx.weight);
    let planes = lerp2(rows.xz, rows.yw, cy.weight);
    return lerp(planes.x, planes.y, cz.weight);
}

// The weight of a corner of a cell along one axis.
fn corner_weight(cell: Cell, upper: bool) -> f32 {
    return select(1.0 - cell.weight, cell.weight, upper);
}

// The weights of all corners with this label.
fn label_share(labels: ptr<function, array<f32, 8>>, weights: ptr<function, array<f32, 8>>, label: f32) -> f32 {
    var sum = 0.0;
    for (var k = 0u; k < (1u << COMPONENTS); k = k + 1u) {
        sum = sum + select(0.0, (*weights)[k], (*labels)[k] == label);
    }
    return sum;
}

fn most_weight(x: f32, y: f32, z: f32) -> f32 {
    let cx = part_cell(x, block.moving_whole.x, block.moving_begin.x, block.moving_size.x);
    let cy = part_cell(y, block.moving_whole.y, block.moving_begin.y, block.moving_size.y);
    var cz = Cell(0u, 0u, 0.0);
    if (COMPONENTS == 3u) {
        cz = part_cell(z, block.moving_whole.z, block.moving_begin.z, block.moving_size.z);
    }
    var labels: array<f32, 8>;
    var weights: array<f32, 8>;
    for (var k = 0u; k < (1u << COMPONENTS); k = k + 1u) {
        let upper = vec3<bool>((k & 1u) != 0u, (k & 2u) != 0u, (k & 4u) != 0u);
        let column = select(cx.low, cx.high, upper.x);
        let row = select(cz.low, cz.high, upper.z) * block.moving_size.y + select(cy.low, cy.high, upper.y);
        var weight = corner_weight(cx, upper.x) * corner_weight(cy, upper.y);
        if (COMPONENTS == 3u) {
            weight = weight * corner_weight(cz, upper.z);
        }
        labels[k] = moving[row * block.moving_size.x + column];
        weights[k] = weight;
    }
    var best = nearest(x, y, z);
    var most = label_share(&labels, &weights, best);
    for (var k = 0u; k < (1u << COMPONENTS); k = k + 1u) {
        let share = label_share(&labels, &weights, labels[k]);
        if (share > most) {
            best = labels[k];
            most = share;
        }
    }
    return best;
}

// Weights of the four neighbours of the cubic B-spline: (1−t)³, 4 − 6t² + 3t³, 1 + 3t + 3t² − 3t³, t³, all divided by
// 6.
fn spline_weights(t: f32) -> vec4<f32> {
    let sixth = 1.0 / 6.0;
    let square = vec4<f32>(0.5, -1.0, 0.5, 0.0) + t * vec4<f32>(-sixth, 0.5, -0.5, sixth);
    let line = vec4<f32>(-0.5, 0.0, 0.5, 0.0) + t * square;
    let weights = vec4<f32>(sixth, 4.0 * sixth, sixth, 0.0) + t * line;
    return vec4<f32>(weights.xyz, sixth * t * t * t);
}

// The index `low` + `k` − 1, mirrored at the borders of the whole image, in the part.
fn mirrored(low: u32, k: u32, whole: u32, begin: u32, count: u32) -> u32 {
    let last = i32(whole) - 1;
    let at = abs(i32(low + k) - 1);
    return in_part(u32(clamp(select(at, 2 * last - at, at > last), 0, last)), begin, count, 1u);
}

fn mirrored_x(low: u32, k: u32) -> u32 {
    return mirrored(low, k, block.moving_whole.x, block.moving_begin.x, block.moving_size.x);
}

fn mirrored_y(low: u32, k: u32) -> u32 {
    return mirrored(low, k, block.moving_whole.y, block.moving_begin.y, block.moving_size.y);
}

fn mirrored_z(low: u32, k: u32) -> u32 {
    return mirrored(low, k, block.moving_whole.z, block.moving_begin.z, block.moving_size.z);
}

// Whether a voxel of the whole image has one before it and two behind it along an axis.
fn is_inner(low: u32, begin: u32, count: u32) -> bool {
    return low >= begin + 1u && low + 2u < begin + count;
}

// Weights of the four neighbours of cubic convolution: −t + 2t² − t³, 2 − 5t² + 3t³, t + 4t² − 3t³, −t² + t³, all divided by 2.
fn convolution_weights(t: f32) -> vec4<f32> {
    let curve = t * (vec4<f32>(1.0, -2.5, 2.0, -0.5) + t * vec4<f32>(-0.5, 1.5, -1.5, 0.5));
    return vec4<f32>(t * (-0.5 + curve.x), 1.0 + t * curve.y, t * (0.5 + curve.z), t * curve.w);
}

fn cubic_weights(t: f32) -> vec4<f32> {
    if (INTERPOLATION == 4u) {
        return convolution_weights(t);
    }
    return spline_weights(t);
}

fn cubic(x: f32, y: f32, z: f32) -> f32 {
    let cx = cell_of(x, block.moving_whole.x);
    let cy = cell_of(y, block.moving_whole.y);
    let wx = cubic_weights(cx.weight);
    let wy = cubic_weights(cy.weight);
    var low_z = 0u;
    var wz = vec4<f32>(1.0, 0.0, 0.0, 0.0);
    var inside = is_inner(cx.low, block.moving_begin.x, block.moving_size.x);
    inside = inside && is_inner(cy.low, block.moving_begin.y, block.moving_size.y);
    if (COMPONENTS == 3u) {
        let cz = cell_of(z, block.moving_whole.z);
        low_z = cz.low;
        wz = cubic_weights(cz.weight);
        inside = inside && is_inner(cz.low, block.moving_begin.z, block.moving_size.z);
    }
    var sum = vec4<f32>();
    if (inside) {
        let low_plane = select(0u, low_z - 1u - block.moving_begin.z, COMPONENTS == 3u);
        let low_row = cy.low - 1u - block.moving_begin.y;
        let corner = (low_plane * block.moving_size.y + low_row) * block.moving_size.x + cx.low - 1u - block.moving_begin.x;
        for (var k = 0u; k < DEPTH; k = k + 1u) {
            let at = corner + k * block.moving_size.x * block.moving_size.y;
            var plane = wy.x * four(at);
            plane = plane + wy.y * four(at + block.moving_size.x);
            plane = plane + wy.z * four(at + 2u * block.moving_size.x);
            plane = plane + wy.w * four(at + 3u * block.moving_size.x);
            sum = sum + wz[k] * plane;
        }
    } else {
        let xs = vec4<u32>(
            mirrored_x(cx.low, 0u),
            mirrored_x(cx.low, 1u),
            mirrored_x(cx.low, 2u),
            mirrored_x(cx.low, 3u),
        );
        for (var k = 0u; k < DEPTH; k = k + 1u) {
            var plane = vec4<f32>();
            for (var l = 0u; l < 4u; l = l + 1u) {
                var row = mirrored_y(cy.low, l);
                if (COMPONENTS == 3u) {
                    row = row + mirrored_z(low_z, k) * block.moving_size.y;
                }
                let at = xs + row * block.moving_size.x;
                plane = plane + wy[l] * vec4<f32>(moving[at.x], moving[at.y], moving[at.z], moving[at.w]);
            }
            sum = sum + wz[k] * plane;
        }
    }
    return wx.x * sum.x + wx.y * sum.y + wx.z * sum.z + wx.w * sum.w;
}

// Four samples in a row from `corner` on; signed indices for the same reason as above.
fn four(corner: u32) -> vec4<f32> {
    let at = i32(corner);
    return vec4<f32>(moving[at], moving[at + 1], moving[at + 2], moving[at + 3]);
}
