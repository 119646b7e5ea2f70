// Sums over a workgroup of WIDTH × HEIGHT threads (at most 512), in a fixed order.
var<workgroup> tile_lanes: array<f32, 512>;

// All threads of the workgroup must call this together.
fn tile_sum(value: f32, lane: u32) -> f32 {
    tile_lanes[lane] = value;
    workgroupBarrier();
    for (var half = 256u; half > 0u; half = half >> 1u) {
        if (lane < half && lane + half < WIDTH * HEIGHT) {
            tile_lanes[lane] = tile_lanes[lane] + tile_lanes[lane + half];
        }
        workgroupBarrier();
    }
    return tile_lanes[0];
}
