// Sums over a workgroup of LINE threads, in a fixed order: halves onto halves, two at a time, since threads wait for each
// other more than they add.
var<workgroup> lane_sums: array<f32, 256>;

// To be called by all threads of the workgroup together.
fn workgroup_sum(value: f32, lane: u32) -> f32 {
    lane_sums[lane] = value;
    workgroupBarrier();
    for (var quarter = 64u; quarter > 2u; quarter = quarter >> 2u) {
        if (lane < quarter) {
            let even = lane_sums[lane] + lane_sums[lane + 2u * quarter];
            let odd = lane_sums[lane + quarter] + lane_sums[lane + 3u * quarter];
            lane_sums[lane] = even + odd;
        }
        workgroupBarrier();
    }
    let total = (lane_sums[0] + lane_sums[2]) + (lane_sums[1] + lane_sums[3]);
    workgroupBarrier();
    return total;
}
