// Cubic samples of a volume, for tiles of 32 × 8 × 4 voxels. After warp.wgsl.
//
// The 64 samples of a voxel are mostly those of its neighbours. The workgroup brings the box of the moving image that they come
// from to its own memory: displacements may differ there by two voxels from that of the tile's centre. A voxel that needs
// another sample takes all of its own from the image.

const TILE: vec3<u32> = vec3<u32>(32u, 8u, 4u);
// A tile, two voxels on either side, and the samples beside them.
const BOX: vec3<u32> = vec3<u32>(40u, 15u, 11u);
// From the box's first voxel to the low voxel of the centre's cell.
const CENTRE_IN_BOX: vec3<i32> = vec3<i32>(19, 7, 5);

var<workgroup> box_samples: array<f32, 6600>;

// Where a voxel is in the moving image.
fn moved(v: vec3<u32>) -> vec3<f32> {
    let at = (v.z * block.size.y + v.y) * block.size.x + v.x;
    let dx = vec4<f32>(block.per_edge.x * displacement_x[at]);
    let dy = vec4<f32>(block.per_edge.y * displacement_y[at]);
    let dz = vec4<f32>(block.per_edge.z * displacement_z[at]);
    let x = vec4<f32>(f32(v.x));
    let y = vec4<f32>(f32(v.y));
    let z = vec4<f32>(f32(v.z));
    if (AFFINE == 0u) {
        return vec3<f32>(x.x + dx.x, y.x + dy.x, z.x + dz.x);
    }
    let to_x = x + added(added(vec4<f32>(block.added_x.w), block.added_x, x, y, z), block.linear_x, dx, dy, dz);
    let to_y = y + added(added(vec4<f32>(block.added_y.w), block.added_y, x, y, z), block.linear_y, dx, dy, dz);
    let to_z = z + added(added(vec4<f32>(block.added_z.w), block.added_z, x, y, z), block.linear_z, dx, dy, dz);
    return vec3<f32>(to_x.x, to_y.x, to_z.x);
}

// The low voxel of a position's cell; that of `otherwise` if the position is NaN.
fn low_or(at: f32, otherwise: u32, count: u32) -> i32 {
    return i32(cell_of(select(at, f32(otherwise), is_nan(at)), count).low);
}

fn four_in_box(at: u32) -> vec4<f32> {
    return vec4<f32>(box_samples[at], box_samples[at + 1u], box_samples[at + 2u], box_samples[at + 3u]);
}

// A corner of the samples of a position in the box; BOX's size if they are not all there.
fn corner_in_box(to: vec3<f32>, begin: vec3<i32>) -> u32 {
    // Before the box, they wrap around to large numbers.
    let x = u32(i32(cell_of(to.x, block.moving_size.x).low) - 1 - begin.x);
    let y = u32(i32(cell_of(to.y, block.moving_size.y).low) - 1 - begin.y);
    let z = u32(i32(cell_of(to.z, block.moving_size.z).low) - 1 - begin.z);
    let is_there = x <= BOX.x - 4u && y <= BOX.y - 4u && z <= BOX.z - 4u;
    return select(BOX.x * BOX.y * BOX.z, (z * BOX.y + y) * BOX.x + x, is_there);
}

fn sample_in_box(to: vec3<f32>, corner: u32) -> f32 {
    let wx = cubic_weights(cell_of(to.x, block.moving_size.x).weight);
    let wy = cubic_weights(cell_of(to.y, block.moving_size.y).weight);
    let wz = cubic_weights(cell_of(to.z, block.moving_size.z).weight);
    var sum = vec4<f32>();
    for (var k = 0u; k < 4u; k = k + 1u) {
        let at = corner + k * BOX.x * BOX.y;
        var plane = wy.x * four_in_box(at);
        plane = plane + wy.y * four_in_box(at + BOX.x);
        plane = plane + wy.z * four_in_box(at + 2u * BOX.x);
        plane = plane + wy.w * four_in_box(at + 3u * BOX.x);
        sum = sum + wz[k] * plane;
    }
    return wx.x * sum.x + wx.y * sum.y + wx.z * sum.z + wx.w * sum.w;
}

@compute @workgroup_size(32, 8)
fn warp_tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let first = group * TILE;
    let centre = min(first + TILE / 2u, block.size.xyz - 1u);
    let to = moved(centre);
    let begin = vec3<i32>(
        low_or(to.x, centre.x, block.moving_size.x),
        low_or(to.y, centre.y, block.moving_size.y),
        low_or(to.z, centre.z, block.moving_size.z),
    ) - CENTRE_IN_BOX;
    let near = mirror(begin.x + i32(local.x), block.moving_size.x);
    let far = mirror(begin.x + i32(local.x + TILE.x), block.moving_size.x);
    for (var row = local.y; row < BOX.y * BOX.z; row = row + TILE.y) {
        let y = mirror(begin.y + i32(row % BOX.y), block.moving_size.y);
        let z = mirror(begin.z + i32(row / BOX.y), block.moving_size.z);
        let line = (z * block.moving_size.y + y) * block.moving_size.x;
        box_samples[row * BOX.x + local.x] = moving[line + near];
        if (local.x < BOX.x - TILE.x) {
            box_samples[row * BOX.x + local.x + TILE.x] = moving[line + far];
        }
    }
    workgroupBarrier();
    let x = first.x + local.x;
    let y = first.y + local.y;
    if (x >= block.size.x || y >= block.size.y) {
        return;
    }
    let end = min(first.z + TILE.z, block.size.z);
    // Voxels that the box has not all samples of, by bits.
    var others = 0u;
    for (var z = first.z; z < end; z = z + 1u) {
        let to = moved(vec3<u32>(x, y, z));
        let is_known = has_sample(to.x, to.y, to.z);
        let corner = corner_in_box(select(vec3<f32>(), to, is_known), begin);
        if (is_known && corner == BOX.x * BOX.y * BOX.z) {
            others = others | (1u << (z - first.z));
        } else {
            var value = not_a_number();
            if (is_known) {
                value = sample_in_box(to, corner);
            }
            out[(z * block.size.y + y) * block.size.x + x] = value;
        }
    }
    while (others != 0u) {
        let z = first.z + firstTrailingBit(others);
        others = others & (others - 1u);
        let to = moved(vec3<u32>(x, y, z));
        out[(z * block.size.y + y) * block.size.x + x] = cubic(to.x, to.y, to.z);
    }
}
