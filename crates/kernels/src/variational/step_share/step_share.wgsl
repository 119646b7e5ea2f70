// The share of a step that the cells around can take, in five passes of a volume and four of a picture. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;
// Whether the map is on a grid of its own.
override MOVED: bool = true;

// The same as in mod.rs.
fn share(before: f32, after: f32) -> f32 {
    let target_bound = block.shares.x;
    if (after >= target_bound) {
        return 1.0;
    }
    let begin = select(before, block.shares.z, before > block.shares.z);
    if (begin <= target_bound) {
        return select(0.0, 1.0, after >= begin);
    }
    let part = block.shares.y * (begin - target_bound) / (begin - after);
    return select(0.0, part, part > 0.0);
}

// What a cell withholds.
@compute @workgroup_size(256)
fn withhold(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i < block.size.w) {
        out[i] = 1.0 - share(before[i], after[i]);
    }
}

// The most that any cell withholds along an axis.
@compute @workgroup_size(256)
fn spread(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.size.w) {
        return;
    }
    let at = i / block.along.x % block.along.y;
    let low = min(at, block.along.z);
    let high = min(block.along.y - 1u - at, block.along.z);
    var most = 0.0;
    for (var k = 0u; k <= low + high; k = k + 1u) {
        most = max(most, withheld[i - low * block.along.x + k * block.along.x]);
    }
    out[i] = most;
}

// The cell along an axis at a position.
fn cell(voxel: u32, displacement: f32, count: u32) -> u32 {
    let at = select(f32(voxel) + displacement, 0.0, is_nan(displacement));
    return u32(clamp(at, 0.0, f32(count - 1u)));
}

@compute @workgroup_size(256)
fn shorten(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.size.w) {
        return;
    }
    if (!MOVED) {
        out[i] = out[i] * (1.0 - withheld[i]);
        return;
    }
    let size = block.size;
    let x = cell(i % size.x, map_x[i] * block.per_edge.x, size.x);
    let y = cell(i / size.x % size.y, map_y[i] * block.per_edge.y, size.y);
    var at = y * size.x + x;
    if (COMPONENTS == 3u) {
        at = at + cell(i / (size.x * size.y), map_z[i] * block.per_edge.z, size.z) * size.x * size.y;
    }
    out[i] = out[i] * (1.0 - withheld[at]);
}
