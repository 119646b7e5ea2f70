// The mismatch of the pairs of images. This part follows `products.wgsl`.

// Σ n I_t² and Σ n |∇I|², for each workgroup.
@compute @workgroup_size(256)
fn mismatch(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size;
    var tt = 0.0;
    var trace = 0.0;
    let own = own_items(group.x, groups.x, size.x * size.y * size.z);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        let row = i / size.x;
        let y = row % size.y;
        let at = all_products(i, around(i % size.x, row / size.y), y);
        tt = tt + at.c.y;
        if (COMPONENTS == 2u) {
            trace = trace + at.a.x + at.a.z;
        } else {
            trace = trace + at.a.x + at.a.w + at.b.y;
        }
    }
    let total_tt = workgroup_sum(tt, lane);
    let total_trace = workgroup_sum(trace, lane);
    if (lane == 0u) {
        sums[2u * group.x] = total_tt;
        sums[2u * group.x + 1u] = total_trace;
    }
}
