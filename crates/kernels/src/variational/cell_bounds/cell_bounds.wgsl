// Lower bounds of det(I + ∇d) in cells, and how many are too small. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;
override COMPARED: u32 = 0u;
override KEPT: u32 = 0u;
const RESIDENT_THREADS: u32 = 768u;

fn field_at(i: u32) -> vec3<f32> {
    var d = vec3<f32>(displacement_x[i] * block.per_edge.x, displacement_y[i] * block.per_edge.y, 0.0);
    if (COMPONENTS == 3u) {
        d.z = displacement_z[i] * block.per_edge.z;
    }
    return d;
}

// Whether a corner of a cell has kept a share of its change alone.
fn is_shortened(own: u32, strides: vec3<u32>) -> bool {
    var is_any = false;
    for (var k = 0u; k < 8u; k = k + 1u) {
        let at = own + (k & 1u) * strides.x + ((k >> 1u) & 1u) * strides.y + (k >> 2u) * strides.z;
        is_any = is_any || kept[at] != 1.0;
    }
    return is_any;
}

@compute @workgroup_size(256)
fn cell_bounds(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size.xyz;
    var strides = vec3<u32>(1u, size.x, size.x * size.y);
    strides = select(vec3<u32>(), strides, size > vec3<u32>(1u));
    var count = 0.0;
    let own = own_items(group.x, groups.x, block.size.w);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        let at = vec3<u32>(i % size.x, (i / size.x) % size.y, i / (size.x * size.y));
        var is_last = (at + vec3<u32>(1u) == size) & (size > vec3<u32>(1u));
        is_last.z = is_last.z && COMPONENTS == 3u;
        if (KEPT == 1u && (any(is_last) || !is_shortened(i, strides))) {
            continue;
        }
        var bound = NO_FOLD;
        if (!any(is_last)) {
            bound = least_in_cell(i, strides, block.limits);
        }
        out[i] = bound;
        var counts = !(bound > block.fold);
        if (COMPARED == 1u) {
            counts = counts && !(bound >= before[i]);
        }
        if (counts) {
            count = count + 1.0;
        }
    }
    let total = workgroup_sum(count, lane);
    if (lane == 0u) {
        sums[group.x] = total;
    }
}
