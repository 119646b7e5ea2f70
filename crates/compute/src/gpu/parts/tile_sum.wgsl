// Sums over a workgroup of WIDTH × HEIGHT threads (at most 512), in a fixed order: halves onto halves, two at a time, since
// threads wait for each other more than they add.
var<workgroup> tile_lanes: array<f32, 512>;

fn tile_lane(lane: u32) -> f32 {
    return select(0.0, tile_lanes[lane], lane < WIDTH * HEIGHT);
}

// To be called by all threads of the workgroup together, with a barrier before the next sum.
fn tile_sum(value: f32, lane: u32) -> f32 {
    tile_lanes[lane] = value;
    workgroupBarrier();
    for (var quarter = select(32u, 128u, WIDTH * HEIGHT > 128u); quarter > 2u; quarter = quarter >> 2u) {
        if (lane < quarter) {
            let even = tile_lane(lane) + tile_lane(lane + 2u * quarter);
            let odd = tile_lane(lane + quarter) + tile_lane(lane + 3u * quarter);
            tile_lanes[lane] = even + odd;
        }
        workgroupBarrier();
    }
    let even = (tile_lane(0u) + tile_lane(4u)) + (tile_lane(2u) + tile_lane(6u));
    let odd = (tile_lane(1u) + tile_lane(5u)) + (tile_lane(3u) + tile_lane(7u));
    return even + odd;
}
