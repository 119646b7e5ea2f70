// Sums over a workgroup of LINE threads, in a fixed order.
var<workgroup> lane_sums: array<f32, 256>;

// All threads of the workgroup must call this together.
fn workgroup_sum(value: f32, lane: u32) -> f32 {
    lane_sums[lane] = value;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half = half >> 1u) {
        if (lane < half) {
            lane_sums[lane] = lane_sums[lane] + lane_sums[lane + half];
        }
        workgroupBarrier();
    }
    let total = lane_sums[0];
    workgroupBarrier();
    return total;
}
